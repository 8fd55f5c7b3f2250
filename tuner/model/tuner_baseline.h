/* What a baseline of a kernel spec implements: a library's solution of the same problem, in C++ for the host
 * (or anything else with C functions). See docs/specs-baselines.md. The library that a [[launch]] calls
 * ([kernel] library, docs/specs-launches.md) has functions of its own names instead of tuner_baseline, of the
 * same type and extern "C". Plain C; needs no CUDA. */
#ifndef TUNER_BASELINE_H
#define TUNER_BASELINE_H
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One call. */
typedef struct tuner_call {
  /* The stream to queue the work on: a CUstream (cudaStream_t) of the primary context, which is current on
   * the calling thread; NULL on the CPU device. It may be capturing a graph. */
  void* stream;
  /* A pointer to each argument's value, in the order of the spec's `arguments`, as cuLaunchKernel takes them:
   * arguments[0] points to a device pointer where the first is a buffer, to a float where it is one. */
  void* const* arguments;
  size_t argument_count;
  /* Memory of the device for the call alone, its contents undefined; NULL where the spec asks for none. */
  void* workspace;
  size_t workspace_bytes;
} tuner_call;

/* Queues the work and returns NULL; a message (which stays valid until the next call) where it cannot. Called
 * many times, always on one thread, and stays loaded, so that handles and choices may be kept in statics. The
 * first call for a problem is not timed and no capture: what has to be tried or allocated is tried then.
 * Later ones must not synchronise. */
const char* tuner_baseline(const tuner_call* call);

/* The library's name and version, "cuBLAS 13.1.0": stored with what is measured. NULL where the library is
 * not there, which leaves the baseline out; then `*why_not` says what was looked for. */
const char* tuner_baseline_version(const char** why_not);

#ifdef __cplusplus
}
#endif
#endif
