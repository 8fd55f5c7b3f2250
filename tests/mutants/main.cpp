// Plants small mistakes at random and looks whether a test notices. CONTRIBUTING.md says how to use it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/mutants/sites.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/processors.hpp"
#include "tuner/util/text.hpp"

namespace {

namespace fs = std::filesystem;
using tuner::model::Error;

constexpr std::string_view usage =
    "usage: mutants [--sample N] [--seed S] [--whole] [--jobs N] [--folder FOLDER] [ROOM]...\n"
    "  --sample N       mistakes to try (100)\n"
    "  --seed S         the same seed and sources give the same mistakes (1)\n"
    "  --whole          try those that survive their room's tests with the whole suite\n"
    "  --jobs N         compilers and tests at a time (as many as there are processors)\n"
    "  --folder FOLDER  where the copy is built (build/mutants)\n"
    "  ROOM             db, config, reports, or a folder of tuner/; all of them where none is named\n";

struct Options {
  std::size_t sample = 100;
  std::uint64_t seed = 1;
  bool whole = false;
  int jobs = tuner::util::usable_processors();
  fs::path folder = fs::path(TUNER_SOURCE_DIR) / "build" / "mutants";
  std::set<std::string> rooms;
};

Options read_options(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& flag = arguments[i];
    const auto value = [&] {
      if (++i == arguments.size())
        throw tuner::model::UsageError(flag + " needs a value", std::string(usage));
      return arguments[i];
    };
    const auto number = [&] {
      const std::string text = value();
      if (const auto parsed = tuner::util::parse_number<std::uint32_t>(text)) return *parsed;
      throw tuner::model::UsageError(fmt::format("{} takes a number, not {}", flag, text),
                                     std::string(usage));
    };
    if (flag == "--sample") {
      options.sample = number();
    } else if (flag == "--seed") {
      options.seed = number();
    } else if (flag == "--whole") {
      options.whole = true;
    } else if (flag == "--jobs") {
      options.jobs = static_cast<int>(std::max(1U, number()));
    } else if (flag == "--folder") {
      options.folder = fs::absolute(value());
    } else if (flag.starts_with('-')) {
      throw tuner::model::UsageError("there is no flag " + flag, std::string(usage));
    } else {
      options.rooms.insert(flag);
    }
  }
  return options;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(fmt::format("cannot read {}", path.string()));
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw Error(fmt::format("cannot write {}", path.string()));
}

tuner::util::CommandResult run(const std::vector<std::string>& command, const fs::path& folder) {
  return tuner::util::run_command(command, folder, std::chrono::hours(2), tuner::util::CommandGroup::own,
                                  tuner::util::ProcessorTime::callers);
}

void must_run(const std::vector<std::string>& command, const fs::path& folder) {
  const auto result = run(command, folder);
  if (result.exit_code != 0)
    throw Error(
        fmt::format("`{}` failed in {}:\n{}", fmt::join(command, " "), folder.string(), result.output));
}

std::vector<std::string> files_of_git(const fs::path& root) {
  const auto listed = run({"git", "ls-files", "-c", "-o", "--exclude-standard"}, root);
  if (listed.exit_code != 0) throw Error("git ls-files failed: " + listed.output);
  std::vector<std::string> files;
  for (std::string_view rest = listed.output; !rest.empty();)
    if (const std::string file(tuner::util::split_first(rest, "\n")); fs::is_regular_file(root / file))
      files.push_back(file);
  return files;
}

/// The room of a product file that tests can reach here; nothing for others, as what only a GPU runs.
std::optional<std::string> room_of(std::string_view file) {
  const bool is_source = file.ends_with(".cpp") || file.starts_with("db/sql/");
  const bool needs_gpu = file.starts_with("tuner/device/cuda/");
  const bool is_kernel_side = file.starts_with("tuner/device/cpu/runtime/");
  if (!is_source || needs_gpu || is_kernel_side) return std::nullopt;
  std::string_view rest = file;
  std::string_view room = tuner::util::split_first(rest, "/");
  if (room == "tuner") room = tuner::util::split_first(rest, "/");
  const bool is_product = file.starts_with("tuner/") || room == "db" || room == "config" || room == "reports";
  return is_product ? std::optional(std::string(room)) : std::nullopt;
}

/// The folders of tests that are to notice a mistake in a room.
std::vector<std::string> tests_of(const std::string& room) {
  if (room == "cli") return {"cli", "reports", "e2e"};
  return {room};
}

struct Mistake {
  std::string room;
  std::string file;
  mutants::Site site;
};

std::vector<Mistake> draw(const fs::path& root, const std::vector<std::string>& files,
                          const Options& options) {
  std::vector<Mistake> all;
  for (const std::string& file : files) {
    const auto room = room_of(file);
    if (!room || (!options.rooms.empty() && !options.rooms.contains(*room))) continue;
    for (mutants::Site& site : mutants::sites_of(read_file(root / file), file.ends_with(".sql")))
      all.push_back({*room, file, std::move(site)});
  }
  if (all.empty())
    throw tuner::model::UsageError("no such room has a place for a mistake", std::string(usage));
  std::mt19937_64 random(options.seed);
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random() % i]);
  return all;
}

enum class Fate { killed, killed_by_whole, survived, does_not_compile };

