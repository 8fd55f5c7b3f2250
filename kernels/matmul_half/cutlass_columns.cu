// CUTLASS's own kernels, B given by columns.
#define B_BY_COLUMNS
#include "cutlass.cu"
