"""Writes a spec and its data from what `tune()` was given."""

import itertools
import json
import math
import os

from . import arrays
from .expressions import Expressions
from .program import TuneError


def parameters_of(given):
    """Whole numbers and words; True and False are 1 and 0."""
    result = {}
    for name, values in given.items():
        values = [values] if isinstance(values, (int, str)) else list(values)
        for value in values:
            if not isinstance(value, str) and (isinstance(value, float) or int(value) != value):
                raise TuneError(f"{name} has the value {value!r}; parameters are whole numbers or words")
        result[name] = [value if isinstance(value, str) else int(value) for value in values]
    return result


class SpecWriter:
    """One kernel with its data at each of `problems`, which are dictionaries of sizes."""

    def __init__(self, source, folder, parameters, problems):
        self.source, self.folder, self.problems = source, folder, problems
        self.sizes = list(problems[0])
        self.parameters = parameters
        self.expressions = Expressions(parameters, problems[0] if len(problems) == 1 else {})
        self.taken = []
        self.blocks = []  # of [[arguments]]
        self.readings = {}  # by argument: for its number, or each of its axes, all expressions that fit
        self.constraints = []

    # Arguments

    def take_arguments(self, by_problem):
        """Lists of arguments, one for each problem: are they the kernel's?"""
        declared = self.source.pointers_and_numbers()
        for given in by_problem:
            if len(given) != len(declared):
                takes = ", ".join(f"{one['type']} {one['name']}" for one in declared)
                raise TuneError(f"{self.source.entry} takes {len(declared)} arguments ({takes}); {len(given)} were given")
        for i, one in enumerate(declared):
            what = f"argument {i + 1}, `{one['name']}`,"
            take = self._array if one["type"].rstrip().endswith("*") else self._number
            self.taken.append((what, one, [take(what, one, given[i]) for given in by_problem]))

    def describe_arguments(self, expected_by_problem, symbols):
        """`expected_by_problem` has a list of results for each problem, or None where nothing is verified."""
        verified = any(expected is not None for expected in expected_by_problem)
        for i, (what, one, values) in enumerate(self.taken):
            if one["type"].rstrip().endswith("*"):
                expected = [results[i] if results else None for results in expected_by_problem]
                self._add_buffer(what, one, values, expected, verified)
            else:
                self._add_number(what, one, values)
        for name, array in symbols.items():
            known = self.source.symbol(name)
            if known is None:
                raise TuneError(f"the source has no variable `{name}` that the kernel uses")
            what, one = f"the variable `{name}`", dict(known, access="in")
            self._add_buffer(what, one, [self._array(what, one, array)], [None], verified)

    def _add_buffer(self, what, one, hosts, expected, verified):
        lines = {"name": one["name"], "type": one["type"]}
        if hosts[0] is None:
            lines["value"] = "NULL"
            return self.blocks.append(lines)
        access = "in" if one.get("unused") else one.get("access", "inout")
        is_output = expected[0] is not None
        if is_output:
            access = access if access in ("out", "inout") else "inout"
        elif verified and access != "in":
            access = "workspace"  # written, and without an expected value
        elif access == "out":
            access = "inout"  # so that it holds what was given
        if "symbol" in one:  # its own extent is in the source
            extent = list(map(str, hosts[0][0].shape[: -1 if hosts[0][2] > 1 else None]))
        else:
            extent = self._extents(what, one["name"], [host.shape for host, _, _ in hosts], hosts[0][2])
        lines.update(access=access, extent=extent)
        if "symbol" in one:
            lines["symbol"] = one["symbol"]
        if access != "out":
            lines["init"] = self._files(one["name"], [(host, kind) for host, kind, _ in hosts])
        if is_output and expected[0] is not True:
            files = [self._expected(what, host, kind, right) for (host, kind, _), right in zip(hosts, expected)]
            lines["expected"] = self._files(one["name"] + ".expected", files)
        return self.blocks.append(lines)

    @staticmethod
    def _array(what, one, value):
        """Its numbers on the host, their type, and how many of them an element has; None for a null pointer."""
        if value is None:
            return None
        if not arrays.is_array(value):
            raise TuneError(f"{what} is {one['type']}, and {value!r:.60} is no array")
        host, kind = arrays.to_host(value, what)
        wanted, width = arrays.elements(one["type"]) or (kind, 1)
        if wanted != kind:
            raise TuneError(f"{what} is {one['type']} in the kernel, and the array holds {kind}")
        if host.ndim == 0:
            host = host.reshape(1)
        if width > 1:
            if host.size % width:
                raise TuneError(f"{what} is {one['type']}, and the array's {host.size} numbers are no multiple of {width}")
            host = host.reshape(-1, width)
        return host, kind, width

    @staticmethod
    def _expected(what, host, kind, right):
        right, right_kind = arrays.to_host(right, f"the reference of {what}")
        if right.size != host.size:
            shapes = " x ".join(map(str, right.shape)), " x ".join(map(str, host.shape))
            raise TuneError(f"the reference of {what} has the shape {shapes[0]}, and the argument {shapes[1]}")
        right = right.reshape(host.shape)
        if right_kind == kind:
            return right, kind
        is_real = kind in ("bfloat16", "float16", "float32", "float64")
        if right_kind == "bfloat16" or (not is_real and right.dtype.kind == "f"):
            raise TuneError(f"the reference of {what} holds {right_kind}, and the argument {kind}")
        return right.astype("float64" if is_real else host.dtype), "float64" if is_real else kind

    def _files(self, name, contents):
        import numpy

        suffix = "".join(f".{{{size}}}" for size in self.sizes) if len(contents) > 1 else ""
        for problem, (array, kind) in zip(self.problems, contents):
            file = name + "".join(f".{problem[size]}" for size in self.sizes if suffix) + ".npy"
            arrays.save(os.path.join(self.folder, file), numpy.ascontiguousarray(array), kind)
        return f"file({name}{suffix}.npy)"

    def _extents(self, what, name, shapes, width):
        shapes = [shape[:-1] if width > 1 else shape for shape in shapes]
        if len({len(shape) for shape in shapes}) > 1:
            raise TuneError(f"{what} has another number of dimensions at another size")
        axes = [["1"] if set(extents) == {1} else self._readings(what, list(extents)) for extents in zip(*shapes)]
        self.readings[name] = axes
        chosen = []
        for fitting in axes:  # of equal sizes another one for each axis
            chosen.append(next((one for one in fitting if one in self.sizes and one not in chosen), fitting[0]))
        return chosen

    def _readings(self, what, numbers):
        """The expressions of the sizes that have these values at the problems, the likeliest first."""
        products = [[name] for name in self.sizes]
        products += [*itertools.combinations(self.sizes, 2), *([name, name] for name in self.sizes)]
        fitting = [
            " * ".join(names)
            for names in products
            if [math.prod(problem[name] for name in names) for problem in self.problems] == numbers
        ]
        if fitting:
            return fitting
        if len(set(numbers)) == 1:
            return [str(int(numbers[0]))]
        for name in self.sizes:
            at = [problem[name] for problem in self.problems]
            if at[0] == at[1]:
                continue
            factor, rest = divmod(numbers[1] - numbers[0], at[1] - at[0])
            constant = numbers[0] - factor * at[0]
            if rest == 0 and all(factor * a + constant == number for a, number in zip(at, numbers)):
                fitting.append(f"{factor} * {name}" + (f" + {constant}" if constant > 0 else f" - {-constant}" if constant else ""))
        if not fitting:
            raise TuneError(f"{what} is {numbers} at the sizes {self.problems}, and no simple expression of them says so")
        return fitting

    @staticmethod
    def _number(what, one, value):
        import numpy

        wanted, width = arrays.elements(one["type"]) or (None, 1)
        if wanted is None or width > 1:
            raise TuneError(f"{what} is {one['type']}, which tune() cannot pass; write a spec (docs/specs-data.md)")
        if isinstance(value, str):
            return value
        number = value.item() if hasattr(value, "item") and numpy.ndim(value) == 0 else value
        if not isinstance(number, (bool, int, float)) or (isinstance(number, float) and "float" not in wanted):
            raise TuneError(f"{what} is {one['type']}, and {number!r:.60} is not")
        if number != number or number in (float("inf"), float("-inf")):
            raise TuneError(f"{what} is {number}; specs know finite numbers only")
        return number

    def _add_number(self, what, one, numbers):
        if isinstance(numbers[0], str):
            text = self.expressions.number(numbers[0])
        elif any(isinstance(number, float) for number in numbers) and len(set(numbers)) == 1:
            text = repr(float(numbers[0]))
        else:
            text = self._said_with_sizes(what, one["name"], numbers)
        self.blocks.append({"name": one["name"], "type": one["type"], "value": text})

    def _said_with_sizes(self, what, name, numbers):
        """The size of the argument's own name, where it fits; else the likeliest reading, and launches ask which is meant."""
        fitting = self._readings(what, numbers)
        own = [one for one in fitting if one.lower() == name.lower()]
        if len(set(numbers)) == 1 and not own:
            constant = str(int(numbers[0]))
            fitting = [one for one in fitting if one != constant]
            fitting.insert(0 if constant == "1" else len(fitting), constant)
        self.readings[name] = [own or fitting]
        return (own or fitting)[0]

    # The file

    def restrict(self, restrictions):
        if restrictions is None:
            return
        for one in [restrictions] if isinstance(restrictions, str) or callable(restrictions) else restrictions:
            if isinstance(one, dict):  # a list of allowed configurations
                allowed = [{name: each[name] for name in self.parameters} for each in restrictions]
                self.constraints.append(self.expressions.truth(lambda values: dict(values) in allowed))
                return
            self.constraints.append(self.expressions.truth(one))

    def write(self, launch, verify, kernel, metrics):
        lines = []

        def put(key, value):
            if value not in (None, [], {}):
                lines.append(f"{key} = {_toml(value)}")

        put("constraints", self.constraints)
        if verify is None:
            put("verify", "none")
        lines += ["", "[kernel]"]
        for key, value in kernel.items():
            put(key, value)
        put("sizes", self.sizes)
        lines += ["", "[parameters]"]
        for name, values in self.parameters.items():
            put(name, values)
        if self.expressions.derived:
            lines += ["", "[derived]"]
            for text, name in self.expressions.derived.items():
                put(name, text)
        lines += ["", "[launch]"]
        for key, value in launch.items():
            put(key, value)
        for block in self.blocks:
            lines += ["", "[[arguments]]"]
            for key, value in block.items():
                put(key, value)
        if verify is not None:
            lines += ["", "[verify]"]
            for key, value in verify.items():
                put(key, value)
        if metrics:
            lines += ["", "[metrics]"]
            for key, value in metrics.items():
                put(json.dumps(key), value)
        path = os.path.join(self.folder, f"{self.source.name}.toml")
        with open(path, "w") as out:
            out.write("# Written by tuner.tune(), which writes it anew at each call.\n" + "\n".join(lines) + "\n")
        return path


