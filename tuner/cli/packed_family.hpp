#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/cli/cover_answer.hpp"
#include "tuner/cli/pack_compiler.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/use/pack_writer.hpp"

namespace tuner::cli {

/// One family at one element type, on its way into a pack.
class PackedFamily {
 public:
  PackedFamily(use::Pack& pack, PackCompiler& compiler) : m_pack(pack), m_compiler(compiler) {}

  /// Adds what a device's answers say; these must outlive the object. Throws model::Error where the spec of a
  /// configuration is not at hand, and where kernels do not take the same arguments. Besides the cover it
  /// holds the default that is known at most sizes, and more kernels' where programs may ask for sizes at
  /// which none of these runs. Returns such a size that no default helps, as 513x511x7; empty: there is none.
  std::string add(const answers::CoverAnswer& answer, const KernelsAtHand& at_hand);
  /// Puts it into the pack.
  void finish() { m_pack.kernels.push_back(std::move(m_kernel)); }

 private:
  const model::TrialRecord& record(std::size_t place) const { return m_answer->table.configurations[place]; }
  const db::Case& case_of(std::size_t size) const { return m_answer->table.cases[size]; }
  bool is_gpu() const;
  std::string architecture() const;
  void say_toolkit(const model::Environment& environment);
  const space::CompiledSpec& spec_of(const std::string& kernel);
  model::CompileJob job_of(std::size_t configuration, const model::Problem& problem);
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
  void keep_from_failures(std::size_t configuration);
  std::vector<std::size_t> defaults_by_sizes() const;
  std::optional<std::string> arguments_of(std::size_t configuration);
  bool runs_at(std::size_t configuration, const model::Problem& problem);
  std::string add_defaults(std::vector<std::size_t>& defaults);

  use::Pack& m_pack;
  PackCompiler& m_compiler;
  use::Kernel m_kernel;
  std::string m_first;  ///< the kernel whose arguments those of the family are
  const answers::CoverAnswer* m_answer = nullptr;
  const KernelsAtHand* m_at_hand = nullptr;
  std::optional<std::size_t> m_like;  ///< the configuration whose buffers those of the others are
  std::map<std::string, std::shared_ptr<const space::CompiledSpec>> m_specs;
  std::map<std::size_t, std::set<model::Digest>>
      m_jobs;  ///< of a configuration, at the sizes where it was tried
  std::set<std::pair<std::uint32_t, cover::Sizes>> m_kept;  ///< launches, from sizes where they failed
  std::map<model::Digest, std::uint32_t> m_launches;        ///< by kernel, configuration and binary
};

}  // namespace tuner::cli
