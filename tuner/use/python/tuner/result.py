"""What `tune()` returns: answers of the program, read as JSON."""

import itertools
import json
import math
import os

from . import arrays
from .program import TuneError, answer


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

    def __init__(self, name, spec_path, db_path, problems, parameters, environment):
        self.name = name
        self.spec_path = spec_path
        self.db_path = db_path
        self.bests = {}
        self._problems = problems
        self._parameters = parameters
        self._environment = environment  # of the sweep: the database may know others
        self._kernel = None
        for sizes in problems:
            text = "x".join(str(size) for size in sizes.values())
            here = self._answered(text)
            if not here:
                raise TuneError(f"the sweep ended before {name} had a result at {text}; the same call goes on from there")
            self.bests[text] = Best(sizes, here[0])

    def _answered(self, text):
        said = answer("best", text, "--kernel", self.spec_path, "--db", self.db_path, "--format", "json")
        return [one for one in json.loads(said)["answers"] if one["environment"] == self._environment]

    def _has_its_spec(self):
        """Whether no later call has written over it, its source or its data."""
        try:
            return all(
                best.definition in [one["winner"]["definition"] for one in self._answered(text)] for text, best in self.bests.items()
            )
        except TuneError:
            return False

    @property
    def best(self):
        if len(self.bests) > 1:
            raise TuneError(f"there are several sizes: ask bests[...] with one of {', '.join(self.bests)}")
        return next(iter(self.bests.values()))

    @property
    def rows(self):
        """Every trial of the sizes, the fastest first: parameters, status, time_ns, low_ns, high_ns, and why it failed."""
        wanted = [dict(sizes) for sizes in self._problems]
        definitions = [best.definition for best in self.bests.values()]
        rows = []
        report = json.loads(answer("report", "--db", self.db_path, "--kernel", self.name, "--format", "json"))
        for environment in report["environments"]:
            for trial in environment["trials"] if environment["environment"] == self._environment else []:
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
        if not self._has_its_spec():
            raise TuneError(
                f"{self.spec_path} or its database is of a later call now; launch before the next, or give each its own `folder` and `db`"
            )
        path = os.path.splitext(self.spec_path)[0] + ".tuned"
        measured = self._environment
        how = ["--measure", measured["method"].rpartition("-")[0], "--l2", measured["l2"], "--execution", measured["execution"] or "graph"]
        answer("pack", "-o", path, "--kernel", self.spec_path, "--db", self.db_path, "--within", "0%", *how)
        return path

    def launch(self, stream, *given, **sizes):
        """Launches the best at these sizes on the kernel's arrays.

        Numbers follow from the sizes and may be left out, but not where several expressions of them fitted what was tuned.
        """
        from . import Error, Pack

        if self._kernel is None:
            self._kernel = Pack(self.pack()).kernel(self.name)
        if not sizes and len(self._problems) > 1:
            raise TuneError(f"there are several sizes: name {' and '.join(self._problems[0])} in the launch")
        declared = self._parameters
        arrays_only = [one for one in declared if _is_array(one)]
        wanted = {**self._problems[0], **sizes}
        if len(given) == len(declared):
            numbers = {one["name"]: value for one, value in zip(declared, given) if not _is_array(one)}
            given = [value for one, value in zip(declared, given) if _is_array(one)]
        else:
            numbers = {}
        try:
            for one in declared:
                if not _is_array(one):
                    _check_number(one, numbers.get(one["name"]), wanted)
            if len(given) == len(arrays_only):
                given = [_checked(one, value, wanted) for one, value in zip(arrays_only, given)]
            self._kernel.launch(stream, list(wanted.values()), *given)
        except (Error, TypeError, ValueError) as error:
            raise TuneError(f"{self.name} was not launched: {error}") from error

    def __repr__(self):
        return "\n".join(f"{self.name} {text}: {best!r}" for text, best in self.bests.items())


def _is_array(declared):
    return declared["type"].rstrip().endswith("*")


def _at(expression, sizes):
    return eval(expression, {"__builtins__": {}}, dict(sizes))


def _are_one(readings, sizes):
    """Whether these expressions, equal where it was tuned, are equal at these sizes too."""
    return len({_at(one, sizes) for one in readings}) < 2


def _check_number(declared, number, sizes):
    name, value = declared["name"], declared["value"]
    if not _is_passed(number, declared, sizes):
        instead = "tune with it" if not declared["readings"] else 'give tune() its expression as text, such as "2 * N" or "1000"'
        raise TuneError(f"`{name}` is {value} in what was tuned, and {number!r:.60} is given; {instead}")
    for readings in declared["readings"]:
        if number is None and not _are_one(readings, sizes):
            raise TuneError(f"`{name}` may be {' or '.join(readings)}, which were equal in what was tuned; give it in the launch")


def _checked(declared, array, sizes):
    """The array. Where its extents have several readings, it has the elements of one, which need not be that of the spec."""
    from . import _Unmeasured

    axes = declared["readings"]
    if array is None or not hasattr(array, "shape") or all(_are_one(readings, sizes) for readings in axes):
        return array
    extents = [{_at(one, sizes) for one in readings} for readings in axes]
    width = (arrays.elements(declared["type"]) or ("", 1))[1]
    counts = {math.prod(one) * each for one in itertools.product(*extents) for each in (1, width)}  # complex numbers are one
    found = arrays.count(array)
    if found not in counts and found < max(counts):
        shapes = " x ".join(" or ".join(readings) for readings in axes)
        raise TuneError(f"`{declared['name']}` is {shapes} in what was tuned, and {found} elements are given")
    return _Unmeasured(array)


def _is_passed(number, declared, sizes):
    """Whether the spec passes that number, too."""
    import numpy

    if number is None or isinstance(number, str):
        return number in (None, declared["given"])
    kind = (arrays.elements(declared["type"]) or ("",))[0]
    is_real = "float" in kind
    try:
        passed = eval(declared["value"] if is_real else declared["value"].replace("/", "//"), {"__builtins__": {}}, dict(sizes))
    except Exception:  # of the configuration, too
        return False
    rounded = numpy.dtype("float64" if kind == "bfloat16" else kind).type if is_real else lambda exact: exact
    return rounded(number) == rounded(passed)
