extern "C" __global__ void adamw_reference(const float* params, const float* grads, const float* m, const float* v,
                                           double* params_out, double* m_out, double* v_out, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, correction1 = 1 - beta1, correction2 = 1 - beta2;
  m_out[i] = beta1 * m[i] + (1 - beta1) * grads[i];
  v_out[i] = beta2 * v[i] + (1 - beta2) * (double)grads[i] * grads[i];
  params_out[i] = params[i] - rate * (m_out[i] / correction1 / (sqrt(v_out[i] / correction2) + 1e-8) + 0.0 * params[i]);
}
