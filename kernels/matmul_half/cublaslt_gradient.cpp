// kernels/matmul/cublaslt.cpp in bfloat16, A given by columns; beta * C is added, and D is float.
#define REAL_NUMBER 14   // CUDA_R_16BF
#define RESULT_NUMBER 0  // CUDA_R_32F
#define A_BY_COLUMNS
#define WITH_ADDEND
#include "../matmul/cublaslt.cpp"
