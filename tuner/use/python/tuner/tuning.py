"""`tuner.tune()`: a kernel, its arrays and what is right, given in Python.

It writes a spec and files with the data into a folder and runs the program `tuner` on them, so whatever it finds the command
line finds too. docs/python.md shows it.
"""

import json
import os
import re

from . import arrays
from .program import TuneError, answer, follow
from .spec import Source, SpecWriter, parameters_of, results_of

class Best:
    """The answer at one size. Times are in nanoseconds; the interval is of 95 % confidence."""

    def __init__(self, sizes, answered):
        winner = answered["winner"]
        measured = winner["measurement"]
        self.sizes = sizes
        self.configuration = winner["configuration"]
        self.time_ns = measured["median_ns"]
        self.interval_ns = (measured["low_ns"], measured["high_ns"])
        self.trial = winner["trial"]
        self.environment, self.definition = winner["environment"], winner["definition"]
        self.verified = winner["verification"]["checked"]
        self.tied = [one["configuration"] for one in answered["tied"]]
        searched = answered["searched"] or {"tried": 0, "candidates": 0}
        self.tried, self.candidates = searched["tried"], searched["candidates"]
        default = answered["default"] and answered["default"]["measurement"]
        self.times_default = default["median_ns"] / self.time_ns if default else None

    def __repr__(self):
        configuration = " ".join(f"{name}={value}" for name, value in self.configuration.items())
        low, high = (one / 1000 for one in self.interval_ns)
        sure = f"{self.tried} of {self.candidates} tried, {len(self.tied)} tied"
        unverified = "" if self.verified else ", unverified"
        return f"<{configuration}: {self.time_ns / 1000:.4g} µs ({low:.4g} to {high:.4g}), {sure}{unverified}>"


class Result:
    """What a sweep has found. `spec_path` and `db_path` are for the command line: `tuner best --db DB --kernel SPEC`."""

    def __init__(self, name, spec_path, db_path, problems, parameters):
        self.name = name
        self.spec_path = spec_path
        self.db_path = db_path
        self.bests = {}
        self._problems = problems
        self._parameters = parameters
        self._kernel = None
        runs = json.loads(answer("report", "--db", db_path, "--kernel", name, "--format", "json"))["runs"]
        self._run = max(runs, key=lambda run: run["started_at"])
        for sizes in problems:
            text = "x".join(str(size) for size in sizes.values())
            said = answer("best", text, "--kernel", spec_path, "--db", db_path, "--format", "json")
            here = [one for one in json.loads(said)["answers"] if self._is_here(one["environment"])]
            if not here:
                raise TuneError(f"the sweep ended before {name} had a result at {text}; the same call goes on from there")
            self.bests[text] = Best(sizes, max(here, key=lambda one: one["winner"]["measured_at"]))

    def _is_here(self, environment):
        """Whether it is that of the sweep: the database may know other devices."""
        device = self._run["device"]
        return [environment[key] for key in ("device", "driver", "toolkit")] == [
            device["name"], device["driver"], self._run["toolkit"]
        ]  # fmt: skip

    @property
    def best(self):
        if len(self.bests) > 1:
            raise TuneError(f"there are several sizes: ask bests[...] with one of {', '.join(self.bests)}")
        return next(iter(self.bests.values()))

    @property
    def rows(self):
        """Every trial of the sizes, the fastest first: parameters, status, time_ns, low_ns, high_ns, and why it failed."""
        wanted = [dict(sizes) for sizes in self._problems]
        environments = [best.environment for best in self.bests.values()]
        definitions = [best.definition for best in self.bests.values()]
        rows = []
        report = json.loads(answer("report", "--db", self.db_path, "--kernel", self.name, "--format", "json"))
        for environment in report["environments"]:
            for trial in environment["trials"] if environment["environment"] in environments else []:
                if trial["sizes"] not in wanted or trial["definition"] not in definitions:
                    continue
                measured = trial["measurement"] or {}
                rows.append({
                    **trial["sizes"],
                    **trial["configuration"],
                    "status": trial["status"],
                    "time_ns": measured.get("median_ns"),
                    "low_ns": measured.get("low_ns"),
                    "high_ns": measured.get("high_ns"),
                    "registers": (trial["resources"] or {}).get("registers"),
                    "compile_ms": trial["compile_ms"],
                    "detail": trial["detail"],
                    "trial": trial["trial"],
                })  # fmt: skip
        return sorted(rows, key=lambda row: (row["status"] != "ok", row["time_ns"] is None, row["time_ns"]))

    @property
    def table(self):
        """`rows`, as a DataFrame where pandas is installed."""
        try:
            import pandas
        except ImportError:
            return self.rows
        return pandas.DataFrame(self.rows)

    def report(self, path=None, format="md"):
        """The program's report; with a path it is a file whose ending says the format."""
        if path is None:
            return answer("report", "--db", self.db_path, "--kernel", self.name, "--format", format)
        return answer("report", "--db", self.db_path, "--kernel", self.name, "-o", os.fspath(path))

    def pack(self):
        """The path of a pack with the answers, for other programs too."""
        path = os.path.splitext(self.spec_path)[0] + ".tuned"
        answer("pack", "-o", path, "--kernel", self.spec_path, "--db", self.db_path, "--within", "0%")
        return path

    def launch(self, stream, *given, **sizes):
        """Launches the best at these sizes on the kernel's arrays; numbers follow from the sizes and may be left out."""
        from . import CPU, Error, Pack

        if self._kernel is None:
            self._kernel = Pack(self.pack()).kernel(self.name)
        declared = self._parameters
        if len(given) == len(declared):
            given = [value for value, one in zip(given, declared) if one["type"].rstrip().endswith("*")]
        on_cpu = isinstance(stream, int) and stream == CPU
        pointers = [one for one in declared if one["type"].rstrip().endswith("*")]
        for value, one in zip(given, pointers):
            if value is not None and on_cpu != _is_on_host(value):
                places = ("the host's memory", "a GPU's memory")
                raise TuneError(f"`{one['name']}` is in {places[on_cpu]}, and the launch needs it in {places[not on_cpu]}")
        if not sizes and len(self._problems) > 1:
            raise TuneError(f"there are several sizes: name {' and '.join(self._problems[0])} in the launch")
        wanted = {**self._problems[0], **sizes}
        try:
            self._kernel.launch(stream, list(wanted.values()), *given)
        except (Error, TypeError, ValueError) as error:
            raise TuneError(f"{self.name} was not launched: {error}") from error

    def __repr__(self):
        return "\n".join(f"{self.name} {text}: {best!r}" for text, best in self.bests.items())


