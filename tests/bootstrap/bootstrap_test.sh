#!/usr/bin/env bash
# shellcheck disable=SC2016  # what the commands made up here do is expanded where they run
# Runs ./run and ./test on a machine made up of a folder of commands: no toolkit, no driver, and a cmake that says what
# it was asked for and ends. What is asked: is configuring reached, and if not, does the script say why and what next?
set -uo pipefail
source_dir=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# A machine with every package, pip and an index that has the wheels; a user who is nobody special, without sudo.
new_machine() {
  name=$1
  machine="$scratch/$((++count))"
  mkdir -p "$machine/made_up" "$machine/real" "$machine/tuner/cmake"
  cp "$source_dir/run" "$source_dir/test" "$machine/tuner"
  cp "$source_dir/cmake/bootstrap.sh" "$machine/tuner/cmake"
  local tool
  for tool in bash cat chmod cp dirname env grep head mkdir mv nproc rm sed tail touch; do
    ln -s "$(command -v $tool)" "$machine/real/$tool"
  done
  has_command cmake 'echo "configured: $*"; exit 1'
  has_command dpkg-query 'echo installed'
  has_command apt-get 'echo "apt-get $*" >>"$MACHINE/apt"'
  has_command id 'echo 1000'
  has_command python3 'case "$*" in
    *"pip download"*) while [ "$1" != -d ]; do shift; done; touch "$2/a.whl"; shift 2; echo "$*" >>"$MACHINE/wheels" ;;
    *"zipfile -e"*) mkdir -p "$5"/nvidia/cu13/{include,lib,bin}
      touch "$5"/nvidia/cu13/{include/cuda_occupancy.h,bin/nvdisasm} ;;
  esac'
}
count=0

# Never beside the links to real tools: writing to one of those would replace the real tool.
has_command() {
  printf '#!/bin/bash\n%s\n' "$2" >"$machine/made_up/$1"
  chmod +x "$machine/made_up/$1"
}

# runs SCRIPT: its output into $output
runs() {
  output=$(cd "$machine/tuner" \
    && env -i HOME="$machine" PATH="$machine/made_up:$machine/real" MACHINE="$machine" TUNER_CUDA_ROOTS= "./$1" 2>&1 </dev/null)
  status=$?
  [ $status -ne 0 ] || fail "ends with 0 though cmake fails"
}

fail() {
  printf 'FAILED: %s: %s\n--- output\n%s\n---\n' "$name" "$1" "$output"
  failures=$((failures + 1))
}
says() { [[ $output == *"$1"* ]] || fail "does not say: $1"; }
never_says() { [[ $output != *"$1"* ]] || fail "says: $1"; }

for script in run test; do
  new_machine "$script without toolkit and driver"
  runs $script
  says "configured: --preset"
  says "-DTUNER_CUDA_INCLUDE_DIR=$machine/tuner/build/cuda/include -DTUNER_NVRTC_HINT=$machine/tuner/build/cuda/lib"
  says "-DTUNER_NVDISASM_HINT=$machine/tuner/build/nvdisasm/nvdisasm"
  never_says "ended early"

  runs $script  # again: the wheels are there
  never_says "etching"
  says "-DTUNER_NVDISASM_HINT=$machine/tuner/build/nvdisasm/nvdisasm"
  says "-DTUNER_CUDA_INCLUDE_DIR=$machine/tuner/build/cuda/include"

  new_machine "$script where no index has the wheels"
  has_command python3 '[[ "$*" != *download* ]]'
  runs $script
  says "warning: the wheels could not be fetched"
  says "building without CUDA"
  says "configured: --preset"

  new_machine "$script where something fails that nobody expected"
  sed -i 's/^ *configure_and_build/breaks() { local version; version=$(exit 3); }; breaks\n&/' "$machine/tuner/$script"
  line=$(grep -n '^breaks()' "$machine/tuner/$script" | cut -d: -f1)
  runs $script
  says "./$script ended early, because this failed with status 3: version=\$(exit 3)"
  says "at ./$script:$line (breaks)"
  says "Next:"
  never_says "configured"
done