def results_of(reference, arguments, declared):
    """What is right, one entry an argument of the kernel; None where it only reads."""
    names = [one["name"] for one in declared]
    written = [i for i, one in enumerate(declared) if one.get("access") in ("out", "inout") and not one.get("unused")]
    results = reference
    if callable(reference):
        copies = [_copy(argument) for argument in arguments]
        try:
            results = reference(*copies)
        except Exception as error:
            raise TuneError(f"the reference raised {type(error).__name__}: {error}") from error
        if results is None:  # it wrote into its arguments
            return [copies[i] if i in written else None for i in range(len(copies))]
    if isinstance(results, dict):
        unknown = [name for name in results if name not in names]
        if unknown:
            raise TuneError(f"the reference names {unknown[0]}, and the kernel takes {', '.join(names)}")
        return [results.get(name) for name in names]
    results = list(results) if isinstance(results, (list, tuple)) else [results]
    if len(results) == len(names):
        return results
    if len(results) != len(written):
        outputs = ", ".join(names[i] for i in written)
        raise TuneError(f"the reference gave {len(results)} results, and the kernel writes {outputs or 'nothing'}")
    by_argument = dict(zip(written, results))
    return [by_argument.get(i) for i in range(len(names))]


def _copy(argument):
    return argument.clone() if hasattr(argument, "clone") else argument.copy() if hasattr(argument, "copy") else argument


def _toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return repr(value.item() if hasattr(value, "item") else value)  # numbers of NumPy are told as Python's
