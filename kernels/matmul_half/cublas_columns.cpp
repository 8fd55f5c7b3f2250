// kernels/matmul/cublas.cpp in bfloat16, B given by columns.
#define REAL_NUMBER 14  // CUDA_R_16BF
#define B_BY_COLUMNS
#include "../matmul/cublas.cpp"
