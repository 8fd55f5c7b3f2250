// A step of charged particles, an array of structures: loaded whole, or field by field where they are needed.
#include "particle.h"

__device__ float3 add(float3 a, float b, float3 c) {
  return make_float3(a.x + b * c.x, a.y + b * c.y, a.z + b * c.z);
}

__device__ int octant(float3 v) {
  return (v.x > 0 ? 1 : 0) + (v.y > 0 ? 2 : 0) + (v.z > 0 ? 4 : 0);
}

__global__ void advance(const Particle* particles, Particle* moved, Force force, int n) {
  const int first = blockIdx.x * BLOCK * PER_THREAD + threadIdx.x;
  for (int k = 0; k < PER_THREAD; ++k) {
    const int i = first + k * BLOCK;
    if (i >= n) return;
#if LOAD == LOAD_whole
    Particle particle = particles[i];
    particle.from = octant(particle.velocity);
    particle.velocity = add(particle.velocity, particle.charge * force.seconds, force.field);
    particle.position = add(particle.position, force.seconds, particle.velocity);
    moved[i] = particle;
#else
    moved[i].charge = particles[i].charge;
    moved[i].from = octant(particles[i].velocity);
    const float3 velocity = add(particles[i].velocity, particles[i].charge * force.seconds, force.field);
    moved[i].velocity = velocity;
    moved[i].position = add(particles[i].position, force.seconds, velocity);
#endif
  }
}