/// A copy of the tree in which one mistake at a time is built and tested.
class Copy {
 public:
  Copy(const fs::path& root, const std::vector<std::string>& files, const Options& options)
      : m_tree(options.folder / "tree"),
        m_build(options.folder / "build"),
        m_jobs(std::to_string(options.jobs)),
        m_whole(options.whole) {
    for (const std::string& file : files) {
      const std::string text = read_file(root / file);
      if (fs::exists(m_tree / file) && read_file(m_tree / file) == text) continue;
      write_file(m_tree / file, text);
      fs::permissions(m_tree / file, fs::status(root / file).permissions());
    }
    must_run({"cmake", "--preset", "edit", "-B", m_build.string(), "-DTUNER_WERROR=OFF"}, m_tree);
    must_run(ninja_of(m_whole ? std::set<std::string>() : options.rooms), m_tree);
  }

  /// The room's tests, or the whole suite where none are named; the first that failed, or nothing.
  std::optional<std::string> failed_test(const std::vector<std::string>& tests) const {
    for (const std::string& test : tests) {
      const fs::path folder = m_build / "tests" / test;
      if (!fs::exists(folder)) continue;
      const auto result = run({"ctest", "--test-dir", folder.string(), "-LE", "gpu|slurm",
                               "--stop-on-failure", "--timeout", "300", "-j", m_jobs},
                              m_build);
      if (result.exit_code == 0) continue;
      const std::size_t at = result.output.find("The following tests FAILED:\n");
      std::string_view rest =
          at == std::string::npos ? test : std::string_view(result.output).substr(at + 28);
      return std::string(tuner::util::trimmed(tuner::util::split_first(rest, "\n")));
    }
    return std::nullopt;
  }

  std::pair<Fate, std::string> judge(const Mistake& mistake) const {
    const fs::path path = m_tree / mistake.file;
    const std::string original = read_file(path);
    write_file(path, mutants::mutated(original, mistake.site));
    auto fate = judge_written(mistake);
    write_file(path, original);
    return fate;
  }

 private:
  std::pair<Fate, std::string> judge_written(const Mistake& mistake) const {
    if (run(ninja_of({mistake.room}), m_tree).exit_code != 0) return {Fate::does_not_compile, ""};
    if (const auto test = failed_test(tests_of(mistake.room))) return {Fate::killed, *test};
    if (!m_whole) return {Fate::survived, ""};
    if (run({"ninja", "-C", m_build.string(), "-j", m_jobs}, m_tree).exit_code != 0)
      return {Fate::does_not_compile, ""};
    if (const auto test = failed_test({"."})) return {Fate::killed_by_whole, *test};
    return {Fate::survived, ""};
  }

  /// Builds what the tests of these rooms need; without rooms all.
  std::vector<std::string> ninja_of(const std::set<std::string>& rooms) const {
    std::vector<std::string> build = {"ninja", "-C", m_build.string(), "-j", m_jobs};
    for (const std::string& room : rooms)
      for (const std::string& test : tests_of(room))
        if (fs::exists(m_build / "tests" / test)) build.push_back("tests/" + test + "/all");
    return build;
  }

  fs::path m_tree;
  fs::path m_build;
  std::string m_jobs;
  bool m_whole;
};

struct Tally {
  int tried = 0;
  int killed = 0;
  int killed_by_whole = 0;
};

void sample(const fs::path& root, const Options& options) {
  const std::vector<std::string> files = files_of_git(root);
  const std::vector<Mistake> mistakes = draw(root, files, options);
  fmt::print(stderr, "{} places; building a copy in {}\n", mistakes.size(), options.folder.string());
  const Copy copy(root, files, options);
  std::set<std::string> rooms;
  for (const Mistake& mistake : mistakes) rooms.insert(mistake.room);
  for (const std::string& room : rooms)
    if (const auto test = copy.failed_test(tests_of(room)))
      throw Error(fmt::format("{} fails without any mistake", *test), "mend the test first");

  std::map<std::string, Tally> tallies;
  std::string survivors;
  std::size_t tried = 0;
  for (std::size_t i = 0; i < mistakes.size() && tried < options.sample; ++i) {
    const Mistake& mistake = mistakes[i];
    const std::string line =
        fmt::format("{}:{}", mistake.file, mutants::line_of(read_file(root / mistake.file), mistake.site));
    const auto [fate, test] = copy.judge(mistake);
    if (fate == Fate::does_not_compile) continue;
    Tally& tally = tallies[mistake.room];
    ++tried, ++tally.tried;
    if (fate == Fate::killed) ++tally.killed;
    if (fate == Fate::killed_by_whole) ++tally.killed_by_whole;
    if (fate == Fate::survived) survivors += line + "\n";
    fmt::print(stderr, "{}/{} {} {}\n", tried, options.sample,
               fate == Fate::survived ? "SURVIVED" : "killed by " + test, line);
  }
  Tally all;
  fmt::print("room       tried  by its tests  by the suite  survived\n");
  const auto print = [](std::string_view name, const Tally& tally) {
    fmt::print("{:<10} {:>5}  {:>12}  {:>12}  {:>8}\n", name, tally.tried, tally.killed,
               tally.killed_by_whole, tally.tried - tally.killed - tally.killed_by_whole);
  };
  for (const auto& [room, tally] : tallies) {
    print(room, tally);
    all.tried += tally.tried, all.killed += tally.killed, all.killed_by_whole += tally.killed_by_whole;
  }
  print("all", all);
  fmt::print("\nSurvivors of seed {}:\n{}", options.seed, survivors);
}

}  // namespace

int main(int count, char** values) try {
  sample(TUNER_SOURCE_DIR, read_options({values + 1, values + count}));
  return 0;
} catch (const Error& error) {
  fmt::print(stderr, "error: {}\n{}{}", error.what(), error.hint(), error.hint().empty() ? "" : "\n");
  return static_cast<int>(error.code());
}
