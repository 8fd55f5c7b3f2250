#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "tuner/device/cpu/sanitize/sanitizer.hpp"
#include "tuner/util/text.hpp"

namespace tuner::device::cpu::sanitize {

std::string_view to_string(Finding::Kind kind) {
  constexpr std::array<std::string_view, 8> words = {
      "out of bounds", "undefined behaviour", "race",  "divergence",
      "launch error",  "compile error",       "crash", "timeout"};
  return words.at(static_cast<std::size_t>(kind));
}

std::string Finding::line() const {
  const std::string place = where.file.empty() ? "" : fmt::format(" at {}:{}", where.file, where.line);
  const std::string more =
      occurrences > 1 ? fmt::format(" (and {})", util::counted(occurrences - 1, "more size")) : "";
  return fmt::format("{} {}, {}: {}{}: {}{}", kernel, configuration.text(), problem.text(), to_string(kind),
                     place, text, more);
}

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(util::split_first(text, "\n"));
  return lines;
}

/// `path:12` or `path:12:5` at the end of `text`; no file where it is not one.
model::SourceLocation location_in(std::string_view text) {
  model::SourceLocation where;
  std::vector<int> numbers;
  while (numbers.size() < 2) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) break;
    int number = 0;
    const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) break;
    numbers.push_back(number);
    text.remove_suffix(text.size() - colon);
  }
  if (numbers.empty() || text.empty()) return {};
  where.line = numbers.back();
  where.column = numbers.size() == 2 ? numbers.front() : 0;
  where.file = std::filesystem::path(text).lexically_normal().string();
  return where;
}

/// `where` under the name the spec knows its file by; no file where it is none of the kernel's.
model::SourceLocation among(const std::vector<model::SourceText>& sources, model::SourceLocation where) {
  for (const model::SourceText& source : sources) {
    const std::string name = std::filesystem::path(source.name).lexically_normal().string();
    if (where.file == name || where.file.ends_with("/" + name)) {
      where.file = source.name;
      return where;
    }
  }
  return {};
}

/// `    #1 0x7f… in kernel path/kernel.cu:12`
model::SourceLocation first_frame(const std::vector<std::string_view>& lines,
                                  const std::vector<model::SourceText>& sources) {
  for (const std::string_view line : lines) {
    const std::size_t space = line.rfind(' ');
    if (!util::trimmed(line).starts_with("#") || space == std::string_view::npos) continue;
    const model::SourceLocation where = among(sources, location_in(line.substr(space + 1)));
    if (!where.file.empty()) return where;
  }
  return {};
}

/// `heap-buffer-overflow, WRITE of size 4, 0 bytes to the right of 400-byte region`
std::string address_text(const std::vector<std::string_view>& lines, std::size_t at) {
  constexpr std::string_view mark = "AddressSanitizer: ";
  std::string_view what = lines[at].substr(lines[at].find(mark) + mark.size());
  std::string text(what.substr(0, what.find(" on ")));
  for (std::size_t i = at + 1; i < lines.size(); ++i) {
    if (lines[i].starts_with("READ of size") || lines[i].starts_with("WRITE of size")) {
      text += ", " + std::string(lines[i].substr(0, lines[i].find(" at 0x")));
    }
    const std::size_t located = lines[i].find(" is located ");
    if (located != std::string_view::npos) {
      std::string_view place = lines[i].substr(located + 12);
      text += ", " + std::string(place.substr(0, place.find(" [0x")).substr(0, place.find(" (0x")));
      break;
    }
  }
  return text;
}

}  // namespace

Finding read_sanitizer_log(std::string_view log, const std::vector<model::SourceText>& sources) {
  const std::vector<std::string_view> lines = lines_of(log);
  Finding finding;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t undefined = lines[i].find(": runtime error: ");
    if (undefined != std::string_view::npos) {
      finding.where = among(sources, location_in(lines[i].substr(0, undefined)));
      finding.text = lines[i].substr(undefined + 17);
      const bool bounds = finding.text.find("out of bounds") != std::string::npos ||
                          finding.text.find("insufficient space") != std::string::npos;
      finding.kind = bounds ? Finding::Kind::out_of_bounds : Finding::Kind::undefined_behaviour;
      return finding;
    }
    if (lines[i].find("ERROR: AddressSanitizer: ") != std::string_view::npos) {
      const bool signal = lines[i].find("AddressSanitizer: ABRT") != std::string_view::npos ||
                          lines[i].find("AddressSanitizer: FPE") != std::string_view::npos;
      finding.kind = signal ? Finding::Kind::crash : Finding::Kind::out_of_bounds;
      finding.where = first_frame(lines, sources);
      finding.text = address_text(lines, i);
      return finding;
    }
    const std::size_t assertion = lines[i].find(": assertion `");
    if (assertion != std::string_view::npos) {
      const std::size_t place_end = std::min(lines[i].find(": block"), lines[i].size());
      finding.where = among(sources, location_in(lines[i].substr(0, place_end)));
      finding.text = util::trimmed(lines[i].substr(std::min(place_end + 2, lines[i].size())));
      return finding;
    }
  }
  if (!lines.empty()) finding.text = util::trimmed(lines.back());
  return finding;
}

Finding read_compiler_log(std::string_view log) {
  Finding finding;
  finding.kind = Finding::Kind::compilation;
  for (const std::string_view line : lines_of(log)) {
    const std::size_t error = line.find(": error: ");
    if (error == std::string_view::npos) continue;
    finding.where = location_in(line.substr(0, error));
    finding.text = line.substr(error + 9);
    return finding;
  }
  finding.text = log.substr(0, log.find('\n'));
  return finding;
}

}  // namespace tuner::device::cpu::sanitize
