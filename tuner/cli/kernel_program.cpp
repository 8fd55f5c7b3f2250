#include "tuner/cli/kernel_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "config/source_files.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

std::string text_of_source(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || fs::is_directory(file))
    throw model::UsageError(fmt::format("cannot read {}", file.string()), "give the CUDA source of a kernel");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::optional<source::ProgramFile> read_header(const fs::path& file) {
  config::FileText text = config::DiskFiles().read(file);
  if (!text.problem.empty()) return std::nullopt;
  return source::ProgramFile{file.lexically_normal().string(), std::move(text.text)};
}

}  // namespace

std::optional<source::ProgramFile> KernelProgram::find(const std::string& name, bool bracketed,
                                                       const std::string& from) {
  const fs::path beside = fs::absolute(from).parent_path() / name;
  if (!bracketed && fs::is_regular_file(beside)) return read_header(beside);
  if (const auto given = m_build.headers.find(name); given != m_build.headers.end())
    return source::ProgramFile{name, given->second};
  for (const fs::path& folder : m_build.folders)
    if (fs::is_regular_file(folder / name)) return read_header(folder / name);
  fs::path above = m_folder;
  for (int steps = 0; steps < 5; ++steps) {
    for (const char* const folder : header_places) {
      const fs::path place = above / folder;
      if (!fs::is_regular_file(place / name)) continue;
      const std::string relative = place.lexically_normal().lexically_relative(m_folder).string();
      if (std::ranges::count(m_folders, relative) == 0) m_folders.push_back(relative);
      return read_header(place / name);
    }
    if (above == above.parent_path()) break;
    above = above.parent_path();
  }
  return std::nullopt;
}

KernelProgram::KernelProgram(const fs::path& file, const SourceBuild& build)
    : KernelProgram(file, text_of_source(file), build) {}

KernelProgram::KernelProgram(const fs::path& file, std::string text, const SourceBuild& build)
    : m_folder(fs::absolute(file).parent_path()),
      m_build(build),
      m_program(
          {file.string(), std::move(text)},
          [this](const std::string& name, bool bracketed, const std::string& from) {
            return find(name, bracketed, from);
          },
          build.macros) {}

std::string plain_name(const std::string& kernel) {
  const std::size_t scope = kernel.rfind("::");
  return scope == std::string::npos ? kernel : kernel.substr(scope + 2);
}

namespace {

/// The kernel of this name, or else those of this name in namespaces.
std::vector<std::string> meant_by(const std::string& entry, const std::vector<std::string>& names) {
  if (std::ranges::count(names, entry) > 0) return {entry};
  std::vector<std::string> meant;
  std::ranges::copy_if(names, std::back_inserter(meant),
                       [&](const std::string& name) { return name.ends_with("::" + entry); });
  return meant;
}

/// Those that the choice leaves, of the names of all kernels and those of the source itself.
std::vector<std::string> offered_kernels(const KernelChoice& choice, const std::vector<std::string>& names,
                                         const std::vector<std::string>& own) {
  std::vector<std::string> offered = own.empty() ? names : own;
  if (!choice.kept.empty()) {
    offered.clear();
    std::ranges::copy_if(names, std::back_inserter(offered), [&](const std::string& name) {
      return std::ranges::count(choice.kept, plain_name(name)) > 0;
    });
    if (offered.empty())
      throw model::UsageError(
          fmt::format("no kernel of {} is one that {} has launches of", choice.source, choice.capture),
          fmt::format("the source has {}; the capture kept {}", fmt::join(names, ", "),
                      fmt::join(choice.kept, ", ")));
  }
  return choice.entry.empty() ? offered : meant_by(choice.entry, names);
}

}  // namespace

const source::ProgramFunction& chosen_kernel(const source::Program& program, const KernelChoice& choice) {
  std::vector<std::string> own;
  std::vector<std::string> names;
  for (const source::ProgramFunction& function : program.functions()) {
    const std::string name = function.qualified_name();
    if (!function.is_kernel) continue;
    if (std::ranges::count(names, name) == 0) names.push_back(name);
    if (function.file == 0 && std::ranges::count(own, name) == 0) own.push_back(name);
  }
  if (names.empty()) {
    throw model::UsageError(fmt::format("{} defines no __global__ function", choice.source),
                            "nor do its headers: give the file that defines or launches the kernel");
  }
  if (!choice.entry.empty() && meant_by(choice.entry, names).empty()) {
    const std::string meant = util::did_you_mean(choice.entry, names);
    throw model::UsageError(fmt::format("`{}` is no kernel of {}", choice.entry, choice.source),
                            meant.empty() ? fmt::format("it has {}", fmt::join(names, ", ")) : meant);
  }
  const std::vector<std::string> offered = offered_kernels(choice, names, own);
  if (offered.size() > 1) {
    const bool is_of_capture = choice.entry.empty() && !choice.kept.empty();
    throw model::UsageError(
        fmt::format("{} has {} kernels{}: {}", choice.source, offered.size(),
                    is_of_capture ? " with launches in the capture" : "", fmt::join(offered, ", ")),
        fmt::format("say which, as {}{}", choice.naming, offered.front()));
  }
  return *std::ranges::find_if(program.functions(), [&](const source::ProgramFunction& function) {
    return function.is_kernel && function.qualified_name() == offered.front();
  });
}

