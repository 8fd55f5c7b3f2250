// Breaks promises on purpose and looks whether a test notices. CONTRIBUTING.md says how to use it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/mutants/judgement.hpp"
#include "tests/mutants/list.hpp"
#include "tests/mutants/rewrite.hpp"
#include "tests/mutants/text_file.hpp"
#include "tests/mutants/tree.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/processors.hpp"
#include "tuner/util/text.hpp"

namespace {

namespace fs = std::filesystem;
using mutants::Mutation;

constexpr std::string_view usage =
    "usage: mutants [--check | --diff | --build | --run] [--whole] [--jobs N] [--folder FOLDER] [ROOM | "
    "NAME]...\n"
    "  --check          only look whether every mutation still finds its place\n"
    "  --diff           print the mutations as unified diffs\n"
    "  --build          only build the mutated tree, to run it where there are more processors\n"
    "  --run            only run what is built\n"
    "  --whole          try those that survive their own test with the whole suite\n"
    "  --jobs N         tests at a time (as many as there are processors)\n"
    "  --folder FOLDER  where the mutated tree is built (build/mutants)\n";

struct Options {
  bool check = false;
  bool diff = false;
  bool build = true;
  bool run = true;
  bool whole = false;
  int jobs = tuner::util::usable_processors();
  fs::path folder = fs::path(TUNER_SOURCE_DIR) / "build" / "mutants";
  std::set<std::string> chosen;  ///< rooms and names; empty: all
};

Options read_options(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto value = [&] {
      if (++i == arguments.size())
        throw tuner::model::UsageError(argument + " needs a value", std::string(usage));
      return arguments[i];
    };
    if (argument == "--check") {
      options.check = true;
    } else if (argument == "--diff") {
      options.diff = true;
    } else if (argument == "--build") {
      options.run = false;
    } else if (argument == "--run") {
      options.build = false;
    } else if (argument == "--whole") {
      options.whole = true;
    } else if (argument == "--jobs") {
      options.jobs = std::max(1, tuner::util::parse_number<int>(value()).value_or(1));
    } else if (argument == "--folder") {
      options.folder = fs::absolute(value());
    } else if (argument.starts_with('-')) {
      throw tuner::model::UsageError("there is no flag " + argument, std::string(usage));
    } else {
      options.chosen.insert(argument);
    }
  }
  return options;
}

std::vector<const Mutation*> chosen_of(const std::vector<Mutation>& mutations, std::set<std::string> chosen) {
  std::vector<const Mutation*> result;
  std::set<std::string> found;
  for (const Mutation& mutation : mutations) {
    if (!chosen.empty() && !chosen.contains(mutation.room) && !chosen.contains(mutation.name)) continue;
    result.push_back(&mutation);
    found.insert({mutation.room, mutation.name});
  }
  for (const std::string& name : chosen)
    if (!found.contains(name)) throw tuner::model::UsageError(name + " is neither a list nor a mutation");
  return result;
}

void check(const fs::path& root, const std::vector<Mutation>& mutations) {
  std::map<std::string, std::vector<const Mutation*>> files;
  for (const Mutation& mutation : mutations) files[mutation.file].push_back(&mutation);
  for (const auto& [file, some] : files) mutants::with_choices(mutants::read_file(root / file), some);
  fmt::print("{} mutations of {} files find their places\n", mutations.size(), files.size());
}

void build(const fs::path& root, const std::vector<Mutation>& mutations, const Options& options) {
  std::set<std::string> programs;
  for (const Mutation* mutation : chosen_of(mutations, options.chosen)) programs.insert(mutation->program);
  const fs::path folder = options.folder / "build";
  fmt::print(stderr, "building {} ...\n", folder.string());
  mutants::write_tree(root, options.folder / "tree", mutations);
  mutants::build_tree(
      options.folder / "tree", folder,
      options.whole ? std::vector<std::string>() : std::vector(programs.begin(), programs.end()));
}

int run(const std::vector<Mutation>& mutations, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto judgements =
      mutants::judge(chosen_of(mutations, options.chosen), mutants::TestPrograms(options.folder / "build"),
                     options.jobs, options.whole);
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
  const std::string table = mutants::table_of(judgements);
  mutants::write_file(options.folder / "results.txt", mutants::lines_of(judgements) + "\n" + table);
  fmt::print("{}\nrun in {} s, {} at a time; every line is in {}\n", table, seconds.count(), options.jobs,
             (options.folder / "results.txt").string());
  return mutants::has_trouble(judgements) ? 1 : 0;
}

}  // namespace

int main(int count, char** values) try {
  const Options options = read_options({values + 1, values + count});
  const fs::path root = TUNER_SOURCE_DIR;
  const std::vector<Mutation> mutations = mutants::read_lists(root / "tests" / "mutants");
  if (options.diff) {
    for (const Mutation* mutation : chosen_of(mutations, options.chosen))
      fmt::print("{}", mutants::diff_of(mutants::read_file(root / mutation->file), *mutation));
    return 0;
  }
  check(root, mutations);
  if (options.check) return 0;
  if (options.build) build(root, mutations, options);
  return options.run ? run(mutations, options) : 0;
} catch (const tuner::model::Error& error) {
  fmt::print(stderr, "error: {}\n{}{}", error.what(), error.hint(), error.hint().empty() ? "" : "\n");
  return static_cast<int>(error.code());
}
