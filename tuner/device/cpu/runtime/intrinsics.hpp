#pragma once
// Intrinsics. First those of floating numbers: conversions to integers, bit casts and the fast functions;
// behind them those of integers. A fast function is the accurate one here: what is within its bound on a GPU
// is within it on the CPU.
#include "mathematics.hpp"
#include "types.hpp"

#define TUNER_CPU_BIT_CAST(name, to, from)            \
  inline to name(from value) {                        \
    to result;                                        \
    __builtin_memcpy(&result, &value, sizeof result); \
    return result;                                    \
  }
TUNER_CPU_BIT_CAST(__float_as_int, int, float)
TUNER_CPU_BIT_CAST(__int_as_float, float, int)
TUNER_CPU_BIT_CAST(__float_as_uint, unsigned, float)
TUNER_CPU_BIT_CAST(__uint_as_float, float, unsigned)
TUNER_CPU_BIT_CAST(__double_as_longlong, long long, double)
TUNER_CPU_BIT_CAST(__longlong_as_double, double, long long)
#undef TUNER_CPU_BIT_CAST
inline int __double2hiint(double value) {
  return static_cast<int>(__double_as_longlong(value) >> 32);
}
inline int __double2loint(double value) {
  return static_cast<int>(__double_as_longlong(value));
}
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(
      static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low)));
}

#define TUNER_CPU_FAST(name)       \
  inline float __##name(float x) { \
    return name(x);                \
  }
TUNER_CPU_FAST(expf)
TUNER_CPU_FAST(exp10f)
TUNER_CPU_FAST(logf)
TUNER_CPU_FAST(log2f)
TUNER_CPU_FAST(log10f)
TUNER_CPU_FAST(sinf)
TUNER_CPU_FAST(cosf)
TUNER_CPU_FAST(tanf)
TUNER_CPU_FAST(tanhf)
#undef TUNER_CPU_FAST
inline float __fdividef(float a, float b) {
  return a / b;
}
inline float __powf(float x, float y) {
  return powf(x, y);
}
inline void __sincosf(float x, float* sine, float* cosine) {
  sincosf(x, sine, cosine);
}
inline float __saturatef(float x) {
  return x > 0.0F ? (x < 1.0F ? x : 1.0F) : 0.0F;
}

// Conversions to integers clamp to the type's range.
namespace tuner_cpu {

/// NaN of type `From` becomes 0, and where it or the integer has 64 bits the integer's top bit (PTX ISA,
/// cvt).
template <class Integer, class From>
inline Integer clamp_to(double whole) {
  constexpr bool is_signed = static_cast<Integer>(-1) < Integer(0);
  constexpr int bits = static_cast<int>(sizeof(Integer)) * 8 - (is_signed ? 1 : 0);
  const double above = ldexp(1.0, bits);
  if (__builtin_isnan(whole)) {
    const bool has_64_bits = sizeof(From) == 8 || sizeof(Integer) == 8;
    return has_64_bits ? static_cast<Integer>(1ULL << (sizeof(Integer) * 8 - 1)) : Integer(0);
  }
  constexpr Integer greatest = static_cast<Integer>(~0ULL >> (64 - bits));
  if (whole >= above) return greatest;
  if (whole < (is_signed ? -above : 0.0)) return is_signed ? static_cast<Integer>(-greatest - 1) : Integer(0);
  return static_cast<Integer>(whole);
}

}  // namespace tuner_cpu

#define TUNER_CPU_TO_INTEGER(from, from_name, to, to_name)               \
  inline to __##from_name##2##to_name##_rn(from x) {                     \
    return tuner_cpu::clamp_to<to, from>(rint(static_cast<double>(x)));  \
  }                                                                      \
  inline to __##from_name##2##to_name##_rz(from x) {                     \
    return tuner_cpu::clamp_to<to, from>(trunc(static_cast<double>(x))); \
  }                                                                      \
  inline to __##from_name##2##to_name##_rd(from x) {                     \
    return tuner_cpu::clamp_to<to, from>(floor(static_cast<double>(x))); \
  }                                                                      \
  inline to __##from_name##2##to_name##_ru(from x) {                     \
    return tuner_cpu::clamp_to<to, from>(ceil(static_cast<double>(x)));  \
  }
TUNER_CPU_TO_INTEGER(float, float, int, int)
TUNER_CPU_TO_INTEGER(float, float, unsigned, uint)
TUNER_CPU_TO_INTEGER(float, float, long long, ll)
TUNER_CPU_TO_INTEGER(float, float, unsigned long long, ull)
TUNER_CPU_TO_INTEGER(double, double, int, int)
TUNER_CPU_TO_INTEGER(double, double, unsigned, uint)
TUNER_CPU_TO_INTEGER(double, double, long long, ll)
TUNER_CPU_TO_INTEGER(double, double, unsigned long long, ull)
#undef TUNER_CPU_TO_INTEGER

// Cache hints: plain loads and stores.
#define TUNER_CPU_LOAD(name)             \
  template <class Value>                 \
  inline Value name(const Value* from) { \
    return *from;                        \
  }
TUNER_CPU_LOAD(__ldg)
TUNER_CPU_LOAD(__ldca)
TUNER_CPU_LOAD(__ldcg)
TUNER_CPU_LOAD(__ldcs)
TUNER_CPU_LOAD(__ldcv)
TUNER_CPU_LOAD(__ldlu)
#undef TUNER_CPU_LOAD
#define TUNER_CPU_STORE(name)                \
  template <class Value>                     \
  inline void name(Value* to, Value value) { \
    *to = value;                             \
  }
