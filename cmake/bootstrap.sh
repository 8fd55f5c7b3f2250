# Shared by ./run, ./test and .ci/run: installs what is missing, configures and builds. Sourced, not run.
# Whatever ends one of them early says what failed, where, and what to do next.
# shellcheck shell=bash

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# For failures that nobody expected: an assignment from a function that fails ends a script without a word.
ended_early() {
  local status=$1 command=$2 level=0 line function file
  [ "$BASH_SUBSHELL" -eq 0 ] || return 0  # the script itself says it, once
  say "error: $0 ended early, because this failed with status $status: $command"
  while read -r line function file < <(caller $level); do
    say "  at ${file#"$PWD"/}:$line ($function)"
    level=$((level + 1))
  done
  say "Next: \`bash -x $0\` shows every step. The same again may succeed where a network or a disk was the reason."
}
set -E  # the trap holds in functions
trap 'ended_early $? "$BASH_COMMAND"' ERR

# shellcheck disable=SC2034  # for those who source this
packages=(g++ cmake ninja-build git
  libfmt-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libsqlite3-dev
  libzstd-dev zlib1g-dev libmd-dev libboost-dev libboost-context-dev doctest-dev binutils)

# Prints those of the packages given that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s\n' "$package"
  done
}

# Installs Debian packages; sudo only where we are not root. Fails, having said why.
install_packages() {
  local by_hand="apt-get install $*"
  if ! command -v apt-get >/dev/null; then
    say "error: there is no apt-get here. Install what Debian 12 calls: $*"
    return 1
  fi
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null || ! sudo true; then
      say "error: packages are missing, and only an administrator can install them. Ask one to run: $by_hand"
      return 1
    fi
    as_root=(sudo)
  fi
  say "Installing $*"
  "${as_root[@]}" apt-get update -qq >&2 || say "warning: apt-get update failed; trying with the lists at hand"
  local log=build/packages.log
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends "$@" >"$log" 2>&1 </dev/null; then
    tail -n 12 "$log" >&2
    say "error: packages could not be installed (all that was said: $log). Run this, or ask an administrator to: $by_hand"
    return 1
  fi
}