def _is_on_host(array):
    if hasattr(array, "data_ptr"):
        return array.device.type == "cpu"
    return not hasattr(array, "__cuda_array_interface__")


def tune(
    source,
    parameters,
    arguments,
    sizes=None,
    reference=None,
    *,
    kernel=None,
    block=None,
    grid=None,
    restrictions=None,
    shared_bytes=None,
    tolerance=None,
    compare=None,
    symbols=None,
    options=(),
    include=(),
    compiler=None,
    default=None,
    metrics=None,
    deterministic=None,
    device="auto",
    strategy=None,
    budget=None,
    measure=None,
    db=None,
    folder=None,
    flags=(),
    quiet=False,
):
    """Finds the fastest of the configurations of a kernel.

    source        a path, or the source itself
    parameters    {"BLOCK": [64, 128], ...}: macros of the source
    arguments     arrays, numbers, and expressions of sizes such as "2 * N", as the kernel takes them; for several sizes a
                  function of the sizes by name that returns them
    sizes         {"N": 1000}, or a list of such; else N is the length of the largest array
    reference     arrays that are right, or a function of the arguments that returns them or writes them there
    block, grid   an expression, a number or a function of the parameters for each of x, y, z
    restrictions  expressions that must hold, functions of a configuration, or a list of allowed configurations
    tolerance     {"absolute": ..., "relative": ..., "ulp": ..., "share": ...}
    compare       device code that says what is right: a kernel of one thread with parameters such as y, y_error, N
    symbols       {"name": array}: __constant__ and __device__ variables
    flags         further ones of `tuner run`

    A TuneError says why there is no result. Ctrl-C keeps what was measured; the same call goes on from there.
    """
    try:
        import numpy  # noqa: F401
    except ImportError as error:
        raise TuneError("tune() needs NumPy: pip install numpy") from error
    parameters = parameters_of(parameters)
    read = Source(source, kernel)
    folder = os.path.abspath(os.fspath(folder) if folder is not None else f"{read.name}-tuning")
    os.makedirs(folder, exist_ok=True)
    problems, given = _problems(sizes, arguments)
    declared = read.pointers_and_numbers()

    writer = SpecWriter(read, folder, parameters, problems)
    writer.take_arguments(given)
    expected = [None] * len(problems)
    if compare is not None:
        expected = [[True if f"{one['name']}_error" in compare else None for one in declared]] * len(problems)
    elif reference is not None:
        expected = [results_of(reference, values, declared) for values in given]
        if all(one is None for one in expected[0]):
            raise TuneError("the reference says nothing of what the kernel writes")
    writer.describe_arguments(expected, symbols or {})
    writer.restrict(restrictions)

    number = writer.expressions.number
    block = _each(_usual_block(parameters) if block is None else block)
    grid = _each(f"ceil_div({next(iter(problems[0]))}, {block[0]})" if grid is None else grid)
    launch = {"block": [number(one) for one in block], "grid": [number(one) for one in grid]}
    if shared_bytes is not None:
        launch["dynamic_shared_bytes"] = number(shared_bytes)
    spec = writer.write(
        launch,
        _verification(read.name, compare, folder, tolerance, writer.blocks) if any(expected) else None,
        {
            "name": read.name,
            "source": read.place(folder),
            "entry": read.entry,
            "default": {name: values[0] for name, values in parameters_of(default or {}).items()},
            "options": list(options),
            "include": list(map(os.fspath, include)),
            "compiler": compiler,
            "deterministic": deterministic,
        },
        metrics,
    )
    db = os.path.abspath(os.fspath(db)) if db is not None else os.path.join(folder, "tuner.db")
    texts = ["x".join(str(size) for size in one.values()) for one in problems]
    command = ["run", "--kernel", spec, "--sizes", ",".join(texts), "--device", str(device), "--db", db]
    for name, value in [("--strategy", strategy), ("--budget", budget), ("--measure", measure)]:
        command += [name, str(value)] if value is not None else []
    try:
        follow(*command, *flags, quiet=quiet)
    except TuneError as error:
        raise TuneError(f"{error}{_failure(db, read.name, error)}", error.exit_code) from None
    return Result(read.name, spec, db, problems, declared)