namespace {

namespace fs = std::filesystem;

util::CommandResult git(const fs::path& folder, std::vector<std::string> arguments,
                        std::size_t most_output = config::most_source_bytes + 1) {
  arguments.insert(arguments.begin(), "git");
  return util::run_command(arguments, folder, std::chrono::seconds(30), util::CommandGroup::own,
                           util::ProcessorTime::limited, most_output);
}

std::vector<std::string> included_headers(const std::string& text) {
  static const std::regex include(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">])re");
  std::vector<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), include), end; at != end; ++at)
    names.push_back((*at)[1]);
  return names;
}

/// A revision of a repository, by paths from its root.
class Revision {
 public:
  Revision(const fs::path& file, std::string name) : m_name(std::move(name)) {
    const fs::path beside = fs::absolute(file).parent_path();
    if (!util::find_program("git"))
      throw model::UsageError("--git needs git, and there is none in PATH", "install git");
    const util::CommandResult root = git(beside, {"rev-parse", "--show-toplevel"});
    if (root.exit_code != 0)
      throw model::UsageError(fmt::format("{} is in no git repository", file.string()),
                              "without --git two files are timed");
    m_root = std::string(util::trimmed(root.output));
    const util::CommandResult commit =
        git(m_root, {"rev-parse", "--verify", "--quiet", "--end-of-options", m_name + "^{commit}"});
    if (commit.exit_code != 0)
      throw model::UsageError(fmt::format("{} has no revision '{}'", m_root.string(), m_name),
                              "name a commit, a branch or a tag, as HEAD~1");
    m_commit = std::string(util::trimmed(commit.output));
    constexpr std::size_t most_listed = std::size_t{64} << 20U;
    std::istringstream paths(
        git(m_root, {"-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", m_commit}, most_listed)
            .output);
    for (std::string path; std::getline(paths, path);) m_paths.insert(path);
  }

  fs::path path_of(const fs::path& file) const {
    return fs::canonical(file).lexically_relative(fs::canonical(m_root));
  }

  bool has(const fs::path& path) const { return m_paths.contains(path.generic_string()); }

  std::string text(const fs::path& path) const {
    util::CommandResult shown = git(m_root, {"show", fmt::format("{}:{}", m_commit, path.generic_string())});
    if (shown.exit_code != 0)
      throw model::Error(fmt::format("git cannot show {} of '{}': {}", path.string(), m_name,
                                     util::one_line(shown.output, 200)));
    return std::move(shown.output);
  }

  /// Where a header that `from` includes lies, as KernelProgram finds it on disk.
  std::optional<fs::path> header(const std::string& name, const fs::path& from) const {
    for (fs::path above = from.parent_path();; above = above.parent_path()) {
      for (const char* const folder : header_places)
        if (const fs::path path = (above / folder / name).lexically_normal(); has(path)) return path;
      if (above.empty()) return std::nullopt;
    }
  }

 private:
  std::string m_name;
  fs::path m_root;
  std::string m_commit;
  std::set<std::string, std::less<>> m_paths;
};

}  // namespace

fs::path write_revision(const fs::path& file, const std::string& revision,
                        const util::TemporaryFolder& folder) {
  const Revision past(file, revision);
  const fs::path path = past.path_of(file);
  std::vector<fs::path> open = {path};
  std::set<fs::path> seen = {path};
  if (!past.has(path))
    throw model::UsageError(fmt::format("revision '{}' has no {}", revision, path.generic_string()),
                            "it may have had another name then");
  while (!open.empty()) {
    const fs::path next = open.back();
    open.pop_back();
    const std::string text = past.text(next);
    folder.write(fs::path("revision") / next, text);
    for (const std::string& name : included_headers(text))
      if (const auto header = past.header(name, next); header && seen.insert(*header).second)
        open.push_back(*header);
  }
  return folder.path() / "revision" / path;
}

std::pair<std::string, std::string> macro_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw model::UsageError(fmt::format("--set takes NAME=VALUE, '{}' is none", text),
                            "--set BLOCK_SIZE=128");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace tuner::cli
