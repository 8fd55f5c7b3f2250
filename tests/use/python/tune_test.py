"""`tuner.tune()` on the CPU device: what it finds, what it writes, and what it says when something is wrong."""

import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import unittest

import numpy

import tuner

SCALE = """
extern "C" __global__ void scale(const float* x, float* y, float a, int n) {
  const int first = (blockIdx.x * BLOCK + threadIdx.x) * PER_THREAD;
  for (int i = first; i < first + PER_THREAD && i < n; ++i) y[i] = a * x[i];
}
"""
FIFTY = {"BLOCK": [32 * i for i in range(1, 11)], "PER_THREAD": [1, 2, 3, 4, 5]}
GRID = "ceil_div(N, BLOCK * PER_THREAD)"


def scale_arguments(N):
    x = numpy.random.default_rng(N).random(N, dtype=numpy.float32)
    return [x, numpy.zeros_like(x), 1.5, N]


def tune_scale(parameters=None, source=SCALE, size=1000, **more):
    given = dict(
        arguments=scale_arguments(size), reference=lambda x, y, a, n: a * x, grid=GRID, device="cpu", measure="quick", quiet=True
    )
    return tuner.tune(source, parameters or {"BLOCK": [64, 128], "PER_THREAD": [1, 2]}, **{**given, **more})


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = self.id()
        os.makedirs(folder)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder)

    def refuses(self, words, **given):
        with self.assertRaises(tuner.TuneError) as refused:
            tune_scale(**given)
        self.assertIn(words, str(refused.exception))
        return refused.exception


