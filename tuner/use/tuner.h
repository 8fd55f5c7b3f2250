/* libtuner: runs the kernels of a pack, a file that `tuner pack` wrote (docs/use.md). This is the C
 * interface; tuner.hpp is the same for C++17. The CUDA driver is found at run time: nothing of CUDA is needed
 * to compile or to link.
 *
 * All functions may be called from several threads at once, except tuner_pack_close(). Picking, and launching
 * on a GPU, neither allocate memory nor take a lock, once a size is prepared. What is passed is read before a
 * call returns. Kernels and texts that are returned live as long as their pack. */
#ifndef TUNER_TUNER_H
#define TUNER_TUNER_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TUNER_API __attribute__((visibility("default")))
#else
#define TUNER_API
#endif

/* What every function returns. The numbers stay what they are. */
typedef enum tuner_error {
  TUNER_OK = 0,
  TUNER_BAD_CALL = 1,
  TUNER_NO_MEMORY = 2,
  /* Opening. */
  TUNER_NO_FILE = 10,
  TUNER_NOT_A_PACK = 11,
  TUNER_NEWER_PACK = 12,
  TUNER_DAMAGED_PACK = 13,
  TUNER_UNLIKE_LAYERS = 14,
  /* Finding a kernel. */
  TUNER_NO_KERNEL = 20,
  TUNER_SEVERAL_TYPES = 21,
  /* The device. */
  TUNER_NO_DRIVER = 30,
  TUNER_OLD_DRIVER = 31,
  TUNER_NO_DEVICE = 32,
  TUNER_OTHER_ARCHITECTURE = 33,
  TUNER_NO_CONTEXT = 34,
  TUNER_OTHER_CONTEXT = 35,
  /* Sizes and arguments. */
  TUNER_SIZE_COUNT = 40,
  TUNER_BAD_SIZE = 41,
  TUNER_ARGUMENT_COUNT = 42,
  TUNER_ARGUMENT_TYPE = 43,
  TUNER_ARGUMENT_BYTES = 44,
  TUNER_NULL_POINTER = 45,
  TUNER_MISALIGNED = 46,
  TUNER_SMALL_WORKSPACE = 47,
  /* Launching. */
  TUNER_NO_CONFIGURATION = 50,
  TUNER_UNDEFINED = 51,
  TUNER_BEYOND_LIMITS = 52,
  TUNER_NOT_PREPARED = 53,
  TUNER_CANNOT_LOAD = 54,
  TUNER_CANNOT_LAUNCH = 55
} tuner_error;

/* A sentence; it lives forever. */
TUNER_API const char* tuner_error_text(tuner_error error);
/* What this thread's last error was about: names, the values found and needed. Empty where there is nothing
 * to add. It holds until this thread's next call that fails. */
TUNER_API const char* tuner_error_detail(void);

/* Types of numbers, of elements behind pointers as well. */
typedef enum tuner_type {
  TUNER_ANY = 0, /* of a pointer: not said, and not checked */
  TUNER_BOOL = 1,
  TUNER_INT8 = 2,
  TUNER_UINT8 = 3,
  TUNER_INT16 = 4,
  TUNER_UINT16 = 5,
  TUNER_INT32 = 6,
  TUNER_UINT32 = 7,
  TUNER_INT64 = 8,
  TUNER_UINT64 = 9,
  TUNER_FLOAT16 = 10,
  TUNER_BFLOAT16 = 11,
  TUNER_FLOAT32 = 12,
  TUNER_FLOAT64 = 13,
  TUNER_FLOAT8_E4M3 = 14,
  TUNER_FLOAT8_E5M2 = 15
} tuner_type;

/* Packs. */

typedef struct tuner_pack tuner_pack;
typedef struct tuner_kernel tuner_kernel;

/* A file, or bytes at a multiple of 8 that live as long as the pack (then `path` is null). */
typedef struct tuner_layer {
  const char* path;
  const void* bytes;
  size_t byte_count;
} tuner_layer;

TUNER_API tuner_error tuner_pack_open(const char* path, tuner_pack** pack);
TUNER_API tuner_error tuner_pack_view(const void* bytes, size_t byte_count, tuner_pack** pack);
/* Several as one: of two layers that know the same of a kernel, the later one counts. What a layer measured
 * on this GPU counts before what another layer's rule says. */
TUNER_API tuner_error tuner_pack_open_layers(const tuner_layer* layers, size_t count, tuner_pack** pack);
/* Unloads what was loaded. The contexts must still be there, and nothing of the pack may be running. Null is
 * allowed. */
TUNER_API void tuner_pack_close(tuner_pack* pack);
/* 64 hexadecimal digits of a SHA-256 over all that was opened. Processes with the same digest pick the same
 * on equal GPUs. */
TUNER_API const char* tuner_pack_digest(const tuner_pack* pack);
TUNER_API size_t tuner_pack_kernel_count(const tuner_pack* pack);
/* Null where there are not so many. */
TUNER_API const tuner_kernel* tuner_pack_kernel(const tuner_pack* pack, size_t index);

