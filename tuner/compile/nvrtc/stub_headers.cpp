#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/util/text.hpp"

namespace tuner::compile::nvrtc {
namespace {

struct Stub {
  std::string_view name;
  std::string_view text;
};

/// Headers that the toolkit has for device code, in a namespace of its own.
constexpr std::string_view of_toolkit =
    "array atomic bit complex concepts functional initializer_list iterator limits numeric optional ratio "
    "span "
    "tuple type_traits variant";

/// Headers in which kernels need nothing.
constexpr std::string_view empty_headers =
    "stdio.h cstdio stdlib.h string.h assert.h cassert time.h ctime utility iostream iomanip fstream sstream "
    "string vector chrono random memory";

/// Empty headers too, but the toolkit's own are preferred where they exist.
constexpr std::string_view empty_toolkit_headers =
    "cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h vector_types.h device_functions.h "
    "math_functions.h cuda_device_runtime_api.h";

std::string as_standard(std::string_view name) {
  return fmt::format(
      "#pragma once\n#include <cuda/std/{}>\nnamespace std {{\nusing namespace cuda::std;\n}}\n", name);
}

// The 64-bit types are `long long`, as in NVIDIA's <cuda/std/cstdint> under NVRTC, so that both can be
// included.
constexpr std::string_view integers = R"(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
typedef long long intmax_t;
typedef unsigned long long uintmax_t;
#ifndef INT8_MAX
#define INT8_MIN (-128)
#define INT16_MIN (-32768)
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807LL
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615ULL
#endif
)";

constexpr std::string_view std_integers = R"(#pragma once
#include <stdint.h>
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t; using ::intmax_t; using ::uintmax_t;
}
)";

constexpr std::string_view std_sizes = R"(#pragma once
namespace std {
using ::size_t; using ::ptrdiff_t;
}
)";

constexpr std::string_view sizes = R"(#pragma once
typedef decltype(static_cast<char*>(0) - static_cast<char*>(0)) ptrdiff_t;
)";

constexpr std::string_view std_sizes_with_types = R"(#pragma once
#include <stddef.h>
namespace std {
using ::size_t; using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
}
)";

constexpr std::string_view maths = R"(#pragma once
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
)";

constexpr std::string_view std_maths = R"(#pragma once
#include <math.h>
namespace std {
using ::abs; using ::fabs; using ::fmod; using ::remainder; using ::fma; using ::fmax; using ::fmin; using ::fdim;
using ::exp; using ::exp2; using ::expm1; using ::log; using ::log10; using ::log2; using ::log1p;
using ::pow; using ::sqrt; using ::cbrt; using ::hypot;
using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2;
using ::sinh; using ::cosh; using ::tanh; using ::asinh; using ::acosh; using ::atanh;
using ::erf; using ::erfc; using ::tgamma; using ::lgamma;
using ::ceil; using ::floor; using ::trunc; using ::round; using ::nearbyint; using ::rint; using ::lround;
using ::frexp; using ::ldexp; using ::modf; using ::copysign; using ::nextafter;
using ::isnan; using ::isinf; using ::isfinite; using ::signbit;
}
)";

constexpr std::string_view limits_of_integers = R"(#pragma once
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#endif
)";

constexpr std::string_view limits_of_reals = R"(#pragma once
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#endif
)";

constexpr std::string_view algorithms = R"(#pragma once
namespace std {
template <typename T> __host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <typename T> __host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <typename T> __host__ __device__ void swap(T& a, T& b) { T c = a; a = b; b = c; }
}
)";

// The real cuda.h declares host functions without saying so, which NVRTC refuses. A kernel needs the type of
// its tensor-map arguments from it: 128 opaque bytes, aligned as in CUDA 13, twice what the hardware asks
// for.
constexpr std::string_view driver_types = R"(#pragma once
typedef struct CUtensorMap_st {
  alignas(128) unsigned long long opaque[16];
} CUtensorMap;
)";

constexpr std::string_view nothing = "#pragma once\n";

constexpr std::array stubs = {
    Stub{"stdint.h", integers},
    Stub{"inttypes.h", "#pragma once\n#include <stdint.h>\n"},
    Stub{"cstdint", std_integers},
    Stub{"cinttypes", "#pragma once\n#include <cstdint>\n"},
    Stub{"stddef.h", sizes},
    Stub{"cstddef", std_sizes_with_types},
    Stub{"math.h", maths},
    Stub{"cmath", std_maths},
    Stub{"limits.h", limits_of_integers},
    Stub{"climits", "#pragma once\n#include <limits.h>\n"},
    Stub{"float.h", limits_of_reals},
    Stub{"cfloat", "#pragma once\n#include <float.h>\n"},
    Stub{"algorithm", algorithms},
    Stub{"cstdlib", std_sizes},
    Stub{"cstring", std_sizes},
    Stub{"cuda.h", driver_types},
};

}  // namespace

std::vector<model::SourceText> stub_headers(const std::vector<model::SourceText>& taken,
                                            const std::filesystem::path& toolkit_headers) {
  std::vector<model::SourceText> headers;
  const auto add = [&](std::string_view name, std::string_view text) {
    if (std::ranges::find(taken, name, &model::SourceText::name) == taken.end())
      headers.push_back({std::string(name), std::string(text)});
  };
  const auto has = [&](const std::filesystem::path& header) {
    std::error_code error;
    return !toolkit_headers.empty() && std::filesystem::exists(toolkit_headers / header, error);
  };
  for (const Stub& stub : stubs) add(stub.name, stub.text);
  for (std::string_view rest = empty_headers; !rest.empty();) add(util::split_first(rest, " "), nothing);
  for (std::string_view rest = empty_toolkit_headers; !rest.empty();) {
    if (const std::string_view name = util::split_first(rest, " "); !has(name)) add(name, nothing);
  }
  for (std::string_view rest = of_toolkit; !rest.empty();) {
    const std::filesystem::path name = util::split_first(rest, " ");
    if (has("cccl/cuda/std" / name) || has("cuda/std" / name)) add(name.native(), as_standard(name.native()));
  }
  return headers;
}

}  // namespace tuner::compile::nvrtc
