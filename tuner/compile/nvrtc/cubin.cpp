#include "tuner/compile/nvrtc/cubin.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>

#include "tuner/util/text.hpp"

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
  const auto found = std::ranges::find(entries, symbol, &PtxasFunction::symbol);
  return found == entries.end() ? nullptr : &*found;
}

PtxasReport parse_ptxas_log(std::string_view log) {
  LogParser parser;
  while (!log.empty()) parser.line(util::split_first(log, "\n"));
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

namespace {

/// A copy of the T at `offset`; nothing when it is not wholly inside.
template <typename T>
std::optional<T> read_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string_view string_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const char* begin = reinterpret_cast<const char*>(bytes.data()) + offset;
  return {begin, ::strnlen(begin, bytes.size() - offset)};
}

bool is_constant_of(std::string_view section, std::string_view symbol) {
  constexpr std::string_view prefix = ".nv.constant";
  if (section.substr(0, prefix.size()) != prefix) return false;
  section.remove_prefix(prefix.size());
  const std::size_t dot = std::min(section.find('.'), section.size());
  const std::string_view bank = section.substr(0, dot);
  return bank != "0" && (dot == section.size() || section.substr(dot + 1) == symbol);
}

/// Product of up to three comma-separated numbers at the start of `text`.
int product(std::string_view text) {
  long long result = 1;
  for (int i = 0; i < 3; ++i) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return 0;
    result *= value;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty() || text.front() != ',') break;
    text.remove_prefix(1);
  }
  return static_cast<int>(std::min(result, 1LL << 30));
}

/// Bytes of all sections whose name `counts`; 0 for something that is not a 64-bit ELF file.
template <typename Counts>
std::uint64_t section_bytes(std::span<const std::byte> cubin, const Counts& counts) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64) {
    return 0;
  }
  const auto section = [&](std::uint64_t index) {
    return read_at<Elf64_Shdr>(cubin, header->e_shoff + index * header->e_shentsize);
  };
  const auto names = section(header->e_shstrndx);
  if (!names) return 0;
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto entry = section(i);
    if (entry && counts(string_at(cubin, names->sh_offset + entry->sh_name))) total += entry->sh_size;
  }
  return std::min<std::uint64_t>(total, 1U << 30U);
}

}  // namespace

int constant_bytes(std::span<const std::byte> cubin, std::string_view symbol) {
  return static_cast<int>(
      section_bytes(cubin, [&](std::string_view section) { return is_constant_of(section, symbol); }));
}

std::int64_t code_bytes(std::span<const std::byte> cubin, std::string_view symbol) {
  const std::string wanted = std::string(".text.").append(symbol);
  return static_cast<std::int64_t>(
      section_bytes(cubin, [&](std::string_view section) { return section == wanted; }));
}

int max_threads_per_block(std::string_view ptx, std::string_view symbol) {
  const std::string entry = std::string(".entry ").append(symbol).append("(");
  const std::size_t begin = ptx.find(entry);
  if (begin == std::string_view::npos) return 0;
  // The directives stand between the parameter list and the body.
  ptx.remove_prefix(begin + entry.size());
  ptx = ptx.substr(0, ptx.find('{'));
  for (const std::string_view directive : {".reqntid", ".maxntid"}) {
    if (const std::size_t at = ptx.find(directive); at != std::string_view::npos) {
      return product(ptx.substr(at + directive.size()));
    }
  }
  return 0;
}

model::KernelResources resources_of(const std::string& entry, const std::string& symbol,
                                    const PtxasReport& report, std::span<const std::byte> cubin,
                                    std::string_view ptx) {
  const PtxasFunction& function = *report.find(symbol);
  model::KernelResources kernel;
  kernel.entry = entry;
  kernel.symbol = symbol;
  kernel.registers = function.registers;
  kernel.spill_store_bytes = function.spill_store_bytes + report.called_spill_store_bytes;
  kernel.spill_load_bytes = function.spill_load_bytes + report.called_spill_load_bytes;
  kernel.stack_bytes = function.stack_bytes;
  kernel.static_shared_bytes = function.shared_bytes;
  kernel.constant_bytes = constant_bytes(cubin, symbol);
  kernel.max_threads_per_block = max_threads_per_block(ptx, symbol);
  return kernel;
}

}  // namespace tuner::compile::nvrtc
