#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/capture_draft.hpp"
#include "config/spec_draft.hpp"
#include "tuner/capture/recording.hpp"
#include "tuner/cli/capture.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/kernel_program.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

struct InitOptions {
  std::string source;
  std::string entry;
  std::string capture;
  std::vector<std::string> macros;
  std::vector<std::string> folders;
  bool force = false;
};

/// An empty file loses nothing: `tuner init saxpy.cu > saxpy.toml` makes one.
void refuse_existing(const fs::path& file, bool force) {
  if (force || !fs::exists(file) || (fs::is_regular_file(file) && fs::is_empty(file))) return;
  throw model::UsageError(fmt::format("{} is there already", file.string()),
                          "--force replaces it; to have both, move one source to another folder");
}

/// Plain names of kernels with launches that were kept, or `with_source` those where the capture has the
/// source.
std::vector<std::string> kept_kernels(const model::Capture& capture, bool with_source = false) {
  std::vector<std::string> names;
  for (const model::CapturedKernel& kernel : capture.kernels)
    if (!kernel.kept.empty() && (!with_source || kernel.kept.front().source) &&
        std::ranges::count(names, kernel.plain) == 0)
      names.push_back(kernel.plain);
  return names;
}

/// The captured kernel of this name: of several instances of a template the longest with launches.
const model::CapturedKernel& captured_kernel(const model::Capture& capture, const std::string& name) {
  const model::CapturedKernel* chosen = nullptr;
  for (const model::CapturedKernel& kernel : capture.kernels) {
    if (kernel.plain != name || kernel.kept.empty()) continue;
    if (chosen != nullptr)
      write_err(fmt::format("{} is left out: the spec has {}", kernel.readable, chosen->readable));
    if (chosen == nullptr) chosen = &kernel;
  }
  if (chosen != nullptr) return *chosen;
  const auto seen = std::ranges::find(capture.kernels, name, &model::CapturedKernel::plain);
  throw model::UsageError(
      fmt::format(
          "{} has no launch of {} that was kept{}", capture.path, name,
          seen == capture.kernels.end() ? "" : fmt::format(", of {} that it counted", seen->launches)),
      fmt::format("capture the program again, with --save {}:sizes", name));
}

/// Of a kernel's launches those whose module was made of one source, in one way: that of the first.
model::CapturedKernel of_one_source(model::CapturedKernel kernel) {
  const std::optional<model::CapturedText> source = kernel.kept.front().source;
  const std::size_t all = kernel.kept.size();
  std::erase_if(kernel.kept, [&](const model::CapturedLaunch& launch) { return launch.source != source; });
  if (kernel.kept.size() < all)
    write_err(fmt::format("left out: {}, for which the program compiled {} in another way",
                          util::counted(all - kernel.kept.size(), "launch"), kernel.plain));
  return kernel;
}

/// The kernel whose source the capture has, where none is named.
std::string recorded_kernel(const model::Capture& capture, const std::string& entry) {
  const std::vector<std::string> names = kept_kernels(capture, true);
  if (names.empty())
    throw model::UsageError(
        fmt::format("{} has no source of a kernel that was kept: NVRTC made none of them", capture.path),
        fmt::format("name the source: tuner init --from {} my_kernel.cu", capture.path));
  if (!entry.empty() && std::ranges::count(names, entry) == 0)
    throw model::UsageError(fmt::format("{} has no source of {}", capture.path, entry),
                            fmt::format("it has those of {}", fmt::join(names, ", ")));
  if (entry.empty() && names.size() > 1)
    throw model::UsageError(fmt::format("{} has the sources of {} kernels: {}", capture.path, names.size(),
                                        fmt::join(names, ", ")),
                            fmt::format("say which, as --entry {}", names.front()));
  return entry.empty() ? names.front() : entry;
}

/// A source, how it is built, and what is written for it.
class InitSource {
 public:
  explicit InitSource(const InitOptions& options) : m_file(options.source) {
    for (const std::string& macro : options.macros)
      config::set_macro(m_given, config::read_build_macro(macro));
    m_macros = m_given;
    m_folders = options.folders;
  }

