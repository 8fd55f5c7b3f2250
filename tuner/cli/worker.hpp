#pragma once
#include <memory>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "tuner/compile/binary_cache.hpp"
#include "tuner/compile/compile_pool.hpp"
#include "tuner/worker/remote_workers.hpp"

namespace tuner::cli {

/// How children are started and how long they may take, from the settings.
worker::ChildCommand measure_worker(const config::Settings& settings, const std::string& device);
worker::ChildCommand compile_worker(const std::string& compiler);
worker::RemoteRunnerSettings runner_settings(const config::Settings& settings);
worker::RemoteCompilerSettings compiler_settings(const config::Settings& settings);

/// The binaries kept between runs.
std::shared_ptr<compile::BinaryCache> binary_cache(const config::Settings& settings);

/// Compilers in child processes behind the cache. `first`, where given, was started to learn the compiler's
/// name and becomes the first of them; the others start when a compilation misses the cache. `kind` is what
/// local_compiler() takes.
compile::CompilePool::Factory remote_compilers(const config::Settings& settings, const std::string& kind,
                                               const std::string& compiler,
                                               std::unique_ptr<worker::RemoteCompiler> first = nullptr);

}  // namespace tuner::cli
