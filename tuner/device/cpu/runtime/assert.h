#pragma once
// A false assertion ends the process, and with it the trial: the status is `crashed`, the line is in the
// detail.
#include "abi.hpp"

#if defined(NDEBUG)
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition) \
  ((condition) ? static_cast<void>(0) : tuner_cpu_assertion_failed(#condition, __FILE__, __LINE__))
#endif
