#!/bin/bash
# fresh_root.sh FOLDER [MIRROR]: installs what ./package made, each in a fresh Debian of its own, and runs a sweep there on the CPU
# device. Skipped where debootstrap cannot make a Debian: it needs root and a mirror.
set -euo pipefail
packages=$(realpath "$1")
root=$(mktemp -d)
trap 'mountpoint -q "$root/debian/proc" && umount "$root/debian/proc"; rm -rf --one-file-system "$root"' EXIT
skip() { echo "skipped: $*"; exit 0; }

lintian --allow-root --fail-on error,warning "$packages"/tuner_*.deb

[ "$(id -u)" -eq 0 ] || skip "only root can make a fresh Debian"
mirror=${2:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' | head -n 1)}
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
debootstrap --variant=minbase --include=g++,python3-venv,python3-numpy "$release" "$root/debian" "$mirror" >"$root/log" 2>&1 \
  || { tail -n 3 "$root/log"; skip "debootstrap could not make a $release from $mirror"; }
mountpoint -q "$root/debian/proc" || mount -t proc proc "$root/debian/proc" || skip "a folder cannot be given a /proc"
cp "$packages"/tuner* "$root/debian/opt/"

cat >"$root/debian/opt/sweep" <<'END'
set -euo pipefail
cd /opt
"$1" run --device cpu --kernel naive --sizes 64 --measure quick --budget 30s
"$1" best 64 | grep naive >/dev/null
"$1" best 64 --format flags 2>/dev/null | grep -- -DTUNER_KERNEL >/dev/null
END
cat >"$root/debian/opt/tune.py" <<'END'
import numpy, tuner
x = numpy.arange(1000, dtype=numpy.float32)
y = numpy.zeros_like(x)
source = """extern "C" __global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}"""
result = tuner.tune(source, {"BLOCK": [64, 128]}, [x, y, 1000], reference=[None, 2 * x, None], device="cpu", folder="/opt/twice")
result.launch(tuner.CPU, x, y)
assert (y == 2 * x).all() and result.best.verified
END
within() { chroot "$root/debian" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/opt "$@"; }

echo "== The wheel"
within bash -euc 'python3 -m venv --system-site-packages /opt/venv
  /opt/venv/bin/pip install -q --no-index /opt/tuner-*.whl
  bash /opt/sweep /opt/venv/bin/tuner
  /opt/venv/bin/python /opt/tune.py
  rm -r /opt/.local
  if /opt/venv/bin/tuner compile --gpu sm_90 --kernel naive --sizes 64 2>/opt/said; then exit 1; fi
  grep -q nvidia-cuda-nvrtc /opt/said'
# As `pip install tuner[cuda]` puts them there.
if nvrtc=$(ls -d "${CUDA_PATH:-/usr/local/cuda}"/lib64/libnvrtc.so.13 2>/dev/null); then
  wheels=$(echo "$root"/debian/opt/venv/lib/python3*/site-packages)/nvidia/cu13
  mkdir -p "$wheels/lib"
  cp "$nvrtc" "${nvrtc%/*}"/libnvrtc-builtins.so.13.* "$wheels/lib/"
  cp -rL "${nvrtc%/lib64/*}/include" "$wheels/"
  within /opt/venv/bin/tuner compile --gpu sm_90 --kernel naive --sizes 64
  rm -r "$wheels"
fi

echo "== The Debian package"
within bash -euc 'dpkg -i /opt/tuner_*.deb >/dev/null
  bash /opt/sweep tuner
  test -s /usr/share/bash-completion/completions/tuner -a -s /usr/share/man/man1/tuner.1.gz
  printf "#include <tuner/tuner.h>\nint main() { return tuner_error_text(0) == 0; }\n" >/opt/app.c
  gcc -o /opt/app /opt/app.c -ltuner && /opt/app'
echo "all right"
