"""`tuner.tune()`: a kernel, its arrays and what is right, given in Python.

It writes a spec and files with the data into a folder and runs the program `tuner` on them, so whatever it finds the command
line finds too. docs/python.md shows it.
"""

import fcntl
import json
import os
import re
import tempfile

from . import arrays
from .program import TuneError, answer, follow
from .result import Result
from .source import Source
from .spec import SpecWriter, parameters_of, results_of


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
    symbols       {"name": array}: __constant__ and __device__ variables, as "taps" or "filter::taps"
    include       folders of headers
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
        expected = [[True if re.search(rf"\b{one['name']}_error\b", compare) else None for one in declared]] * len(problems)
    elif reference is not None:
        expected = [results_of(reference, values, declared) for values in given]
        if all(one is None for one in expected[0]):
            raise TuneError("the reference says nothing of what the kernel writes")
    with open(os.path.join(folder, ".lock"), "w") as lock:  # another call would write over the data of this one
        fcntl.flock(lock, fcntl.LOCK_EX)
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
                "options": [_at(folder, one[2:], "-I") if one.startswith("-I") else one for one in _each(options)],
                "include": [_at(folder, one) for one in _each(include)],
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
            environment = _sweep(command, flags, quiet)
        except TuneError as error:
            raise TuneError(f"{error}{_failure(db, read.name, error)}", error.exit_code) from None
        passed = {block["name"]: block.get("value") for block in writer.blocks}
        known = [
            dict(one, value=passed[one["name"]], given=values[0], readings=writer.readings.get(one["name"], []))
            for _, one, values in writer.taken
        ]
        return Result(read.name, spec, db, problems, known, environment)


def _sweep(command, flags, quiet):
    """Runs it; the environment that it measures in, as the event of its beginning tells it."""
    with tempfile.TemporaryDirectory() as folder:
        own = os.path.join(folder, "events")
        flags = list(map(str, flags))
        told = flags[flags.index("--events") + 1] if "--events" in flags[:-1] else own
        follow(*command, *flags, *(["--events", own] if told == own else []), quiet=quiet)
        with open(told) as events:
            begun = [line for line in events if line.startswith('{"event":"begin"')]
    return json.loads(begun[-1])["environment"]


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


def _at(folder, headers, before=""):
    """A folder of headers, as a spec in `folder` names it."""
    return before + os.path.relpath(os.fspath(headers).strip(), folder)


def _usual_block(parameters):
    named = {name.lower(): name for name in parameters}
    for base in ("block_size", "block"):
        names = [named[f"{base}_{axis}"] for axis in "xyz" if f"{base}_{axis}" in named]
        if names or base in named:
            return names or [named[base]]
    raise TuneError("block is not given, and no parameter is called block_size or block_size_x")


def _verification(name, compare, folder, tolerance, blocks):
    if compare is None:
        if tolerance:
            return {"tolerance": tolerance}
        _add_usual_tolerances(blocks)
        return {"rounding_terms": "0"}
    file = f"{name}_compare.cu"
    with open(os.path.join(folder, file), "w") as out:
        out.write(compare)
    found = re.search(r"__global__\s+void\s+(\w+)\s*\(([^)]*)\)", compare)
    if not found:
        raise TuneError("compare has no kernel: extern \"C\" __global__ void compare(…)")
    names = [re.search(r"(\w+)\s*$", one)[1] for one in found[2].split(",")]
    takes = [re.sub(r"_(error|expected|magnitude)$", r".\1", one) for one in names]
    return {"reference": file, "compare": {"entry": found[1], "block": 1, "grid": 1, "arguments": takes}}


def _add_usual_tolerances(blocks):
    """What a kernel that adds in another order may be off: some roundings of each output's type."""
    units = {"float64": 1e-12, "float32": 1e-5, "float16": 1e-2, "bfloat16": 5e-2}
    for block in blocks:
        kind, _ = arrays.elements(block["type"]) or (None, 1)
        if "expected" in block and kind in units:
            block["tolerance"] = {"absolute": units[kind], "relative": units[kind]}


def _failure(db, name, error):
    """Where all configurations failed: what the last of them said."""
    if error.exit_code != 1 or not os.path.exists(db):
        return ""
    try:
        report = json.loads(answer("report", "--db", db, "--kernel", name, "--format", "json"))
    except TuneError:  # it has nothing of this call
        return ""
    trials = [trial for environment in report["environments"] for trial in environment["trials"] if trial["detail"]]
    if not trials:
        return ""
    last = max(trials, key=lambda trial: trial["sequence"])
    shown = " ".join(f"{key}={value}" for key, value in last["configuration"].items())
    return f"\n{shown}: {last['status']}: {last['detail'].strip()}"