def _problems(sizes, arguments):
    if sizes is None:
        if callable(arguments):
            raise TuneError("arguments is a function, and sizes says nothing to call it with")
        lengths = [arrays.count(value) for value in arguments if arrays.is_array(value)]
        sizes = {"N": max(lengths, default=1)}
    elif isinstance(sizes, int):
        sizes = {"N": sizes}
    problems = [sizes] if isinstance(sizes, dict) else list(sizes)
    problems = [{"N": one} if isinstance(one, int) else {name: int(size) for name, size in one.items()} for one in problems]
    if not problems or any(list(one) != list(problems[0]) for one in problems):
        raise TuneError("sizes needs one dictionary or several with the same names")
    if not callable(arguments):
        if len(problems) > 1:
            raise TuneError("for several sizes, arguments is a function of them that returns the arguments of one")
        return problems, [list(arguments)]
    given = []
    for problem in problems:
        try:
            given.append(list(arguments(**problem)))
        except Exception as error:
            raise TuneError(f"arguments raised {type(error).__name__} at {problem}: {error}") from error
    return problems, given


def _each(given):
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _usual_block(parameters):
    named = {name.lower(): name for name in parameters}
    for base in ("block_size", "block"):
        names = [named[f"{base}_{axis}"] for axis in "xyz" if f"{base}_{axis}" in named]
        if names or base in named:
            return names or [named[base]]
    raise TuneError("block is not given, and no parameter is called block_size or block_size_x")


def _verification(name, compare, folder, tolerance, blocks):
    if compare is None:
        return {"tolerance": tolerance or _usual_tolerance(blocks)}
    file = f"{name}_compare.cu"
    with open(os.path.join(folder, file), "w") as out:
        out.write(compare)
    found = re.search(r"__global__\s+void\s+(\w+)\s*\(([^)]*)\)", compare)
    if not found:
        raise TuneError("compare has no kernel: extern \"C\" __global__ void compare(…)")
    names = [re.search(r"(\w+)\s*$", one)[1] for one in found[2].split(",")]
    takes = [re.sub(r"_(error|expected|magnitude)$", r".\1", one) for one in names]
    return {"reference": file, "compare": {"entry": found[1], "block": 1, "grid": 1, "arguments": takes}}


def _usual_tolerance(blocks):
    """What a kernel that adds in another order may be off: some roundings of the outputs' type."""
    kinds = [arrays.elements(block["type"])[0] for block in blocks if "expected" in block and arrays.elements(block["type"])]
    units = {"float64": 1e-12, "float32": 1e-5, "float16": 1e-2, "bfloat16": 5e-2}
    most = max([units.get(kind, 0) for kind in kinds], default=0)
    return {"absolute": most, "relative": most}


def _failure(db, name, error):
    """Where all configurations failed: what the last of them said."""
    if error.exit_code != 1 or not os.path.exists(db):
        return ""
    report = json.loads(answer("report", "--db", db, "--kernel", name, "--format", "json"))
    trials = [trial for environment in report["environments"] for trial in environment["trials"] if trial["detail"]]
    if not trials:
        return ""
    last = max(trials, key=lambda trial: trial["sequence"])
    shown = " ".join(f"{key}={value}" for key, value in last["configuration"].items())
    return f"\n{shown}: {last['status']}: {last['detail'].strip()}"
