"""`tune_kernel()` as Kernel Tuner has it, for scripts that change an import.

    from tuner.kernel_tuner import tune_kernel

It returns (results, env) in Kernel Tuner's shape, in milliseconds. docs/python.md says what differs.
"""

import math
import os

from . import arrays
from .expressions import Ratio, call
from .program import TuneError
from .spec import parameters_of
from .tuning import tune

# What each of its strategies is nearest to.
_STRATEGIES = {
    None: "exhaustive",
    "brute_force": "exhaustive",
    "random_sample": "random",
    **dict.fromkeys(["bayes_opt", "skopt", "pyatf_strategies"], "learn"),
    **dict.fromkeys(
        ["genetic_algorithm", "diff_evo", "pso", "firefly_algorithm", "adaptive_tabu_greywolf", "nsga2", "nsga3"], "genetic"
    ),
    **dict.fromkeys(
        ["minimize", "basinhopping", "greedy_mls", "ordered_greedy_mls", "greedy_ils", "mls", "dual_annealing",
         "simulated_annealing", "hybrid_vndx"],
        "local",
    ),
}  # fmt: skip
_BLOCK_NAMES = ["block_size_x", "block_size_y", "block_size_z"]


def tune_kernel(
    kernel_name,
    kernel_source,
    problem_size,
    arguments,
    tune_params,
    grid_div_x=None,
    grid_div_y=None,
    grid_div_z=None,
    restrictions=None,
    answer=None,
    atol=1e-6,
    verify=None,
    verbose=False,
    lang=None,
    device=0,
    platform=0,
    smem_args=None,
    cmem_args=None,
    texmem_args=None,
    compiler=None,
    compiler_options=None,
    defines=None,
    log=None,
    iterations=7,
    block_size_names=None,
    quiet=False,
    strategy=None,
    strategy_options=None,
    cache=None,
    metrics=None,
    simulation_mode=None,
    parallel=None,
    observers=None,
    objective=None,
    objective_higher_is_better=None,
    objectives=None,
    seed=None,
):
    """Kernel Tuner's signature. `verify` is device code, as `compare` of tuner.tune(), and device may be "cpu"."""
    _refuse({
        "texmem_args": texmem_args, "simulation_mode": simulation_mode, "observers": observers, "objectives": objectives,
        "objective": None if objective == "time" else objective, "compiler": compiler,
        "objective_higher_is_better": objective_higher_is_better,
    })  # fmt: skip
    if lang is not None and str(lang).lower() not in ("cuda", "cupy", "nvcuda"):
        raise TuneError(f"lang is {lang}; tuner knows CUDA")
    if not isinstance(kernel_source, (str, os.PathLike)):
        raise TuneError("kernel_source is text or a path; make the text before, and parameters its macros")
    if callable(verify):
        raise TuneError("verify is a function, and outputs are compared on the device: leave it out, or give device code")
    if strategy is not None and strategy not in _STRATEGIES:
        raise TuneError(f"strategy {strategy!r} has no counterpart; `tuner list strategies` shows what there is")

    parameters = parameters_of(tune_params)
    sizes, block, grid = _launch(problem_size, [grid_div_x, grid_div_y, grid_div_z], parameters, arguments, block_size_names)
    flags = ["--until", "0%"] if strategy in (None, "brute_force") else []
    result = tune(
        kernel_source,
        tune_params,
        arguments,
        sizes,
        answer,
        kernel=kernel_name,
        block=block,
        grid=grid,
        restrictions=restrictions,
        shared_bytes=(smem_args or {}).get("size"),
        tolerance={"absolute": float(atol), "relative": 1e-5},
        compare=verify,
        symbols=cmem_args,
        options=["-Dkernel_tuner=1", *(compiler_options or []), *_defined(defines)],
        device=f"cuda:{device}" if isinstance(device, int) else device,
        strategy=_STRATEGIES[strategy],
        budget=_budget(strategy_options or {}),
        measure="complete",  # a list of all times, as its users expect
        db=os.path.splitext(cache)[0] + ".db" if cache else None,
        flags=flags + (["--seed", str(seed)] if seed is not None else []),
        quiet=quiet,
    )
    return _results(result, tune_params, metrics), _environment(result)


def _refuse(options):
    for name, value in options.items():
        if value:
            raise TuneError(f"tune_kernel() here takes no {name}; docs/python.md says what differs")


def _defined(defines):
    if defines == {} or any(callable(value) for value in (defines or {}).values()):
        raise TuneError("defines takes numbers and words here, and parameters are macros in any case")
    return [f"-D{name}={value}" for name, value in (defines or {}).items()]


def _launch(problem_size, divisors, parameters, arguments, block_size_names):
    """Sizes, block and grid. A whole problem size is a size of the spec, so that answers tell sizes apart."""
    extents = list(problem_size) if isinstance(problem_size, (list, tuple)) else [problem_size]
    names = (list(block_size_names or []) + _BLOCK_NAMES[len(block_size_names or []) :])[:3]
    if callable(problem_size):
        first = call(problem_size, {name: values[0] for name, values in parameters.items()})
        count = len(first) if isinstance(first, (list, tuple)) else 1

        def extent(i):
            def of(values):
                found = call(problem_size, values)
                return found[i] if isinstance(found, (list, tuple)) else found

            return of

        extents = [extent(i) for i in range(count)]
    sizes = {}
    for i, one in enumerate(extents):
        if not isinstance(one, str) and not callable(one):
            name = "problem_size" if len(extents) == 1 else f"problem_size_{'xyz'[i]}"
            sizes[name] = int(one)
            extents[i] = name
    if not sizes:
        lengths = [arrays.count(one) for one in arguments if arrays.is_array(one)]
        sizes["problem_size"] = max(lengths, default=1)
    block, grid = [], []
    for i, name in enumerate(names):
        block.append(name if name in parameters else 256 if i == 0 else 1)
        divided_by = divisors[i]
        if divided_by is None:
            divided_by = [name] if name in parameters or i == 0 else []
        divided_by = [divided_by] if callable(divided_by) or isinstance(divided_by, str) else list(divided_by)
        divided_by = ["256" if one == name and name not in parameters else one for one in divided_by]
        grid.append(Ratio(extents[i], divided_by) if i < len(extents) else 1)
    return sizes, block, grid


def _budget(options):
    if "max_fevals" in options:
        return int(options["max_fevals"])
    return f"{math.ceil(options['time_limit'])}s" if "time_limit" in options else None


def _results(result, tune_params, metrics):
    results = []
    for row in result.rows:
        if row["time_ns"] is None:
            continue
        one = {}
        for name, values in tune_params.items():
            one[name] = next(value for value in values if (value if isinstance(value, str) else int(value)) == row[name])
        one.update(time=row["time_ns"] / 1e6, compile_time=row["compile_ms"], status=row["status"], trial=row["trial"])
        for name, metric in (metrics or {}).items():
            one[name] = call(metric, one) if callable(metric) else eval(metric, {"__builtins__": {}}, dict(one))
        results.append(one)
    return results


def _environment(result):
    best = result.best
    return {
        "device_name": best.environment["device"],
        "driver": best.environment["driver"],
        "toolkit": best.environment["toolkit"],
        "best_config": {**best.configuration, "time": best.time_ns / 1e6},
        "spec_path": result.spec_path,
        "db_path": result.db_path,
    }
