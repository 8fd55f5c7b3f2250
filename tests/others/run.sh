#!/bin/bash
# Kernels of others, unchanged: how many can be said, how many pass `tuner check`, how many run, and why the others
# do not. Their sources stay where they are; ours are the specs and references beside this file.
#
#   run.sh PROJECT CHECKOUT [-d DEVICE] [-t TUNER] [-w FOLDER] [-j JOBS] [SPEC...]
#
# PROJECT is a folder beside this file (llm.c, cuda-samples), CHECKOUT a checkout of it, or its sources in one folder.
# DEVICE is what the specs run on: cuda:0 (the default), cpu, or none, which checks alone. What is printed also goes to
# FOLDER/results.tsv: spec, said, check, run, reason.
set -u
usage() { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# -ge 2 ] || usage
project=$1 checkout=$2
shift 2
device=cuda:0 tuner=tuner folder= jobs=2
while getopts d:t:w:j: option; do
  case $option in
    d) device=$OPTARG ;; t) tuner=$OPTARG ;; w) folder=$OPTARG ;; j) jobs=$OPTARG ;; *) usage ;;
  esac
done
shift $((OPTIND - 1))
here=$(cd "$(dirname "$0")" && pwd)
[ -f "$here/$project/run.tsv" ] || { echo "$here/$project has no specs" >&2; exit 2; }
[ -d "$checkout" ] || { echo "$checkout is no folder" >&2; exit 2; }
command -v "$tuner" > /dev/null || { echo "there is no program $tuner; -t says where it is" >&2; exit 2; }
folder=${folder:-$(mktemp -d)}
mkdir -p "$folder/out"
cp "$here/$project"/* "$folder/"
# Each file of the project's that a spec names, with the headers beside it; headers that all share.
grep -h '^source = ' "$folder"/*.toml | sort -u | cut -d'"' -f2 | while read -r source; do
  found=$(find "$checkout" -name "$source" -not -path '*/Tegra/*' | head -1)
  [ -n "$found" ] || { echo "$checkout has no $source" >&2; continue; }
  cp -n "$found" "$(dirname "$found")"/*.h "$(dirname "$found")"/*.cuh "$folder/" 2> /dev/null
done
common=$(find "$checkout" -name helper_cuda.h | head -1)
[ -z "$common" ] || cp -n "$(dirname "$common")"/*.h "$folder/" 2> /dev/null
export TUNER_DB=${TUNER_DB:-$folder/others.db}

# The first line that says why.
reason() {
  grep -v '^ *$\|^tuner run\|^tuner check\|^ *warning\|cannot be told' "$1" |
    grep -m1 'error\|wrong\|refuse\|cannot\|failed\|out of bounds\|is no \|has no \|unlaunchable\|takes \|timeout\|no configuration\|is a value' |
    sed 's/^ *//; s/\t/ /g' | cut -c1-200
}
one() {
  local name=$1 sizes=$2 check=yes run=- why=
  if ! (cd "$folder" && "$tuner" check "$name.toml" --sizes "$sizes" --compile-timeout-s 900) > "$folder/out/$name.check" 2>&1 < /dev/null; then
    check=no why=$(reason "$folder/out/$name.check")
  fi
  if [ "$device" != none ]; then
    run=yes
    (cd "$folder" && "$tuner" run --kernel "$name.toml" --sizes "$sizes" --device "$device" --measure quick \
      --ceilings off --budget "$budget") > "$folder/out/$name.run" 2>&1 < /dev/null
    if ! (cd "$folder" && "$tuner" best "$sizes" --kernel "$name") > "$folder/out/$name.best" 2>&1; then
      run=no
      [ -n "$why" ] || why=$(reason "$folder/out/$name.run")
    fi
  fi
  printf '%s\tyes\t%s\t%s\t%s\n' "$name" "$check" "$run" "$why"
}
export -f one reason
export folder tuner device
column=2 budget=60s  # the sizes of a GPU; for the CPU small ones, and some configurations
[ "$device" != cpu ] || column=3 budget=4
export budget
if [ $# -gt 0 ]; then wanted=$(printf '^%s\t|' "$@"); else wanted='.|'; fi
[ "$device" = cuda:0 ] && jobs=1
grep -E "${wanted%|}" "$folder/run.tsv" | cut -f1,$column | tr '\t' '\n' |
  xargs -P "$jobs" -n 2 bash -c 'one "$0" "$1"' | tee "$folder/results.tsv"
[ ! -f "$folder/unsaid.tsv" ] || [ $# -gt 0 ] ||
  while IFS=$'\t' read -r name why; do printf '%s\tno\t-\t-\t%s\n' "$name" "$why"; done < "$folder/unsaid.tsv" |
  tee -a "$folder/results.tsv"
awk -F'\t' '{ kernels++; said += $2 == "yes"; checked += $3 == "yes"; ran += $4 == "yes" }
  END { printf "%d kernels: %d can be said, %d pass check, %d run\n", kernels, said, checked, ran }' \
  "$folder/results.tsv"
echo "$folder/results.tsv; what was said is in $folder/out"
