#include "tuner/cli/parse_mistake.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "tuner/cli/command_shape.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// The command that was being parsed when it ended.
struct CalledCommand {
  const CLI::App* app;
  std::string name;  ///< `tuner list`
};

CalledCommand called_command(const CLI::App& app) {
  CalledCommand called{&app, app.get_name()};
  while (!called.app->get_subcommands().empty()) {
    called.app = called.app->get_subcommands().front();
    called.name += ' ' + called.app->get_name();
  }
  return called;
}

std::vector<std::string> command_names(const CommandShape& shape) {
  std::vector<std::string> names;
  for (const CommandShape& command : shape.commands) names.push_back(command.name);
  return names;
}

std::string either(const std::vector<std::string>& words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  return util::listed(views);
}

/// A command one level down may have been meant: `tuner devices`.
std::string meant_below(const CommandShape& shape, const std::string& word, const std::string& name) {
  for (const CommandShape& command : shape.commands) {
    const std::vector<std::string> below = command_names(command);
    const std::vector<std::string_view> names(below.begin(), below.end());
    const std::string_view meant = util::nearest(word, names);
    if (!meant.empty()) return fmt::format("did you mean `{} {} {}`?", name, command.name, meant);
  }
  return "";
}

ParseMistake unknown_command(const CalledCommand& called, const CommandShape& shape,
                             const std::string& word) {
  const std::vector<std::string> names = command_names(shape);
  ParseMistake mistake{fmt::format("there is no command '{} {}'", called.name, util::one_line(word, 60)), ""};
  mistake.hint = util::did_you_mean(word, names);
  if (mistake.hint.empty()) mistake.hint = meant_below(shape, word, called.name);
  if (mistake.hint.empty()) mistake.hint = fmt::format("choose {}", either(names));
  return mistake;
}

ParseMistake unknown_flag(const CalledCommand& called, const CommandShape& shape, const std::string& word) {
  std::vector<std::string> names;
  for (const ArgumentShape& flag : shape.flags)
    names.insert(names.end(), flag.names.begin(), flag.names.end());
  const std::string flag = word.substr(0, word.find('='));
  ParseMistake mistake{fmt::format("'{}' has no flag {}", called.name, util::one_line(flag, 60)), ""};
  // `--` is no part of what was mistyped: with it, any two short flags would be near.
  std::vector<std::string> bare;
  for (const std::string& name : names) {
    if (name.starts_with("--")) bare.push_back(name.substr(2));
  }
  const std::vector<std::string_view> views(bare.begin(), bare.end());
  const std::string_view meant = util::nearest(flag.substr(flag.find_first_not_of('-') % flag.size()), views);
  const std::string help = fmt::format("`{} --help` shows what it takes", called.name);
  mistake.hint = meant.empty() ? help : fmt::format("did you mean `--{}`? {}", meant, help);
  return mistake;
}

}  // namespace

ParseMistake parse_mistake(const CLI::App& app, const CLI::ParseError& error) {
  const CalledCommand called = called_command(app);
  const CommandShape shape = command_shape(*called.app);
  const std::string help = fmt::format("`{} --help` shows what it takes", called.name);
  for (const std::string& word : app.remaining(true)) {
    if (word == "--") continue;
    if (word.starts_with('-') && word.size() > 1) return unknown_flag(called, shape, word);
    if (!shape.commands.empty()) return unknown_command(called, shape, word);
    return {fmt::format("'{}' takes no '{}'", called.name, util::one_line(word, 60)), help};
  }
  if (!shape.commands.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return {fmt::format("'{}' needs to be told what", called.name),
            fmt::format("choose {}", either(command_names(shape)))};
  }
  return {error.what(), help};
}

}  // namespace tuner::cli
