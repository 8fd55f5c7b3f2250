#pragma once
// What a source's own variables are of. Its calls are the host's, and left out here.
#include "cuda_on_cpu.hpp"
#if __has_include_next(<cuda_fp16.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#ifndef __DRIVER_TYPES_H__
struct cudaDeviceProp {};
#endif
typedef struct cublasContext* cublasHandle_t;
typedef int cublasStatus_t;
typedef int cublasComputeType_t;
typedef int cublasMath_t;
typedef int cublasOperation_t;
typedef int cudaDataType;
typedef int cudaDataType_t;
// Of cublasLt.h, which includes this.
typedef struct cublasLtContext* cublasLtHandle_t;
