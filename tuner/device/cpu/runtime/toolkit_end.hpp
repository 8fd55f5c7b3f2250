// Behind a header of the toolkit, see toolkit_begin.hpp.
#pragma pop_macro("__noinline__")
#pragma pop_macro("__forceinline__")
