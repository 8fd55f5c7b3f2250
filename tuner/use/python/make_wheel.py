"""make_wheel.py VERSION LIBRARY FOLDER [PROGRAM]: the wheel of `import tuner`, with libtuner in it, and the program if given.

No build tool is needed. The wheel's tag names the oldest glibc that has all symbols which both ask for.
"""

import base64
import hashlib
import os
import platform
import re
import stat
import subprocess
import sys
import tempfile
import zipfile

METADATA = """Metadata-Version: 2.1
Name: tuner
Version: {version}
Summary: CUDA kernel autotuner, and the library that runs what it has tuned
License: Apache-2.0
Requires-Python: >=3.8
Provides-Extra: cuda
Requires-Dist: nvidia-cuda-nvrtc<14; extra == "cuda"
Requires-Dist: nvidia-cuda-runtime<14; extra == "cuda"
Requires-Dist: nvidia-cuda-crt<14; extra == "cuda"
Provides-Extra: tune
Requires-Dist: numpy; extra == "tune"
"""


def glibc_of(paths):
    symbols = "".join(subprocess.run(["objdump", "-T", path], check=True, capture_output=True, text=True).stdout for path in paths)
    return max(tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_(\d+\.\d+)", symbols))


def stripped(path):
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["strip", "-o", file.name, path], check=True)
        return open(file.name, "rb").read()


def main():
    version, library, folder, *program = sys.argv[1:]
    package = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tuner")
    major, minor = glibc_of([library, *program])
    tag = f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"
    info = f"tuner-{version}.dist-info"
    contents = {
        f"tuner/{name}": open(os.path.join(package, name), "rb").read()
        for name in sorted(os.listdir(package))
        if name.endswith(".py")
    }
    contents["tuner/libtuner.so"] = stripped(library)
    if program:
        contents[f"tuner-{version}.data/scripts/tuner"] = stripped(program[0])
    contents[f"{info}/METADATA"] = METADATA.format(version=version).encode()
    contents[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tuner\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = ""
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    contents[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    os.makedirs(folder, exist_ok=True)
    wheel = os.path.join(folder, f"tuner-{version}-{tag}.whl")
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            mode = 0o755 if "/scripts/" in name or name.endswith(".so") else 0o644
            entry.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    print(wheel)


main()
