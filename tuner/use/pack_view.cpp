#include "tuner/use/pack_view.hpp"

#include <cstring>
#include <initializer_list>

#include "tuner/use/error.hpp"
#include "tuner/use/sha256.hpp"

namespace tuner::use {
namespace {

/// Walks over every record once, in the order in which ranges follow each other. So the walk takes as long as
/// the pack is large, whatever its bytes say.
class Checker {
 public:
  explicit Checker(const PackView& pack) : m_pack(pack) {}

  bool is_sound() {
    for (std::uint32_t i = 0; i < m_pack.count(SectionKind::kernels); ++i) {
      if (!kernel(i)) return false;
    }
    for (std::uint32_t i = 0; i < m_pack.count(SectionKind::configurations); ++i) {
      if (!configuration(m_pack.configurations()[i])) return false;
    }
    for (std::uint32_t i = 0; i < m_pack.count(SectionKind::images); ++i) {
      if (!image(m_pack.images()[i])) return false;
    }
    for (std::uint32_t i = static_cast<std::uint32_t>(SectionKind::names); i < section_count; ++i) {
      const auto kind = static_cast<SectionKind>(i);
      const bool is_top =
          kind == SectionKind::kernels || kind == SectionKind::configurations || kind == SectionKind::images;
      if (!is_top && m_taken[i] != m_pack.count(kind)) return false;
    }
    return true;
  }

 private:
  /// The range that follows those before it.
  bool take(const Range& range, SectionKind kind) {
    std::uint32_t& taken = m_taken[static_cast<std::uint32_t>(kind)];
    if (range.first != taken || range.count > m_pack.count(kind) - taken) return false;
    taken += range.count;
    return true;
  }

  bool text(const Text& text) const {
    const std::uint32_t bytes = m_pack.count(SectionKind::texts);
    return text.at < bytes && text.bytes < bytes - text.at && m_pack.text(text)[text.bytes] == 0;
  }

  enum class Wanted { integer, real };
  /// Sound code, or none where that `may_be_absent`.
  bool code(const Code& code, bool may_be_absent, Wanted wanted = Wanted::integer) const {
    if (code.bytes == 0) return may_be_absent;
    const std::uint32_t bytes = code.bytes & ~real_code;
    const std::uint32_t all = m_pack.count(SectionKind::code);
    const bool is_real = (code.bytes & real_code) != 0;
    return code.at <= all && bytes <= all - code.at && is_real == (wanted == Wanted::real) &&
           use::is_sound(m_pack.bytes(SectionKind::code) + code.at, bytes, is_real, m_readable);
  }

  bool kernel(std::uint32_t index) {
    const KernelRecord& kernel = m_pack.kernels()[index];
    m_readable = {kernel.sizes.count, 0};
    m_owner = index;
    const bool has_lists = text(kernel.family) && text(kernel.type) && kernel.sizes.count <= most_sizes &&
                           take(kernel.sizes, SectionKind::names) &&
                           take(kernel.parameters, SectionKind::parameters) &&
                           take(kernel.targets, SectionKind::targets);
    if (!has_lists) return false;
    for (std::uint32_t i = 0; i < kernel.sizes.count; ++i) {
      if (!text(m_pack.names()[kernel.sizes.first + i])) return false;
    }
    for (std::uint32_t i = 0; i < kernel.parameters.count; ++i) {
      if (!parameter(m_pack.parameters()[kernel.parameters.first + i])) return false;
    }
    for (std::uint32_t i = 0; i < kernel.targets.count; ++i) {
      if (!target(m_pack.targets()[kernel.targets.first + i])) return false;
    }
    return true;
  }

  bool parameter(const ParameterRecord& parameter) const {
    const bool is_type = parameter.type <= TUNER_FLOAT8_E5M2;
    const bool is_power = parameter.alignment != 0 && (parameter.alignment & (parameter.alignment - 1)) == 0;
    const bool is_known = parameter.is_pointer != 0 || size_of(parameter.type) != 0;
    return text(parameter.name) && text(parameter.type_name) && is_type && is_power && is_known &&
           code(parameter.bytes, parameter.is_pointer == 0);
  }

