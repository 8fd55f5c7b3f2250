#!/bin/bash
# on_gpu.sh [TUNER]: runs, counts and explains each kernel of this folder on the first GPU, and demands that its flaw
# is what `tuner explain` names first. Exits with 77 where there is no GPU, with 1 where a flaw is missed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tuner=${1:-tuner}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TUNER_DB=$work/flawed.db
if ! "$tuner" list devices 2>/dev/null | grep -q cuda:; then
  echo "skipped: there is no GPU" >&2
  exit 77
fi
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)
echo "on ${gpu:-an unnamed GPU}"
missed=0
names() {  # KERNEL: the rule that tuner explain names first, and its sentence
  "$tuner" explain --kernel "$here/$1.toml" --format json | python3 -c '
import json, sys
found = json.load(sys.stdin)["explanations"][0]["findings"]
first = next((each for each in found if each["about"] == "binds"), None)
print(first["rule"] if first else "nothing", "|", first["text"] if first else "")'
}
for spec in "$here"/*.toml; do
  kernel=$(basename "$spec" .toml)
  # Far more blocks than multiprocessors, so that the planted flaw is the only one of the launch.
  size=1048576x64
  # --counters: where the driver gives counters to administrators alone, say so, and go on with what needs none.
  "$tuner" run --device cuda:0 --kernel "$spec" --sizes "$size" --measure quick --ceilings off --counters \
    >"$work/$kernel.out" 2>"$work/$kernel.err" || { cat "$work/$kernel.err"; missed=1; continue; }
  if grep -- '--counters:' "$work/$kernel.err" && [[ $kernel =~ ^(uncoalesced|bank_conflicts|divergence)$ ]]; then
    echo "not tried: $kernel, which only counters show"
    continue
  fi
  said=$(names "$kernel")
  wanted=${kernel//_/ }
  if [ "${said%% |*}" = "$wanted" ]; then
    echo "named: $kernel: ${said#*| }"
  else
    echo "MISSED: $kernel: first is ${said}"
    missed=1
  fi
done
exit $missed