  /// One that the program gave NVRTC.
  void take(const std::string& kernel, const model::CapturedText& recorded) {
    m_file = kernel + ".cu";
    add_options(recorded);
    const auto is_asked_for = [&](const config::BuildMacro& macro) {
      return config::mentions(recorded.text, macro.first) ||
             std::ranges::any_of(recorded.headers, [&](const auto& header) {
               return config::mentions(header.second, macro.first);
             });
    };
    std::erase_if(m_macros, [&](const auto& macro) { return !is_asked_for(macro); });
    m_text = config::with_open_macros(recorded.text, std::exchange(m_macros, {}));
    if (fs::exists(m_file) && util::text_of(m_file) != m_text)
      throw model::UsageError(
          fmt::format("{} is there already, and is not what the program compiled", m_file.string()),
          "name it if it is the kernel's source, else move it away");
    m_headers = recorded.headers;
    m_header_folder = fmt::format("{}_recorded/include", kernel);
    read();
  }

  /// The file that was named, as the program's build made it.
  void build_as(const model::CapturedText& recorded) {
    m_macros = config::leading_macros(recorded.text);
    add_options(recorded);
    read();
  }

  void read() {
    const SourceBuild build{m_macros, {m_folders.begin(), m_folders.end()}, m_headers};
    m_read = m_text.empty() ? std::make_unique<KernelProgram>(m_file, build)
                            : std::make_unique<KernelProgram>(m_file, m_text, build);
  }

  const fs::path& file() const { return m_file; }
  const source::Program& program() const { return m_read->program(); }

  config::DraftRequest request() const {
    config::DraftRequest request{m_file.filename().string(), "", m_read->header_folders()};
    if (!m_headers.empty()) request.include.push_back(m_header_folder);
    for (const std::string& folder : m_folders)
      request.options.push_back("-I" + fs::absolute(folder).lexically_normal().string());
    request.options.insert(request.options.end(), m_options.begin(), m_options.end());
    request.macros = m_macros;
    return request;
  }

  void write() const {
    if (m_text.empty()) return;
    util::write_file(m_file.string(), m_text);
    for (const auto& [name, text] : m_headers) {
      const fs::path path = (fs::path(m_header_folder) / name).lexically_normal();
      if (path.string().starts_with(m_header_folder)) {
        fs::create_directories(path.parent_path());
        util::write_file(path.string(), text);
      } else {
        write_err(fmt::format("header {} is left out: its name leads out of {}", name, m_header_folder));
      }
    }
    write_out(m_file.string() + "\n");
  }

 private:
  /// What the command line says counts for more.
  void add_options(const model::CapturedText& recorded) {
    config::BuildOptions build = config::read_build_options(recorded.options);
    for (const auto* list : {&build.macros, &m_given})
      for (const config::BuildMacro& macro : *list) config::set_macro(m_macros, macro);
    m_folders.insert(m_folders.end(), build.folders.begin(), build.folders.end());
    m_options = std::move(build.others);
  }

  fs::path m_file;
  std::string m_text;  ///< empty: that of the file
  std::map<std::string, std::string> m_headers;
  std::string m_header_folder;
  std::vector<config::BuildMacro> m_given;  ///< by the command line
  std::vector<config::BuildMacro> m_macros;
  std::vector<std::string> m_folders;
  std::vector<std::string> m_options;
  std::unique_ptr<KernelProgram> m_read;
};

