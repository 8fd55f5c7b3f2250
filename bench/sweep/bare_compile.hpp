#pragma once
#include <string>
#include <vector>

#include "tuner/model/compile_job.hpp"
#include "tuner/space/kernel_space.hpp"

namespace bench::sweep {

/// What a tuner has to compile for all of `kernel` on `problem`: a job for each configuration that the device
/// does not rule out beforehand, without repetitions, and the reference. At most `most` of them, spread over
/// the space.
std::vector<tuner::model::CompileJob> jobs_of(const tuner::space::KernelSpace& kernel,
                                              const tuner::model::Problem& problem,
                                              const tuner::model::DeviceInfo& device, std::size_t most);

/// Seconds to compile `jobs` with NVRTC and nothing around it, in so many processes (threads of one hold each
/// other up), its cache off. This is the limit that a compile-bound sweep is held against. What does not
/// compile takes its time too. Call it before any thread is started.
double bare_seconds(const std::vector<tuner::model::CompileJob>& jobs, int processes);

/// The same through the tuner's pool and its compile workers, processes of `program`, without any cache.
double pool_seconds(const std::vector<tuner::model::CompileJob>& jobs, int workers,
                    const std::string& program);

}  // namespace bench::sweep
