#include "tests/mutants/tree.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <set>
#include <string_view>

#include "tests/mutants/rewrite.hpp"
#include "tests/mutants/text_file.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"

namespace mutants {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::vector<std::string>& command, const fs::path& folder) {
  using tuner::util::CommandGroup;
  const auto result = tuner::util::run_command(command, folder, std::chrono::hours(4), CommandGroup::callers,
                                               tuner::util::ProcessorTime::callers);
  if (result.exit_code == 0) return result.output;
  const std::size_t shown = std::min<std::size_t>(result.output.size(), 20000);
  throw tuner::model::Error(fmt::format("`{}` failed in {}:\n{}", fmt::join(command, " "), folder.string(),
                                        result.output.substr(result.output.size() - shown)));
}

std::set<fs::path> files_known(const fs::path& root) {
  const std::string listed = output_of({"git", "ls-files", "-z", "-c", "-o", "--exclude-standard"}, root);
  std::set<fs::path> files;
  for (std::size_t at = 0; at < listed.size();) {
    const std::size_t end = listed.find('\0', at);
    const fs::path file = listed.substr(at, end - at);
    if (fs::is_regular_file(root / file)) files.insert(file);
    at = end + 1;
  }
  return files;
}

void remove_others(const fs::path& folder, const std::set<fs::path>& files) {
  std::vector<fs::path> gone;
  if (!fs::exists(folder)) return;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && !files.contains(fs::relative(entry.path(), folder)))
      gone.push_back(entry.path());
  for (const fs::path& path : gone) fs::remove(path);
}

/// Has embedded texts chosen from when the program starts.
std::string with_chosen_texts(std::string text) {
  const auto replace = [&](std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) {
      throw tuner::model::Error(fmt::format("cmake/TunerEmbed.cmake has no `{}` any more", from),
                                "have tests/mutants/tree.cpp fit it again");
    }
    text.replace(at, from.size(), to);
  };
  replace(R"({\"${file}\", ${literal}},)", R"({\"${file}\", ::mutants::chosen(${literal})},)");
  replace(R"(#include \"tuner/model/embedded_file.hpp\")",
          "#include \\\"tests/mutants/is_on.hpp\\\"\n#include \\\"tuner/model/embedded_file.hpp\\\"");
  return text;
}

}  // namespace

void write_tree(const fs::path& root, const fs::path& folder, const std::vector<Mutation>& mutations) {
  std::map<fs::path, std::vector<const Mutation*>> mutated;
  for (const Mutation& mutation : mutations) mutated[mutation.file].push_back(&mutation);
  const std::set<fs::path> files = files_known(root);
  remove_others(folder, files);
  for (const fs::path& file : files) {
    std::string text = read_file(root / file);
    if (const auto found = mutated.find(file); found != mutated.end())
      text = with_choices(text, found->second);
    if (file == "cmake/TunerEmbed.cmake") text = with_chosen_texts(text);
    write_file(folder / file, text);
    fs::permissions(folder / file, fs::status(root / file).permissions());
  }
}

void build_tree(const fs::path& tree, const fs::path& build, const std::vector<std::string>& targets) {
  std::vector<std::string> configure = {"cmake", "--preset",     "dev",
                                        "-B",    build.string(), "-DTUNER_WERROR=OFF"};
  if (tuner::util::find_program("ccache")) configure.emplace_back("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache");
  output_of(configure, tree);
  std::vector<std::string> command = {"ninja", "-k", "0", "-C", build.string()};
  command.insert(command.end(), targets.begin(), targets.end());
  output_of(command, tree);
}

}  // namespace mutants
