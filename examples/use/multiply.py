"""Multiplies two matrices with a pack: `multiply.py matmul.tuned`, on the GPU where PyTorch has one, else on the CPU."""

import ctypes
import sys

import tuner

try:
    import torch

    has_gpu = torch.cuda.is_available()
except ImportError:
    has_gpu = False


class Matrix:
    """Of the host, as any array library offers one."""

    def __init__(self, rows, columns, value):
        self.numbers = ((ctypes.c_float * columns) * rows)()
        for row in range(rows):
            for column in range(columns):
                self.numbers[row][column] = value(row, column)
        address = ctypes.addressof(self.numbers)
        self.__array_interface__ = {"shape": (rows, columns), "typestr": "<f4", "data": (address, False), "version": 3}


def on_cpu(kernel, m, n, k):
    a = Matrix(m, k, lambda row, column: row + column)
    b = Matrix(k, n, lambda row, column: 2.0 if row == column else 0.0)
    c = Matrix(m, n, lambda row, column: -1.0)
    kernel.launch(tuner.CPU, (m, n, k), a, b, c)
    return all(c.numbers[i][j] == (2.0 * (i + j) if j < k else 0.0) for i in range(m) for j in range(n))


def on_gpu(kernel, m, n, k):
    a = torch.randint(-3, 4, (m, k), device="cuda").float()
    b = torch.randint(-3, 4, (k, n), device="cuda").float()
    c = torch.empty(m, n, device="cuda")
    needed = kernel.workspace((m, n, k))
    workspace = torch.zeros(needed.bytes, dtype=torch.uint8, device="cuda") if needed.bytes else None
    kernel.launch(torch.cuda.current_stream(), (m, n, k), a, b, c, workspace=workspace)
    return bool((c == a @ b).all())


with tuner.Pack(sys.argv[1]) as pack:
    kernel = pack.kernel("matmul", "float")
    device = 0 if has_gpu else tuner.CPU
    for size in [(64, 64, 64), (20, 30, 10)]:
        right = (on_gpu if has_gpu else on_cpu)(kernel, *size)
        print(size, kernel.pick(size, device), "right" if right else "WRONG")
        if not right:
            sys.exit(1)
