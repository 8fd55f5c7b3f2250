#pragma once
// Barriers in shared memory that count arrivals and bytes (mbarrier), and those of clusters.

#include "wgmma/shape.cuh"

using Barrier = unsigned long long;

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ inline void make_barrier(Barrier& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals));
}

/// What was made is seen by the copy engine, and by the other blocks of the cluster.
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void arrive(Barrier& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
}

/// At the same barrier of another block of the cluster.
__device__ inline void arrive_at(Barrier& barrier, int block) {
  asm volatile(
      "{ .reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(shared_address(&barrier)),
      "r"(block)
      : "memory");
}

__device__ inline void expect_bytes(Barrier& barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
               "r"(bytes)
               : "memory");
}

/// Until the phase of this parity is complete.
__device__ inline void wait(Barrier& barrier, unsigned parity) {
  unsigned done;
  do {
    asm volatile(
        "{ .reg .pred complete;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
        "selp.u32 %0, 1, 0, complete; }"
        : "=r"(done)
        : "r"(shared_address(&barrier)), "r"(parity)
        : "memory");
  } while (done == 0);
}

/// At the barrier of the first block of the cluster, behind what this thread has written there.
__device__ inline void arrive_at_first_with_data(Barrier& barrier) {
  asm volatile(
      "{ .reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, 0;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(shared_address(&barrier))
      : "memory");
}

/// Until all have arrived so, once.
__device__ inline void wait_for_data(Barrier& barrier) {
  unsigned done;
  do {
    asm volatile(
        "{ .reg .pred complete;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [%1], 0;\n"
        "selp.u32 %0, 1, 0, complete; }"
        : "=r"(done)
        : "r"(shared_address(&barrier))
        : "memory");
  } while (done == 0);
}

/// All threads of the cluster.
__device__ inline void meet() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// The first warpgroup has made the barriers. It need not wait for the others where no other block uses its
/// barriers.
__device__ inline void meet_at_begin(bool first_group) {
  if constexpr (CLUSTER > 1) {
    meet();
  } else if (first_group) {
    asm volatile("bar.arrive 0, %0;" ::"n"(THREADS) : "memory");
  } else {
    asm volatile("bar.sync 0, %0;" ::"n"(THREADS) : "memory");
  }
}

/// A block must not end while others send to it.
__device__ inline void meet_at_end() {
  if constexpr (CLUSTER > 1) meet();
}

/// Of k-tiles counted through all tiles of a block: the stage, and the parity of its round.
struct Turn {
  int stage;
  unsigned parity;
  __device__ explicit Turn(unsigned k_tile) : stage(k_tile % STAGES), parity(k_tile / STAGES % 2) {}
  __device__ void advance() {
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// Where launches overlap: as soon as there is room.
__device__ inline void let_next_launch_begin() {
#if OVERLAP
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
__device__ inline void wait_for_launch_before() {
#if OVERLAP
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
