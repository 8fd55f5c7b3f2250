#include "tuner/use/pack_writer.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>

#include "tuner/use/pack_view.hpp"
#include "tuner/use/sha256.hpp"

namespace tuner::use {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("pack: " + why);
}

template <typename Value>
void append(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::size_t encoded_bytes(Op op) {
  if (op == Op::integer || op == Op::real) return 9;
  if (op == Op::load) return 2;
  return is_jump(op) ? 3 : 1;
}

/// As pack_format.hpp describes it: jumps lead to bytes instead of instructions.
std::string encoded(const Expression& expression) {
  std::vector<std::size_t> starts;
  std::size_t length = 0;
  for (const Instruction& one : expression.code) {
    starts.push_back(length);
    length += encoded_bytes(one.op);
  }
  starts.push_back(length);
  if (length > most_code_bytes) refuse("an expression of " + std::to_string(length) + " bytes");
  std::string bytes;
  for (const Instruction& one : expression.code) {
    bytes.push_back(static_cast<char>(one.op));
    if (one.op == Op::integer) append(bytes, one.integer);
    if (one.op == Op::real) append(bytes, one.real);
    if (one.op == Op::load) {
      if (one.integer < 0 || one.integer >= variable_count) refuse("an expression loads an unknown variable");
      append(bytes, static_cast<std::uint8_t>(one.integer));
    }
    if (!is_jump(one.op)) continue;
    const auto target = static_cast<std::size_t>(one.integer);
    if (one.integer < 0 || target >= starts.size()) refuse("an expression jumps out of itself");
    append(bytes, static_cast<std::uint16_t>(starts[target]));
  }
  return bytes;
}

/// How many of the derived values an expression reads at most, counted from the first.
std::uint32_t derived_read(const Expression& expression) {
  std::uint32_t most = 0;
  for (const Instruction& one : expression.code) {
    if (one.op == Op::load && one.integer >= first_derived)
      most = std::max(most, static_cast<std::uint32_t>(one.integer) - first_derived + 1);
  }
  return most;
}

/// Grows sections in the order that the format asks for.
class Writer {
 public:
  explicit Writer(const Pack& pack) : m_pack(pack) {}

  std::string write() {
    find_owners();
    m_functions.resize(m_pack.images.size());
    m_symbols.resize(m_pack.images.size());
    for (const Kernel& kernel : m_pack.kernels) add(kernel);
    for (std::size_t i = 0; i < m_pack.configurations.size(); ++i) add(m_pack.configurations[i], m_owners[i]);
    for (std::size_t i = 0; i < m_pack.images.size(); ++i) add(i);
    return assembled();
  }

 private:
  std::string& bytes(ByteSection section) { return m_sections[static_cast<std::size_t>(section)]; }
  template <typename Record>
  std::uint32_t count() const {
    return static_cast<std::uint32_t>(m_sections[section_of<Record>].size() / sizeof(Record));
  }
  template <typename Record>
  void add_record(const Record& record) {
    append(m_sections[section_of<Record>], record);
  }
  /// Of as many that are to be added next.
  template <typename Record>
  Range range(std::size_t items) const {
    return {count<Record>(), static_cast<std::uint32_t>(items)};
  }

  Text text(const std::string& text) {
    if (text.find('\0') != std::string::npos) refuse("a text with a 0 in it");
    const auto [at, is_new] =
        m_texts.try_emplace(text, static_cast<std::uint32_t>(bytes(ByteSection::texts).size()));
    if (is_new) bytes(ByteSection::texts).append(text.c_str(), text.size() + 1);
    return {at->second, static_cast<std::uint32_t>(text.size())};
  }

  Code code(const Expression& expression) {
    if (expression.empty()) return {0, 0};
    const std::string encoding = encoded(expression);
    const auto [at, is_new] =
        m_codes.try_emplace(encoding, static_cast<std::uint32_t>(bytes(ByteSection::code).size()));
    if (is_new) bytes(ByteSection::code) += encoding;
    return {at->second, static_cast<std::uint32_t>(encoding.size()) | (expression.is_real ? real_code : 0)};
  }
  /// Constants of one kind for what must be there.
  Code code_or(const Expression& expression, std::int64_t otherwise) {
    return code(expression.empty() ? constant(otherwise) : expression);
  }

  /// A configuration is of the kernel whose targets name it.
  void find_owners() {
    m_owners.assign(m_pack.configurations.size(), no_index);
    for (std::uint32_t i = 0; i < m_pack.kernels.size(); ++i) {
      const auto own = [&](std::uint32_t configuration) {
        if (configuration >= m_owners.size())
          refuse(m_pack.kernels[i].family + " names a configuration that is none");
        std::uint32_t& owner = m_owners[configuration];
        if (owner != no_index && owner != i) refuse("a configuration is named by two kernels");
        owner = i;
      };
      for (const Target& target : m_pack.kernels[i].targets) {
        for (const MeasuredSize& size : target.measured) own(size.configuration);
        for (const RuleNode& node : target.rule) {
          if (node.condition.empty()) own(node.configuration);
          for (const std::uint32_t other : node.otherwise) own(other);
        }
        for (const std::uint32_t one : target.defaults) own(one);
      }
    }
    if (std::find(m_owners.begin(), m_owners.end(), no_index) != m_owners.end())
      refuse("no target names one of the configurations");
  }

  void add(const Kernel& kernel) {
    add_record(KernelRecord{text(kernel.family), text(kernel.type), range<Text>(kernel.sizes.size()),
                            range<ParameterRecord>(kernel.parameters.size()),
                            range<TargetRecord>(kernel.targets.size())});
    for (const std::string& size : kernel.sizes) add_record(text(size));
    for (const Parameter& one : kernel.parameters)
      add_record(ParameterRecord{text(one.name), text(one.type_name), code(one.bytes),
                                 static_cast<std::uint8_t>(one.type), one.is_pointer, one.is_written,
                                 one.is_read, one.alignment});
    for (const Target& target : kernel.targets) add(target, kernel.sizes.size());
  }

  void add(const Target& target, std::size_t size_count) {
    add_record(TargetRecord{
        text(target.architecture), text(target.gpu), range<MeasuredRecord>(target.measured.size()),
        range<NodeRecord>(target.rule.size()), range<std::int64_t>(target.defaults.size())});
    for (const std::uint32_t one : target.defaults) add_record(static_cast<std::int64_t>(one));
    std::vector<const MeasuredSize*> ascending;
    for (const MeasuredSize& size : target.measured) {
      if (size.sizes.size() != size_count) refuse("a measured problem with another number of sizes");
      ascending.push_back(&size);
    }
    std::sort(ascending.begin(), ascending.end(),
              [](const auto* a, const auto* b) { return a->sizes < b->sizes; });
    for (const MeasuredSize* size : ascending) {
      add_record(MeasuredRecord{count<std::int64_t>(), size->configuration, size->expected_ns, size->loss});
      for (const std::int64_t number : size->sizes) add_record(number);
    }
    for (const RuleNode& node : target.rule) {
      add_record(NodeRecord{code(node.condition), node.yes, node.no, node.configuration, 0,
                            range<std::int64_t>(node.otherwise.size()), node.loss_bound, node.confidence});
      for (const std::uint32_t other : node.otherwise) add_record(static_cast<std::int64_t>(other));
    }
  }

  void add(const Configuration& one, std::uint32_t owner) {
    if (one.image >= m_pack.images.size()) refuse(one.kernel + " has an image that is none");
    add_record(ConfigurationRecord{text(one.kernel), text(one.name), range<Code>(one.derived.size()),
                                   code(one.applies), derived_read(one.applies), one.image, owner, 0,
                                   range<WorkspaceRecord>(one.workspaces.size()),
                                   range<StepRecord>(one.steps.size())});
    for (const Expression& derived : one.derived) add_record(code(derived));
    for (const Workspace& workspace : one.workspaces)
      add_record(WorkspaceRecord{code(workspace.bytes), workspace.fill, {}});
    for (const Step& step : one.steps) add(step, one.image);
  }

  void set(const std::vector<Expression>& from, Code (&to)[3]) {
    if (from.size() > 3) refuse("a grid, block or cluster of more than three sides");
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = code(from[i]);
  }

  void add(const Step& step, std::uint32_t image) {
    StepRecord record = {};
    record.kind = step.kind;
    record.is_workspace = step.is_workspace;
    record.repeat_steps = step.repeat_steps;
    if (step.kind == StepKind::launch) record.function = place_of(step.function, m_functions[image]);
    if (!step.symbol.empty()) record.function = place_of(step.symbol, m_symbols[image]);
    record.target = step.target;
    record.when = code(step.when);
    record.repeat = code(step.repeat);
    set(step.grid, record.grid);
    set(step.block, record.block);
    set(step.cluster, record.cluster);
    record.dynamic_shared_bytes = code(step.dynamic_shared_bytes);
    record.cooperative = code(step.cooperative);
    record.overlap = code(step.overlap);
    record.shared_carveout = code(step.shared_carveout);
    record.first_byte = code(step.first_byte);
    record.byte_count = code(step.byte_count);
    record.byte = code(step.byte);
    record.operands = range<OperandRecord>(step.operands.size());
    add_record(record);
    for (const Operand& operand : step.operands) add(operand);
  }

  void add(const Operand& operand) {
    OperandRecord record = {};
    record.kind = operand.kind;
    record.type = static_cast<std::uint8_t>(operand.type);
    record.bytes = operand.struct_bytes;
    record.index = operand.index;
    record.value = code(operand.value);
    record.fields = range<FieldRecord>(operand.fields.size());
    if (operand.kind == OperandKind::tensor_map) record.index = count<MapRecord>();
    add_record(record);
    for (const Field& field : operand.fields)
      add_record(FieldRecord{field.offset, static_cast<std::uint8_t>(field.type), 0, field.parameter,
                             code(field.value)});
    if (operand.kind == OperandKind::tensor_map) add(operand.map);
  }

  void add(const TensorMap& map) {
    const std::size_t rank = map.shape.size();
    const bool has_strides = map.element_strides.empty() || map.element_strides.size() == rank;
    if (rank == 0 || rank > most_rank || map.strides.size() != rank - 1 || map.box.size() != rank ||
        !has_strides)
      refuse("a tensor map whose lists do not fit together");
    add_record(MapRecord{map.is_workspace, static_cast<std::uint8_t>(map.type),
                         static_cast<std::uint8_t>(rank), map.nan_outside, map.index,
                         range<Code>(4 * rank + 2)});
    const auto add_all = [&](const std::vector<Expression>& all) {
      for (const Expression& one : all) add_record(code(one));
    };
    add_all(map.shape);
    add_all(map.strides);
    add_all(map.box);
    for (std::size_t i = 0; i < rank; ++i)
      add_record(code_or(map.element_strides.empty() ? Expression() : map.element_strides[i], 1));
    for (const Expression* width : {&map.interleave, &map.swizzle, &map.l2_promotion})
      add_record(code_or(*width, 0));
  }

  /// Which is added where it is new.
  static std::uint32_t place_of(const std::string& name, std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::uint32_t>(found - names.begin());
    names.push_back(name);
    return static_cast<std::uint32_t>(names.size() - 1);
  }

  void add(std::size_t image_index) {
    const Image& image = m_pack.images[image_index];
    std::string& binaries = bytes(ByteSection::binaries);
    const auto [at, is_new] = m_binaries.try_emplace(image.bytes, binaries.size());
    if (is_new) {
      binaries += image.bytes;
      binaries.resize((binaries.size() + binary_alignment - 1) / binary_alignment * binary_alignment);
    }
    const auto add_names = [this](const std::vector<std::string>& names) {
      const Range added = range<Text>(names.size());
      for (const std::string& name : names) add_record(text(name));
      return added;
    };
    const Range functions = add_names(m_functions[image_index]);
    const Range symbols = add_names(m_symbols[image_index]);
    add_record(ImageRecord{text(image.architecture), functions, symbols, at->second, image.bytes.size(),
                           image.kind, 0});
  }

  std::string assembled() const {
    Header header = {};
    std::memcpy(header.mark, magic, sizeof magic);
    header.version = format_version;
    header.header_bytes = sizeof header;
    std::string pack(sizeof header, '\0');
    for (std::size_t i = 0; i < section_count; ++i) {
      const std::size_t unit = i == static_cast<std::size_t>(ByteSection::binaries) ? binary_alignment : 8;
      pack.resize((pack.size() + unit - 1) / unit * unit);
      header.sections[i] = {pack.size(), m_sections[i].size() / record_bytes(static_cast<std::uint32_t>(i))};
      pack += m_sections[i];
    }
    header.file_bytes = pack.size();
    std::memcpy(pack.data(), &header, sizeof header);
    Sha256 sum;
    sum.add(pack.data(), pack.size());
    sum.finish(header.digest);
    std::memcpy(pack.data(), &header, sizeof header);
    return pack;
  }

  const Pack& m_pack;
  std::string m_sections[section_count];
  std::map<std::string, std::uint32_t> m_texts;
  std::map<std::string, std::uint32_t> m_codes;
  std::map<std::string, std::uint64_t> m_binaries;
  std::vector<std::uint32_t> m_owners;                ///< of each configuration
  std::vector<std::vector<std::string>> m_functions;  ///< of each image, those that steps name
  std::vector<std::vector<std::string>> m_symbols;    ///< symbols of each image, those that steps name
};

}  // namespace

