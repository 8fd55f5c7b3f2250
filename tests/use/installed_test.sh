#!/bin/bash
# installed_test.sh BUILD SOURCE WRITE_CPU_PACK PYTHON: installs the library, builds the examples against it and runs them on the
# CPU device, in C++, C and Python; then the wheel.
set -euo pipefail
build=$1 source=$2 write_pack=$3 python=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
said() { # COMMAND... : its output, which must have no WRONG in it
  "$@" >"$folder/output" 2>&1 || { cat "$folder/output"; echo "failed: $*"; exit 1; }
  cat "$folder/output"
}

said cmake --install "$build" --component use --prefix "$folder/installed"
"$write_pack" "$folder/matmul.tuned"

echo "== The CMake package"
said cmake -S "$source/examples/use" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/installed" \
  -DPACK="$folder/matmul.tuned" -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON >/dev/null
said cmake --build "$folder/build" >/dev/null
said "$folder/build/multiply" cpu
[ "$(grep -c right "$folder/output")" = 4 ]
said "$folder/build/multiply_c" "$folder/matmul.tuned"

echo "== A changed pack is built in again, wherever tuner_embed() is called"
mkdir -p "$folder/embed/sub"
cat >"$folder/embed/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(embed LANGUAGES C)
find_package(tuner REQUIRED)
add_executable(embed main.c)
add_subdirectory(sub)
END
echo 'tuner_embed(embed "${CMAKE_SOURCE_DIR}/p.tuned")' >"$folder/embed/sub/CMakeLists.txt"
echo '#include <stdio.h>
#include "p.tuned.h"
int main(void) { printf("%d bytes\n", (int)p_tuned_bytes); }' >"$folder/embed/main.c"
for text in 123 12345; do
  printf %s $text >"$folder/embed/p.tuned"
  said cmake -S "$folder/embed" -B "$folder/embed/build" -DCMAKE_PREFIX_PATH="$folder/installed" >/dev/null
  said cmake --build "$folder/embed/build" >/dev/null
  [ "$("$folder/embed/build/embed")" = "${#text} bytes" ]
done

echo "== Nothing but libc is needed"
library=$(find "$folder/installed" -name 'libtuner.so')
needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
for name in $needed; do
  case $name in libc.so.*|libm.so.*|ld-linux*|libdl.so.*|libpthread.so.*|libgcc_s.so.*) ;; *) echo "needs $name"; exit 1 ;; esac
done
readelf -d "$library" | grep -q 'SONAME.*libtuner.so.0'

if command -v pkg-config >/dev/null; then
  echo "== pkg-config"
  export PKG_CONFIG_PATH
  PKG_CONFIG_PATH=$(dirname "$(find "$folder/installed" -name tuner.pc)")
  read -ra flags < <(pkg-config --cflags --libs tuner)
  cc -std=c11 -Wall -Wextra -Werror -o "$folder/by_hand" "$source/examples/use/multiply.c" "${flags[@]}"
  export LD_LIBRARY_PATH
  LD_LIBRARY_PATH=$(dirname "$library")
  said "$folder/by_hand" "$folder/matmul.tuned"
  echo "== A plugin whose library no other part of the program sees"
  cc -std=c11 -shared -fPIC -Dmain=multiply -o "$folder/plugin.so" "$source/examples/use/multiply.c" "${flags[@]}"
  said "$python" -c 'import ctypes, sys
words = (ctypes.c_char_p * 2)(b"", sys.argv[2].encode())
sys.exit(ctypes.CDLL(sys.argv[1]).multiply(2, words))' "$folder/plugin.so" "$folder/matmul.tuned"
  unset LD_LIBRARY_PATH
  read -ra flags < <(pkg-config --static --cflags --libs tuner)
  cc -std=c11 -o "$folder/by_hand" "$source/examples/use/multiply.c" "${flags[@]/#-ltuner/-l:libtuner.a}"
  said "$folder/by_hand" "$folder/matmul.tuned"
fi

echo "== Python"
export PYTHONDONTWRITEBYTECODE=1
PYTHONPATH=$source/tuner/use/python TUNER_LIBRARY=$library said "$python" "$source/examples/use/multiply.py" "$folder/matmul.tuned"
wheel=$("$python" "$source/tuner/use/python/make_wheel.py" 0.1.0 "$library" "$folder/wheel")
"$python" -m zipfile -e "$wheel" "$folder/site"
PYTHONPATH=$folder/site said "$python" "$source/examples/use/multiply.py" "$folder/matmul.tuned"
TUNER_LIBCUDA=/nowhere PYTHONPATH=$folder/site "$python" - "$folder/matmul.tuned" <<'END'
import ctypes
import sys
import tuner


