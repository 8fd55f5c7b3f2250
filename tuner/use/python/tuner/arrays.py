"""Arrays of NumPy, PyTorch, CuPy and others as files that specs read."""

import re

from .program import TuneError

# Elements by the names that sources and NumPy give them.
_KINDS = {
    "float": "float32", "double": "float64", "__half": "float16", "half": "float16", "__nv_bfloat16": "bfloat16",
    "nv_bfloat16": "bfloat16", "bool": "bool", "char": "int8", "signed char": "int8", "unsigned char": "uint8",
    "short": "int16", "unsigned short": "uint16", "int": "int32", "unsigned": "uint32", "unsigned int": "uint32",
    "long": "int64", "unsigned long": "uint64", "long long": "int64", "unsigned long long": "uint64",
    "size_t": "uint64", "cuFloatComplex": "float32", "cuDoubleComplex": "float64",
}  # fmt: skip
_KINDS.update({f"{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)})
_VECTORS = {
    "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32",
    "long": "int64", "ulong": "uint64", "longlong": "int64", "ulonglong": "uint64", "float": "float32",
    "double": "float64", "__half": "float16", "half": "float16", "__nv_bfloat16": "bfloat16", "__nv_bfloat": "bfloat16",
}  # fmt: skip
_NAMES = {
    "float32": "float", "float64": "double", "float16": "__half", "bfloat16": "__nv_bfloat16", "bool": "bool",
    "int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short", "int32": "int",
    "uint32": "unsigned int", "int64": "long long", "uint64": "unsigned long long",
}  # fmt: skip


def elements(type_name):
    """The name that NumPy has for a type's numbers, and how many of them an element has; None for other types."""
    name = re.sub(r"\b(const|volatile)\b", "", type_name).strip(" *")
    if name in ("cuFloatComplex", "cuDoubleComplex"):
        return _KINDS[name], 2
    if name in _KINDS:
        return _KINDS[name], 1
    vector = re.fullmatch(r"(\w+?)(162|[1234])", name)
    if vector and vector[1] in _VECTORS:
        return _VECTORS[vector[1]], 2 if vector[2] == "162" else int(vector[2])
    return None


def to_host(array, what):
    """A NumPy array of the same numbers, and the name of their type."""
    import numpy

    try:
        if hasattr(array, "data_ptr"):  # PyTorch
            kind = str(array.dtype).rpartition(".")[2]
            tensor = array.detach().cpu().contiguous()
            if kind == "bfloat16":
                return tensor.view(dtype=__import__("torch").int16).numpy(), kind
            return tensor.numpy(), kind
        if hasattr(array, "get") and hasattr(array, "__cuda_array_interface__"):  # CuPy
            array = array.get()
        elif hasattr(array, "__cuda_array_interface__"):
            array = __import__("cupy").asnumpy(array)
        host = numpy.ascontiguousarray(array).reshape(numpy.shape(array))
        host = host.astype(host.dtype.newbyteorder("="), copy=False)
    except Exception as error:
        raise TuneError(f"{what} cannot be read: {type(error).__name__}: {error}") from error
    if host.dtype.kind == "c":
        host = host.view("f4" if host.dtype.itemsize == 8 else "f8")
    if host.dtype.name not in _NAMES:
        raise TuneError(f"{what} has elements of type {host.dtype}, which kernels do not have")
    return host, host.dtype.name


def is_array(value):
    return hasattr(value, "shape") and hasattr(value, "dtype") and (len(value.shape) > 0 or hasattr(value, "data_ptr"))


def count(array):
    result = 1
    for extent in array.shape:
        result *= int(extent)
    return result


def save(path, array, kind):
    """NumPy has no bfloat16; specs take its bits as |V2."""
    import numpy

    numpy.save(path, array.view("V2") if kind == "bfloat16" else array)


def cuda_name(kind):
    return _NAMES[kind]