TUNER_CPU_STORE(__stcg)
TUNER_CPU_STORE(__stcs)
TUNER_CPU_STORE(__stwb)
TUNER_CPU_STORE(__stwt)
#undef TUNER_CPU_STORE

// Integers.
inline int __popc(unsigned value) {
  return __builtin_popcount(value);
}
inline int __popcll(unsigned long long value) {
  return __builtin_popcountll(value);
}
inline int __clz(int value) {
  return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value));
}
inline int __clzll(long long value) {
  return value == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(value));
}
inline int __ffs(int value) {
  return __builtin_ffs(value);
}
inline int __ffsll(long long value) {
  return __builtin_ffsll(value);
}

inline unsigned __brev(unsigned value) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (value >> bit & 1U) << (31 - bit);
  return reversed;
}
inline unsigned long long __brevll(unsigned long long value) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(value))) << 32 |
         __brev(static_cast<unsigned>(value >> 32));
}

/// Bytes of `high:low` chosen by the four nibbles of `selector`; a nibble's top bit replicates the byte's
/// sign.
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(high) << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> (4 * i) & 0xfU;
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (nibble & 7U))) & 0xffU;
    if (nibble & 8U) byte = byte & 0x80U ? 0xffU : 0U;
    result |= byte << (8 * i);
  }
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (shift & 31U) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31U));
}
// The forms with `c` shift by 32 at most.
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift < 32U ? __funnelshift_l(low, high, shift) : low;
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift < 32U ? __funnelshift_r(low, high, shift) : high;
}
/// The place of the set bit of `mask` that is the offset-th from bit `base` on, itself included: upwards
/// where offset > 0, downwards where it is < 0; ~0 where there is none.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return mask >> (base & 31U) & 1U ? base : ~0U;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step) {
    if ((mask >> bit & 1U) != 0 && --left == 0) return static_cast<unsigned>(bit);
  }
  return ~0U;
}

// 24-bit products use the low 24 bits of each factor, sign-extended in the signed form.
inline int __mul24(int a, int b) {
  const int low_a = static_cast<int>(static_cast<unsigned>(a) << 8) >> 8;
  const int low_b = static_cast<int>(static_cast<unsigned>(b) << 8) >> 8;
  return static_cast<int>(static_cast<unsigned>(low_a) * static_cast<unsigned>(low_b));
}
inline unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffffU) * (b & 0xffffffU);
}
inline int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline unsigned __sad(int a, int b, unsigned sum) {
  const long long difference = static_cast<long long>(a) - b;
  return sum + static_cast<unsigned>(difference < 0 ? -difference : difference);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned sum) {
  return sum + (a < b ? b - a : a - b);
}
inline unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
inline unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}
inline int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
inline int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}

// Sums of products of lanes.
inline int __dp4a(int a, int b, int sum) {
  unsigned total = static_cast<unsigned>(sum);
  for (int shift = 0; shift < 32; shift += 8) {
    const int left = static_cast<signed char>(static_cast<unsigned>(a) >> shift & 0xffU);
    const int right = static_cast<signed char>(static_cast<unsigned>(b) >> shift & 0xffU);
    total += static_cast<unsigned>(left * right);
  }
  return static_cast<int>(total);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int shift = 0; shift < 32; shift += 8) sum += (a >> shift & 0xffU) * (b >> shift & 0xffU);
  return sum;
}
namespace tuner_cpu {

template <class To, class From>
inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "the same bits");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace tuner_cpu

inline int __dp4a(char4 a, char4 b, int sum) {
  return __dp4a(tuner_cpu::bits_as<int>(a), tuner_cpu::bits_as<int>(b), sum);
}
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned sum) {
  return __dp4a(tuner_cpu::bits_as<unsigned>(a), tuner_cpu::bits_as<unsigned>(b), sum);
}
// Two halves of `a` by the two lower or the two higher bytes of `b`.
#define TUNER_CPU_DP2A(name, shift)                                                                     \
  inline int name(int a, int b, int sum) {                                                              \
    const short2 left = tuner_cpu::bits_as<short2>(a);                                                  \
    const char4 right = tuner_cpu::bits_as<char4>(static_cast<int>(static_cast<unsigned>(b) >> shift)); \
    return static_cast<int>(static_cast<unsigned>(sum) + static_cast<unsigned>(left.x * right.x) +      \
                            static_cast<unsigned>(left.y * right.y));                                   \
  }                                                                                                     \
  inline unsigned name(unsigned a, unsigned b, unsigned sum) {                                          \
    return sum + (a & 0xffffU) * (b >> shift & 0xffU) + (a >> 16) * (b >> (shift + 8) & 0xffU);         \
  }                                                                                                     \
  inline int name(short2 a, char4 b, int sum) {                                                         \
    return name(tuner_cpu::bits_as<int>(a), tuner_cpu::bits_as<int>(b), sum);                           \
  }                                                                                                     \
  inline unsigned name(ushort2 a, uchar4 b, unsigned sum) {                                             \
    return name(tuner_cpu::bits_as<unsigned>(a), tuner_cpu::bits_as<unsigned>(b), sum);                 \
  }
TUNER_CPU_DP2A(__dp2a_lo, 0)
TUNER_CPU_DP2A(__dp2a_hi, 16)
#undef TUNER_CPU_DP2A
