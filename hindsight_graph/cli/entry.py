"""The process around a command: exit codes, one-line errors, signals. No traceback for anything that can be foreseen."""

import contextlib
import errno
import io
import json
import os
import sys
from collections.abc import Sequence

from hindsight_graph.errors import HindsightGraphError

INTERRUPTED = 130
"""Ctrl-C: 128 + SIGINT, as shells have it."""
BROKEN_PIPE = 141
"""The reader of our output went away: 128 + SIGPIPE."""

EXIT_CODES = {
    0: "done",
    1: "a check of `doctor` failed, or an error without a code of its own",
    2: "wrong arguments, input or settings; nothing was written",
    3: "no such id or name",
    4: "it changed meanwhile, or is in a state that forbids the command",
    5: "an optional package is missing; the hint is the install line",
    6: "the embedding model failed, or is not the one that filled the store",
    7: "extraction failed",
    8: "the store cannot be used: locked, read-only, full, damaged, or made by a newer version",
    9: "a service cannot listen there: the port is taken, or the address is none of this machine's",
    INTERRUPTED: "interrupted with Ctrl-C",
    BROKEN_PIPE: "the reader of the output went away",
}
"""Exit code to meaning; `HindsightGraphError.exit_code` gives those of 1 to 9."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the process's exit code.

    Args:
        arguments: The words after the program's name; those of the process by default.
    """
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    _tolerate_narrow_encodings()
    try:
        code = _run(words)
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO, errno.EDQUOT):
            raise
        _complain("OSError", f"the output cannot be written: {error.strerror}", "free some space, or write elsewhere", 8, words)
        code = 8
    if code in (8, BROKEN_PIPE):
        _flush_nowhere()
    return code


def _run(words: list[str]) -> int:
    import typer  # noqa: PLC0415 - the import of a program's own start-up cost is its first command's

    from hindsight_graph.cli.app import command_tree  # noqa: PLC0415

    try:
        result = command_tree().main(words, prog_name="hindsight-graph", standalone_mode=False)
    except HindsightGraphError as error:
        return _complain(type(error).__name__, error.message, error.hint, error.exit_code, words)
    except typer.Abort:
        return INTERRUPTED
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        program = context.command_path if context is not None else "hindsight-graph"
        return _complain("InputError", error.format_message(), f"{program} --help", 2, words)
    return result if isinstance(result, int) else 0


def _complain(kind: str, message: str, hint: str, code: int, words: Sequence[str]) -> int:
    message, hint = _printable(message), _printable(hint)
    if "--json" in words:
        error = {"type": kind, "message": message, "hint": hint, "exit_code": code}
        print(json.dumps({"error": error}, ensure_ascii=True), file=sys.stderr)
        return code
    print(f"error: {message}", file=sys.stderr)
    if hint:
        print(f"hint: {hint}", file=sys.stderr)
    return code


def _printable(text: str) -> str:
    """Return `text` on one line, without characters that could steer a terminal."""
    folded = " ".join(text.split())
    return "".join(mark if mark.isprintable() or mark == " " else ascii(mark)[1:-1] for mark in folded)


def _flush_nowhere() -> None:
    """Point stdout at nothing: what Python flushes at exit could not be written either."""
    with contextlib.suppress(OSError, ValueError, io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tolerate_narrow_encodings() -> None:
    """Print an escape instead of failing where the terminal's encoding has no such character."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
