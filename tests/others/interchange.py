"""Holds exported files against the packages that they are for: python3 interchange.py TUNER DATABASE.

Needs `pip install kernel_tuner autotuning_methodology`; exits 77 where they are missing.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
    from autotuning_methodology.searchspace_statistics import SearchspaceStatistics
    from kernel_tuner import file_utils, util
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def export(tuner, database, form, folder):
    folder.mkdir()
    subprocess.run([tuner, "export", "--db", database, "--format", form, "-o", f"{folder}/"], check=True)
    return sorted(folder.iterdir())


def check_cache(path):
    cache = json.loads(path.read_text())
    read = util.read_cache(path, open_cache=False)
    for key, entry in cache["cache"].items():
        assert key == ",".join(str(entry[name]) for name in cache["tune_params_keys"]), key
    # What Kernel Tuner does before it goes on writing.
    util.read_cache(path, open_cache=True)
    assert path.read_text().endswith(",")
    return len(read["cache"])


def check_t4(path):
    _, schema = file_utils.output_file_schema("results")
    results = json.loads(path.read_text())
    jsonschema.validate(results, schema)
    times = [value["value"] for result in results["results"] for value in result["measurements"] if value["name"] == "time"]
    if times:
        statistics = SearchspaceStatistics("kernel", "device", True, ["compilation"], ["time"], path)
        assert statistics.total_performance_absolute_optimum() == min(times)
    return len(results["results"])


def main(tuner, database):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        caches = export(tuner, database, "kernel-tuner", folder / "caches")
        results = export(tuner, database, "t4", folder / "results")
        entries = [check_cache(path) for path in caches]
        assert entries == [check_t4(path) for path in results]
        print(f"{len(caches)} cache files and {len(results)} T4 files with {sum(entries)} configurations: passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
