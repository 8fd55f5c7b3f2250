#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.hpp"
#include "tuner/cli/cover_answer.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/compile/compile_pool.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/use/pack_writer.hpp"

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

/// One family at one element type, on its way into a pack.
class PackedFamily {
 public:
  PackedFamily(use::Pack& pack, PackCompiler& compiler) : m_pack(pack), m_compiler(compiler) {}

  /// Adds what a device's answers say; these must outlive the object. Throws model::Error where the spec of a
  /// configuration is not at hand, and where kernels do not take the same arguments.
  void add(const answers::CoverAnswer& answer, const KernelsAtHand& at_hand);
  /// Puts it into the pack.
  void finish() { m_pack.kernels.push_back(std::move(m_kernel)); }

 private:
  const model::TrialRecord& record(std::size_t place) const { return m_answer->table.configurations[place]; }
  const db::Case& case_of(std::size_t size) const { return m_answer->table.cases[size]; }
  bool is_gpu() const;
  std::string architecture() const;
  void say_toolkit(const model::Environment& environment);
  const space::CompiledSpec& spec_of(const std::string& kernel);
  model::CompileJob job_of(std::size_t configuration, std::size_t size);
  bool is_tried(std::size_t configuration, std::size_t size) const {
    return !m_answer->table.trials[size][configuration].key.empty();
  }
  void start_compiling(std::size_t configuration);
  /// Of the launches of a configuration at a measured size, in the pack.
  std::uint32_t launches(std::size_t configuration, std::size_t size);
  std::vector<std::uint32_t> all_launches(std::size_t configuration);
  std::uint32_t image(const model::Compilation& compilation);
  void require_same_arguments(const std::string& kernel, std::vector<use::Parameter> parameters);
  void require_same_buffers(std::size_t configuration);
  void add_measured(use::Target& target, std::optional<std::size_t> untuned);
  std::uint32_t in_place_of_failed(const cover::Sizes& size);
  std::optional<std::size_t> default_configuration() const;

  use::Pack& m_pack;
  PackCompiler& m_compiler;
  use::Kernel m_kernel;
  std::string m_first;  ///< the kernel whose arguments those of the family are
  const answers::CoverAnswer* m_answer = nullptr;
  const KernelsAtHand* m_at_hand = nullptr;
  std::optional<std::size_t> m_like;  ///< the configuration whose buffers those of the others are
  std::map<std::string, std::shared_ptr<const space::CompiledSpec>> m_specs;
  std::map<model::Digest, std::uint32_t> m_launches;  ///< by kernel, configuration and binary
};

}  // namespace tuner::cli
