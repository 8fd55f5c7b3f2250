"""Finds the fastest configurations of kernels, and runs them on the arrays and streams of PyTorch, CuPy and others.

    result = tuner.tune("scale.cu", {"BLOCK_SIZE": [64, 128]}, arguments=[x, y, n], reference=[None, y_right, None])

    pack = tuner.Pack("matmul.tuned")
    kernel = pack.kernel("matmul")
    print(kernel.pick((1024, 1024, 1024)))
    kernel.launch(torch.cuda.current_stream(), (1024, 1024, 1024), a, b, c)

docs/python.md and docs/use.md tell the rest. tune() needs NumPy and the program `tuner`, packs only ctypes and libtuner.so: of this
wheel, of the system, or the one that TUNER_LIBRARY names.
"""

import ctypes
import operator
import os
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

from .arrays import elements
from .program import TuneError
from .result import Best, Result
from .tuning import tune

__all__ = ["CPU", "Best", "Choice", "Error", "Kernel", "Pack", "Result", "TuneError", "Workspace", "tune"]

CPU = -1  # the device that runs binaries of the host's compiler; as a stream, too


class Error(Exception):
    """What the library refused. `code` is a tuner_error of tuner.h."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class _Layer(ctypes.Structure):
    _fields_ = [("path", c_char_p), ("bytes", c_void_p), ("byte_count", c_size_t)]


class _Choice(ctypes.Structure):
    _fields_ = [
        ("known", c_int),
        ("kernel", c_char_p),
        ("configuration", c_char_p),
        ("expected_ns", c_double),
        ("loss_bound", c_double),
        ("confidence", c_double),
        ("layer", c_uint32),
        ("index", c_uint32),
    ]


class _Parameter(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type_name", c_char_p),
        ("type", c_int),
        ("is_pointer", c_int),
        ("is_written", c_int),
        ("is_read", c_int),
        ("alignment", c_uint32),
    ]


class _Workspace(ctypes.Structure):
    _fields_ = [("bytes", c_uint64), ("zero_first", c_int)]


class _Number(ctypes.Union):
    _fields_ = [("pointer", c_void_p), ("integer", c_int64), ("real", c_double)]


class _Value(ctypes.Structure):
    _fields_ = [("type", c_int), ("is_pointer", c_uint32), ("value", _Number), ("bytes", c_uint64)]


_CPU_STREAM = ctypes.c_void_p(-1).value
_INT64, _UINT64, _FLOAT64 = 8, 9, 13

# By the last part of the name of a dtype: torch.float32, dtype('float32').
_TYPES = {
    "bool": 1,
    "int8": 2,
    "uint8": 3,
    "int16": 4,
    "uint16": 5,
    "int32": 6,
    "uint32": 7,
    "int64": 8,
    "uint64": 9,
    "float16": 10,
    "bfloat16": 11,
    "float32": 12,
    "float64": 13,
    "float8_e4m3fn": 14,
    "float8_e5m2": 15,
}
# By the kind and bytes of __cuda_array_interface__.
_TYPE_STRINGS = {
    "b1": 1, "i1": 2, "u1": 3, "i2": 4, "u2": 5, "i4": 6, "u4": 7, "i8": 8, "u8": 9, "f2": 10, "f4": 12, "f8": 13,
}  # fmt: skip

_KNOWN = {1: "measured", 2: "by rule", 3: "same architecture", 4: "by default"}


def _load():
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libtuner.so")
    tried = [os.environ["TUNER_LIBRARY"]] if "TUNER_LIBRARY" in os.environ else [here, "libtuner.so.0"]
    for path in tried:
        try:
            library = ctypes.CDLL(path)
            break
        except OSError as error:
            why = error
    else:
        raise ImportError(f"libtuner was not found ({why}). Install it, or name it in TUNER_LIBRARY.")
    sizes = POINTER(c_int64)
    for name, result, parameters in [
        ("tuner_error_text", c_char_p, [c_int]),
        ("tuner_error_detail", c_char_p, []),
        ("tuner_pack_open_layers", c_int, [POINTER(_Layer), c_size_t, POINTER(c_void_p)]),
        ("tuner_pack_close", None, [c_void_p]),
        ("tuner_pack_digest", c_char_p, [c_void_p]),
        ("tuner_pack_kernel_count", c_size_t, [c_void_p]),
        ("tuner_pack_kernel", c_void_p, [c_void_p, c_size_t]),
        ("tuner_kernel_find", c_int, [c_void_p, c_char_p, c_char_p, POINTER(c_void_p)]),
        ("tuner_kernel_family", c_char_p, [c_void_p]),
        ("tuner_kernel_type", c_char_p, [c_void_p]),
        ("tuner_kernel_size_count", c_size_t, [c_void_p]),
        ("tuner_kernel_size_name", c_char_p, [c_void_p, c_size_t]),
        ("tuner_kernel_parameter_count", c_size_t, [c_void_p]),
        ("tuner_kernel_parameter", c_int, [c_void_p, c_size_t, POINTER(_Parameter)]),
        ("tuner_kernel_pick", c_int, [c_void_p, c_int, sizes, c_size_t, POINTER(_Choice)]),
        ("tuner_kernel_workspace", c_int, [c_void_p, c_int, sizes, c_size_t, POINTER(_Workspace)]),
        ("tuner_kernel_prepare", c_int, [c_void_p, c_void_p, sizes, c_size_t]),
        (
            "tuner_kernel_launch",
            c_int,
            [c_void_p, c_void_p, sizes, c_size_t, POINTER(_Value), c_size_t, c_void_p, c_size_t],
        ),
    ]:
        function = getattr(library, name)
        function.restype = result
        function.argtypes = parameters
    return library


_library = _load()


def _check(code):
    if code == 0:
        return
    text = _library.tuner_error_text(code).decode()
    detail = _library.tuner_error_detail().decode()
    raise Error(code, f"{text} ({detail})" if detail else text)


def _stream(stream):
    """The address of a stream of PyTorch (cuda_stream), CuPy (ptr), or one that is a number; None: the default stream."""
    if stream is None:
        return None
    if stream is CPU or (isinstance(stream, int) and stream == CPU):
        return _CPU_STREAM
    for name in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, name):
            handle = getattr(stream, name)
            return int(getattr(handle, "value", handle) or 0) or None  # Numba's is of ctypes
    return int(stream) or None


class Choice:
    """A configuration, and how it is known: "measured", "by rule", "same architecture" or "by default"."""

    def __init__(self, raw):
        self.known = _KNOWN[raw.known]
        self.kernel = raw.kernel.decode()
        self.configuration = raw.configuration.decode()
        self.expected_ns = raw.expected_ns or None
        self.loss_bound = raw.loss_bound if raw.loss_bound >= 0 else None
        self.confidence = raw.confidence
        self.layer = raw.layer
        self.index = raw.index

    def __repr__(self):
        return f"<{self.kernel} {self.configuration}, {self.known}>"


class Workspace:
    """How many bytes a launch needs beside its arguments, and whether they must be 0 before the first."""

    def __init__(self, raw):
        self.bytes = raw.bytes
        self.zero_first = bool(raw.zero_first)


class Pack:
    """One pack, or several as layers: a later one wins entry by entry."""

    def __init__(self, *paths):
        self._handle = c_void_p()
        layers = (_Layer * len(paths))(*[_Layer(os.fsencode(path), None, 0) for path in paths])
        _check(_library.tuner_pack_open_layers(layers, len(paths), byref(self._handle)))

    def close(self):
        handle, self._handle = self._handle, c_void_p()
        _library.tuner_pack_close(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _opened(self, what="the pack"):
        if not self._handle:
            raise ValueError(f"{what} is closed")
        return self._handle

    @property
    def digest(self):
        return _library.tuner_pack_digest(self._opened()).decode()

    @property
    def kernels(self):
        count = _library.tuner_pack_kernel_count(self._opened())
        return [Kernel(self, _library.tuner_pack_kernel(self._handle, i)) for i in range(count)]

    def kernel(self, family, type=None):
        found = c_void_p()
        _check(_library.tuner_kernel_find(self._opened(), family.encode(), type and type.encode(), byref(found)))
        return Kernel(self, found)


class Kernel:
    """A family at an element type. Sizes are a sequence of numbers in the order of `sizes`."""

    def __init__(self, pack, handle):
        self._pack = pack
        self._address = handle
        library = _library
        self.family = library.tuner_kernel_family(handle).decode()
        self.type = library.tuner_kernel_type(handle).decode()
        count = library.tuner_kernel_size_count(handle)
        self.sizes = [library.tuner_kernel_size_name(handle, i).decode() for i in range(count)]
        self._parameters = []
        for i in range(library.tuner_kernel_parameter_count(handle)):
            self._parameters.append(_Parameter())
            _check(library.tuner_kernel_parameter(handle, i, byref(self._parameters[-1])))
        self.parameters = [f"{one.type_name.decode()} {one.name.decode()}" for one in self._parameters]

    @property
    def _handle(self):
        self._pack._opened(f"the pack of {self.family}")
        return self._address

    @staticmethod
    def _numbers(sizes):
        sizes = [_in_64_bits(size) for size in (sizes if hasattr(sizes, "__iter__") else [sizes])]
        return (c_int64 * len(sizes))(*sizes), len(sizes)

    def pick(self, sizes, device=0):
        raw = _Choice()
        _check(_library.tuner_kernel_pick(self._handle, device, *self._numbers(sizes), byref(raw)))
        return Choice(raw)

    def workspace(self, sizes, device=0):
        raw = _Workspace()
        _check(_library.tuner_kernel_workspace(self._handle, device, *self._numbers(sizes), byref(raw)))
        return Workspace(raw)

    def prepare(self, *problems, context=None):
        """Loads what launches of these sizes need; without sizes all that may be picked on the current device."""
        sizes = []
        for problem in problems:
            numbers, count = self._numbers(problem)
            if count != len(self.sizes):
                self.pick(problem)  # which refuses it
            sizes += numbers
        numbers, _ = self._numbers(sizes)
        context = _CPU_STREAM if context == CPU else context
        _check(_library.tuner_kernel_prepare(self._handle, context, numbers, len(problems)))

    def launch(self, stream, sizes, *arrays, workspace=None):
        """Arrays of PyTorch, CuPy or anything with __cuda_array_interface__, and numbers, as `parameters` says."""
        if len(arrays) != len(self._parameters):
            raise TypeError(f"{self.family} takes {len(self._parameters)} arguments: {', '.join(self.parameters)}")
        address = _stream(stream)
        on_cpu = address == _CPU_STREAM
        values = (_Value * len(arrays))(*[_value(a, p, on_cpu) for a, p in zip(arrays, self._parameters)])
        space, space_bytes = (None, 0) if workspace is None else _memory(workspace, True, "workspace", on_cpu)[:2]
        numbers, count = self._numbers(sizes)
        _check(
            _library.tuner_kernel_launch(
                self._handle, address, numbers, count, values, len(arrays), space, space_bytes
            )
        )


def _in_64_bits(number, least=-(2**63), most=2**63 - 1):
    """ctypes would wrap it."""
    number = operator.index(number)
    if not least <= number <= most:
        raise ValueError(f"{number} is no number of 64 bits")
    return number


def _is_within_reach(array, on_cpu):
    """Of the CPU or of the GPU; pinned and managed memory is of both."""
    if hasattr(array, "data_ptr"):
        on_host = array.device.type == "cpu"
        return on_host if on_cpu else not on_host or array.is_pinned()
    has_gpu = hasattr(array, "__cuda_array_interface__")
    return not has_gpu or hasattr(array, "__array_interface__") if on_cpu else has_gpu


def _memory(array, is_written, what, on_cpu):
    """Address, bytes and the name of the type of an array without gaps."""
    if not _is_within_reach(array, on_cpu):
        has, needs = ("the host's memory", "a GPU's memory")[:: -1 if on_cpu else 1]
        raise ValueError(f"`{what}` is in {has}, and the launch needs it in {needs}")
    if hasattr(array, "data_ptr"):  # PyTorch
        if not array.is_contiguous():
            raise ValueError("a tensor with gaps between its elements; pass tensor.contiguous()")
        name = str(array.dtype).rpartition(".")[2]
        return array.data_ptr() or None, array.numel() * array.element_size(), name
    interface = getattr(array, "__cuda_array_interface__", None) or getattr(array, "__array_interface__", None)
    if interface is None:
        raise TypeError(f"{type(array).__name__} is no array: it has neither data_ptr nor __cuda_array_interface__")
    kind = interface["typestr"][1:]
    if kind[0] not in "biufcV":
        raise TypeError(f"an array of {interface['typestr']}, which kernels do not have")
    if interface["typestr"][0] == ">":
        raise ValueError("a big-endian array; pass array.astype(array.dtype.newbyteorder('='))")
    if is_written and interface["data"][1]:
        raise ValueError("a read-only array, which the kernel would write")
    size = int(kind[1:])
    shape = interface["shape"]
    for extent, stride in zip(reversed(shape), reversed(interface.get("strides") or [None] * len(shape))):
        if extent > 1 and stride not in (None, size):
            raise ValueError("an array with gaps between its elements; pass a contiguous copy")
        size *= extent
    return interface["data"][0] or None, size, kind


def _type(name, parameter):
    """Of an array's elements. Raw bytes are not checked, as those of structs and of types that NumPy lacks."""
    known = _TYPES.get(name) or _TYPE_STRINGS.get(name, 0)
    is_complex = name.startswith("c") and (elements(parameter.type_name.decode()) or ("", 1))[1] > 1
    if known or not parameter.type or is_complex or name.startswith("V"):
        return known
    raise TypeError(f"`{parameter.name.decode()}` is {parameter.type_name.decode()}, and an array of {name} is given")


class _Unmeasured:
    """An array whose length the caller has checked."""

    def __init__(self, array):
        self.array = array


def _value(argument, parameter, on_cpu):
    if isinstance(argument, _Unmeasured):
        value = _value(argument.array, parameter, on_cpu)
        value.bytes = 0
        return value
    value = _Value()
    if isinstance(argument, (bool, int, float)):
        is_real = parameter.type >= 10 or isinstance(argument, float)
        value.type = _FLOAT64 if is_real else _INT64
        if is_real:
            value.value.real = argument
        else:
            value.value.integer = _in_64_bits(argument, most=2**64 - 1 if parameter.type == _UINT64 else 2**63 - 1)
        return value
    value.is_pointer = 1
    if argument is not None:
        memory = _memory(argument, parameter.is_written, parameter.name.decode(), on_cpu)
        value.value.pointer, value.bytes, type_name = memory
        value.type = _type(type_name, parameter)
        if value.bytes == 0:  # for the library: not said
            value.value.pointer = None
    return value