  bool target(const TargetRecord& target) {
    const bool has_lists = text(target.architecture) && text(target.gpu) &&
                           take(target.measured, SectionKind::measured) &&
                           take(target.nodes, SectionKind::nodes);
    if (!has_lists) return false;
    const char* const architecture = m_pack.text(target.architecture);
    const std::int64_t* before = nullptr;
    for (std::uint32_t i = 0; i < target.measured.count; ++i) {
      const MeasuredRecord& size = m_pack.measured()[target.measured.first + i];
      if (!take({size.first_number, m_readable.sizes}, SectionKind::numbers)) return false;
      const std::int64_t* const numbers = m_pack.numbers() + size.first_number;
      if (before != nullptr && !ascends(before, numbers)) return false;
      before = numbers;
      if (!is_for(size.configuration, architecture) || !(size.expected_ns >= 0)) return false;
    }
    for (std::uint32_t i = 0; i < target.nodes.count; ++i) {
      if (!node(target, i, architecture)) return false;
    }
    return target.default_configuration == no_index || is_for(target.default_configuration, architecture);
  }

  bool node(const TargetRecord& target, std::uint32_t place, const char* architecture) {
    const NodeRecord& node = m_pack.nodes()[target.nodes.first + place];
    if (!take(node.otherwise, SectionKind::numbers)) return false;
    for (std::uint32_t i = 0; i < node.otherwise.count; ++i) {
      const std::int64_t other = m_pack.numbers()[node.otherwise.first + i];
      if (other < 0 || other >= no_index || !is_for(static_cast<std::uint32_t>(other), architecture))
        return false;
    }
    if (node.condition.bytes == 0) return is_for(node.configuration, architecture);
    const auto follows = [&](std::uint32_t next) { return next > place && next < target.nodes.count; };
    const bool is_real = (node.condition.bytes & real_code) != 0;
    return code(node.condition, false, is_real ? Wanted::real : Wanted::integer) && follows(node.yes) &&
           follows(node.no);
  }

  bool ascends(const std::int64_t* before, const std::int64_t* numbers) const {
    for (std::uint32_t i = 0; i < m_readable.sizes; ++i) {
      if (before[i] != numbers[i]) return before[i] < numbers[i];
    }
    return false;
  }

  /// Whether a target of the kernel at hand may name it.
  bool is_for(std::uint32_t configuration, const char* architecture) const {
    if (configuration >= m_pack.count(SectionKind::configurations)) return false;
    const ConfigurationRecord& record = m_pack.configurations()[configuration];
    if (record.owner != m_owner || record.image >= m_pack.count(SectionKind::images)) return false;
    const Text& of_image = m_pack.images()[record.image].architecture;
    return text(of_image) && std::strcmp(m_pack.text(of_image), architecture) == 0;
  }

  bool configuration(const ConfigurationRecord& record) {
    if (record.owner >= m_pack.count(SectionKind::kernels) ||
        record.image >= m_pack.count(SectionKind::images))
      return false;
    m_kernel = &m_pack.kernels()[record.owner];
    m_configuration = &record;
    const bool has_lists =
        text(record.kernel) && text(record.name) && record.derived.count <= variable_count - first_derived &&
        record.applies_derived <= record.derived.count && record.workspaces.count <= most_workspaces &&
        record.steps.count <= most_steps && record.steps.count > 0 &&
        take(record.derived, SectionKind::codes) && take(record.workspaces, SectionKind::workspaces) &&
        take(record.steps, SectionKind::steps);
    if (!has_lists) return false;
    m_readable = {m_kernel->sizes.count, record.applies_derived};
    if (!code(record.applies, true)) return false;
    for (m_readable.derived = 0; m_readable.derived < record.derived.count; ++m_readable.derived) {
      if (!code(m_pack.codes()[record.derived.first + m_readable.derived], false)) return false;
    }
    for (std::uint32_t i = 0; i < record.workspaces.count; ++i) {
      const WorkspaceRecord& workspace = m_pack.workspaces()[record.workspaces.first + i];
      if (!code(workspace.bytes, false) || workspace.fill > static_cast<std::uint8_t>(Fill::zero_always))
        return false;
    }
    for (std::uint32_t i = 0; i < record.steps.count; ++i) {
      if (!step(m_pack.steps()[record.steps.first + i], i)) return false;
    }
    return true;
  }

  /// Whether it names a pointer of the caller's, or a workspace.
  bool is_memory(bool is_workspace, std::uint32_t index) const {
    if (is_workspace) return index < m_configuration->workspaces.count;
    return index < m_kernel->parameters.count &&
           m_pack.parameters()[m_kernel->parameters.first + index].is_pointer != 0;
  }

