"""A worker as a process: from its start to the signal that ends it."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Generator
from types import FrameType

from hindsight_graph.engine import AsyncHindsightGraph
from hindsight_graph.settings import Settings


async def work(settings: Settings, *, once: bool, say: Callable[[str], None]) -> int:
    """Work on jobs until told to stop; what is under way then is given back.

    Args:
        settings: Which store, and how jobs are worked on.
        once: Do what is due, then return.
        say: Told when it is ready and when it stops.

    Returns:
        How many jobs were done, for `once`.
    """
    memory = AsyncHindsightGraph(settings=settings)
    await memory.open(resume=False)
    try:
        if once:
            return await memory.jobs.work()
        worker = memory.jobs.worker()
        task = asyncio.create_task(worker.run(), name="hindsight-graph worker")
        with _on_signals(task.cancel):
            say(f"worker {worker.owner} ready, for jobs of kind {', '.join(sorted(worker.handlers))}")
            with contextlib.suppress(asyncio.CancelledError):
                await task
        say("worker stopped")
        return 0
    finally:
        await memory.close()


@contextlib.contextmanager
def _on_signals(stop: Callable[[], object]) -> Generator[None]:
    """Call `stop` on SIGINT and SIGTERM for the length of a block."""
    loop = asyncio.get_running_loop()

    def on_signal(number: int, frame: FrameType | None) -> None:
        del number, frame
        loop.call_soon_threadsafe(stop)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, on_signal)  # not loop.add_signal_handler, which Windows does not have
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
