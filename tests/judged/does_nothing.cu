extern "C" __global__ void product(const float*, const float*, float*, int, int) {}
