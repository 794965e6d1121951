#!/bin/sh
# Resolve requirements.lock: base and dev dependencies and the extras whose tests run for real, every Python from 3.11 on, every platform, with hashes.
# uv is a tool for this one step: it lives in a folder of its own that is thrown away.
set -eu
cd "$(dirname "$0")/.."

tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
.venv/bin/python -m venv "$tool/venv"
"$tool/venv/bin/python" -m pip install --quiet --disable-pip-version-check uv
"$tool/venv/bin/uv" pip compile pyproject.toml --group dev \
    --extra neo4j --extra server --extra client --extra mcp --extra llm --extra anthropic --extra nlp --extra embed --universal --python-version 3.11 --generate-hashes \
    --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" --quiet \
    --output-file requirements.lock "$@"