Expression constant(std::int64_t value) {
  return {{{Op::integer, value}}};
}

Expression constant_real(double value) {
  return {{{Op::real, 0, value}}, true};
}

Expression size(std::uint32_t index) {
  return {{{Op::load, index}}};
}

Expression limit(Limit limit) {
  return {{{Op::load, first_limit + static_cast<std::int64_t>(limit)}}};
}

Expression derived(std::uint32_t index) {
  return {{{Op::load, std::int64_t{first_derived} + index}}};
}

namespace {

/// Puts code behind `onto`, its jumps moved along.
void append_code(Expression& onto, const Expression& code) {
  const auto moved = static_cast<std::int64_t>(onto.code.size());
  for (Instruction one : code.code) {
    if (is_jump(one.op)) one.integer += moved;
    onto.code.push_back(one);
  }
}

}  // namespace

Expression binary(Op op, const Expression& a, const Expression& b) {
  Expression result = a;
  append_code(result, b);
  result.code.push_back({op});
  return result;
}

Expression unary(Op op, const Expression& a) {
  Expression result = a;
  result.code.push_back({op});
  return result;
}

Expression inlined(const Expression& expression, const std::vector<Expression>& derived) {
  Expression result;
  result.is_real = expression.is_real;
  std::vector<std::int64_t> starts;  // where each instruction went
  std::vector<std::pair<std::size_t, std::int64_t>> jumps;
  for (const Instruction& one : expression.code) {
    starts.push_back(static_cast<std::int64_t>(result.code.size()));
    if (one.op == Op::load && one.integer >= first_derived) {
      const auto index = static_cast<std::size_t>(one.integer - first_derived);
      if (index >= derived.size()) refuse("an expression reads a derived value that is none");
      if (expression.is_real) refuse("whole numbers would be calculated with doubles");
      append_code(result, inlined(derived[index], derived));
      continue;
    }
    if (is_jump(one.op)) jumps.emplace_back(result.code.size(), one.integer);
    result.code.push_back(one);
  }
  starts.push_back(static_cast<std::int64_t>(result.code.size()));
  for (const auto& [at, target] : jumps)
    result.code[at].integer = starts.at(static_cast<std::size_t>(target));
  return result;
}

std::string written(const Pack& pack) {
  std::string bytes = Writer(pack).write();
  std::vector<std::uint64_t> aligned((bytes.size() + 7) / 8);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  if (check_pack(aligned.data(), bytes.size()) != TUNER_OK)
    refuse(std::string("what was written is refused: ") + tuner_error_detail());
  return bytes;
}

}  // namespace tuner::use