/* Kernels. */

/* `type`: the element type as CUDA C++ calls it (`float`), or null where the pack has one. */
TUNER_API tuner_error tuner_kernel_find(const tuner_pack* pack, const char* family, const char* type,
                                        const tuner_kernel** kernel);
TUNER_API const char* tuner_kernel_family(const tuner_kernel* kernel);
TUNER_API const char* tuner_kernel_type(const tuner_kernel* kernel);
TUNER_API size_t tuner_kernel_size_count(const tuner_kernel* kernel);
TUNER_API const char* tuner_kernel_size_name(const tuner_kernel* kernel, size_t index);

/* What a caller passes. */
typedef struct tuner_parameter {
  const char* name;
  const char* type_name; /* `float*` */
  tuner_type type;       /* of the number, or of what a pointer points to */
  int is_pointer;
  int is_written;     /* the kernel writes what it points to … */
  int is_read;        /* … and reads what was there */
  uint32_t alignment; /* a pointer is a multiple of so many bytes */
} tuner_parameter;

TUNER_API size_t tuner_kernel_parameter_count(const tuner_kernel* kernel);
TUNER_API tuner_error tuner_kernel_parameter(const tuner_kernel* kernel, size_t index,
                                             tuner_parameter* parameter);
/* How many bytes parameter `index`, a pointer, must lead to. */
TUNER_API tuner_error tuner_kernel_parameter_bytes(const tuner_kernel* kernel, int device,
                                                   const int64_t* sizes, size_t size_count, size_t index,
                                                   uint64_t* bytes);

/* Answers. Devices are numbers, as CUDA counts them. */

#define TUNER_CPU (-1)                          /* the device that runs binaries of the host's compiler */
#define TUNER_CPU_STREAM ((void*)~(uintptr_t)0) /* a launch on it, which has ended when the call returns */

/* How an answer is known, the best first. A binary of another architecture is never an answer. */
typedef enum tuner_known {
  TUNER_MEASURED = 1,          /* this GPU at this size */
  TUNER_BY_RULE = 2,           /* this GPU, by a rule over its sizes */
  TUNER_SAME_ARCHITECTURE = 3, /* another GPU of the same architecture */
  TUNER_BY_DEFAULT = 4         /* the spec's default configuration, untuned */
} tuner_known;

typedef struct tuner_choice {
  tuner_known known;
  const char* kernel;        /* which kernel of the family */
  const char* configuration; /* `TILE_M=64 TILE_N=128` */
  double expected_ns;        /* 0: not known */
  double loss_bound; /* at most so much slower than the best known, 0.02 is 2 %; negative: not known */
  double confidence; /* at which share of such sizes the bound holds, 0 to 1; 1 where it was measured */
  uint32_t layer;    /* which of the opened packs it is from, counted from 0 */
  uint32_t index;    /* of the configuration in that pack; equal ones are the same launch */
} tuner_choice;

TUNER_API tuner_error tuner_kernel_pick(const tuner_kernel* kernel, int device, const int64_t* sizes,
                                        size_t size_count, tuner_choice* choice);

typedef struct tuner_workspace {
  uint64_t bytes; /* 0: none is needed. It begins at a multiple of 256 bytes. */
  int zero_first; /* its bytes are 0 before the first launch. Launches of this size leave them so; others may
                     not. */
} tuner_workspace;

TUNER_API tuner_error tuner_kernel_workspace(const tuner_kernel* kernel, int device, const int64_t* sizes,
                                             size_t size_count, tuner_workspace* workspace);

/* Loads what launches of `count` problems need into `context` (a CUcontext; null: the current one;
 * TUNER_CPU_STREAM: the CPU). `sizes`: those of the first problem, then those of the next. With a count of 0:
 * all that the pack may pick on this device. */
TUNER_API tuner_error tuner_kernel_prepare(const tuner_kernel* kernel, void* context, const int64_t* sizes,
                                           size_t count);

/* An argument. */
typedef struct tuner_value {
  tuner_type
      type; /* of the number, or of what a pointer points to. Numbers may be of another type of their kind. */
  uint32_t is_pointer;
  union {
    const void* pointer; /* device memory */
    int64_t integer;     /* of integer types */
    double real;         /* of floating types */
  } value;
  uint64_t bytes; /* behind a pointer, checked against what the kernel needs; 0: not said */
} tuner_value;

/* Queues a launch in `stream` (a CUstream or cudaStream_t of the current context; null: the default stream).
 * Loads what was not prepared, unless the stream is being captured. */
TUNER_API tuner_error tuner_kernel_launch(const tuner_kernel* kernel, void* stream, const int64_t* sizes,
                                          size_t size_count, const tuner_value* arguments,
                                          size_t argument_count, void* workspace, size_t workspace_bytes);

#ifdef __cplusplus
}
#endif
#endif
