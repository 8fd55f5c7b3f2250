#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "reports/json.hpp"
#include "tuner/capture/embedded_library.hpp"
#include "tuner/capture/recording.hpp"
#include "tuner/capture/request.hpp"
#include "tuner/cli/capture_formats.hpp"
#include "tuner/cli/captured_program.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

struct CaptureOptions {
  std::vector<std::string> command;
  std::string out;
  std::string folder;
  std::string format = "table";
  bool children = false;
};

/// Makes the folder that the capture is kept in. Another capture is never written over.
fs::path kept_folder(const std::string& name) {
  std::error_code error;
  const fs::path folder = fs::absolute(name, error);
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    throw model::Error(fmt::format("{} is there already, and not empty", name), "give another --folder");
  fs::create_directories(folder, error);
  if (error) throw model::Error(fmt::format("{}: {}", name, error.message()), "give another --folder");
  return folder;
}

std::string rendered(const capture::Recording& recording, const CaptureOptions& options) {
  if (options.format == "json") return reports::json_text(capture::as_json(recording));
  if (options.format == "csv") return capture_csv(recording);
  return capture_table(recording, terminal::columns_of(options.out.empty() ? STDERR_FILENO : STDOUT_FILENO));
}

int run_capture(const Context&, const CaptureOptions& options) {
  if (!options.out.empty()) require_deliverable(options.out);
  const util::TemporaryFolder temporary;
  const fs::path folder = options.folder.empty() ? temporary.path() / "capture" : kept_folder(options.folder);
  fs::create_directories(folder);
  const fs::path library = temporary.path() / "libtuner-capture.so";
  temporary.write(library.filename(), capture::embedded_library());
  capture::Request request;
  request.children = options.children;
  util::write_file((folder / capture::request_file).string(), capture::written(request));

  const ProgramEnd end = run_captured(options.command, library, folder);

  capture::Recording recording = capture::read_folder(folder);
  recording.command = options.command;
  recording.exit_code = end.exit_code;
  recording.signal = end.signal;
  if (!options.folder.empty())
    util::write_file((folder / capture::manifest_file).string(),
                     reports::json_text(capture::as_json(recording)));
  const std::string text = rendered(recording, options);
  if (options.out.empty()) {
    write_block(text);
  } else {
    deliver(options.out, text);
  }
  for (const std::string& remark : capture_remarks(recording)) write_err(remark);
  return end.code();
}

}  // namespace

void add_capture(const CommandPlace& place) {
  Command<CaptureOptions> command(
      place, "capture", "Run a program and say which of its kernels take the GPU's time", run_capture);
  CaptureOptions& options = command.options();
  command.option("program", options.command, "PROGRAM ...", "what to run, behind --")->required();
  command.option("-o,--output", options.out, "FILE", "where the table goes; unset: stderr, - is stdout");
  command.option("--folder", options.folder, "FOLDER", "keep the capture there");
  command.table_format(options.format);
  command.flag("--children", options.children, "also capture the processes that the program starts");
  command->footer(
      "The program runs unchanged, and its exit code is the command's. A library is loaded into it that sees "
      "each launch; CUPTI takes the times where there is one (docs/capture.md).\n"
      "Example: tuner capture -- ./app --size 1024");
}

}  // namespace tuner::cli
