# Shared by ./run and ./test: installs what is missing and configures a build. Sourced, not run.
# shellcheck shell=bash

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

packages=(g++ cmake ninja-build git
  libfmt-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libsqlite3-dev
  libzstd-dev libmd-dev libboost-context-dev doctest-dev binutils)

# Debian packages, only those that are missing; sudo only where we are not root.
install_packages() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "missing packages: ${missing[*]}. Ask an administrator to run: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "Installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq >&2 || say "warning: apt-get update failed; trying with the lists at hand"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 \
    || die "could not install: ${missing[*]}. Try: apt-get install ${missing[*]}"
}

toolkit_include() {
  local root
  for root in "${CUDA_PATH:-}" "${CUDA_HOME:-}" /usr/local/cuda /opt/cuda; do
    [ -n "$root" ] && [ -f "$root/include/cuda_occupancy.h" ] && { printf '%s\n' "$root/include"; return 0; }
  done
  return 1
}

# CUDA major.minor the driver supports, for choosing wheels; newest 13.0 line where there is no driver.
driver_cuda_version() {
  command -v nvidia-smi >/dev/null && nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\([0-9]*\.[0-9]*\).*/\1/p' | head -1
}

# No toolkit: NVRTC and headers from the vendor's Python wheels, into build/cuda, without root.
# Sets cmake_cuda. Failing is not fatal: the build then has no CUDA, and says so.
bring_cuda() {
  cmake_cuda=()
  local include
  if include=$(toolkit_include); then
    say "CUDA toolkit: $include"
    return 0
  fi
  local cuda="$PWD/build/cuda"
  if [ ! -f "$cuda/include/cuda_occupancy.h" ]; then
    local version wheels
    version=$(driver_cuda_version)
    case "${version:-13.0}" in
      12.*) wheels=("nvidia-cuda-nvrtc-cu12==${version}.*" "nvidia-cuda-runtime-cu12==${version}.*") ;;
      *) wheels=("nvidia-cuda-nvrtc==13.0.*" "nvidia-cuda-runtime==13.0.*" "nvidia-cuda-crt==13.0.*") ;;
    esac
    command -v pip3 >/dev/null || install_packages python3-pip
    say "No CUDA toolkit found; fetching ${wheels[*]} into build/cuda"
    local staging="$cuda.new"
    rm -rf "$staging" && mkdir -p "$staging/wheels" "$staging/include" "$staging/lib"
    if ! python3 -m pip download -q --no-deps -d "$staging/wheels" "${wheels[@]}" >&2; then
      say "warning: the wheels could not be fetched; building without CUDA (queries, reports and the CPU device work)"
      rm -rf "$staging"
      return 0
    fi
    local wheel folder
    for wheel in "$staging"/wheels/*.whl; do python3 -m zipfile -e "$wheel" "$staging/unpacked"; done
    for folder in "$staging"/unpacked/nvidia/*/; do
      [ -d "$folder/include" ] && cp -r "$folder/include/." "$staging/include/"
      [ -d "$folder/lib" ] && cp -r "$folder/lib/." "$staging/lib/"
    done
    rm -rf "$staging/wheels" "$staging/unpacked" "$cuda" && mv "$staging" "$cuda"
  fi
  cmake_cuda=("-DTUNER_CUDA_INCLUDE_DIR=$cuda/include" "-DTUNER_NVRTC_HINT=$cuda/lib")
}

# configure_and_build PRESET [TARGET...]: quick when nothing changed.
configure_and_build() {
  local preset=$1
  shift
  local log
  log=$(mktemp)
  bring_cuda
  if ! cmake --preset "$preset" "${cmake_cuda[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    die "configuring failed (preset $preset)"
  fi
  rm -f "$log"
  say "Building (preset $preset)"
  cmake --build --preset "$preset" ${1:+--target "$@"} >&2 || die "the build failed (preset $preset)"
}
