// Every command that a document shows takes the flags it is shown with, and those that read a database
// answer.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::User;

TEST_SUITE("documents") {
  namespace {

  namespace fs = std::filesystem;

  const fs::path root = TUNER_SOURCE_DIR;

  struct Command {
    std::string where;  ///< file and line
    std::vector<std::string> words;
  };

  /// In quotes a blank is part of a word.
  std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    bool quoted = false;
    bool in_word = false;
    for (const char c : line) {
      if (c == '\'') {
        quoted = !quoted;
      } else if (c == ' ' && !quoted) {
        in_word = false;
        continue;
      }
      if (!in_word) words.emplace_back();
      in_word = true;
      if (c != '\'') words.back() += c;
    }
    return words;
  }

  /// The lines of fenced blocks that begin with the program's name, without comments.
  std::vector<Command> commands_in(const fs::path& document) {
    std::vector<Command> commands;
    std::istringstream lines(tuner::test::read_text(document));
    bool fenced = false;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (line.starts_with("```")) fenced = !fenced;
      if (!fenced) continue;
      if (line.starts_with("$ ")) line.erase(0, 2);
      if (!line.starts_with("tuner ")) continue;
      const std::size_t comment = line.find(" #");
      std::vector<std::string> words = words_of(line.substr(0, comment));
      words.erase(words.begin());
      commands.push_back({document.filename().string() + ':' + std::to_string(number), std::move(words)});
    }
    return commands;
  }

  std::vector<Command> all_commands() {
    std::vector<Command> all = commands_in(root / "README.md");
    for (const auto& entry : fs::directory_iterator(root / "docs")) {
      if (entry.path().extension() != ".md") continue;
      for (Command& command : commands_in(entry.path())) all.push_back(std::move(command));
    }
    return all;
  }

  /// `best`, or `list runs`.
  std::vector<std::string> subcommand_of(const Command& command) {
    std::vector<std::string> words = {command.words.at(0)};
    if (words[0] == "list" || words[0] == "cache") words.push_back(command.words.at(1));
    return words;
  }

  bool reads_a_database(const Command& command) {
    const std::string& name = command.words.front();
    const bool reads = name == "best" || name == "show" || name == "compare" || name == "report" ||
                       name == "list" || name == "config" || name == "export";
    const bool is_elsewhere =
        std::any_of(command.words.begin(), command.words.end(), [](const std::string& word) {
          return word == "--fresh" || word.ends_with(".layout.toml") || word.ends_with(".toml") ||
                 word == "--run" || word == "--db" || word.starts_with("NAME") || has(word, "…") ||
                 word == "TRIAL";
        });
    return reads && !is_elsewhere;
  }

  }  // namespace

  TEST_CASE("every flag in a document's command is one that the command takes") {
    User user;
    std::map<std::string, std::string> help;
    int flags = 0;
    for (const Command& command : all_commands()) {
      CAPTURE(command.where);
      std::vector<std::string> words = subcommand_of(command);
      std::string& page = help[words.front() + (words.size() > 1 ? words.back() : "")];
      words.emplace_back("--help");
      if (page.empty()) {
        const auto shown = user.types(words);
        CHECK(shown.exit_code == 0);
        page = shown.out;
      }
      for (const std::string& word : command.words) {
        if (!word.starts_with("--")) continue;
        const std::string flag = word.substr(0, word.find('='));
        CAPTURE(flag);
        ++flags;
        CHECK(std::regex_search(page, std::regex("[ ,]" + flag + "[ ,\n]")));
      }
    }
    CHECK(flags > 100);
  }

  TEST_CASE("every command that reads a database answers on a recorded session") {
    User user;
    user.environment["TUNER_DB"] = user.home / "tuner.db";
    const fs::path recording = root / "docs/results/h200-2026-11-23-session/session.jsonl";
    REQUIRE(user.types({"import", recording}).exit_code == 0);
    const std::string json = user.types({"best", "1024", "--format", "json"}).out;
    const std::string id = json.substr(json.find("\"trial\": \"") + 10, 10);
    int ran = 0;
    for (Command command : all_commands()) {
      if (!reads_a_database(command)) continue;
      CAPTURE(command.where);
      for (std::string& word : command.words) {
        if (std::regex_match(word, std::regex("[0-9a-f]{4,12}")) &&
            word.find_first_not_of("0123456789") != std::string::npos)
          word = id;
        if (word.ends_with(".db"))
          fs::copy_file(user.home / "tuner.db", user.home / word, fs::copy_options::overwrite_existing);
        if (word.ends_with(".jsonl") && command.words.front() == "compare")
          fs::copy_file(recording, user.home / word, fs::copy_options::overwrite_existing);
      }
      const auto result = user.types(command.words);
      INFO(result.err);
      // A kernel, parameter or failure that the session has not is an answer too.
      const bool is_absent = has(result.err, "has a parameter") || has(result.err, "unknown name");
      CHECK((result.exit_code == 0 || result.exit_code == 3 || is_absent));
      ++ran;
    }
    CHECK(ran >= 10);
  }
}
