extern "C" __global__ void crossentropy_reference(const float* probs, const int* targets, double* losses, int N, int V) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) losses[i] = -log((double)probs[(size_t)i * V + targets[i]]);
}

extern "C" __global__ void crossentropy_backward_reference(const float* dlosses, const float* probs, const int* targets,
                                                           double* dlogits, int N, int V) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (v < V) dlogits[(size_t)i * V + v] = (probs[(size_t)i * V + v] - (v == targets[i] ? 1.0 : 0.0)) * dlosses[i];
}

/// Losses and gradients of logits whose rows have P numbers, V of which count.
extern "C" __global__ void classifier_reference(const float* logits, const float* dlosses, const int* targets,
                                                double* dlogits, double* losses, int N, int V, int P) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const float* x = logits + (size_t)i * P;
  double most = x[0], sum = 0;
  for (int v = 1; v < V; ++v) most = fmax(most, (double)x[v]);
  for (int v = 0; v < V; ++v) sum += exp(x[v] - most);
  losses[i] = log(sum) + most - x[targets[i]];
  for (int v = 0; v < V; ++v)
    dlogits[(size_t)i * P + v] = (exp(x[v] - most) / sum - (v == targets[i] ? 1.0 : 0.0)) * dlosses[i];
}