int init(const InitOptions& options) {
  if (options.source.empty() && options.capture.empty())
    throw model::UsageError("no kernel was named for the spec", "give its source, or a capture with --from");
  model::Capture capture;
  if (!options.capture.empty()) capture = capture::read_capture(options.capture);
  for (const std::string& failure : capture.failures) write_problem(failure);
  InitSource source(options);
  std::string entry = options.entry;
  std::optional<model::CapturedKernel> recorded;
  if (options.source.empty()) {
    const std::string name = recorded_kernel(capture, plain_name(entry));
    recorded = of_one_source(captured_kernel(capture, name));
    source.take(name, *recorded->kept.front().source);
    if (entry.empty()) entry = name;
  } else {
    source.read();
  }
  const auto choose = [&]() -> const source::ProgramFunction& {
    return chosen_kernel(source.program(),
                         {source.file().string(), entry, kept_kernels(capture), options.capture, "--entry "});
  };
  if (!options.capture.empty() && !recorded) {
    recorded = of_one_source(captured_kernel(capture, choose().name));
    if (recorded->kept.front().source) source.build_as(*recorded->kept.front().source);
  }
  const source::ProgramFunction& kernel = choose();
  const fs::path folder = source.file().parent_path();
  const fs::path spec_file = folder / (kernel.name + ".toml");
  const fs::path reference_file = folder / (kernel.name + "_reference.cu");
  refuse_existing(spec_file, options.force);
  config::DraftRequest request = source.request();
  request.reference_file = reference_file.filename().string();
  if (const std::string family = own_family(kernel.name); family != kernel.name) request.family = family;
  CapturedFiles memory;
  std::optional<config::CapturedSource> captured;
  if (recorded) {
    captured.emplace(*recorded, memory, capture.device, kernel.name + "_recorded");
    refuse_existing(folder / captured->folder, options.force);
    request.captured = &*captured;
  }
  const config::SpecDraft draft = config::draft_spec(source.program(), kernel, request);
  make_files(draft.files, folder);
  util::write_file(spec_file.string(), draft.spec);
  // A reference that the user wrote stays.
  const bool has_reference = fs::exists(reference_file);
  if (!has_reference && !draft.reference.empty()) util::write_file(reference_file.string(), draft.reference);
  write_out(spec_file.string() + "\n");
  source.write();
  if (!draft.reference.empty())
    write_out(fmt::format("{}{}\n", reference_file.string(),
                          has_reference ? " (was there, and is as it was)" : ""));
  write_err(fmt::format(
      "{} is a spec of `{}`, which {} defines in line {}{}", spec_file.string(), kernel.name,
      source.program().files()[static_cast<std::size_t>(kernel.file)].name, kernel.line,
      draft.reference.empty() ? "" : fmt::format("; its reference goes into {}", reference_file.string())));
  if (captured)
    write_err(fmt::format("{} holds what a launch of {} found and left", captured->folder, options.capture));
  if (!draft.questions.empty())
    write_err(captured ? "what source and capture do not say:" : "what the source does not say:");
  int number = 0;
  for (const std::string& question : draft.questions) write_err(fmt::format("{:3}. {}", ++number, question));
  const std::string asked =
      util::shell_quote(spec_file.string()) + (captured ? " --sizes " + draft.sizes : "");
  write_err("then:" + pasteable("tuner check " + asked) +
            (captured ? pasteable("tuner run --kernel " + asked) : ""));
  return 0;
}

}  // namespace

void add_init(const CommandPlace& place) {
  Command<InitOptions> command(place, "init", "Write a first spec of a kernel from its source",
                               [](const Context&, const InitOptions& options) { return init(options); });
  InitOptions& options = command.options();
  command.option("source", options.source, "FILE.cu",
                 "a CUDA source; with --from it may be left out where the program gave it to NVRTC");
  command.option("--entry,-e", options.entry, "NAME", "the kernel, where the source has several");
  command.option("--from", options.capture, "CAPTURE",
                 "a folder of `tuner capture --save`: the spec has the launches that it kept");
  command
      .option("-D,--define", options.macros, "NAME[=VALUE]",
              "a macro that the build gives: numbers become parameters, others options")
      ->allow_extra_args(false);
  command.option("-I,--include", options.folders, "FOLDER", "a folder of headers that the build gives")
      ->allow_extra_args(false);
  command.flag("--force", options.force, "replace a spec that is there; a reference stays");
  command->footer(
      "Reads the kernel, its launch `<<<…>>>` in the same file, and local headers. Writes KERNEL.toml, with "
      "a `?` at every guess, and KERNEL_reference.cu where the file has a function that computes the same on "
      "the CPU, or no launch: then a place to write one.\n"
      "--from takes arguments, inputs, sizes, launch and right results from the program.\n"
      "Example: tuner init saxpy.cu && tuner check saxpy.toml");
}

}  // namespace tuner::cli
