#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/cli/context.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

/// The whole program but for what ends it: parses and runs; every error becomes one message and a code.
int run_command_line(int argc, char** argv);

/// What the called command does; returns the exit code.
using Action = std::function<int()>;

/// Where a command is added: the command above it, and what it works in.
struct CommandPlace {
  CLI::App& parent;
  Context& context;
  Action& action;
};

/// Adds flags for these settings, blanks stand between them, to a subcommand; their values go to
/// Context::flags.
void add_setting_flags(CLI::App& command, Context& context, std::string_view names,
                       const std::string& group = "");
/// --color and --quiet, which every command takes.
void add_manner_flags(CLI::App& command, Context& context);

/// Of the flags that say how a command speaks.
inline constexpr const char* terminal_group = "Terminal";

/// How two flags meet, see Command::apart() and Command::goes_with().
struct FlagPair {
  const CLI::Option& one;
  const CLI::Option& other;
  bool together;  ///< `one` needs the other; else they exclude each other
  std::string hint;

  /// Throws model::UsageError where they were not given so.
  void require() const;
};

/// A subcommand that writes its flags and values to an `Options` and then runs. A command below it that is
/// called comes first.
template <typename Options>
class Command {
 public:
  using Run = std::function<int(const Context&, const Options&)>;

  Command(const CommandPlace& place, const std::string& name, const std::string& description, Run run)
      : m_context(place.context), m_app(*place.parent.add_subcommand(name, description)) {
    m_app.callback([&context = place.context, &action = place.action, options = m_options, pairs = m_pairs,
                    run = std::move(run)] {
      for (const FlagPair& flags : *pairs) flags.require();
      if (!action) action = [&context, options, run] { return run(context, *options); };
    });
    add_manner_flags(m_app, m_context);
  }

  CLI::App* operator->() { return &m_app; }
  Options& options() { return *m_options; }

  /// `--name`, or a name without dashes for a value by its place. `type` is what help shows for the value.
  template <typename Value>
  CLI::Option* option(const std::string& names, Value& value, const std::string& type,
                      const std::string& description) {
    CLI::Option* const added = m_app.add_option(names, value, description)->type_name(type);
    // A script whose variable is not set would ask something else without a word.
    if constexpr (std::is_same_v<Value, std::string> || std::is_same_v<Value, std::vector<std::string>>)
      added->check([](const std::string& text) { return text.empty() ? "its value is empty" : ""; });
    return added;
  }
  /// A value that is one of `words`.
  CLI::Option* choice(const std::string& names, std::string& value, const std::vector<std::string>& words,
                      const std::string& description) {
    return option(names, value, fmt::format("{}", fmt::join(words, "|")), description)
        ->check([words](const std::string& text) {
          return std::ranges::count(words, text) > 0
                     ? ""
                     : fmt::format("'{}' is not {}", util::one_line(text, 60), util::listed(words));
        });
  }
  /// A number from 1 on.
  template <typename Value>
  void count(const std::string& names, Value& value, const std::string& description) {
    option(names, value, "N", description)->check([](const std::string& text) {
      const auto number = util::parse_number<std::int64_t>(text);
      return number && *number >= 1 ? ""
                                    : fmt::format("'{}' is no integer from 1 on", util::one_line(text, 60));
    });
  }
  void flag(const std::string& name, bool& value, const std::string& description) {
    m_app.add_flag(name, value, description);
  }
  /// Two flags that are not given together; `hint`: what to do instead.
  void apart(const std::string& one, const std::string& other, const std::string& hint) {
    m_pairs->push_back({*m_app.get_option(one), *m_app.get_option(other), false, hint});
  }
  /// A flag that says nothing without another.
  void goes_with(const std::string& one, const std::string& other) {
    m_pairs->push_back({*m_app.get_option(one), *m_app.get_option(other), true, "add " + other});
  }
  /// `--format table|csv|json` of a command that writes one table, see write_table().
  void table_format(std::string& format) {
    format = "table";
    choice("--format", format, {"table", "csv", "json"},
           "table, csv or json; the last two have every column");
  }
  /// `--format table|json`; `--json` is its former name.
  void table_or_json(std::string& format) {
    format = "table";
    choice("--format", format, {"table", "json"}, "table or json");
    m_app.add_flag_callback("--json", [&format] { format = "json"; })->group("");
  }
  /// Its answers may be longer than a screen.
  void pages() {
    m_app.parse_complete_callback([&context = m_context] { context.pages = true; });
    add_setting_flags(m_app, m_context, "pager", terminal_group);
  }
  /// Flags for these settings; their values go to Context::flags.
  void settings(std::string_view names) { add_setting_flags(m_app, m_context, names); }

 private:
  Context& m_context;
  CLI::App& m_app;
  std::shared_ptr<Options> m_options = std::make_shared<Options>();
  std::shared_ptr<std::vector<FlagPair>> m_pairs = std::make_shared<std::vector<FlagPair>>();
};

/// For a command that takes nothing but settings.
struct NoOptions {};

void add_run(const CommandPlace& place);
void add_refresh(const CommandPlace& place);
void add_best(const CommandPlace& place);
void add_explain(const CommandPlace& place);
void add_cover(const CommandPlace& place);
void add_pack(const CommandPlace& place);
void add_report(const CommandPlace& place);
void add_capture(const CommandPlace& place);
void add_list(const CommandPlace& place);
void add_profile(const CommandPlace& place);
void add_show(const CommandPlace& place);
void add_compare(const CommandPlace& place);
void add_baseline(const CommandPlace& place);
void add_time(const CommandPlace& place);
void add_top(const CommandPlace& place);
void add_judge(const CommandPlace& place);
void add_init(const CommandPlace& place);
void add_check(const CommandPlace& place);
void add_config(const CommandPlace& place);
void add_export(const CommandPlace& place);
void add_import(const CommandPlace& place);
void add_merge(const CommandPlace& place);
void add_forget(const CommandPlace& place);
void add_cache(const CommandPlace& place);
void add_compile(const CommandPlace& place);
void add_plan(const CommandPlace& place);
void add_slurm(const CommandPlace& place);
void add_status(const CommandPlace& place);
void add_completion(const CommandPlace& place);
void add_manual(const CommandPlace& place);
/// Not for people: what child processes run, and what shells ask.
void add_worker(const CommandPlace& place);
void add_words(const CommandPlace& place);

}  // namespace tuner::cli