  bool step(const StepRecord& step, std::uint32_t place) {
    if (step.repeat_steps > m_configuration->steps.count - place) return false;
    for (const Code* one :
         {&step.when, &step.repeat, &step.dynamic_shared_bytes, &step.cooperative, &step.overlap,
          &step.shared_carveout, &step.first_byte, &step.byte_count, &step.byte}) {
      if (!code(*one, true)) return false;
    }
    for (int i = 0; i < 3; ++i) {
      if (!code(step.grid[i], true) || !code(step.block[i], true) || !code(step.cluster[i], true))
        return false;
    }
    if (!take(step.operands, SectionKind::operands)) return false;
    if (step.kind == static_cast<std::uint8_t>(StepKind::memset))
      return step.operands.count == 0 && is_memory(step.is_workspace != 0, step.target);
    if (is_copy(step))
      return step.operands.count == 0 && is_memory(false, step.target) && step.byte_count.bytes != 0 &&
             step.function < m_pack.images()[m_configuration->image].symbols.count;
    if (step.kind == static_cast<std::uint8_t>(StepKind::memset_symbol))
      return step.operands.count == 0 &&
             step.function < m_pack.images()[m_configuration->image].symbols.count;
    if (step.kind != static_cast<std::uint8_t>(StepKind::launch)) return false;
    if (step.operands.count > most_operands) return false;
    if (step.function >= m_pack.images()[m_configuration->image].functions.count) return false;
    std::uint32_t bytes = 0;
    for (std::uint32_t i = 0; i < step.operands.count; ++i) {
      const OperandRecord& one = m_pack.operands()[step.operands.first + i];
      if (!operand(one)) return false;
      bytes += operand_room(m_pack, *m_kernel, one);
      if (bytes > most_operand_bytes) return false;
    }
    return true;
  }

  bool operand(const OperandRecord& operand) {
    if (!take(operand.fields, SectionKind::fields)) return false;
    const auto kind = static_cast<OperandKind>(operand.kind);
    if (kind != OperandKind::structure && operand.fields.count != 0) return false;
    switch (kind) {
      case OperandKind::parameter:
        return operand.index < m_kernel->parameters.count;
      case OperandKind::workspace:
        return operand.index < m_configuration->workspaces.count;
      case OperandKind::number:
        return number(operand.type, operand.value);
      case OperandKind::structure:
        return structure(operand);
      case OperandKind::tensor_map:
        return take({operand.index, 1}, SectionKind::maps) && map(m_pack.maps()[operand.index]);
    }
    return false;
  }

  bool number(std::uint8_t type, const Code& value) const {
    return size_of(type) != 0 && code(value, false, is_floating(type) ? Wanted::real : Wanted::integer);
  }

  bool structure(const OperandRecord& operand) const {
    if (operand.bytes == 0 || operand.bytes > most_operand_bytes) return false;
    for (std::uint32_t i = 0; i < operand.fields.count; ++i) {
      const FieldRecord& field = m_pack.fields()[operand.fields.first + i];
      const std::uint32_t bytes = size_of(field.type);
      if (bytes == 0 || bytes > operand.bytes || field.offset > operand.bytes - bytes) return false;
      if (field.parameter == no_index) {
        if (!number(field.type, field.value)) return false;
        continue;
      }
      if (field.parameter >= m_kernel->parameters.count) return false;
      const ParameterRecord& parameter = m_pack.parameters()[m_kernel->parameters.first + field.parameter];
      if (parameter.is_pointer != 0 || parameter.type != field.type) return false;
    }
    return true;
  }

  bool map(const MapRecord& map) {
    if (map.rank == 0 || map.rank > most_rank || map.codes.count != 4U * map.rank + 2) return false;
    if (size_of(map.type) == 0 || !is_memory(map.is_workspace != 0, map.index)) return false;
    if (!take(map.codes, SectionKind::codes)) return false;
    for (std::uint32_t i = 0; i < map.codes.count; ++i) {
      if (!code(m_pack.codes()[map.codes.first + i], false)) return false;
    }
    return true;
  }