class Nothing:
    __array_interface__ = {"shape": (0,), "typestr": "<f4", "data": (4096, False), "version": 3}


class Array:
    def __init__(self, **more):
        self.__array_interface__ = {"shape": (1,), "typestr": "<f4", "data": (4096, False), "version": 3, **more}


class GpuArray:
    __cuda_array_interface__ = Array().__array_interface__


class NumbaStream:
    handle = ctypes.c_void_p(7)


with tuner.Pack(sys.argv[1]) as pack:
    kernel = pack.kernel("matmul")
    assert kernel.sizes == ["M", "N", "K"] and kernel.parameters == ["float* A", "float* B", "float* C"]
    assert len(pack.digest) == 64 and [one.family for one in pack.kernels] == ["matmul", "row_sums", "weighted"]
    for call, code in [
        (lambda: kernel.pick((1, 2), tuner.CPU), 40),
        (lambda: kernel.pick((1, 2, 0), tuner.CPU), 41),
        (lambda: kernel.prepare((1, 1, 1, 1), context=tuner.CPU), 40),
        (lambda: kernel.launch(tuner.CPU, (1, 1, 1), None, None, None), 45),
        (lambda: kernel.launch(tuner.CPU, (1, 1, 1), *[Nothing()] * 3), 45),
        (lambda: kernel.launch(tuner.CPU, (1, 1, 1), 1.0, 2.0, 3.0), 43),
        (lambda: kernel.launch(tuner.CPU, (1, 1, 1), Array(strides=(4,), shape=(0,)), Array(), Array()), 45),
        (lambda: kernel.launch(tuner.CPU, (2, 1, 1), Array(strides=(4,)), Array(), Array()), 44),
        (lambda: kernel.launch(NumbaStream(), (1, 1, 1), *[GpuArray()] * 3), 30),
        (lambda: pack.kernel("fft"), 20),
    ]:
        try:
            call()
        except tuner.Error as error:
            assert error.code == code, error
        else:
            raise AssertionError(code)
    for call, words in [
        (lambda: kernel.pick((2**64 + 1000, 1, 1), tuner.CPU), "no number of 64 bits"),
        (lambda: kernel.launch(tuner.CPU, (1, 1, 1), Array(), Array(), Array(data=(4096, True))), "read-only"),
        (lambda: kernel.launch(tuner.CPU, (1, 1, 1), Array(typestr=">f4"), Array(), Array()), "big-endian"),
        (lambda: kernel.launch(tuner.CPU, (1, 1, 1), Array(typestr="<c8"), Array(), Array()), "`A` is float*"),
        (lambda: kernel.launch(tuner.CPU, (1, 1, 1), Array(typestr="|O"), Array(), Array()), "kernels do not have"),
        (lambda: kernel.launch(tuner.CPU, (1, 1, 1), Array(shape=(2, 2), strides=(16, 4)), Array(), Array()), "gaps"),
        (lambda: kernel.launch(tuner.CPU, (1, 1, 1), GpuArray(), Array(), Array()), "`A` is in a GPU's memory"),
        (lambda: kernel.launch(None, (1, 1, 1), Array(), GpuArray(), GpuArray()), "`A` is in the host's memory"),
        (lambda: kernel.launch(None, (1, 1, 1), *[GpuArray()] * 3, workspace=Array()), "`workspace` is in the host's"),
    ]:
        try:
            call()
        except (TypeError, ValueError) as error:
            assert words in str(error), error
        else:
            raise AssertionError(words)
    try:
        kernel.launch(tuner.CPU, (1, 1, 1), 1)
    except TypeError as error:
        assert "takes 3 arguments: float* A" in str(error)
    pack.kernel("weighted").prepare(1, (8,), context=tuner.CPU)
try:
    kernel.pick((1, 1, 1), tuner.CPU)
except ValueError as error:
    assert str(error) == "the pack of matmul is closed"
else:
    raise AssertionError("a kernel outlived its pack")
try:
    pack.kernel("matmul")
except ValueError as error:
    assert str(error) == "the pack is closed"
else:
    raise AssertionError("a closed pack has kernels")
END
if pip=$("$python" -m pip --version 2>/dev/null); then
  "$python" -m pip install -q --no-index --no-deps --disable-pip-version-check --root-user-action ignore \
    --target "$folder/pip" "$wheel"
  PYTHONPATH=$folder/pip "$python" -c 'import tuner'
fi
echo "all right"
