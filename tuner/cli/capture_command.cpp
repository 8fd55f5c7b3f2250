#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "reports/json.hpp"
#include "tuner/capture/folder.hpp"
#include "tuner/capture/parameters.hpp"
#include "tuner/capture/recording.hpp"
#include "tuner/cli/capture.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/model/error.hpp"
#include "tuner/use/pack_view.hpp"
#include "tuner/use/tuner.h"
#include "tuner/util/command.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

std::atomic<pid_t> captured{0};

void hand_on(int signal) {
  if (const pid_t process = captured; process > 0) kill(process, signal);
}

/// While it lives, a terminal's interrupts reach the program alone, and SIGTERM is handed on to it.
class ProgramsSignals {
 public:
  ProgramsSignals() {
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    struct sigaction handed {};
    handed.sa_handler = hand_on;
    handed.sa_flags = SA_RESTART;
    sigaction(SIGINT, &ignored, &m_interrupt);
    sigaction(SIGQUIT, &ignored, &m_quit);
    sigaction(SIGTERM, &handed, &m_terminate);
  }
  ProgramsSignals(const ProgramsSignals&) = delete;
  ProgramsSignals& operator=(const ProgramsSignals&) = delete;
  ~ProgramsSignals() {
    sigaction(SIGINT, &m_interrupt, nullptr);
    sigaction(SIGQUIT, &m_quit, nullptr);
    sigaction(SIGTERM, &m_terminate, nullptr);
  }
  /// What the program begins with: as this process did.
  sigset_t defaults() const {
    sigset_t signals;
    sigemptyset(&signals);
    if (m_interrupt.sa_handler != SIG_IGN) sigaddset(&signals, SIGINT);
    if (m_quit.sa_handler != SIG_IGN) sigaddset(&signals, SIGQUIT);
    return signals;
  }

 private:
  struct sigaction m_interrupt {};
  struct sigaction m_quit {};
  struct sigaction m_terminate {};
};