  bool image(const ImageRecord& image) {
    const std::uint64_t all = m_pack.section(SectionKind::binaries).count;
    const bool is_inside = image.at <= all && image.bytes <= all - image.at && image.bytes > 0 &&
                           image.at % binary_alignment == 0;
    if (!is_inside || !text(image.architecture)) return false;
    if (image.kind > static_cast<std::uint32_t>(ImageKind::shared_object)) return false;
    for (const Range* range : {&image.functions, &image.symbols}) {
      if (!take(*range, SectionKind::names)) return false;
      for (std::uint32_t i = 0; i < range->count; ++i) {
        if (!text(m_pack.names()[range->first + i])) return false;
      }
    }
    return true;
  }

  const PackView& m_pack;
  std::uint32_t m_taken[section_count] = {};
  Readable m_readable;
  std::uint32_t m_owner = 0;
  const KernelRecord* m_kernel = nullptr;
  const ConfigurationRecord* m_configuration = nullptr;
};

bool has_sound_sections(const Header& header) {
  for (std::uint32_t i = 0; i < section_count; ++i) {
    const Section& section = header.sections[i];
    if (section.at % 8 != 0 || section.at > header.file_bytes) return false;
    if (section.count > (header.file_bytes - section.at) / record_bytes(static_cast<SectionKind>(i)))
      return false;
    const bool is_large = i == static_cast<std::uint32_t>(SectionKind::binaries);
    if (!is_large && section.count >= no_index) return false;
  }
  return header.sections[static_cast<std::uint32_t>(SectionKind::binaries)].at % binary_alignment == 0;
}

}  // namespace

tuner_error check_pack(const void* bytes, std::size_t count) {
  const auto damaged = [](const char* what) { return fail(TUNER_DAMAGED_PACK, "%s", what); };
  if (bytes == nullptr || reinterpret_cast<std::uintptr_t>(bytes) % 8 != 0)
    return fail(TUNER_BAD_CALL, "a pack must begin at a multiple of 8 bytes");
  if (count < sizeof magic || std::memcmp(bytes, magic, sizeof magic) != 0)
    return fail(TUNER_NOT_A_PACK, "it does not begin as packs do");
  if (count < offsetof(Header, header_bytes)) return damaged("it ends within its header");
  const PackView pack(bytes);
  if (pack.header().version != format_version)
    return fail(TUNER_NEWER_PACK, "version %u; this library reads version %u", pack.header().version,
                format_version);
  if (count < sizeof(Header)) return damaged("it ends within its header");
  if (pack.header().header_bytes != sizeof(Header)) return damaged("its header has another length");
  if (pack.header().file_bytes != count)
    return fail(TUNER_DAMAGED_PACK, "it has %zu bytes and says %llu", count,
                static_cast<unsigned long long>(pack.header().file_bytes));
  constexpr std::uint8_t zeros[digest_bytes] = {};
  const auto* const from = static_cast<const std::uint8_t*>(bytes);
  constexpr std::size_t behind = offsetof(Header, digest) + digest_bytes;
  Sha256 sum;
  sum.add(from, offsetof(Header, digest));
  sum.add(zeros, sizeof zeros);
  sum.add(from + behind, count - behind);
  std::uint8_t digest[digest_bytes];
  sum.finish(digest);
  if (std::memcmp(digest, pack.header().digest, digest_bytes) != 0) return damaged("its checksum is another");
  if (!has_sound_sections(pack.header()) || !Checker(pack).is_sound()) return damaged("its parts do not fit");
  return TUNER_OK;
}

std::uint32_t operand_bytes_of(const PackView& pack, const KernelRecord& kernel,
                               const OperandRecord& operand) {
  switch (static_cast<OperandKind>(operand.kind)) {
    case OperandKind::parameter: {
      const ParameterRecord& parameter = pack.parameters()[kernel.parameters.first + operand.index];
      return parameter.is_pointer != 0 ? 8 : size_of(parameter.type);
    }
    case OperandKind::workspace:
      return 8;
    case OperandKind::number:
      return size_of(operand.type);
    case OperandKind::structure:
      return operand.bytes;
    default:
      return tensor_map_bytes;
  }
}

std::uint32_t operand_room(const PackView& pack, const KernelRecord& kernel, const OperandRecord& operand) {
  const bool is_map = operand.kind == static_cast<std::uint8_t>(OperandKind::tensor_map);
  const std::uint32_t bytes = operand_bytes_of(pack, kernel, operand);
  return is_map ? bytes + operand_alignment(operand) : (bytes + 15) / 16 * 16;
}

}  // namespace tuner::use
