#pragma once
// Sources written for nvcc include this; what they need of it is there already.
#include "cuda_on_cpu.hpp"
