#pragma once
#include <string_view>

#include "tuner/model/compile_job.hpp"

namespace tuner::compile::nvrtc {

/// The same job for the features that an architecture alone has (sm_90a), of which its device has all.
model::CompileJob with_features(model::CompileJob job);

/// Whether a source asks if it is compiled for them: it would compile to something else without.
bool asks_for_features(const model::CompileJob& job);

/// Whether ptxas, which wrote this log, misses them.
bool lacks_features(std::string_view log);

}  // namespace tuner::compile::nvrtc
