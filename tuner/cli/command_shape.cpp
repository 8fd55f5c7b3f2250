#include "tuner/cli/command_shape.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

std::vector<std::string> parts_of(std::string_view text, std::string_view mark) {
  std::vector<std::string> parts;
  while (!text.empty()) parts.emplace_back(util::split_first(text, mark));
  return parts;
}

/// `TEXT:{table,json}` of CLI11's is `table|json`, `INT:POSITIVE` is `N`; what we named ourselves stays.
std::string value_name_of(const std::string& type) {
  const std::size_t open = type.find(":{");
  if (open != std::string::npos && type.ends_with('}')) {
    std::string words = type.substr(open + 2, type.size() - open - 3);
    std::replace(words.begin(), words.end(), ',', '|');
    return words;
  }
  const std::string kind = type.substr(0, type.find_first_of(": "));
  if (kind == "INT" || kind == "UINT" || kind == "FLOAT") return "N";
  return type;
}

bool is_plain_word(const std::string& text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
}

ValueShape value_shape(const CLI::Option& option) {
  ValueShape value;
  if (option.get_type_size() == 0) return value;  // a switch
  const std::string type = option.get_type_name();
  value.name = value_name_of(type);
  const auto names = [&](const char* kind) { return value.name.find(kind) != std::string::npos; };
  value.is_folder = names("FOLDER") || names("DIR");
  value.is_file = !value.is_folder && (names("FILE") || names("PATH") || names("SPEC"));
  if (names("|")) {
    for (std::string& word : parts_of(value.name, "|")) {
      if (is_plain_word(word)) value.choices.push_back(std::move(word));
    }
  }
  return value;
}

}  // namespace

ArgumentShape argument_shape(const CLI::Option& option) {
  ArgumentShape argument;
  for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
  if (argument.names.empty()) argument.names.push_back(option.get_name(true, false));
  argument.value = value_shape(option);
  argument.description = option.get_description();
  if (!option.get_default_str().empty())
    argument.description += " (default: " + option.get_default_str() + ")";
  argument.required = option.get_required();
  argument.many = option.get_expected_max() == CLI::detail::expected_max_vector_size;
  return argument;
}

CommandShape command_shape(const CLI::App& app) {
  CommandShape shape;
  shape.name = app.get_name();
  shape.group = app.get_group();
  shape.description = app.get_description();
  shape.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    ArgumentShape argument = argument_shape(*option);
    (argument.is_flag() ? shape.flags : shape.values).push_back(std::move(argument));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) shape.commands.push_back(command_shape(*command));
  }
  return shape;
}

std::vector<Paragraph> paragraphs(const std::string& text) {
  std::vector<Paragraph> all;
  bool goes_on = false;
  for (const std::string& line : parts_of(text, "\n")) {
    const std::string_view words = util::trimmed(line);
    const bool is_command = line.starts_with(example_mark) || line.starts_with(' ');
    if (words.empty()) {
      goes_on = false;
      continue;
    }
    if (goes_on && !is_command) {
      all.back().text += ' ';
      all.back().text += words;
      continue;
    }
    all.push_back({std::string(words), is_command});
    goes_on = !is_command;
  }
  return all;
}

}  // namespace tuner::cli
