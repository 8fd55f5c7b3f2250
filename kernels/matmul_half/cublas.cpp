// kernels/matmul/cublas.cpp in bfloat16.
#define REAL_NUMBER 14  // CUDA_R_16BF
#include "../matmul/cublas.cpp"
