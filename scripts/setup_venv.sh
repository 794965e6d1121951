#!/bin/sh
# Make or refresh .venv: hashed packages from requirements.lock, then the project itself, editable.
# Silent and quick when the lock, pyproject.toml, the folder and the Python are what they were last time.
set -eu
cd "$(dirname "$0")/.."

fingerprint() { { pwd; .venv/bin/python -VV; cat requirements.lock pyproject.toml scripts/setup_venv.sh; } 2>/dev/null | cksum; }

stamp=.venv/.hindsight-graph-setup
[ -f "$stamp" ] && [ "$(fingerprint)" = "$(cat "$stamp")" ] && exit 0

python=
for candidate in python3.13 python3.12 python3.11 python3; do
    # A name on PATH may be a launcher without a Python behind it, so each one has to run.
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "setup: no Python 3.11 or newer found (tried python3.13, python3.12, python3.11, python3); install one and run make setup again" >&2
    exit 1
fi

# An environment that was moved, or whose Python went away or is too old, is made anew.
if ! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 ||
    [ "$(cat .venv/.hindsight-graph-folder 2>/dev/null)" != "$(pwd)" ]; then
    echo "setup: making .venv with $("$python" -V)"
    rm -rf .venv
    if ! "$python" -m venv .venv; then
        rm -rf .venv
        echo "setup: $python cannot make a virtual environment; on Debian and Ubuntu: apt-get install python3-venv" >&2
        exit 1
    fi
    pwd >.venv/.hindsight-graph-folder
fi

rm -f "$stamp"
echo "setup: installing requirements.lock"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
echo "setup: installing hindsight-graph, editable"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
fingerprint >"$stamp"
