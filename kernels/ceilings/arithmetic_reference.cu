// With a factor of 1 a chain counts its steps.
extern "C" __global__ void arithmetic_reference(const ELEMENT_TYPE* start, const ELEMENT_TYPE* addend, double* expected,
                                                double* magnitude, int chains, int steps) {
  const int chain = blockIdx.x * blockDim.x + threadIdx.x;
  if (chain >= chains) return;
  expected[chain] = static_cast<double>(start[chain]) + static_cast<double>(addend[0]) * steps;
  magnitude[chain] = 0;
}
