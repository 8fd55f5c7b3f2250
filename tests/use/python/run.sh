#!/bin/bash
# run.sh PYTHON SOURCE LIBRARY PROGRAM TEST: runs a test of the Python package with the first Python that has NumPy.
set -euo pipefail
python=$1 source=$2 test=$5
export TUNER_MEASURE=quick TUNER_LIBRARY=$3 TUNER_PROGRAM=$4 PYTHONPATH=$2/tuner/use/python PYTHONDONTWRITEBYTECODE=1
for one in "$python" /usr/bin/python3; do
  if "$one" -c 'import numpy' 2>/dev/null; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cd "$folder"
    export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$folder/cache}
    "$one" "$source/tests/use/python/$test" -v
    exit
  fi
done
echo "skipped: no Python with NumPy (Debian's python3-numpy)"
exit 77
