#!/bin/bash
# Drafts of `tuner init` for kernels of others, as they come: how many pass `tuner check`, and how many run on the CPU.
#
#   init.sh LIST SOURCES [-t TUNER] [-w FOLDER] [-d DEVICE] [-j JOBS]
#
# LIST has a line for each kernel: the path of its file below SOURCES, a tab, its name. SOURCES is copied to FOLDER, and
# drafts are written there. DEVICE is cpu (the default), cuda:0 or none. What is printed also goes to FOLDER/drafts.tsv:
# file, kernel, drafted, read, compiled, ran, verified, reason.
set -u
usage() { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# -ge 2 ] || usage
list=$1 sources=$2
shift 2
tuner=tuner folder= device=cpu jobs=$(nproc)
while getopts t:w:d:j: option; do
  case $option in
    t) tuner=$OPTARG ;; w) folder=$OPTARG ;; d) device=$OPTARG ;; j) jobs=$OPTARG ;; *) usage ;;
  esac
done
case $tuner in */*) tuner=$(cd "$(dirname "$tuner")" && pwd)/$(basename "$tuner") ;; esac
[ -f "$list" ] && [ -d "$sources" ] || usage
folder=${folder:-$(mktemp -d)}
mkdir -p "$folder/out"
folder=$(cd "$folder" && pwd)
cut -f1 "$list" | xargs -n 1 dirname | sort -u > "$folder/folders"
cut -d/ -f1 "$folder/folders" | sort -u | while read -r project; do
  [ -d "$folder/$project" ] || cp -r "$sources/$project" "$folder/"
done
export TUNER_DB=$folder/drafts.db folder tuner device

first_line() { grep -v '^ *$' "$1" | grep -m 1 -i "${2:-.}" | tr '\t' ' ' | cut -c1-200; }
one() {
  local file=$1 kernel=$2 read=no compiled=no ran=- verified=- why=
  local place=$folder/$(dirname "$file") out=$folder/out/$(echo "$file" | tr '/' '_')-$kernel
  rm -f "$place/${kernel}_reference.cu"
  if ! (cd "$place" && "$tuner" init "$(basename "$file")" --entry "$kernel" --force) > "$out.init" 2>&1 < /dev/null; then
    printf '%s\t%s\tno\t-\t-\t-\t-\t%s\n' "$file" "$kernel" "$(first_line "$out.init")"
    return
  fi
  mkdir -p "$folder/specs/$file"
  cp "$place/$kernel.toml" "$folder/specs/$file/"
  if ! (cd "$place" && "$tuner" check "$kernel.toml" --no-compile) > "$out.read" 2>&1 < /dev/null; then
    why=$(first_line "$out.read" 'toml:\|error')
  else
    read=yes
    if (cd "$place" && "$tuner" check "$kernel.toml" --budget 20s) > "$out.check" 2>&1 < /dev/null; then
      compiled=yes
    else
      why=$(first_line "$out.check" 'error\|cannot')
    fi
  fi
  if [ $compiled = yes ] && [ "$device" != none ]; then
    ran=no verified=no
    for sizes in 64 128 16 1024; do
      (cd "$place" && timeout 120 "$tuner" run --kernel "$kernel.toml" --sizes $sizes --device "$device" --measure quick \
        --ceilings off --budget 3) > "$out.run" 2>&1 < /dev/null
      if (cd "$place" && "$tuner" best $sizes --kernel "$kernel") > "$out.best" 2>&1; then
        ran=yes
        grep -q '^verify = "none"' "$place/$kernel.toml" || verified=yes
        why=
        break
      fi
      (cd "$place" && "$tuner" list failures --kernel "$kernel" --format json) > "$out.failures" 2>&1
      [ -n "$why" ] || why=$(first_line "$out.failures" '"reason"')
      [ -n "$why" ] || why=$(first_line "$out.run" 'wrong\|error\|out of\|cannot\|timeout\|crashed\|modified\|unlaunch')
    done
  fi
  (cd "$place" && "$tuner" forget --kernel "$kernel") > /dev/null 2>&1 < /dev/null
  printf '%s\t%s\tyes\t%s\t%s\t%s\t%s\t%s\n' "$file" "$kernel" $read $compiled $ran $verified "$why"
}
place() {  # the kernels of one folder in turn, since drafts of one name may meet there
  awk -F'\t' -v place="$1" '{ at = $1; sub("/[^/]*$", "", at); if (at == place) print }' "$list" |
    while IFS=$'\t' read -r file kernel; do one "$file" "$kernel"; done
}
list=$(realpath "$list")
export list
export -f one place first_line
xargs -a "$folder/folders" -P "$jobs" -n 1 bash -c 'place "$0"' | tee "$folder/drafts.tsv"
awk -F'\t' '{ kernels++; for (i = 3; i <= 7; ++i) yes[i] += $i == "yes" }
  END { printf "%d kernels: %d drafted, %d read, %d compiled, %d ran, %d of them verified\n", kernels, yes[3], yes[4], yes[5],
        yes[6], yes[7] }' "$folder/drafts.tsv"
