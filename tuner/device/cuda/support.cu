// What measuring needs to run on the GPU besides the kernels it measures: initial contents, comparisons,
// checksums, a delay and the clock. All loops are grid-strided; every access is coalesced and the work is bound by
// memory.
#include "tuner/device/words.h"
#include "tuner/device/compare_function.h"
#include "tuner/device/fill_function.h"

using tuner::device::Word;

constexpr int THREADS = 256;  // as SupportKernels launches them

__device__ inline Word first_index() {
  return static_cast<Word>(blockIdx.x) * THREADS + threadIdx.x;
}
__device__ inline Word stride() {
  return static_cast<Word>(gridDim.x) * THREADS;
}

/// One loop for all types: a loop for each would be compiled as often, on every machine's first run, and gain nothing
/// where memory is the limit.
extern "C" __global__ void __launch_bounds__(THREADS)
    tuner_fill(void* out, Word elements, tuner::device::FillRequest request) {
  const int size = tuner::device::fill_size(request.type);
  for (Word i = first_index(); i < elements; i += stride()) {
    const Word bits = tuner::device::fill_bits(request, i);
    if (size == 1)
      static_cast<unsigned char*>(out)[i] = static_cast<unsigned char>(bits);
    else if (size == 2)
      static_cast<unsigned short*>(out)[i] = static_cast<unsigned short>(bits);
    else if (size == 4)
      static_cast<unsigned int*>(out)[i] = static_cast<unsigned int>(bits);
    else
      static_cast<Word*>(out)[i] = bits;
  }
}

/// Errors are not negative, so their bits are ordered as they are, and atomics on integers will do.
struct Findings {
  Word largest_error_bits;
  Word wrong;
  Word first_wrong;
};

__device__ inline Word larger(Word a, Word b) {
  return a > b ? a : b;
}
__device__ inline Word smaller(Word a, Word b) {
  return a < b ? a : b;
}

/// Merges the findings of a block's threads into `out` with at most three atomics.
__device__ void publish(Findings mine, Findings* out) {
  __shared__ Findings block;
  if (threadIdx.x == 0) block = {0, 0, ~Word{0}};
  __syncthreads();
  for (int distance = 16; distance > 0; distance /= 2) {
    mine.largest_error_bits =
        larger(mine.largest_error_bits, __shfl_xor_sync(~0U, mine.largest_error_bits, distance));
    mine.wrong += __shfl_xor_sync(~0U, mine.wrong, distance);
    mine.first_wrong = smaller(mine.first_wrong, __shfl_xor_sync(~0U, mine.first_wrong, distance));
  }
  if (threadIdx.x % 32 == 0 && mine.largest_error_bits != 0) {
    atomicMax(&block.largest_error_bits, mine.largest_error_bits);
    if (mine.wrong != 0) {
      atomicAdd(&block.wrong, mine.wrong);
      atomicMin(&block.first_wrong, mine.first_wrong);
    }
  }
  __syncthreads();
  if (threadIdx.x != 0 || block.largest_error_bits == 0) return;
  atomicMax(&out->largest_error_bits, block.largest_error_bits);
  if (block.wrong == 0) return;
  atomicAdd(&out->wrong, block.wrong);
  atomicMin(&out->first_wrong, block.first_wrong);
}

struct Comparands {
  const void* got;
  const double* expected;
  const double* magnitude;
  Word elements;
  tuner::device::CompareRule rule;
  int type;
  int ignore_unwritten;
  int other_poison;
};

/// The bits of element `index`, in the low fill_size(type) bytes.
__device__ inline Word load_element(const void* from, int type, Word index) {
  const int size = tuner::device::fill_size(type);
  if (size == 1) return static_cast<const unsigned char*>(from)[index];
  if (size == 2) return static_cast<const unsigned short*>(from)[index];
  if (size == 4) return static_cast<const unsigned int*>(from)[index];
  return static_cast<const Word*>(from)[index];
}

extern "C" __global__ void __launch_bounds__(THREADS) tuner_compare(Comparands of, Findings* out) {
  using namespace tuner::device;
  const double most = most_error(of.rule);
  Findings mine = {0, 0, ~Word{0}};
  for (Word i = first_index(); i < of.elements; i += stride()) {
    const Word bits = load_element(of.got, of.type, i);
    const bool poison = bits == poison_bits(of.type, i, of.other_poison != 0);
    const double error = error_of(of.rule, of.type, value_of(of.type, bits), poison, of.expected[i],
                                  of.magnitude[i], of.ignore_unwritten != 0);
    mine.largest_error_bits = larger(mine.largest_error_bits, bits_of_double(error));
    if (error <= most) continue;
    ++mine.wrong;
    mine.first_wrong = smaller(mine.first_wrong, i);
  }
  publish(mine, out);
}

/// The `bytes` low bytes of the word at `from`, which may have any alignment.
__device__ inline Word load_bytes(const unsigned char* from, int bytes) {
  Word word = 0;
  for (int i = 0; i < bytes; ++i) word |= static_cast<Word>(from[i]) << (8 * i);
  return word;
}

/// Adds to *sum what the bytes contribute; the sum does not depend on the order of the atomics.
extern "C" __global__ void __launch_bounds__(THREADS)
    tuner_checksum(const unsigned char* memory, Word bytes, Word* sum) {
  __shared__ Word block;
  if (threadIdx.x == 0) block = 0;
  __syncthreads();
  const bool aligned = reinterpret_cast<Word>(memory) % sizeof(Word) == 0;
  const Word words = bytes / sizeof(Word);
  Word mine = 0;
  for (Word i = first_index(); i < words; i += stride()) {
    const Word word = aligned ? reinterpret_cast<const Word*>(memory)[i]
                              : load_bytes(memory + i * sizeof(Word), sizeof(Word));
    mine += tuner::device::checksum_term(word, i);
  }
  const int tail = static_cast<int>(bytes % sizeof(Word));
  if (tail != 0 && first_index() == 0) {
    mine += tuner::device::checksum_term(load_bytes(memory + words * sizeof(Word), tail), words);
  }
  for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_xor_sync(~0U, mine, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(&block, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, block);
}

/// Keeps the stream busy for about `nanoseconds`, so that what is queued behind it starts without the host's
/// latency. Bounded, unlike a kernel that waits to be released, so tools that run one kernel at a time do not
/// deadlock.
extern "C" __global__ void tuner_delay(Word nanoseconds) {
  Word start = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  for (Word now = start; now - start < nanoseconds;) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
}

/// Cycles of a multiprocessor and nanoseconds, read together.
struct ClockReading {
  Word cycles;
  Word nanoseconds;
};

/// Reads the clock of multiprocessor 0: one block for each multiprocessor, so that one meets it. Two readings
/// of one multiprocessor tell its frequency; those of two do not, since their counters are not in step.
extern "C" __global__ void tuner_read_clock(ClockReading* out) {
  unsigned multiprocessor = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  if (multiprocessor != 0) return;
  ClockReading now = {};
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now.nanoseconds));
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now.cycles));
  *out = now;
}
