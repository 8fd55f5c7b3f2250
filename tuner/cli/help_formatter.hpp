#pragma once
#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace tuner::cli {

/// The help of a command for a window of `columns` columns: no line is wider, however long a description, a
/// footer or what a flag takes; only a word of an example may be, since a command that was cut would be
/// another.
class HelpFormatter final : public CLI::Formatter {
 public:
  /// Windows narrower than 20 columns count as 20. Text is never wider than 120: lines that long are hard to
  /// read.
  explicit HelpFormatter(std::size_t columns);

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  std::string entry(const std::string& head, const std::string& description, std::size_t column) const;

  std::size_t m_columns;
};

}  // namespace tuner::cli
