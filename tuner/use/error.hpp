#pragma once
#include "tuner/use/tuner.h"

namespace tuner::use {

/// Keeps what an error of this thread is about for tuner_error_detail(), as printf would write it; returns
/// `error`.
[[gnu::format(printf, 2, 3)]] tuner_error fail(tuner_error error, const char* format, ...);

}  // namespace tuner::use
