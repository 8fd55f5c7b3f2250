#include "particle.h"

__device__ void step(float at, float speed, double push, double seconds, double* place, double* place_size,
                     double* velocity, double* velocity_size) {
  *velocity = speed + push;
  *velocity_size = fabs((double)speed) + fabs(push);
  *place = at + seconds * *velocity;
  *place_size = fabs((double)at) + seconds * *velocity_size;
}

__global__ void advance_reference(const Particle* particles, Force force, double* position,
                                  double* position_size, double* velocity, double* velocity_size,
                                  double* charge, double* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Particle p = particles[i];
  const double push = (double)p.charge * force.seconds;
  const float at[3] = {p.position.x, p.position.y, p.position.z};
  const float speed[3] = {p.velocity.x, p.velocity.y, p.velocity.z};
  const float field[3] = {force.field.x, force.field.y, force.field.z};
  int bits = 0;
  for (int c = 0; c < 3; ++c) {
    const int k = 3 * i + c;
    step(at[c], speed[c], push * field[c], force.seconds, position + k, position_size + k, velocity + k,
         velocity_size + k);
    if (speed[c] > 0) bits += 1 << c;
  }
  charge[i] = p.charge;
  from[i] = bits;
}
