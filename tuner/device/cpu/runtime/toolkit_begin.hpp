// Before a header of the toolkit, without a guard: it and what it includes mean something else by these
// words.
#pragma push_macro("__noinline__")
#pragma push_macro("__forceinline__")
#undef __noinline__
#undef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