new_machine "an installed tuner of this commit"
has_command git 'case "$1" in diff) exit 0 ;; log) echo "abc of 2026-01-02" ;; esac'
has_command tuner 'case "$1" in --version) echo "commit: abc of 2026-01-02" ;; list) exit 3 ;; esac'
runs run
says "Using $machine/made_up/tuner"
says "list devices\` failed"
never_says "configured"
never_says "export PATH"
has_command tuner 'echo "commit: def of 2026-01-02"'
runs run
never_says "Using"
says "configured: --preset"
has_command cmake 'exit 0'
runs run
says "export PATH=$machine/tuner/build/release/bin:"

new_machine "a toolkit without nvdisasm, and no index has its wheel"
has_command python3 'case "$*" in *download*) echo "$*" >>"$MACHINE/wheels"; exit 1 ;; esac'
mkdir -p "$machine/toolkit/include" && touch "$machine/toolkit/include/cuda_occupancy.h"
sed -i "s|TUNER_CUDA_ROOTS-|TUNER_TOOLKIT-$machine/toolkit:|" "$machine/tuner/cmake/bootstrap.sh"
runs run
says "warning: without nvdisasm"
says "configured: --preset"
never_says "TUNER_NVDISASM_HINT"
runs run  # again: not tried a second time
says "configured: --preset"
[ "$(wc -l <"$machine/wheels")" -eq 1 ] || fail "asks again"

new_machine "a toolkit with nvdisasm"
mkdir -p "$machine"/toolkit/{include,bin} && touch "$machine"/toolkit/{include/cuda_occupancy.h,bin/nvdisasm}
sed -i "s|TUNER_CUDA_ROOTS-|TUNER_TOOLKIT-$machine/toolkit:|" "$machine/tuner/cmake/bootstrap.sh"
runs run
says "configured: --preset"
never_says "etching"

new_machine "a driver that does not answer"
has_command nvidia-smi 'exit 9'
runs run
says "configured: --preset"

new_machine "a driver of CUDA 12.7, for which there is no wheel"
has_command nvidia-smi 'echo "| NVIDIA-SMI 565.57  Driver Version: 565.57  CUDA Version: 12.7 |"'
runs run
grep -q 'nvidia-cuda-nvrtc-cu12<12.8' "$machine/wheels" || fail "asks for $(cat "$machine/wheels")"

new_machine "no pip, and nobody who may install it"
has_command python3 'exit 1'
has_command dpkg-query '[ "$3" != python3-pip ] && echo installed'
runs run
says "apt-get install python3-pip"
says "building without CUDA"
says "configured: --preset"

new_machine "packages are missing, and there is no sudo"
has_command dpkg-query '[ "$3" != ninja-build ] && echo installed'
runs run
says "Ask one to run: apt-get install ninja-build"
never_says "configured"

new_machine "packages are missing, and sudo refuses"
has_command dpkg-query '[ "$3" != ninja-build ] && echo installed'
has_command sudo 'exit 1'
runs run
says "Ask one to run: apt-get install ninja-build"
never_says "configured"

new_machine "packages are missing, and sudo helps"
has_command dpkg-query '[ "$3" != ninja-build ] && echo installed'
has_command sudo '"$@"'
runs run
grep -q 'apt-get install .*ninja-build' "$machine/apt" || fail "does not install"
says "configured: --preset"

new_machine "packages cannot be installed"
has_command id 'echo 0'
has_command dpkg-query '[ "$3" != ninja-build ] && echo installed'
has_command apt-get '[ "$1" = update ] || { echo "no such package"; exit 100; }'
runs run
says "no such package"
says "Run this, or ask an administrator to: apt-get install ninja-build"

new_machine "a distribution that is not Debian"
rm "$machine/made_up/apt-get" "$machine/made_up/dpkg-query"
runs run
says "Install what Debian 12 calls: g++ cmake"

new_machine "a build folder that cannot be written"
touch "$machine/tuner/build"
runs run
says "cannot write to $machine/tuner/build"
never_says "configured"

new_machine "a program that cannot list devices"
has_command cmake '[ "$1" = --build ] || exit 0
  mkdir -p build/release/bin; printf "#!/bin/bash\necho broken >&2; exit 1\n" >build/release/bin/tuner
  /bin/chmod +x build/release/bin/tuner'
runs run
says "broken"
says "list devices\` failed"

[ $failures -eq 0 ] && echo "$count machines, and none left a user alone"
