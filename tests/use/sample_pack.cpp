#include "tests/use/sample_pack.hpp"

#include <doctest/doctest.h>

namespace tests {

using namespace tuner::use;

namespace {

Expression product() {
  return binary(Op::multiply, size(0), size(1));
}

Expression bytes_of_floats() {
  return binary(Op::multiply, product(), constant(4));
}

Operand passed(std::uint32_t parameter) {
  Operand operand;
  operand.index = parameter;
  return operand;
}

Operand number(const Expression& value, tuner_type type = TUNER_INT32) {
  Operand operand;
  operand.kind = OperandKind::number;
  operand.type = type;
  operand.value = value;
  return operand;
}

/// function(X, Y, alpha, count, multiprocessors)
Configuration one_launch(const std::string& name, std::int64_t threads, std::uint32_t image) {
  Configuration one;
  one.kernel = "plain";
  one.name = name;
  one.derived = {product(), binary(Op::ceil_div, derived(0), constant(2 * threads))};
  one.image = image;
  Step step;
  step.function = "plain";
  step.grid = {derived(1)};
  step.block = {constant(threads)};
  step.operands = {passed(0), passed(1), passed(2), number(derived(0)),
                   number(limit(Limit::multiprocessors))};
  one.steps = {step};
  return one;
}

Operand map_over_x() {
  Operand operand;
  operand.kind = OperandKind::tensor_map;
  operand.map.shape = {size(1), size(0)};
  operand.map.strides = {binary(Op::multiply, size(1), constant(4))};
  operand.map.box = {constant(32), constant(8)};
  operand.map.swizzle = constant(128);
  return operand;
}

Operand pair_of_numbers() {
  Operand operand;
  operand.kind = OperandKind::structure;
  operand.struct_bytes = 16;
  operand.fields = {{0, TUNER_FLOAT32, 2, {}}, {8, TUNER_INT64, no_index, size(1)}};
  return operand;
}

/// Y into the variable `table`, and out of it in the end; memset of the second workspace; twice: first(map,
/// workspace, {alpha, N}); last(workspace, Y, half 0.5).
Configuration several_steps() {
  Configuration one;
  one.kernel = "split";
  one.name = "SPLIT=2";
  one.image = 1;
  one.workspaces = {{binary(Op::multiply, size(0), constant(4)), Fill::zero_first},
                    {constant(100), Fill::anything},
                    {size(1), Fill::zero_always}};
  Step clear;
  clear.kind = StepKind::memset;
  clear.is_workspace = true;
  clear.target = 1;
  clear.first_byte = constant(4);
  clear.byte = constant(7);
  Step first;
  first.function = "first";
  first.repeat = constant(2);
  first.repeat_steps = 1;
  first.grid = {constant(4), size(0)};
  first.block = {constant(32), constant(4)};
  first.cluster = {constant(2)};
  first.dynamic_shared_bytes = constant(100 << 10);
  first.operands = {map_over_x(), {OperandKind::workspace, 0}, pair_of_numbers()};
  Step last;
  last.function = "last";
  last.when = binary(Op::greater, size(0), constant(1));
  last.grid = {constant(1)};
  last.block = {constant(64)};
  last.cooperative = constant(1);
  last.overlap = constant(1);
  last.operands = {{OperandKind::workspace, 1}, passed(1), number(constant_real(0.5), TUNER_FLOAT16)};
  Step set;
  set.kind = StepKind::set_symbol;
  set.symbol = "table";
  set.target = 1;
  set.byte_count = binary(Op::multiply, size(1), constant(4));
  Step take = set;
  take.kind = StepKind::take_symbol;
  one.steps = {set, clear, first, last, take};
  return one;
}

Kernel scale() {
  Kernel kernel;
  kernel.family = "scale";
  kernel.type = "float";
  kernel.sizes = {"M", "N"};
  Parameter x;
  x.name = "X";
  x.type_name = "float*";
  x.type = TUNER_FLOAT32;
  x.is_pointer = true;
  x.bytes = bytes_of_floats();
  Parameter y = x;
  y.name = "Y";
  y.is_read = false;
  y.is_written = true;
  Parameter alpha;
  alpha.name = "alpha";
  alpha.type_name = "float";
  alpha.type = TUNER_FLOAT32;
  kernel.parameters = {x, y, alpha};
  Target h100;
  h100.architecture = "sm_90";
  h100.gpu = "NVIDIA H100 80GB HBM3";
  h100.measured = {{{2048, 2048}, 1, measured_ns, 0.01}, {{1024, 1024}, 0, measured_ns, 0}};
  h100.rule = {{binary(Op::equal, binary(Op::remainder, size(1), constant(4)), constant(0)), 1, 2}, {}, {}};
  h100.rule[1].configuration = 0;
  h100.rule[1].loss_bound = 0.03;
  h100.rule[1].confidence = 0.95;
  h100.rule[2].configuration = 2;
  h100.defaults = {2};
  Target a100;
  a100.architecture = "sm_80";
  a100.defaults = {3};
  kernel.targets = {h100, a100};
  return kernel;
}

}  // namespace

Pack sample_pack() {
  Pack pack;
  pack.kernels = {scale()};
  pack.configurations = {one_launch("THREADS=128", 128, 0), several_steps(), one_launch("THREADS=32", 32, 2),
                         one_launch("THREADS=32", 32, 3)};
  pack.configurations[0].applies = binary(Op::less, derived(0), constant(std::int64_t{1} << 40));
  const std::string plain = "plain 8 8 4 4 4\n";
  const std::string split = "first 128 8 16\nlast 8 8 2\nvariable table 8192\n";
  pack.images = {{"sm_90", ImageKind::cubin, "cubin sm_90\n" + plain + "\n"},
                 {"sm_90", ImageKind::cubin, "cubin sm_90\n" + split + "\n"},
                 {"sm_90", ImageKind::cubin, "cubin sm_90 default\n" + plain + "\n"},
                 {"sm_80", ImageKind::cubin, "cubin sm_80\n" + plain + "\n"}};
  return pack;
}

Opened::Opened(const Pack& pack) : Opened(std::vector<Pack>{pack}) {}

Opened::Opened(const std::vector<Pack>& packs) {
  std::vector<tuner_layer> layers;
  for (const Pack& pack : packs) m_bytes.emplace_back(written(pack));
  for (const Aligned& bytes : m_bytes) layers.push_back({nullptr, bytes.get(), bytes.count()});
  const tuner_error error = tuner_pack_open_layers(layers.data(), layers.size(), &m_pack);
  REQUIRE_MESSAGE(error == TUNER_OK, tuner_error_text(error), " ", tuner_error_detail());
  m_kernel = tuner_pack_kernel(m_pack, 0);
}

}  // namespace tests