class Finds(InAFolder):
    def test_the_best_of_50_configurations_is_known_with_its_interval_and_launches(self):
        result = tune_scale(FIFTY, size=4097)
        best = result.best
        self.assertEqual(best.tried, 50)
        self.assertTrue(best.verified)
        self.assertLessEqual(best.interval_ns[0], best.time_ns)
        self.assertGreaterEqual(best.interval_ns[1], best.time_ns)
        self.assertEqual({(row["BLOCK"], row["PER_THREAD"]) for row in result.rows},
                         {(b, p) for b in FIFTY["BLOCK"] for p in FIFTY["PER_THREAD"]})  # fmt: skip
        x, y, a, n = scale_arguments(4097)
        result.launch(tuner.CPU, x, y)
        self.assertTrue(numpy.array_equal(y, numpy.float32(1.5) * x))
        y[:] = 0
        result.launch(tuner.CPU, x, y, a, n)
        self.assertTrue(numpy.array_equal(y, numpy.float32(1.5) * x))
        result.launch(tuner.CPU, x, y, numpy.float32(1.5), None)
        kernel = tuner.Pack(result.pack()).kernel("scale")
        self.assertEqual({kernel.pick(size, tuner.CPU).known for size in (4097, numpy.int64(4097), numpy.array([4097]))}, {"measured"})
        for a, n in [(3.5, 4097), (1.5, 4096)]:
            with self.assertRaisesRegex(tuner.TuneError, "in what was tuned, and"):
                result.launch(tuner.CPU, x, y, a, n)

    def test_equal_sizes_are_told_apart_by_names_and_what_stays_unclear_is_asked_for(self):
        source = """
        extern "C" __global__ void add(const float* x, float* y, int m, int n, int steps) {
          for (int i = blockIdx.x * BLOCK + threadIdx.x; i < m * n; i += gridDim.x * BLOCK) y[i] = x[i] + steps;
        }"""

        def tune(steps, reference=lambda x, y, m, n, steps: x + 64):
            x = numpy.random.default_rng(1).random((64, 64), dtype=numpy.float32)
            return tuner.tune(
                source, {"BLOCK": [64]}, [x, numpy.zeros_like(x), 64, 64, steps], {"M": 64, "N": 64}, reference,
                grid="ceil_div(M * N, BLOCK)", device="cpu", measure="quick", quiet=True,
            )  # fmt: skip

        result = tune(64)
        x, y = numpy.ones((10, 200), numpy.float32), numpy.zeros((10, 200), numpy.float32)
        result.launch(tuner.CPU, x, y, 10, 200, 10, M=10, N=200)
        self.assertTrue(numpy.array_equal(y, x + 10))
        with self.assertRaisesRegex(tuner.TuneError, "`steps` may be M or N or 64, which were equal in what was tuned; give it in the launch"):
            result.launch(tuner.CPU, x, y, M=10, N=200)
        with self.assertRaisesRegex(tuner.TuneError, "`steps` is M in what was tuned, and 64 is given; give tune.. its expression"):
            result.launch(tuner.CPU, x, y, 10, 200, 64, M=10, N=200)
        with self.assertRaisesRegex(tuner.TuneError, "`x` is M or N x M or N in what was tuned, and 1990 elements are given"):
            result.launch(tuner.CPU, x[:, :199].copy(), y, 10, 200, 10, M=10, N=200)
        tune("64").launch(tuner.CPU, x, y, M=10, N=200)
        self.assertTrue(numpy.array_equal(y, x + 64))

    def test_arrays_may_have_another_pair_of_sizes_that_were_equal(self):
        source = """
        extern "C" __global__ void sums(const float* a, const float* b, float* c, int m, int n, int k) {
          for (int i = blockIdx.x * BLOCK + threadIdx.x; i < m * n; i += gridDim.x * BLOCK) {
            float sum = 0;
            for (int j = 0; j < k; ++j) sum += a[i / n * k + j] * b[j * n + i % n];
            c[i] = sum;
          }
        }"""
        a = numpy.random.default_rng(1).random((32, 32), dtype=numpy.float32)
        result = tuner.tune(
            source, {"BLOCK": [64]}, [a, a, numpy.zeros_like(a), 32, 32, 32], {"M": 32, "N": 32, "K": 32}, lambda a, b, c, *_: a @ b,
            grid="ceil_div(M * N, BLOCK)", device="cpu", measure="quick", quiet=True,
        )  # fmt: skip
        a, b, c = (numpy.ones(shape, numpy.float32) for shape in [(5, 100), (100, 40), (5, 40)])
        result.launch(tuner.CPU, a, b, c, M=5, N=40, K=100)
        self.assertTrue(numpy.array_equal(c, a @ b))

    def test_a_result_whose_spec_a_later_call_has_replaced_launches_nothing(self):
        x, y, _, n = scale_arguments(1000)
        first = tune_scale()
        second = tune_scale(arguments=[x, y, 2.5, n])
        with self.assertRaisesRegex(tuner.TuneError, "is of a later call now"):
            first.launch(tuner.CPU, x, y)
        second.launch(tuner.CPU, x, y)
        self.assertTrue(numpy.array_equal(y, numpy.float32(2.5) * x))

    def test_folders_of_headers_are_relative_to_the_caller(self):
        os.makedirs("headers")
        with open("headers/one.h", "w") as header:
            header.write("#define ONE 1\n")
        source = "#include <one.h>\n" + SCALE.replace("a * x[i]", "ONE * a * x[i]")
        for given in [{"include": ["headers"]}, {"include": os.path.abspath("headers")}, {"options": ["-Iheaders"]}]:
            self.assertTrue(tune_scale(source=source, folder=f"of {len(str(given))}", **given).best.verified)

    def test_calls_at_once_in_one_folder_take_turns(self):
        with concurrent.futures.ThreadPoolExecutor() as threads:
            calls = [threads.submit(tune_scale, arguments=[*scale_arguments(500)[:2], a, 500]) for a in (1.5, 2.5, 3.5)]
            self.assertEqual([call.result().best.verified for call in calls], [True] * 3)

    def test_several_sizes_are_one_sweep_with_an_answer_for_each(self):
        sizes = [1, 31, 1000, 4097, 65537]
        result = tune_scale(arguments=scale_arguments, sizes=sizes)
        self.assertEqual(list(result.bests), [str(size) for size in sizes])
        for size in sizes:
            x, y, *_ = scale_arguments(size)
            result.launch(tuner.CPU, x, y, N=size)
            self.assertTrue(numpy.array_equal(y, numpy.float32(1.5) * x))
        with self.assertRaisesRegex(tuner.TuneError, "there are several sizes"):
            result.best

    def test_the_command_line_opens_what_it_wrote_and_the_same_call_measures_nothing(self):
        result = tune_scale()
        said = subprocess.run(
            [os.environ["TUNER_PROGRAM"], "best", "1000", "--db", result.db_path, "--kernel", result.spec_path, "--format", "json"],
            check=True, capture_output=True,
        ).stdout  # fmt: skip
        self.assertEqual(json.loads(said)["answers"][0]["winner"]["configuration"], result.best.configuration)
        self.assertIn("# Tuning report", result.report())
        again = tune_scale()
        self.assertEqual(again.best.trial, result.best.trial)
        self.assertEqual(len(again.rows), 4)

    def test_the_answer_is_of_the_environment_that_was_asked_for_whatever_else_is_known(self):
        for measure, flags in [("quick", ()), ("standard", ()), ("quick", ("--l2", "cold")), ("quick", ())]:
            result = tune_scale(measure=measure, flags=flags)
            known = (result.best.environment["method"].split("-")[0], result.best.environment["l2"])
            self.assertEqual(known, (measure, "cold" if flags else "warm"))
            self.assertIn(result.best.trial, [row["trial"] for row in result.rows])
            self.assertEqual(len(result.rows), 4)

    def test_two_folders_with_one_database_are_one_kernel(self):
        first = tune_scale(folder="a", db="shared.db")
        tune_scale(folder="b", db="shared.db", source=SCALE.replace("a * x[i]", "x[i] * a"))
        with self.assertRaisesRegex(tuner.TuneError, "give each its own `folder` and `db`"):
            first.launch(tuner.CPU, *scale_arguments(1000)[:2])

    def test_functions_and_lists_allow_the_configurations_that_python_allows(self):
        small = {"BLOCK": [32, 64, 96, 128], "PER_THREAD": [1, 2, 3]}
        wanted = {(b, p) for b in small["BLOCK"] for p in small["PER_THREAD"] if b / p in (32, 64) or (b, p) == (96, 2)}
        for allowed in [
            lambda c: c["BLOCK"] / c["PER_THREAD"] in (32, 64) or (c["BLOCK"], c["PER_THREAD"]) == (96, 2),
            lambda BLOCK, PER_THREAD: (BLOCK, PER_THREAD) in wanted,
            "BLOCK / PER_THREAD in (32, 64) or BLOCK == 96 and PER_THREAD == 2",
            "BLOCK == 32 * PER_THREAD || BLOCK == 64 * PER_THREAD || (BLOCK == 96 && PER_THREAD == 2)",
            [{"BLOCK": b, "PER_THREAD": p} for b, p in wanted],
        ]:
            result = tune_scale(small, restrictions=allowed)
            self.assertEqual({(row["BLOCK"], row["PER_THREAD"]) for row in result.rows}, wanted)
        below_zero = tune_scale({"BLOCK": [32], "PER_THREAD": [1], "OFF": [-3, 3]}, restrictions="OFF // 2 == -2 and OFF % 2 == 1")
        self.assertEqual([row["OFF"] for row in below_zero.rows], [-3])

    def test_functions_may_be_of_a_parameter_with_many_values(self):
        many = {"BLOCK": [64], "PER_THREAD": [1], "Q": list(range(1, 1001))}
        result = tune_scale(many, restrictions=lambda Q: Q * 7919 % 13 < 6, block=lambda c: 32 + 32 * (c["Q"] * 31 % 7 < 3), budget=5)
        self.assertEqual({row["Q"] * 7919 % 13 < 6 for row in result.rows}, {True})
        self.assertEqual(result.best.candidates, sum(q * 7919 % 13 < 6 for q in many["Q"]))

    def test_block_and_grid_may_be_functions(self):
        result = tune_scale(
            {"WARPS": [1, 2], "PER_THREAD": [1, 3]},
            SCALE.replace("BLOCK", "(32 * WARPS)"),
            block=lambda c: 32 * c["WARPS"],
            grid=lambda c: -(-1000 // (32 * c["WARPS"] * c["PER_THREAD"])),
        )
        self.assertEqual(result.best.tried, 4)

    def test_types_shapes_words_and_inputs_that_are_written(self):
        source = """
        template <typename T> __device__ T twice(T x) { return x + x; }
        extern "C" __global__ void add(double* sum, const float2* pairs, unsigned char* seen, int rows, int columns) {
          const int i = blockIdx.x * block_size_x + threadIdx.x;
          if (i >= rows * columns) return;
          sum[i] += MODE == row ? twice(pairs[i].x) / 2 + pairs[i].y : pairs[i].x + pairs[i].y;
          seen[i] = 1;
        }"""
        sums = numpy.arange(35.0).reshape(5, 7)
        pairs = numpy.arange(70, dtype=numpy.float32).reshape(5, 7, 2)
        result = tuner.tune(
            source, {"block_size_x": [32, 64], "MODE": ["row", "column"]},
            [sums, pairs, numpy.zeros((5, 7), numpy.uint8), 5, 7], {"R": 5, "C": 7}, {"sum": sums + pairs.sum(axis=2)},
            grid="ceil_div(R * C, block_size_x)", options=["-Drow=1", "-Dcolumn=2"],
            device="cpu", measure="quick", quiet=True,
        )  # fmt: skip
        self.assertEqual({row["status"] for row in result.rows} - {"dropped"}, {"ok"})
        self.assertIn("MODE", result.best.configuration)

    def test_whole_numbers_must_be_equal_and_inputs_may_be_big_endian(self):
        source = """
        extern "C" __global__ void round_down(const float* x, int* y, int n) {
          const int i = blockIdx.x * BLOCK + threadIdx.x;
          if (i < n) y[i] = (int)x[i];
        }"""
        x = numpy.arange(0, 100, 0.125, dtype=">f4")
        for off in (0, 1):
            given = {"arguments": [x, numpy.zeros(x.size, numpy.int32), x.size], "grid": "ceil_div(N, BLOCK)", "parameters": {"BLOCK": [32]}}
            given.update(source=source, reference=lambda x, y, n: x.astype(numpy.int32) + off)
            if off:
                self.refuses("wrong_result", **given)
            else:
                self.assertTrue(tune_scale(**given).best.verified)

    def test_numbers_of_numpy_are_numbers_and_a_source_may_be_in_latin_1(self):
        with open("latin.cu", "wb") as out:
            out.write(SCALE.replace("{", "{  // Größe", 1).encode("latin-1"))
        self.assertTrue(tune_scale(source="latin.cu", tolerance={"absolute": numpy.float64(1e-5)}).best.verified)

    def test_each_output_has_the_tolerance_of_its_own_type(self):
        source = """
        extern "C" __global__ void ones(float* y, double* z, int* d, int n) {
          const int i = blockIdx.x * BLOCK + threadIdx.x;
          if (i < n) { y[i] = 1; z[i] = 1; d[i] = 1000000; }
        }"""
        types = [numpy.float32, numpy.float64, numpy.int32]
        for y, z, d, is_right in [(1 + 1e-6, 1, 1000000, True), (1, 1 + 1e-7, 1000000, False), (1, 1, 1000005, False)]:
            given = {"arguments": [*(numpy.zeros(100, one) for one in types), 100], "parameters": {"BLOCK": [32]}, "source": source}
            given["reference"] = lambda *_, right=(y, z, d): [numpy.full(100, one, type) for one, type in zip(right, types)]
            given["grid"] = "ceil_div(N, BLOCK)"
            if is_right:
                self.assertTrue(tune_scale(**given).best.verified)
            else:
                self.refuses("wrong_result", **given)

    def test_variables_are_named_with_or_without_their_namespaces(self):
        source = """
        namespace filter { __constant__ float taps[3]; }
        __global__ void conv(float* y, int n) {
          const int i = blockIdx.x * BLOCK + threadIdx.x;
          if (i < n) y[i] = filter::taps[i % 3];
        }"""
        taps = numpy.array([1, 2, 3], dtype=numpy.float32)
        for name in ["taps", "filter::taps"]:
            result = tuner.tune(
                source, {"BLOCK": [32, 64]}, [numpy.zeros(300, numpy.float32), 300], {"N": 300}, [numpy.tile(taps, 100)],
                grid="ceil_div(N, BLOCK)", symbols={name: taps}, device="cpu", measure="quick", quiet=True,
            )  # fmt: skip
            self.assertTrue(result.best.verified)
        with self.assertRaisesRegex(tuner.TuneError, "the source has no variable `other::taps` that the kernel uses"):
            arguments = [numpy.zeros(3, numpy.float32), 3]
            tuner.tune(source, {"BLOCK": [32]}, arguments, symbols={"other::taps": taps}, device="cpu", quiet=True)

    def test_arrays_of_other_libraries_are_copied(self):
        class Tensor:  # as PyTorch's and CuPy's look like
            def __init__(self, array):
                self.array, self.shape, self.dtype = array, array.shape, array.dtype
                self.__cuda_array_interface__ = {}

            def get(self):
                return self.array

        x, y, a, n = scale_arguments(1000)
        result = tune_scale(arguments=[Tensor(x), Tensor(y), numpy.float32(a), numpy.int32(n)], reference={"y": Tensor(x * a)})
        self.assertTrue(result.best.verified)
        with self.assertRaisesRegex(tuner.TuneError, "`x` is in a GPU's memory, and the launch needs it in the host's"):
            result.launch(tuner.CPU, Tensor(x), y)

    def test_outputs_of_a_comparison_are_found_by_whole_names(self):
        source = SCALE.replace("* y", "* max_x").replace("y[i]", "max_x[i]")
        compare = """extern "C" __global__ void compare(const float* x, const float* max_x, double* max_x_error, int N) {
          for (int i = 0; i < N; ++i) max_x_error[i] = max_x[i] == 1.5f * x[i] ? 0 : 2;
        }"""
        self.assertTrue(tune_scale(source=source, compare=compare).best.verified)

    def test_without_a_reference_the_answer_says_so(self):
        self.assertIn("unverified", repr(tune_scale(reference=None)))


class Refuses(InAFolder):
    def test_arguments_that_do_not_fit(self):
        x, y, a, n = scale_arguments(1000)
        self.refuses("takes 4 arguments (float* x, float* y, float a, int n); 3 were given", arguments=[x, y, a])
        self.refuses("argument 1, `x`, is float* in the kernel, and the array holds float64", arguments=[x.astype("f8"), y, a, n])
        self.refuses("argument 1, `x`, is float*, and 3 is no array", arguments=[3, y, a, n])
        self.refuses("argument 4, `n`, is int, and 1.5 is not", arguments=[x, y, a, 1.5])
        self.refuses("argument 3, `a`, is float, and array", arguments=[x, y, x[:2], n])

    def test_references_that_fail_or_do_not_fit(self):
        def failing(*_):
            raise ZeroDivisionError("by hand")

        error = self.refuses("the reference raised ZeroDivisionError: by hand", reference=failing)
        self.assertIsInstance(error.__cause__, ZeroDivisionError)
        self.refuses("the reference of argument 2, `y`, has the shape 7", reference=[None, numpy.zeros(7, "f4"), None, None])
        self.refuses("the reference gave 2 results, and the kernel writes y", reference=lambda *_: (1, 2))
        self.refuses("the reference names z", reference={"z": 1})

    def test_functions_of_configurations_that_raise(self):
        self.refuses("raised KeyError at BLOCK=64, PER_THREAD=1: 'TILE'", restrictions=lambda c: c["TILE"] > 1)
        self.refuses("name 'TILE' is not defined", restrictions="TILE / 2 == 1")

    def test_the_programs_own_sentences(self):
        self.refuses("unknown name `TILE`", restrictions="TILE > 1")
        error = self.refuses("wrong_result", source=SCALE.replace("a * x", "a + x"))
        self.assertEqual(error.exit_code, 1)
        self.refuses("compile_error", source=SCALE.replace("a * x", "b * x"))
        self.refuses("abacus", device="abacus")
        self.refuses("`scale_all`", kernel="scale_all")
        self.refuses("cannot be read", source="missing.cu")

    def test_a_call_that_fails_says_its_own_reason_and_not_that_of_an_earlier_one(self):
        self.refuses("wrong_result", source=SCALE.replace("a * x", "a + x"))
        self.refuses("'broken' was not declared", compare='extern "C" __global__ void compare(const float* y, float* y_error, int N) { broken }')

    def test_a_program_that_is_not_there(self):
        program = os.environ["TUNER_PROGRAM"]
        self.addCleanup(os.environ.__setitem__, "TUNER_PROGRAM", program)
        os.environ["TUNER_PROGRAM"] = "/nowhere/tuner"
        self.refuses("the program tuner was not found: /nowhere/tuner")


class Lives(InAFolder):
    def test_packs_need_no_numpy(self):
        code = "import sys; sys.modules['numpy'] = None; import tuner; tuner.Pack"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_ctrl_c_keeps_what_was_measured(self):
        script = f"""
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
from tune_test import *
try:
    tune_scale({{"BLOCK": [32 * i for i in range(1, 33)], "PER_THREAD": list(range(1, 33))}}, quiet=False)
except KeyboardInterrupt as stop:
    print(stop)
"""
        sweep = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in sweep.stderr:
            if "· best" in line:
                break
        sweep.send_signal(signal.SIGINT)
        said, messages = sweep.communicate(timeout=120)
        self.assertEqual(sweep.returncode, 0, messages)
        self.assertIn("the same call goes on from there", said)
        self.assertIn("To resume", messages)
        known = tune_scale({"BLOCK": [32], "PER_THREAD": [1, 2]})
        self.assertGreaterEqual(known.best.tried, 1)


if __name__ == "__main__":
    unittest.main()
