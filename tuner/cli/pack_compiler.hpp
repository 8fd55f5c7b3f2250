#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "config/settings.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/compile/compile_pool.hpp"
#include "tuner/model/compile_job.hpp"

namespace tuner::cli {

/// Compiles for devices that need not be here, through the cache, several binaries at a time.
class PackCompiler {
 public:
  /// `printer` shows how far it is. Both must outlive the object.
  PackCompiler(const config::Settings& settings, terminal::LinePrinter& printer)
      : m_settings(settings), m_printer(printer) {}

  /// That of a device's binaries: `nvrtc 13.0`. Throws model::Error where the device has no compiler: it
  /// answered from a recording.
  const std::string& name(const model::DeviceInfo& device) { return of(device).name; }
  /// Begins with a job; one that was begun already is left alone.
  void start(const model::DeviceInfo& device, model::CompileJob job);
  /// Waits for a job that was begun. Throws model::Error where it does not compile; `what` is what messages
  /// call it.
  std::shared_ptr<const model::Compilation> compiled(const model::DeviceInfo& device,
                                                     const model::Digest& job, const std::string& what);

 private:
  struct Kind {
    std::string name;
    std::unique_ptr<compile::CompilePool> pool;
    std::map<compile::CompilePool::Ticket, model::Digest> jobs;  ///< by key
  };
  Kind& of(const model::DeviceInfo& device);

  const config::Settings& m_settings;
  terminal::LinePrinter& m_printer;
  std::map<std::string, Kind> m_kinds;
  std::map<model::Digest, std::shared_ptr<const model::Compilation>> m_results;  ///< null: not there yet
  std::size_t m_done = 0;
};

}  // namespace tuner::cli
