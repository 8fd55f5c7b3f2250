#!/bin/bash
# Kernels of others, unchanged: how many can be said, how many pass `tuner check`, how many run, and why the others
# do not. Their sources stay where they are; ours are the specs and references beside this file.
#
#   run.sh PROJECT CHECKOUT [-d DEVICE] [-t TUNER] [-w FOLDER] [-j JOBS] [SPEC...]
#
# PROJECT is a folder beside this file (llm.c, cuda-samples), CHECKOUT a checkout of it, or its sources in one folder.
# DEVICE is what the specs run on: cuda:0 (the default), cpu, or none, which checks alone; JOBS
# checks go at once. What is printed also goes to FOLDER/results.tsv: spec, said, check, run, reason.
set -u
usage() { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# -ge 2 ] || usage
project=$1 checkout=$2
shift 2
device=cuda:0 tuner=tuner folder= jobs=$(nproc)
while getopts d:t:w:j: option; do
  case $option in
    d) device=$OPTARG ;; t) tuner=$OPTARG ;; w) folder=$OPTARG ;; j) jobs=$OPTARG ;; *) usage ;;
  esac
done
shift $((OPTIND - 1))
case $tuner in */*) tuner=$(cd "$(dirname "$tuner")" && pwd)/$(basename "$tuner") ;; esac
here=$(cd "$(dirname "$0")" && pwd)
[ -f "$here/$project/run.tsv" ] || { echo "$here/$project has no specs" >&2; exit 2; }
[ -d "$checkout" ] || { echo "$checkout is no folder" >&2; exit 2; }
command -v "$tuner" > /dev/null || { echo "there is no program $tuner; -t says where it is" >&2; exit 2; }
folder=${folder:-$(mktemp -d)}
mkdir -p "$folder/out"
folder=$(cd "$folder" && pwd)
cp "$here/$project"/* "$folder/"
# Each file of the project's that a spec names, with the headers beside it; headers that all share.
grep -h '^source = ' "$folder"/*.toml | sort -u | cut -d'"' -f2 | while read -r source; do
  found=$(find "$checkout" -name "$source" -not -path '*/Tegra/*' | head -1)
  [ -n "$found" ] || { echo "$checkout has no $source" >&2; continue; }
  cp -n "$found" "$(dirname "$found")"/*.h "$(dirname "$found")"/*.cuh "$folder/" 2> /dev/null
done
cp "$here/../../kernels/matmul/library.h" "$folder/"  # what finds cuBLAS
common=$(find "$checkout" -name helper_cuda.h | head -1)
[ -z "$common" ] || cp -n "$(dirname "$common")"/*.h "$folder/" 2> /dev/null
export TUNER_DB=${TUNER_DB:-$folder/others.db}

# The first line that says why; a list of failures has it behind `reason`.
reason() {
  grep -v '^ *$\|^tuner run\|^tuner check\|^ *warning\|cannot be told' "$1" | tr '\n' ' ' | sed 's/  */ /g; s/\t/ /g; s/.*"reason": //' |
    grep -oP '(\S*[^.:]*(error|wrong|refuse|cannot|failed|out of bounds|is no |has no |unlaunchable|timeout|is a value).*)' |
    head -1 | cut -c1-240
}
check() {  # what is compiled stays in the cache for the runs
  (cd "$folder" && "$tuner" check "$1.toml" --sizes "$2" --compile-timeout-s 900) > "$folder/out/$1.check" 2>&1 < /dev/null
  echo $? > "$folder/out/$1.checked"
}
run() {
  local name=$1 sizes=$2 check=yes run=- why=
  [ "$(cat "$folder/out/$name.checked")" = 0 ] || check=no why=$(reason "$folder/out/$name.check")
  if [ "$device" != none ]; then
    run=yes
    (cd "$folder" && "$tuner" run --kernel "$name.toml" --sizes "$sizes" --device "$device" --measure quick \
      --ceilings off --budget "$budget") > "$folder/out/$name.run" 2>&1 < /dev/null
    if ! (cd "$folder" && "$tuner" best "$sizes" --kernel "$name") > "$folder/out/$name.best" 2>&1; then
      run=no
      (cd "$folder" && "$tuner" list failures --kernel "$name" --format json) > "$folder/out/$name.failures" 2>&1
      why=$(reason "$folder/out/$name.failures")
      [ -n "$why" ] || why=$(reason "$folder/out/$name.run")
    fi
  fi
  printf '%s\tyes\t%s\t%s\t%s\n' "$name" "$check" "$run" "$why"
}
export -f check run reason
column=2 budget=60s  # the sizes of a GPU; for the CPU small ones, and some configurations
[ "$device" != cpu ] || column=3 budget=4
export folder tuner device budget
if [ $# -gt 0 ]; then wanted=$(printf '^%s\t|' "$@"); else wanted='.|'; fi
grep -P "${wanted%|}" "$folder/run.tsv" | cut -f1,$column | tr '\t' '\n' > "$folder/wanted"
xargs -P "$jobs" -n 2 bash -c 'check "$0" "$1"' < "$folder/wanted"
[ "$device" = none ] || jobs=1
xargs -P "$jobs" -n 2 bash -c 'run "$0" "$1"' < "$folder/wanted" | tee "$folder/results.tsv"
[ ! -f "$folder/unsaid.tsv" ] || [ $# -gt 0 ] ||
  while IFS=$'\t' read -r name why; do printf '%s\tno\t-\t-\t%s\n' "$name" "$why"; done < "$folder/unsaid.tsv" |
  tee -a "$folder/results.tsv"
awk -F'\t' '{ kernels++; said += $2 == "yes"; checked += $3 == "yes"; ran += $4 == "yes" }
  END { printf "%d kernels: %d can be said, %d pass check, %d run\n", kernels, said, checked, ran }' \
  "$folder/results.tsv"
echo "$folder/results.tsv; what was said is in $folder/out"
