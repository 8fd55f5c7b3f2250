#include "tuner/compile/nvrtc/ptxas_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tuner::compile::nvrtc {
namespace {

/// ptxas's limit of static shared memory, on every architecture.
constexpr long long most_static_shared_bytes = 49152;

bool has(std::string_view line, std::string_view text) {
  return line.find(text) != std::string_view::npos;
}

/// The number before `unit`: 1024 in `…, 1024 bytes smem` for unit ` bytes smem`; 0 where there is none.
int number_before(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int value = 0;
  std::from_chars(line.data() + begin, line.data() + end, value);
  return value;
}

/// The text between the first pair of apostrophes.
std::string_view quoted(std::string_view line) {
  const std::size_t begin = line.find('\'');
  if (begin == std::string_view::npos) return {};
  const std::size_t end = line.find('\'', begin + 1);
  return end == std::string_view::npos ? std::string_view() : line.substr(begin + 1, end - begin - 1);
}

std::string_view after(std::string_view line, std::string_view text) {
  const std::size_t at = line.find(text);
  return at == std::string_view::npos ? std::string_view() : line.substr(at + text.size());
}

class LogParser {
 public:
  void line(std::string_view line) {
    if (has(line, "Compiling entry function '")) {
      m_report.entries.emplace_back().symbol = quoted(line);
    } else if (has(line, "Function properties for ")) {
      const std::string_view subject = after(line, "Function properties for ");
      m_entry = !m_report.entries.empty() && m_report.entries.back().symbol == subject;
    } else if (has(line, " bytes stack frame, ")) {
      frame(line);
    } else if (has(line, "ptxas info") && has(line, ": Used ") && has(line, " registers")) {
      usage(line);
    } else if (!(has(line, "ptxas info") && (has(line, " bytes gmem") || has(line, "Compile time = ")))) {
      m_report.rest.append(line).append("\n");
    }
  }
  PtxasReport take() { return std::move(m_report); }

 private:
  void frame(std::string_view line) {
    const int stores = number_before(line, " bytes spill stores");
    const int loads = number_before(line, " bytes spill loads");
    if (!m_entry) {
      m_report.called_spill_store_bytes += stores;
      m_report.called_spill_load_bytes += loads;
      return;
    }
    PtxasFunction& entry = m_report.entries.back();
    entry.stack_bytes = number_before(line, " bytes stack frame");
    entry.spill_store_bytes = stores;
    entry.spill_load_bytes = loads;
  }

  void usage(std::string_view line) {
    if (m_report.entries.empty()) return;
    PtxasFunction& entry = m_report.entries.back();
    entry.registers = number_before(line, " registers");
    entry.shared_bytes = number_before(line, " bytes smem");
    entry.stack_bytes = std::max(entry.stack_bytes, number_before(line, " bytes cumulative stack size"));
  }

  PtxasReport m_report;
  bool m_entry = false;  ///< the stack frame that follows is the last entry's own
};

}  // namespace

const PtxasFunction* PtxasReport::find(std::string_view symbol) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const PtxasFunction& entry) { return entry.symbol == symbol; });
  return found == entries.end() ? nullptr : &*found;
}

PtxasReport parse_ptxas_log(std::string_view log) {
  LogParser parser;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    parser.line(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return parser.take();
}

std::optional<SharedExcess> find_shared_excess(const PtxasReport& report) {
  // With -v ptxas may print only the usage that it then refuses …
  for (const PtxasFunction& entry : report.entries) {
    if (entry.shared_bytes > most_static_shared_bytes) {
      return SharedExcess{entry.symbol, entry.shared_bytes, most_static_shared_bytes};
    }
  }
  // … and without it: Entry function 'e' uses too much shared data (0x13880 bytes, 0xc000 max)
  const std::string_view message = after(report.rest, "Entry function '");
  const std::size_t verdict = message.find("' uses too much shared data (");
  if (verdict == std::string_view::npos) return std::nullopt;
  const auto hexadecimal = [](std::string_view text) {
    long long value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return value;
  };
  return SharedExcess{std::string(message.substr(0, verdict)), hexadecimal(after(message, "shared data (0x")),
                      hexadecimal(after(message, "bytes, 0x"))};
}

std::string text_of(const SharedExcess& excess) {
  return fmt::format(
      "kernel '{}' declares {} bytes of static shared memory, the compiler allows {}; more is possible as "
      "dynamic shared memory only\n",
      excess.symbol, excess.bytes, excess.limit);
}

}  // namespace tuner::compile::nvrtc
