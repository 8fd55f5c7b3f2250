#pragma once
#include <cstddef>
#include <cstdint>

#include "tuner/use/pack_format.hpp"

namespace tuner::use {

/// What code reads. Only what the code may read has to be set.
struct Variables {
  std::int64_t values[variable_count];
  Fault faults[variable_count];  ///< of derived values
};

/// Which variables code may read.
struct Readable {
  std::uint32_t sizes = 0;
  std::uint32_t derived = 0;
};

/// Whether it can be evaluated: whole instructions, jumps forward to instructions, known variables, never
/// more than `stack_limit` values, one left at the end.
bool is_sound(const std::uint8_t* code, std::uint32_t bytes, bool is_real, const Readable& readable);

/// The answer of sound code on doubles that works something out from sizes, one after the other, and holds it
/// against the last: as the questions of rules do. False where it is other code, or has no value: evaluate()
/// says. In half its time, which a pick by a rule mostly consists of.
bool ask_sizes(const std::uint8_t* code, std::uint32_t bytes, const std::int64_t* sizes, bool& holds);

/// Of sound code.
Fault evaluate(const std::uint8_t* code, std::uint32_t bytes, const Variables& variables,
               std::int64_t& value);
Fault evaluate(const std::uint8_t* code, std::uint32_t bytes, const Variables& variables, double& value);

/// A pack in memory. After check_pack() every record, text and code reached from its kernels, configurations
/// and images lies inside, so no later check is needed.
class PackView {
 public:
  explicit PackView(const void* bytes = nullptr) : m_bytes(static_cast<const std::uint8_t*>(bytes)) {}

  const Header& header() const { return *reinterpret_cast<const Header*>(m_bytes); }
  std::uint64_t count(ByteSection section) const {
    return header().sections[static_cast<std::uint32_t>(section)].count;
  }
  const std::uint8_t* bytes(ByteSection section) const {
    return m_bytes + header().sections[static_cast<std::uint32_t>(section)].at;
  }
  template <typename Record>
  std::uint32_t count() const {
    return static_cast<std::uint32_t>(header().sections[section_of<Record>].count);
  }
  template <typename Record>
  const Record* records() const {
    return reinterpret_cast<const Record*>(m_bytes + header().sections[section_of<Record>].at);
  }

  const Text* names() const { return records<Text>(); }
  const std::int64_t* numbers() const { return records<std::int64_t>(); }
  const Code* codes() const { return records<Code>(); }
  const KernelRecord* kernels() const { return records<KernelRecord>(); }
  const ParameterRecord* parameters() const { return records<ParameterRecord>(); }
  const TargetRecord* targets() const { return records<TargetRecord>(); }
  const MeasuredRecord* measured() const { return records<MeasuredRecord>(); }
  const NodeRecord* nodes() const { return records<NodeRecord>(); }
  const ConfigurationRecord* configurations() const { return records<ConfigurationRecord>(); }
  const WorkspaceRecord* workspaces() const { return records<WorkspaceRecord>(); }
  const StepRecord* steps() const { return records<StepRecord>(); }
  const OperandRecord* operands() const { return records<OperandRecord>(); }
  const FieldRecord* fields() const { return records<FieldRecord>(); }
  const MapRecord* maps() const { return records<MapRecord>(); }
  const ImageRecord* images() const { return records<ImageRecord>(); }

  const char* text(const Text& text) const {
    return reinterpret_cast<const char*>(bytes(ByteSection::texts)) + text.at;
  }
  const std::uint8_t* binary(const ImageRecord& image) const {
    return bytes(ByteSection::binaries) + image.at;
  }

  /// Code that is there, of the kind of number that it calculates with.
  template <typename Number>
  Fault value(const Code& code, const Variables& variables, Number& result) const {
    return evaluate(bytes(ByteSection::code) + code.at, code.bytes & ~real_code, variables, result);
  }
  /// `otherwise` where there is no code.
  Fault value_or(std::int64_t otherwise, const Code& code, const Variables& variables,
                 std::int64_t& result) const {
    result = otherwise;
    return code.bytes == 0 ? Fault::none : value(code, variables, result);
  }

 private:
  const std::uint8_t* m_bytes;
};

/// Whether these bytes are a whole pack of this version that makes sense in every part. Bytes lie at a
/// multiple of
/// 8. Sets the error's detail.
tuner_error check_pack(const void* bytes, std::size_t count);

/// Whether it copies into or out of a symbol.
constexpr bool is_copy(const StepRecord& step) {
  return step.kind == StepKind::set_symbol || step.kind == StepKind::take_symbol;
}

/// Bytes that the kernel function takes for it.
std::uint32_t operand_bytes_of(const PackView& pack, const KernelRecord& kernel,
                               const OperandRecord& operand);
/// Of its value, for the driver.
constexpr std::uint32_t operand_alignment(const OperandRecord& operand) {
  return operand.kind == OperandKind::tensor_map ? 128 : 16;
}
/// At most so many bytes with what aligns it.
std::uint32_t operand_room(const PackView& pack, const KernelRecord& kernel, const OperandRecord& operand);

}  // namespace tuner::use