# Everything a build needs, and the packages given. pip, where NVRTC has to come as wheels, is asked for with the rest,
# but is no reason to end: without it there is no CUDA, and bring_cuda says so.
install_needed() {
  if ! mkdir -p build 2>/dev/null || [ ! -w build ]; then
    die "cannot write to $PWD/build. Next: remove it, or work in a clone of your own"
  fi
  local required optional=()
  mapfile -t required < <(missing_packages "$@")
  if ! cuda_include >/dev/null && ! have_pip; then optional=(python3-pip); fi
  if [ ${#required[@]} -gt 0 ]; then
    install_packages "${required[@]}" "${optional[@]}" || exit 1
  elif [ ${#optional[@]} -gt 0 ]; then
    install_packages "${optional[@]}" || say "Going on without it."
  fi
}

have_pip() { python3 -m pip --version >/dev/null 2>&1; }

# Prints the first folder of a toolkit, or of those given, that has this file. Where a toolkit may be is a variable so
# that a test can hide it.
cuda_root_with() {
  local file=$1 root roots
  shift
  IFS=: read -ra roots <<<"${TUNER_CUDA_ROOTS-${CUDA_PATH:-}:${CUDA_HOME:-}:/usr/local/cuda:/opt/cuda}"
  for root in "${roots[@]}" "$@"; do
    if [ -n "$root" ] && [ -f "$root/$file" ]; then
      printf '%s\n' "$root"
      return 0
    fi
  done
  return 1
}

# Prints the folder of CUDA's headers: of a toolkit, or of the wheels that an earlier run fetched.
cuda_include() {
  local root
  root=$(cuda_root_with include/cuda_occupancy.h "$PWD/build/cuda") && printf '%s\n' "$root/include"
}

# CUDA major.minor that the driver supports; nothing where there is no driver, or one that does not answer.
driver_cuda_version() {
  command -v nvidia-smi >/dev/null || return 0
  nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\([0-9]*\.[0-9]*\).*/\1/p' | head -1 || true
}

# No toolkit: NVRTC and headers from the vendor's Python wheels, into build/cuda, without root. Sets cmake_cuda.
# Failing is not fatal: the build then has no CUDA, and says so.
bring_cuda() {
  local cuda="$PWD/build/cuda" include
  if ! cuda_include >/dev/null && ! fetch_wheels "$cuda"; then
    rm -rf "$cuda.new"
    say "warning: building without CUDA (queries, reports and the CPU device work)." \
      "Next: install a CUDA toolkit, or mend the above and run $0 again"
    # Empty, not absent: CMake would search by itself.
    cmake_cuda=("-DTUNER_CUDA_INCLUDE_DIR=" "-DTUNER_NVRTC_HINT=")
    return 0
  fi
  include=$(cuda_include)
  cmake_cuda=("-DTUNER_CUDA_INCLUDE_DIR=$include")
  if [ "$include" = "$cuda/include" ]; then cmake_cuda+=("-DTUNER_NVRTC_HINT=$cuda/lib"); fi
  bring_nvdisasm
}

# For `tuner show --sass`; everything else works without. Some toolkits lack it: then from the vendor's wheel, into
# build/nvdisasm. That is tried once, so that builds without a network do not wait for it again.
bring_nvdisasm() {
  local folder="$PWD/build/nvdisasm"
  if command -v nvdisasm >/dev/null || cuda_root_with bin/nvdisasm >/dev/null; then return 0; fi
  if [ ! -d "$folder" ] && have_pip; then
    mkdir -p "$folder/wheels" || return 0
    say "Fetching nvdisasm into build/nvdisasm"
    if ! python3 -m pip download -q --disable-pip-version-check --retries 2 --no-deps -d "$folder/wheels" \
          "nvidia-cuda-nvdisasm<14" >&2 \
        || ! python3 -m zipfile -e "$folder"/wheels/*.whl "$folder" \
        || ! cp "$folder"/nvidia/*/bin/nvdisasm "$folder/nvdisasm" || ! chmod +x "$folder/nvdisasm"; then
      say "warning: without nvdisasm, which \`tuner show --sass\` needs. To try again: rm -r build/nvdisasm"
    fi
    rm -rf "$folder/wheels" "$folder/nvidia"
  fi
  if [ -x "$folder/nvdisasm" ]; then cmake_cuda+=("-DTUNER_NVDISASM_HINT=$folder/nvdisasm"); fi
}

# fetch_wheels FOLDER: fails, having said why, where pip is missing or no index has the wheels. Called as a condition,
# so `set -e` does not hold here and each step says what to do about its failure.
fetch_wheels() {
  local cuda=$1 version wheels
  version=$(driver_cuda_version)
  case "$version" in
    # The newest that is not newer than the driver: not every minor version came as a wheel.
    12.*) wheels=("nvidia-cuda-nvrtc-cu12<12.$((${version#12.} + 1))" "nvidia-cuda-runtime-cu12<12.$((${version#12.} + 1))") ;;
    *) wheels=("nvidia-cuda-nvrtc==13.0.*" "nvidia-cuda-runtime==13.0.*" "nvidia-cuda-crt==13.0.*") ;;
  esac
  if ! have_pip; then
    say "warning: no CUDA toolkit, and no pip to fetch NVRTC with (package python3-pip)"
    return 1
  fi
  say "No CUDA toolkit found; fetching ${wheels[*]} into build/cuda"
  local staging="$cuda.new" wheel folder
  rm -rf "$staging"
  mkdir -p "$staging"/{wheels,unpacked,include,lib} || return 1
  python3 -m pip download -q --disable-pip-version-check --retries 2 --no-deps -d "$staging/wheels" "${wheels[@]}" >&2 \
    || { say "warning: the wheels could not be fetched (pip's reason is above)"; return 1; }
  for wheel in "$staging"/wheels/*.whl; do
    python3 -m zipfile -e "$wheel" "$staging/unpacked" || { say "warning: $wheel could not be unpacked"; return 1; }
  done
  for folder in "$staging"/unpacked/nvidia/*/{include,lib}; do
    if [ -d "$folder" ]; then cp -r "$folder/." "$staging/${folder##*/}/" || return 1; fi
  done
  if [ ! -f "$staging/include/cuda_occupancy.h" ]; then
    say "warning: the wheels lack cuda_occupancy.h"
    return 1
  fi
  rm -rf "$staging/wheels" "$staging/unpacked" "$cuda" && mv "$staging" "$cuda"
}

# Prints the installed tuner that was built from this commit; fails where there is none, or where files were edited.
installed_tuner() {
  local installed commit
  installed=$(command -v tuner) && git diff --quiet HEAD 2>/dev/null || return 1
  commit=$(git log -1 --abbrev=12 "--format=%h of %cs")
  [ "$("$installed" --version 2>/dev/null | sed -n 's/^commit: //p')" = "$commit" ] || return 1
  say "Using $installed, which was built from this commit"
  printf '%s\n' "$installed"
}

# configure_and_build PRESET [TARGET...]: quick when nothing changed.
configure_and_build() {
  local preset=$1 log
  shift
  bring_cuda
  log="build/configure-$preset.log"
  if ! cmake --preset "$preset" "${cmake_cuda[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    die "configuring failed (preset $preset). Next: mend what CMake says above; where an older build is in the way, rm -r build/$preset"
  fi
  say "Building (preset $preset)"
  cmake --build --preset "$preset" ${1:+--target "$@"} >&2 \
    || die "the build failed (preset $preset). Next: the first error above says where; \`cmake --build --preset $preset\` goes on from there"
}
