#!/bin/sh
# Resolve bench/quality/requirements.txt anew, with hashes; uv lives in a folder that is thrown away.
set -eu
cd "$(dirname "$0")"

tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
python3 -m venv "$tool/venv"
"$tool/venv/bin/python" -m pip install --quiet --disable-pip-version-check uv
"$tool/venv/bin/uv" pip compile requirements.in --universal --python-version 3.11 --generate-hashes \
    --no-emit-index-url --no-emit-find-links --custom-compile-command "sh bench/quality/lock.sh" --quiet --output-file requirements.txt "$@"
