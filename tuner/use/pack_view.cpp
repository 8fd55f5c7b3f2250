#include "tuner/use/pack_view.hpp"

#include <cstring>
#include <initializer_list>

#include "tuner/use/library.hpp"
#include "tuner/use/sha256.hpp"

namespace tuner::use {
namespace {

/// Walks over every record once, in the order in which ranges follow each other. So the walk takes as long as
/// the pack is large, whatever its bytes say.
class Checker {
 public:
  explicit Checker(const PackView& pack) : m_pack(pack) {}

  bool is_sound() {
    for (std::uint32_t i = 0; i < m_pack.count<KernelRecord>(); ++i) {
      if (!kernel(i)) return false;
    }
    for (std::uint32_t i = 0; i < m_pack.count<ConfigurationRecord>(); ++i) {
      if (!configuration(m_pack.configurations()[i])) return false;
    }
    for (std::uint32_t i = 0; i < m_pack.count<ImageRecord>(); ++i) {
      if (!image(m_pack.images()[i])) return false;
    }
    for (std::uint32_t i = byte_sections; i < section_count; ++i) {
      const bool is_top = i == section_of<KernelRecord> || i == section_of<ConfigurationRecord> ||
                          i == section_of<ImageRecord>;
      if (!is_top && m_taken[i] != m_pack.header().sections[i].count) return false;
    }
    return true;
  }

 private:
  /// The range that follows those before it.
  template <typename Record>
  bool take(const Range& range) {
    std::uint32_t& taken = m_taken[section_of<Record>];
    if (range.first != taken || range.count > m_pack.count<Record>() - taken) return false;
    taken += range.count;
    return true;
  }

  /// Takes a range, each record of which passes `check`.
  template <typename Record, typename Check>
  bool all(const Range& range, const Record* records, Check check) {
    if (!take<Record>(range)) return false;
    for (std::uint32_t i = 0; i < range.count; ++i) {
      if (!check(records[range.first + i])) return false;
    }
    return true;
  }
  bool texts(const Range& range) {
    return all(range, m_pack.names(), [this](const Text& one) { return text(one); });
  }

  bool text(const Text& text) const {
    const std::uint64_t bytes = m_pack.count(ByteSection::texts);
    return text.at < bytes && text.bytes < bytes - text.at && m_pack.text(text)[text.bytes] == 0;
  }

  enum class Wanted { integer, real };
  /// Sound code, or none where that `may_be_absent`.
  bool code(const Code& code, bool may_be_absent, Wanted wanted = Wanted::integer) const {
    if (code.bytes == 0) return may_be_absent;
    const std::uint32_t bytes = code.bytes & ~real_code;
    const std::uint64_t all = m_pack.count(ByteSection::code);
    const bool is_real = (code.bytes & real_code) != 0;
    return code.at <= all && bytes <= all - code.at && is_real == (wanted == Wanted::real) &&
           use::is_sound(m_pack.bytes(ByteSection::code) + code.at, bytes, is_real, m_readable);
  }

  bool kernel(std::uint32_t index) {
    const KernelRecord& kernel = m_pack.kernels()[index];
    m_readable = {kernel.sizes.count, 0};
    m_owner = index;
    return text(kernel.family) && text(kernel.type) && kernel.sizes.count <= most_sizes &&
           texts(kernel.sizes) &&
           all(kernel.parameters, m_pack.parameters(),
               [this](const ParameterRecord& one) { return parameter(one); }) &&
           all(kernel.targets, m_pack.targets(), [this](const TargetRecord& one) { return target(one); });
  }

  bool parameter(const ParameterRecord& parameter) const {
    const bool is_type = parameter.type <= TUNER_FLOAT8_E5M2;
    const bool is_power = parameter.alignment != 0 && (parameter.alignment & (parameter.alignment - 1)) == 0;
    const bool is_known = parameter.is_pointer != 0 || size_of(parameter.type) != 0;
    return text(parameter.name) && text(parameter.type_name) && is_type && is_power && is_known &&
           code(parameter.bytes, parameter.is_pointer == 0);
  }

  bool target(const TargetRecord& target) {
    if (!text(target.architecture) || !text(target.gpu)) return false;
    const char* const architecture = m_pack.text(target.architecture);
    const std::int64_t* before = nullptr;
    const auto is_sound_size = [&](const MeasuredRecord& size) {
      if (!take<std::int64_t>({size.first_number, m_readable.sizes})) return false;
      const std::int64_t* const numbers = m_pack.numbers() + size.first_number;
      if (before != nullptr && !ascends(before, numbers)) return false;
      before = numbers;
      return is_for(size.configuration, architecture) && size.expected_ns >= 0;
    };
    std::uint32_t place = 0;
    const auto is_sound_node = [&](const NodeRecord& one) {
      return node(one, place++, target.nodes.count, architecture);
    };
    return configurations(target.defaults, architecture) &&
           all(target.measured, m_pack.measured(), is_sound_size) &&
           all(target.nodes, m_pack.nodes(), is_sound_node);
  }

