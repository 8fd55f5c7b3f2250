#include "tuner/cli/git_revision.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "config/source_files.hpp"
#include "tuner/cli/kernel_program.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

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

  /// Where a header that `from` includes lies, as LocalHeaders finds it on disk.
  std::optional<fs::path> header(const std::string& name, const fs::path& from) const {
    for (fs::path above = from.parent_path();; above = above.parent_path()) {
      for (const char* const folder : header_folders)
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

}  // namespace tuner::cli
