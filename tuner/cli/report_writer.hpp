#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "db/connection.hpp"
#include "db/queries.hpp"
#include "tuner/cli/context.hpp"

namespace tuner::cli {

struct Context;

struct ReportOptions {
  std::string path;       ///< where to; empty or `-`: stdout
  std::string format;     ///< md, html, csv, json; empty: by the path's extension, else md
  std::string layout;     ///< a layout shipped with a family (`notes`); empty: the standard report
  std::string pivot;      ///< parameter across the tables' columns; empty: a table for each
  std::string size_text;  ///< as the command line says them
  std::vector<std::vector<std::int64_t>> sizes;  ///< only these, one number for all dimensions or one each
  db::TrialFilter filter;
  std::string run;      ///< only what this run measured, as it did; empty: everything
  std::string spec;     ///< the file that the kernel was named by; empty: by its name
  std::string program;  ///< a capture whose gain is said, of the kernel of `filter`; empty: none
  std::function<bool(const model::TrialRecord&)> keep;  ///< further selection; may be empty
  std::string command;                                  ///< that reproduces it, as shown in the report
  const Context* context = nullptr;  ///< of the program: specs edited since are told; null: they are not
};

/// Fails early where no report could be written: an unknown format, or a path that cannot be written. Throws
/// model::Error naming it.
void require_report(const std::string& path, const std::string& format = "");

/// Makes a report of what the database holds; trials of older sources are left out and counted. Charts of a
/// Markdown report go beside it as SVG files, unless it goes to stdout, a device or a pipe. Throws
/// model::Error with nothing_found where no trial is selected.
void write_report(const db::Connection& connection, const config::Settings& settings,
                  const ReportOptions& options);

}  // namespace tuner::cli
