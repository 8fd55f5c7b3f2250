"""make_wheel.py VERSION LIBRARY FOLDER: the wheel of `import tuner`, with libtuner in it, and no build tool."""

import base64
import hashlib
import os
import platform
import sys
import zipfile


def main():
    version, library, folder = sys.argv[1:]
    package = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tuner")
    tag = f"py3-none-linux_{platform.machine()}"
    info = f"tuner-{version}.dist-info"
    files = {
        f"tuner/{name}": os.path.join(package, name) for name in sorted(os.listdir(package)) if name.endswith(".py")
    }
    files["tuner/libtuner.so"] = library
    texts = {
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: tuner\n"
        f"Version: {version}\nSummary: Runs CUDA kernels that tuner has tuned\nRequires-Python: >=3.8\n",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: tuner\nRoot-Is-Purelib: false\nTag: {tag}\n",
    }
    contents = {name: open(path, "rb").read() for name, path in files.items()}
    contents.update({name: text.encode() for name, text in texts.items()})
    record = ""
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    contents[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    os.makedirs(folder, exist_ok=True)
    wheel = os.path.join(folder, f"tuner-{version}-{tag}.whl")
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    print(wheel)


main()
