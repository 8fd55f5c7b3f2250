#include "tuner/sass/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::sass {
namespace {

constexpr std::size_t most_listing_bytes = std::size_t{64} << 20U;
constexpr const char* hint =
    "install the CUDA toolkit's nvdisasm (or `pip install nvidia-cuda-nvdisasm`), and name it with "
    "TUNER_NVDISASM where it is in another place";

}  // namespace

Disassembler::Disassembler(const std::vector<std::string>& places, std::chrono::milliseconds limit)
    : m_limit(limit) {
  for (const std::string& place : places) {
    if (const auto program = util::find_program(place)) {
      m_program = program->string();
      return;
    }
  }
  throw model::Error(fmt::format("machine code is read with nvdisasm, which was not found. Looked for:\n  {}",
                                 fmt::join(places, "\n  ")),
                     hint);
}

std::string Disassembler::listing(std::span<const std::byte> cubin) const {
  const util::TemporaryFolder folder;
  const std::string_view bytes(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  folder.write("kernel.cubin", bytes);
  util::CommandResult result =
      util::run_command({m_program, "-c", "-g", "kernel.cubin"}, folder.path(), m_limit,
                        util::CommandGroup::own, util::ProcessorTime::limited, most_listing_bytes);
  if (result.timed_out) {
    throw model::Error(
        fmt::format("{} did not finish within {} s", m_program, static_cast<double>(m_limit.count()) / 1000));
  }
  if (result.exit_code != 0) {
    std::string_view said = util::trimmed(result.output);
    throw model::Error(fmt::format("{} cannot read the binary: {}", m_program,
                                   said.empty() ? fmt::format("it ended with signal {}", result.signal)
                                                : std::string(util::split_first(said, "\n"))),
                       "an nvdisasm as new as the compiler knows the binary's architecture; TUNER_NVDISASM "
                       "names another");
  }
  if (result.output.size() >= most_listing_bytes)
    throw model::Error(
        fmt::format("the machine code is longer than {} MiB as text", most_listing_bytes >> 20U));
  return std::move(result.output);
}

namespace {

using util::split_first;
using util::trimmed;

std::optional<std::int64_t> hexadecimal(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// `/*0080*/ @P0 BRX R2 -0x90 (*"BRANCH_TARGETS .L_x_1"*) ;`
std::optional<Instruction> read_instruction(std::string_view line) {
  if (!line.starts_with("/*")) return std::nullopt;
  line.remove_prefix(2);
  const auto address = hexadecimal(split_first(line, "*/"));
  if (!address) return std::nullopt;
  line = trimmed(line.substr(0, line.rfind(';')));
  while (line.starts_with('{')) line = trimmed(line.substr(1));
  Instruction instruction;
  instruction.address = *address;
  if (const std::size_t note = line.find("(*\""); note != std::string_view::npos) {
    std::string_view inside = line.substr(note + 3);
    instruction.note = split_first(inside, "\"*)");
    line = trimmed(line.substr(0, note));
  }
  if (line.starts_with('@')) {
    line.remove_prefix(1);
    instruction.guard = split_first(line, " ");
    line = trimmed(line);
  }
  instruction.opcode = split_first(line, " ");
  instruction.operands = trimmed(line);
  if (instruction.opcode.empty()) return std::nullopt;
  return instruction;
}

class Reader {
 public:
  void read_line(std::string_view line) {
    const std::string_view text = trimmed(line);
    if (text.starts_with(".target")) {
      m_listing.architecture = trimmed(text.substr(std::string_view(".target").size()));
    } else if (text.starts_with(".section\t") || text.starts_with(".section ")) {
      begin_section(trimmed(text.substr(std::string_view(".section").size())));
    } else if (m_code == nullptr) {
      return;
    } else if (text.starts_with("//##")) {
      read_place(text);
    } else if (auto instruction = read_instruction(text)) {
      instruction->file = m_file;
      instruction->line = m_line;
      m_code->instructions.push_back(*std::move(instruction));
    } else {
      read_directive(line, text);
    }
  }

  Listing take() { return std::move(m_listing); }

 private:
  void begin_section(std::string_view rest) {
    constexpr std::string_view prefix = ".text.";
    std::string_view name = split_first(rest, ",");
    m_code = nullptr;
    m_file.clear();
    m_line = 0;
    if (!name.starts_with(prefix)) return;
    m_code = &m_listing.sections.emplace_back();
    m_code->symbol = name.substr(prefix.size());
  }

  /// `//## File "/a/b.cu", line 15`, and behind it where that was inlined.
  void read_place(std::string_view text) {
    constexpr std::string_view before_file = "File \"";
    const std::size_t at = text.find(before_file);
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + before_file.size());
    const std::string_view file = split_first(text, "\"");
    const std::size_t number = text.find_first_of("0123456789");
    if (!text.starts_with(", line ") || number == std::string_view::npos) return;
    text.remove_prefix(number);
    m_line = util::parse_number<int>(text.substr(0, text.find_first_not_of("0123456789"))).value_or(0);
    m_file = file;
  }

  void read_directive(std::string_view line, std::string_view text) {
    if (line.ends_with(':') && !line.starts_with(' ') && !line.starts_with('\t')) {
      line.remove_suffix(1);
      m_code->labels.emplace(line, m_code->instructions.size());
    } else if (text.starts_with(".type")) {
      std::string_view rest = trimmed(text.substr(std::string_view(".type").size()));
      const std::string_view name = split_first(rest, ",");
      if (rest == "@function" && name != m_code->symbol) m_code->functions.emplace_back(name);
    } else if (text.starts_with(".other") && text.find("STO_CUDA_ENTRY") != std::string_view::npos) {
      m_code->is_kernel = true;
    }
  }

  Listing m_listing;
  Code* m_code = nullptr;
  std::string m_file;
  int m_line = 0;
};

}  // namespace

const Code* Listing::find(std::string_view symbol) const {
  const auto found = std::ranges::find_if(sections, [&](const Code& code) { return code.symbol == symbol; });
  return found == sections.end() ? nullptr : &*found;
}

Listing read_listing(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    std::string_view line = split_first(text, "\n");
    if (line.ends_with('\r')) line.remove_suffix(1);
    reader.read_line(line);
  }
  return reader.take();
}

}  // namespace tuner::sass
