#include "tests/mutants/list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "tests/mutants/is_on.hpp"
#include "tests/mutants/text_file.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace mutants {
namespace {

bool is_name(std::string_view line) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return std::ranges::all_of(line, fits) && line.find('-') != std::string_view::npos;
}

class ListReader {
 public:
  explicit ListReader(std::string_view room) : m_room(room) {}

  void read(std::string_view line) {
    ++m_line;
    const std::string_view text = tuner::util::trimmed(line);
    if (text.empty()) {
      end_mutation();
    } else if (!text.starts_with('#')) {
      m_inside ? read_part(text) : read_head(text);
    }
  }

  std::vector<Mutation> result() && {
    end_mutation();
    return std::move(m_mutations);
  }

 private:
  [[noreturn]] void fail(const std::string& what, int line) const {
    throw tuner::model::Error(fmt::format("tests/mutants/{}.txt:{}: {}", m_room, line, what));
  }

  void read_head(std::string_view text) {
    if (is_name(text)) {
      m_mutation = Mutation();
      m_mutation.name = text;
      m_mutation.room = m_room;
      m_mutation.line = m_line;
      m_mutation.file = m_file;
      set_test(m_test);
      m_inside = true;
      return;
    }
    std::string_view rest = text;
    const std::string_view key = tuner::util::split_first(rest, " ");
    if (key == "file") {
      m_file = tuner::util::trimmed(rest);
    } else if (key == "test") {
      m_test = tuner::util::trimmed(rest);
    } else {
      fail(fmt::format("`{}` is neither a file, nor a test, nor a name in words joined by -", text), m_line);
    }
  }

  void read_part(std::string_view text) {
    std::string_view rest = text;
    const std::string key(tuner::util::split_first(rest, " "));
    const std::map<std::string, std::string*> parts = {
        {"after", &m_mutation.after},    {"-", &m_mutation.original},
        {"+", &m_mutation.replacement},  {"test", &m_mutation.program},
        {"case", &m_mutation.test_case}, {"equivalent:", &m_mutation.equivalent}};
    if (key == "test") return set_test(rest);
    const auto part = parts.find(key);
    if (part == parts.end()) fail(fmt::format("`{}` is no part of a mutation", key), m_line);
    std::string& value = *part->second;
    const bool goes_on = key == "-" || key == "+" || key == "equivalent:";
    if (goes_on && !value.empty()) {
      value += "\n";
      value += rest;
    } else {
      value = rest;
    }
  }

  void set_test(std::string_view text) {
    m_mutation.program = tuner::util::split_first(text, " ");
    m_mutation.test_files = tuner::util::trimmed(text);
  }

  void end_mutation() {
    if (!std::exchange(m_inside, false)) return;
    const int line = m_mutation.line;
    if (m_mutation.file.empty()) fail("it says no file", line);
    if (m_mutation.program.empty()) fail("it says no test", line);
    if (m_mutation.original.empty()) fail("it says no original text", line);
    if (m_mutation.original == m_mutation.replacement) fail("it changes nothing", line);
    m_mutations.push_back(std::move(m_mutation));
  }

  std::string m_room;
  std::string m_file;
  std::string m_test;
  Mutation m_mutation;
  bool m_inside = false;
  int m_line = 0;
  std::vector<Mutation> m_mutations;
};

void check_names(const std::vector<Mutation>& mutations) {
  std::map<unsigned, const Mutation*> seen;
  for (const Mutation& mutation : mutations) {
    const auto [other, is_new] = seen.emplace(number_of(mutation.name), &mutation);
    if (is_new) continue;
    throw tuner::model::Error(
        fmt::format("tests/mutants/{}.txt:{}: {} has the name, or the number, of {} in {}.txt", mutation.room,
                    mutation.line, mutation.name, other->second->name, other->second->room));
  }
}

}  // namespace

std::vector<Mutation> read_list(std::string_view text, std::string_view room) {
  ListReader reader(room);
  while (!text.empty()) reader.read(tuner::util::split_first(text, "\n"));
  return std::move(reader).result();
}

std::vector<Mutation> read_lists(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".txt" && entry.path().stem() != "CMakeLists")
      files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Mutation> all;
  for (const auto& file : files) {
    std::vector<Mutation> some = read_list(read_file(file), file.stem().string());
    std::ranges::move(some, std::back_inserter(all));
  }
  check_names(all);
  return all;
}

}  // namespace mutants