  bool configurations(const Range& range, const char* architecture) {
    return all(range, m_pack.numbers(), [&](std::int64_t one) {
      return one >= 0 && one < no_index && is_for(static_cast<std::uint32_t>(one), architecture);
    });
  }

  bool node(const NodeRecord& node, std::uint32_t place, std::uint32_t nodes, const char* architecture) {
    if (!configurations(node.otherwise, architecture)) return false;
    if (node.condition.bytes == 0) return is_for(node.configuration, architecture);
    const auto follows = [&](std::uint32_t next) { return next > place && next < nodes; };
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
    if (configuration >= m_pack.count<ConfigurationRecord>()) return false;
    const ConfigurationRecord& record = m_pack.configurations()[configuration];
    if (record.owner != m_owner || record.image >= m_pack.count<ImageRecord>()) return false;
    const Text& of_image = m_pack.images()[record.image].architecture;
    return text(of_image) && std::strcmp(m_pack.text(of_image), architecture) == 0;
  }

  bool configuration(const ConfigurationRecord& record) {
    if (record.owner >= m_pack.count<KernelRecord>() || record.image >= m_pack.count<ImageRecord>())
      return false;
    m_kernel = &m_pack.kernels()[record.owner];
    m_configuration = &record;
    const bool has_lists =
        text(record.kernel) && text(record.name) && record.derived.count <= variable_count - first_derived &&
        record.applies_derived <= record.derived.count && record.workspaces.count <= most_workspaces &&
        record.steps.count <= most_steps && record.steps.count > 0 && take<Code>(record.derived);
    if (!has_lists) return false;
    m_readable = {m_kernel->sizes.count, record.applies_derived};
    if (!code(record.applies, true)) return false;
    for (m_readable.derived = 0; m_readable.derived < record.derived.count; ++m_readable.derived) {
      if (!code(m_pack.codes()[record.derived.first + m_readable.derived], false)) return false;
    }
    std::uint32_t place = 0;
    return all(record.workspaces, m_pack.workspaces(),
               [this](const WorkspaceRecord& one) {
                 return code(one.bytes, false) && one.fill <= Fill::zero_always;
               }) &&
           all(record.steps, m_pack.steps(), [&](const StepRecord& one) { return step(one, place++); });
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
    const ImageRecord& image = m_pack.images()[m_configuration->image];
    const bool is_of_symbol = is_copy(step) || step.kind == StepKind::memset_symbol;
    if (is_of_symbol && step.function >= image.symbols.count) return false;
    if (is_copy(step) && (!is_memory(false, step.target) || step.byte_count.bytes == 0)) return false;
    if (step.kind == StepKind::memset && !is_memory(step.is_workspace != 0, step.target)) return false;
    if (step.kind != StepKind::launch)
      return step.kind <= StepKind::memset_symbol && step.operands.count == 0 &&
             take<OperandRecord>(step.operands);
    std::uint32_t bytes = 0;
    const auto is_sound_operand = [&](const OperandRecord& one) {
      if (!operand(one)) return false;
      bytes += operand_room(m_pack, *m_kernel, one);
      return bytes <= most_operand_bytes;
    };
    return step.operands.count <= most_operands && step.function < image.functions.count &&
           all(step.operands, m_pack.operands(), is_sound_operand);
  }

  bool operand(const OperandRecord& operand) {
    if (!take<FieldRecord>(operand.fields)) return false;
    if (operand.kind != OperandKind::structure && operand.fields.count != 0) return false;
    switch (operand.kind) {
      case OperandKind::parameter:
        return operand.index < m_kernel->parameters.count;
      case OperandKind::workspace:
        return operand.index < m_configuration->workspaces.count;
      case OperandKind::number:
        return number(operand.type, operand.value);
      case OperandKind::structure:
        return structure(operand);
      case OperandKind::tensor_map:
        return take<MapRecord>({operand.index, 1}) && map(m_pack.maps()[operand.index]);
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
    return all(map.codes, m_pack.codes(), [this](const Code& one) { return code(one, false); });
  }

  bool image(const ImageRecord& image) {
    const std::uint64_t all = m_pack.count(ByteSection::binaries);
    const bool is_inside = image.at <= all && image.bytes <= all - image.at && image.bytes > 0 &&
                           image.at % binary_alignment == 0;
    return is_inside && text(image.architecture) && image.kind <= ImageKind::shared_object &&
           texts(image.functions) && texts(image.symbols);
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
    if (section.count > (header.file_bytes - section.at) / record_bytes(i)) return false;
    const bool is_large = i == static_cast<std::uint32_t>(ByteSection::binaries);
    if (!is_large && section.count >= no_index) return false;
  }
  return header.sections[static_cast<std::uint32_t>(ByteSection::binaries)].at % binary_alignment == 0;
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
  switch (operand.kind) {
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
  const bool is_map = operand.kind == OperandKind::tensor_map;
  const std::uint32_t bytes = operand_bytes_of(pack, kernel, operand);
  return is_map ? bytes + operand_alignment(operand) : (bytes + 15) / 16 * 16;
}

}  // namespace tuner::use
