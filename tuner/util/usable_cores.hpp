#pragma once

namespace tuner::util {

/// Cores that this process may run on: of a job, those that a batch system gave it, which
/// std::thread::hardware_concurrency() does not know of.
int usable_cores();

}  // namespace tuner::util
