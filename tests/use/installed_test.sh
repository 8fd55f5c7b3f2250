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
  read -ra flags < <(pkg-config --define-variable=prefix="$folder/installed" --cflags --libs tuner)
  cc -std=c11 -Wall -Wextra -Werror -o "$folder/by_hand" "$source/examples/use/multiply.c" "${flags[@]}"
  LD_LIBRARY_PATH=$(dirname "$library") said "$folder/by_hand" "$folder/matmul.tuned"
fi

echo "== Python"
export PYTHONDONTWRITEBYTECODE=1
PYTHONPATH=$source/tuner/use/python TUNER_LIBRARY=$library said "$python" "$source/examples/use/multiply.py" "$folder/matmul.tuned"
wheel=$("$python" "$source/tuner/use/python/make_wheel.py" 0.1.0 "$library" "$folder/wheel")
"$python" -m zipfile -e "$wheel" "$folder/site"
PYTHONPATH=$folder/site said "$python" "$source/examples/use/multiply.py" "$folder/matmul.tuned"
PYTHONPATH=$folder/site "$python" - "$folder/matmul.tuned" <<'END'
import sys
import tuner


class Nothing:
    __array_interface__ = {"shape": (0,), "typestr": "<f4", "data": (4096, False), "version": 3}


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
        (lambda: pack.kernel("fft"), 20),
    ]:
        try:
            call()
        except tuner.Error as error:
            assert error.code == code, error
        else:
            raise AssertionError(code)
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
END
if pip=$("$python" -m pip --version 2>/dev/null); then
  "$python" -m pip install -q --no-index --no-deps --disable-pip-version-check --root-user-action ignore \
    --target "$folder/pip" "$wheel"
  PYTHONPATH=$folder/pip "$python" -c 'import tuner'
fi
echo "all right"