std::vector<std::string> captured_environment(const fs::path& library, const fs::path& folder) {
  std::vector<std::string> environment = util::environment_without({"LD_PRELOAD", capture::folder_variable});
  const std::string others = util::environment_variable("LD_PRELOAD");
  environment.push_back("LD_PRELOAD=" + library.string() + (others.empty() ? "" : ":" + others));
  environment.push_back(fmt::format("{}={}", capture::folder_variable, folder.string()));
  return environment;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Runs `command` as a shell would, with everything of this process's, and with `library` loaded into it,
/// which finds the capture's folder in its environment. Returns how it ended, as waitpid() has it. Interrupts
/// and SIGTERM are the program's: this process survives them.
int run_captured(const std::vector<std::string>& command, const fs::path& library, const fs::path& folder) {
  const std::vector<std::string> environment = captured_environment(library, folder);
  const ProgramsSignals signals;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const sigset_t defaults = signals.defaults();
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t process = 0;
  const int error = posix_spawnp(&process, command.front().c_str(), nullptr, &attributes,
                                 pointers_to(command).data(), pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    throw model::Error(fmt::format("{} cannot be started: {}", command.front(), std::strerror(error)));
  captured = process;
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  captured = 0;
  return status;
}

struct CaptureOptions {
  std::vector<std::string> command;
  std::string out;
  std::string folder;
  std::string format = "table";
  bool children = false;
  std::string times = "cupti";
  std::vector<std::string> saves;
  std::uint64_t at_most_bytes = std::uint64_t{2} << 30U;
  bool twice = false;
  std::string pack;
  bool verify = false;
};

/// `matmul`, `matmul:10`, `matmul:sizes`; colons of a name's scopes are no part of that.
capture::SaveRequest save_request(const std::string& text) {
  using Which = capture::SaveRequest::Which;
  const std::size_t colon = text.rfind(':');
  const std::string behind = colon == std::string::npos ? "" : text.substr(colon + 1);
  const std::string kernel = text.substr(0, colon);
  if (kernel.empty())
    throw model::UsageError(fmt::format("--save '{}' names no kernel", text), "give KERNEL[:N]");
  if (behind == "sizes") return {kernel, Which::sizes};
  const auto every = util::parse_number<std::uint64_t>(behind);
  if (colon == std::string::npos || !every) return {text, Which::first};
  if (*every == 0)
    throw model::UsageError(fmt::format("--save {}: every how many launches?", text), "give 1 or more");
  return {kernel, Which::every, *every};
}

constexpr std::uint64_t verified_launches = 3;  ///< of each kernel

/// A pack that the library will be able to open, by its whole path.
std::string usable_pack(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const tuner_error error = in ? use::check_pack(bytes.data(), bytes.size()) : TUNER_NO_FILE;
  if (error != TUNER_OK)
    throw model::Error(fmt::format("{}: {}", path, tuner_error_text(error)), "`tuner pack` writes packs");
  return fs::absolute(path).string();
}

capture::Request request_of(const CaptureOptions& options) {
  capture::Request request;
  request.children = options.children;
  request.events = options.times == "events";
  for (const std::string& save : options.saves) request.saves.push_back(save_request(save));
  request.at_most_bytes = options.at_most_bytes;
  request.twice = options.twice;
  if (!options.pack.empty()) {
    const std::size_t equal = options.pack.find('=');
    if (equal != std::string::npos) request.replaced = options.pack.substr(0, equal);
    request.pack = usable_pack(options.pack.substr(equal == std::string::npos ? 0 : equal + 1));
  }
  if (options.verify) request.verify = verified_launches;
  if (options.verify && options.pack.empty())
    throw model::UsageError("--verify compares what --use replaces", "add --use matmul.tuned");
  if (options.twice && options.saves.empty())
    throw model::UsageError("--twice repeats what --save keeps", "add --save KERNEL");
  if (!options.saves.empty() && options.folder.empty())
    throw model::UsageError("--save needs a folder to save to", "add --folder app.capture");
  return request;
}

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

/// Why nothing was kept of a kernel; empty: a note has said it.
std::string why_unsaved(const std::string& kernel, const capture::Recording& recording) {
  bool is_there = false;
  bool is_noted = false;
  for (const capture::RecordedKernel& one : capture::all_kernels(recording)) {
    if (!capture::means_kernel(kernel, one.name)) continue;
    is_there = true;
    is_noted |= !one.has_parameters;
    const std::string readable = " of " + capture::demangled(one.name);
    for (const std::string& note : recording.notes)
      is_noted |= note.starts_with("not saved") && note.find(readable) != std::string::npos;
  }
  if (is_noted) return "";
  return !is_there ? "the program launched no kernel of that name" : "launches in graphs are not";
}

std::string rendered(const capture::Recording& recording, const CaptureOptions& options) {
  if (options.format == "json") return reports::json_text(capture::as_json(recording));
  if (options.format == "csv") return capture_csv(recording);
  return capture_table(recording, terminal::columns_of(options.out.empty() ? STDERR_FILENO : STDOUT_FILENO));
}

int run_capture(const Context&, const CaptureOptions& options) {
  if (capture::embedded_library().empty())
    throw model::Error("programs are captured on x86-64 alone", "", model::ExitCode::no_device);
  if (!options.out.empty()) require_deliverable(options.out);
  const capture::Request request = request_of(options);
  const util::TemporaryFolder temporary;
  const fs::path folder = options.folder.empty() ? temporary.path() / "capture" : kept_folder(options.folder);
  fs::create_directories(folder);
  const fs::path library = temporary.path() / "libtuner-capture.so";
  temporary.write(library.filename(), capture::embedded_library());
  util::write_file((folder / capture::request_file).string(), capture::written(request));

  const int end = run_captured(options.command, library, folder);

  capture::Recording recording = capture::read_folder(folder);
  recording.command = options.command;
  if (WIFEXITED(end)) recording.exit_code = WEXITSTATUS(end);
  if (WIFSIGNALED(end)) recording.signal = WTERMSIG(end);
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
  for (const capture::SaveRequest& save : request.saves) {
    const bool is_saved = std::ranges::any_of(recording.saved, [&save](const capture::SavedLaunch& saved) {
      return capture::means_kernel(save.kernel, saved.kernel);
    });
    const std::string why = is_saved ? "" : why_unsaved(save.kernel, recording);
    if (!why.empty()) write_err(fmt::format("nothing was saved of {}: {}", save.kernel, why));
  }
  const bool replaced_none = std::ranges::all_of(
      recording.processes, [](const auto& process) { return process.replacements.empty(); });
  if (!options.pack.empty() && replaced_none)
    write_err(
        fmt::format("nothing was replaced: no kernel that the program launched has the name and the "
                    "parameters of one of {}",
                    options.pack));
  return recording.signal == 0 ? recording.exit_code : 128 + recording.signal;  // as a shell has it
}

}  // namespace

void add_capture(const CommandPlace& place) {
  Command<CaptureOptions> command(
      place, "capture", "Run a program and say which of its kernels take the GPU's time", run_capture);
  CaptureOptions& options = command.options();
  command.option("program", options.command, "PROGRAM", "what to run, behind --")->required();
  command.option("-o,--output", options.out, "FILE", "where the table goes; unset: stderr, - is stdout");
  command.option("--folder", options.folder, "FOLDER", "keep the capture there");
  command.table_format(options.format);
  command.choice("--times", options.times, {"cupti", "events"},
                 "all times by CUPTI, or some by events, which costs less where kernels are short");
  command.flag("--children", options.children, "also capture the processes that the program starts");
  command
      .option("--save", options.saves, "KERNEL[:N]",
              "keep its first launch whole, or every N-th, or with :sizes one of each size")
      ->allow_extra_args(false);
  command.flag("--twice", options.twice,
               "launch what is kept once more from the same memory, to see how exactly results repeat");
  command
      .option("--at-most", options.at_most_bytes, "BYTES", "of all that is saved, unpacked (default 2GiB)")
      ->transform(CLI::AsSizeValue(false).description(""));
  command.option("--use", options.pack, "[KERNEL=]PACK",
                 "launch the pack's kernels in place of the program's; says what was replaced");
  command.flag("--verify", options.verify, "with --use: compare the first launches with the program's own");
  command->footer(
      "The program runs unchanged, and its exit code is the command's. A library is loaded into it that sees "
      "each launch; CUPTI takes the times where there is one (docs/capture.md).\n"
      "Example: tuner capture -- ./app --size 1024");
}

}  // namespace tuner::cli
