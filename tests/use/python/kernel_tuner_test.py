"""`tune_kernel()` with scripts that have the shape of Kernel Tuner's own examples, on the CPU device."""

import json
import os
import unittest

import numpy

from tuner import TuneError
from tuner.kernel_tuner import tune_kernel

ADD = """
__global__ void vector_add(float *c, float *a, float *b, int n) {
  int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
PRODUCT = """
#define WIDTH 50
__global__ void product(float *C, float *A, float *B) {
  int x = blockIdx.x * block_size_x * tile_x + threadIdx.x;
  int y = blockIdx.y * block_size_y + threadIdx.y;
  for (int t = 0; t < tile_x; ++t, x += block_size_x) {
    if (x >= WIDTH || y >= WIDTH) continue;
    float sum = 0;
    for (int k = 0; k < WIDTH; ++k) sum += A[y * WIDTH + k] * B[k * WIDTH + x];
    C[y * WIDTH + x] = sum;
  }
}
"""
SUM = """
#if vector == 2
#define floats float2
#else
#define floats float
#endif
__global__ void sum_floats(float *partial, floats *array, int n) {
  __shared__ float shared[block_size_x];
  float sum = 0;
  for (int i = blockIdx.x * block_size_x + threadIdx.x; i < n / vector; i += num_blocks * block_size_x) {
#if vector == 2
    sum += array[i].x + array[i].y;
#else
    sum += array[i];
#endif
  }
  shared[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < block_size_x; ++i) sum += shared[i];
  partial[blockIdx.x] = sum;
}
"""
TOTAL = """
extern "C" __global__ void total(const float* array, const float* partial, double* partial_error,
                                 int num_blocks, int problem_size) {
  double right = 0, found = 0;
  for (int i = 0; i < problem_size; ++i) right += array[i];
  for (int i = 0; i < num_blocks; ++i) found += partial[i];
  for (int i = 0; i < 64; ++i) partial_error[i] = i == 0 ? fabs(found - right) / (1e-5 * right) : 0;
}
"""


class Examples(unittest.TestCase):
    def setUp(self):
        os.makedirs(self.id())
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.id())
        self.random = numpy.random.default_rng(7)

    def add(self, size=1000, **more):
        a, b = (self.random.random(size, dtype=numpy.float32) for _ in range(2))
        args = [numpy.zeros_like(a), a, b, numpy.int32(size)]
        given = dict(answer=[a + b, None, None, None], device="cpu", quiet=True)
        return tune_kernel("vector_add", ADD, size, args, {"block_size_x": [32 * i for i in range(1, 33)]}, **{**given, **more})

    def test_vector_add_at_many_sizes_gives_every_configuration_in_milliseconds(self):
        for size in (1, 31, 1000, 4097, 65536):
            results, env = self.add(size, metrics={"GFLOP/s": lambda p: size / p["time"] / 1e6, "double": "2 * time"})
            self.assertEqual(sorted(one["block_size_x"] for one in results), [32 * i for i in range(1, 33)])
            for one in results:
                self.assertAlmostEqual(one["GFLOP/s"] * one["time"] * 1e6, size, places=3)
                self.assertEqual(one["double"], 2 * one["time"])
            json.dumps([results, env])
            self.assertIn(env["best_config"]["block_size_x"], [one["block_size_x"] for one in results])

    def test_a_product_in_two_dimensions_with_restrictions_and_divisors(self):
        A, B = (self.random.standard_normal((50, 50)).astype(numpy.float32) for _ in range(2))
        params = {"block_size_x": [8, 16, 32], "block_size_y": [1, 2, 4, 8], "tile_x": [1, 2, 3, 4]}
        results, _ = tune_kernel(
            "product", PRODUCT, (50, 50), [numpy.zeros_like(A), A, B], params,
            grid_div_x=["block_size_x", "tile_x"], grid_div_y=lambda p: p["block_size_y"], answer=[A @ B, None, None], atol=1e-4,
            restrictions=["block_size_x * block_size_y >= 32", "block_size_x / tile_x >= 8"], device="cpu", quiet=True,
        )  # fmt: skip
        allowed = [(x, y, t) for x in params["block_size_x"] for y in params["block_size_y"] for t in params["tile_x"]
                   if x * y >= 32 and x / t >= 8]  # fmt: skip
        self.assertEqual(sorted((one["block_size_x"], one["block_size_y"], one["tile_x"]) for one in results), allowed)

    def test_a_sum_whose_grid_is_a_parameter_and_whose_check_is_device_code(self):
        array = self.random.random(10000, dtype=numpy.float32)
        params = {"block_size_x": [32, 64], "vector": [1, 2], "num_blocks": [16, 64]}
        given = [numpy.zeros(64, numpy.float32), array, numpy.int32(array.size)]
        results, _ = tune_kernel("sum_floats", SUM, "num_blocks", given, params, grid_div_x=[], verify=TOTAL, device="cpu", quiet=True)
        self.assertEqual(len(results), 8)
        with self.assertRaisesRegex(TuneError, "wrong_result"):
            tune_kernel("sum_floats", SUM.replace("int i = 1", "int i = 2"), "num_blocks", given, params, grid_div_x=[], verify=TOTAL,
                        device="cpu", quiet=True)  # fmt: skip

    def test_strategies_and_their_limits(self):
        results, _ = self.add(strategy="genetic_algorithm", strategy_options={"max_fevals": 5}, seed=3)
        self.assertEqual(len(results), 5)
        self.assertEqual(len(self.add(strategy_options={"time_limit": 59.5})[0]), 32)

    def test_a_cache_is_a_database_that_the_next_call_continues(self):
        _, env = self.add(cache="adds.json")
        self.assertEqual(os.path.basename(env["db_path"]), "adds.db")
        self.random = numpy.random.default_rng(7)
        self.assertEqual(len(self.add(cache="adds.json")[0]), 32)

    def test_what_has_no_counterpart_is_refused(self):
        for words, given in [
            ("verify is a function", {"verify": lambda right, found, atol=None: True}),
            ("takes no observers", {"observers": [1]}),
            ("lang is OpenCL", {"lang": "OpenCL"}),
            ("strategy 'guess' has no counterpart", {"strategy": "guess"}),
        ]:
            with self.assertRaisesRegex(TuneError, words):
                self.add(**given)


if __name__ == "__main__":
    unittest.main()
