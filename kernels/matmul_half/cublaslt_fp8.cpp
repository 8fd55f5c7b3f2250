// kernels/matmul/cublaslt.cpp in FP8, e4m3: B by columns, a scale for A and one for B, bfloat16 out. Sums are
// promoted (no CUBLASLT_MATMUL_DESC_FAST_ACCUM).
#define REAL_NUMBER 28    // CUDA_R_8F_E4M3
#define RESULT_NUMBER 14  // CUDA_R_16BF
#define SCALE_MODE 0      // CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F
#include "../matmul/cublaslt.cpp"
