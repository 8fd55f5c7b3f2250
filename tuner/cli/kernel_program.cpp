#include "tuner/cli/kernel_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "config/source_files.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

namespace {

namespace fs = std::filesystem;

std::string text_of_source(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || fs::is_directory(file))
    throw model::UsageError(fmt::format("cannot read {}", file.string()), "give the CUDA source of a kernel");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::optional<source::ProgramFile> read_header(const fs::path& file) {
  config::FileText text = config::DiskFiles().read(file);
  if (!text.problem.empty()) return std::nullopt;
  return source::ProgramFile{file.lexically_normal().string(), std::move(text.text)};
}

}  // namespace

LocalHeaders::LocalHeaders(const fs::path& source, SourceBuild build)
    : m_folder(fs::absolute(source).parent_path()), m_build(std::move(build)) {}

std::optional<source::ProgramFile> LocalHeaders::find(const std::string& name, bool bracketed,
                                                      const std::string& from) {
  const fs::path beside = fs::absolute(from).parent_path() / name;
  if (!bracketed && fs::is_regular_file(beside)) return read_header(beside);
  if (const auto given = m_build.headers.find(name); given != m_build.headers.end())
    return source::ProgramFile{name, given->second};
  for (const fs::path& folder : m_build.folders)
    if (!bracketed && fs::is_regular_file(folder / name)) return read_header(folder / name);
  fs::path above = m_folder;
  for (int steps = 0; steps < 5; ++steps) {
    for (const char* const folder : header_folders) {
      const fs::path place = above / folder;
      if (!fs::is_regular_file(place / name)) continue;
      const std::string relative = place.lexically_normal().lexically_relative(m_folder).string();
      if (std::ranges::count(m_folders, relative) == 0) m_folders.push_back(relative);
      return read_header(place / name);
    }
    if (above == above.parent_path()) break;
    above = above.parent_path();
  }
  return std::nullopt;
}

KernelProgram::KernelProgram(const fs::path& file, const SourceBuild& build)
    : KernelProgram(file, text_of_source(file), build) {}

KernelProgram::KernelProgram(const fs::path& file, std::string text, const SourceBuild& build)
    : m_headers(file, build),
      m_program(
          {file.string(), std::move(text)},
          [this](const std::string& name, bool bracketed, const std::string& from) {
            return m_headers.find(name, bracketed, from);
          },
          build.macros) {}

const source::ProgramFunction& chosen_kernel(const source::Program& program, const KernelChoice& choice) {
  std::vector<std::string> own;
  std::vector<std::string> names;
  for (const source::ProgramFunction& function : program.functions()) {
    if (!function.is_kernel) continue;
    if (std::ranges::count(names, function.name) == 0) names.push_back(function.name);
    if (function.file == 0 && std::ranges::count(own, function.name) == 0) own.push_back(function.name);
  }
  if (names.empty()) {
    throw model::UsageError(fmt::format("{} defines no __global__ function", choice.source),
                            "nor do its headers: give the file that defines or launches the kernel");
  }
  if (!choice.entry.empty() && std::ranges::count(names, choice.entry) == 0) {
    const std::string meant = util::did_you_mean(choice.entry, names);
    throw model::UsageError(fmt::format("`{}` is no kernel of {}", choice.entry, choice.source),
                            meant.empty() ? fmt::format("it has {}", fmt::join(names, ", ")) : meant);
  }
  std::vector<std::string> offered = own.empty() ? names : own;
  if (!choice.kept.empty()) {
    offered.clear();
    std::ranges::copy_if(names, std::back_inserter(offered),
                         [&](const std::string& name) { return std::ranges::count(choice.kept, name) > 0; });
    if (offered.empty())
      throw model::UsageError(
          fmt::format("no kernel of {} is one that {} has launches of", choice.source, choice.capture),
          fmt::format("the source has {}; the capture kept {}", fmt::join(names, ", "),
                      fmt::join(choice.kept, ", ")));
  }
  if (choice.entry.empty() && offered.size() > 1) {
    throw model::UsageError(
        fmt::format("{} has {} kernels{}: {}", choice.source, offered.size(),
                    choice.kept.empty() ? "" : " with launches in the capture", fmt::join(offered, ", ")),
        fmt::format("say which, as {}{}", choice.naming, offered.front()));
  }
  const std::string& wanted = choice.entry.empty() ? offered.front() : choice.entry;
  return *std::ranges::find_if(program.functions(), [&](const source::ProgramFunction& function) {
    return function.is_kernel && function.name == wanted;
  });
}

}  // namespace tuner::cli
