#include "tuner/model/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/model/kernel_spec.hpp"

namespace tuner::model {
namespace {

void add(DigestBuilder& digest, const Dim3& extent) {
  digest.add(extent.x).add(extent.y).add(extent.z);
}

void add(DigestBuilder& digest, std::int64_t number) {
  digest.add(number);
}

void add(DigestBuilder& digest, const std::vector<std::int64_t>& numbers) {
  digest.add(static_cast<std::int64_t>(numbers.size()));
  for (const std::int64_t number : numbers) digest.add(number);
}

/// What a later version added follows only where it is used, so that identities of before stay.
void add_numbers(DigestBuilder& digest, const Init& init) {
  digest.add(fmt::format("{:a} {:a}", init.a, init.b));
  if (init.c != 0) digest.add(fmt::format("{:a}", init.c));
}

void add(DigestBuilder& digest, const char* name, const FileContents& file) {
  if (!file.path.empty()) digest.add(name).add(file.digest).add(file.first_byte).add(file.elements);
}

void add(DigestBuilder& digest, const Tolerance& t) {
  digest.add(fmt::format("{:a} {:a} {:a} {:a}", t.absolute, t.relative, t.ulps, t.share));
}

void add(DigestBuilder& digest, const BufferPlan& buffer) {
  digest.add(buffer.name).add(static_cast<std::int64_t>(buffer.type)).add(buffer.elements);
  digest.add(static_cast<std::int64_t>(buffer.access)).add(static_cast<std::int64_t>(buffer.init.kind));
  add_numbers(digest, buffer.init);
  add(digest, "file", buffer.file);
  add(digest, "expected", buffer.expected);
  if (buffer.restored)
    digest.add("restored");  // here and below: identities of before there was such a thing stay
  if (buffer.ignores_unwritten) digest.add("ignores unwritten");
  if (buffer.unordered_within != 0) digest.add("unordered within").add(buffer.unordered_within);
  if (buffer.memory != Memory::device) digest.add("memory").add(static_cast<std::int64_t>(buffer.memory));
  if (buffer.tolerance) add(digest.add("own tolerance"), *buffer.tolerance);
  if (buffer.struct_bytes != 0) digest.add("structs").add(buffer.struct_bytes);
  for (const FieldPlan& field : buffer.fields) digest.add(field.buffer).add(field.offset_bytes);
  if (buffer.second_init.kind == Init::Kind::none) return;
  digest.add("second_init").add(static_cast<std::int64_t>(buffer.second_init.kind));
  add_numbers(digest, buffer.second_init);
  add(digest, "second file", buffer.second_file);
}

void add(DigestBuilder& digest, const TensorMap& map) {
  each_map_key(
      [&](const TensorMapKey&, const auto& value) {
        add(digest, value);
        return true;
      },
      map);
  digest.add(map.nan_outside ? 1 : 0);
}

void add(DigestBuilder& digest, const Texture& texture) {
  add(digest, texture.shape);
  digest.add(texture.pitch_bytes).add(static_cast<std::int64_t>(texture.outside));
  for (const bool flag : {texture.interpolates, texture.reads_normalized, texture.normalized_coordinates})
    digest.add(flag ? 1 : 0);
  if (texture.in_array) digest.add(texture.is_surface ? "surface" : "array");
}

void add(DigestBuilder& digest, const Operand& operand) {
  digest.add(static_cast<std::int64_t>(operand.kind)).add(operand.buffer);
  digest.add(static_cast<std::int64_t>(operand.type))
      .add(operand.integer)
      .add(fmt::format("{:a}", operand.real));
  for (const std::int64_t integer : operand.integers) digest.add(integer);
  for (const double real : operand.reals) digest.add(fmt::format("{:a}", real));
  if (operand.struct_bytes != 0) digest.add("struct").add(operand.struct_bytes);
  for (const StructNumber& number : operand.numbers) {
    digest.add(static_cast<std::int64_t>(number.type)).add(number.offset_bytes);
    digest.add(number.integer).add(fmt::format("{:a}", number.real));
  }
  if (operand.tensor) add(digest.add("tensor map"), *operand.tensor);
  if (operand.texture) add(digest.add("texture"), *operand.texture);
}

void add(DigestBuilder& digest, const Step& step) {
  digest.add(static_cast<std::int64_t>(step.kind)).add(step.entry);
  add(digest, step.grid);
  add(digest, step.block);
  digest.add(step.dynamic_shared_bytes).add(static_cast<std::int64_t>(step.operands.size()));
  for (const Operand& operand : step.operands) add(digest, operand);
  digest.add(step.buffer).add(step.first).add(step.count).add(step.stream);
  if (step.byte != 0) digest.add("byte").add(step.byte);
  digest.add(static_cast<std::int64_t>(step.after.size()));
  for (const int index : step.after) digest.add(index);
  const StepKeys<AsNumbers> usual;
  each_key(
      [&]<typename Value>(const StepKey& key, const Value& value, const Value& usual_value) {
        if (*key.plan_word == 0 || value == usual_value) return true;
        digest.add(key.plan_word);
        if constexpr (!std::is_same_v<Value, bool>) add(digest, value);
        if (key.name == std::string_view("repeat")) digest.add(step.repeat_steps);
        return true;
      },
      step, usual);
}

template <typename Range>
void add_all(DigestBuilder& digest, const Range& range) {
  digest.add(static_cast<std::int64_t>(range.size()));
  for (const auto& item : range) add(digest, item);
}

}  // namespace

bool refers_to(const std::vector<Step>& steps, Operand::Kind kind, std::size_t buffer) {
  return std::ranges::any_of(steps, [&](const Step& step) {
    return std::ranges::any_of(step.operands, [&](const Operand& operand) {
      return operand.kind == kind && operand.buffer == static_cast<int>(buffer);
    });
  });
}

std::vector<std::size_t> launch_order(const std::vector<Step>& steps) {
  std::vector<std::size_t> order;
  for (std::size_t first = 0; first < steps.size();) {
    const std::size_t end =
        std::min(first + static_cast<std::size_t>(std::max(steps[first].repeat_steps, 1)), steps.size());
    for (std::int64_t i = 0; i < steps[first].repeat; ++i) {
      for (std::size_t step = first; step < end; ++step) order.push_back(step);
    }
    first = end;
  }
  return order;
}

bool Plan::calls_library() const {
  return std::ranges::find(steps, Step::Kind::call, &Step::kind) != steps.end();
}

bool Plan::has_comparison(std::size_t buffer) const {
  return refers_to(verify.comparison, Operand::Kind::error, buffer);
}

bool Plan::restores() const {
  return std::ranges::any_of(buffers, &BufferPlan::restored);
}

std::int64_t Plan::device_bytes() const {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const BufferPlan& buffer = buffers[i];
    const bool shared = buffer.access == Access::workspace;  // a run needs nothing of an earlier one's
    total += shared ? buffer.bytes() : 2 * buffer.bytes();
    const bool checked = is_written(buffer.access) && buffer.struct_bytes == 0;  // the structs' fields are
    const bool is_judged = !verify.reference.empty() || !buffer.expected.path.empty() || has_comparison(i);
    if (checked && is_judged) total += 4 * buffer.numbers() * size_bytes(ElementType::float64);
    // What a comparison writes, and the zeros that it is held against.
    if (has_comparison(i)) total += 2 * buffer.numbers() * size_bytes(ElementType::float64);
  }
  std::vector<int> in_arrays;
  for (const Step& step : steps) {
    for (const Operand& operand : step.operands) {
      if (!operand.texture || !operand.texture->in_array) continue;
      if (std::find(in_arrays.begin(), in_arrays.end(), operand.buffer) != in_arrays.end()) continue;
      in_arrays.push_back(operand.buffer);
      const Texture& texture = *operand.texture;
      total += 2 * texture.shape.front() * texture.shape.back() * size_bytes(operand.type);
    }
  }
  return total;
}

void Plan::add_to(DigestBuilder& digest) const {
  digest.add(inputs_key());
  add_all(digest, steps);
  digest.add(deterministic ? 1 : 0);
  for (const BufferPlan& buffer : buffers) {
    if (!buffer.symbol.empty()) digest.add("symbol").add(buffer.name).add(buffer.symbol);
  }
}

Digest Plan::inputs_key() const {
  DigestBuilder digest;
  add_all(digest, buffers);
  add_all(digest, verify.reference);
  digest.add(fmt::format("{:a}", verify.rounding_terms));
  if (verify.second_is_exact) digest.add("second_is_exact");
  if (verify.accumulator) digest.add("accumulator").add(cuda_name(*verify.accumulator));
  if (verify.tolerance != Tolerance{}) add(digest.add("tolerance"), verify.tolerance);
  if (!verify.comparison.empty()) add_all(digest.add("comparison"), verify.comparison);
  if (!generator.empty()) add_all(digest.add("generator"), generator);
  return digest.finish();
}

Digest preparation_key(const Plan& plan, const Digest& reference_key) {
  Plan shared;
  shared.buffers = plan.buffers;
  shared.verify.reference = plan.verify.reference;
  shared.generator = plan.generator;
  shared.verify.comparison = plan.verify.comparison;
  while (!shared.buffers.empty() && shared.buffers.back().access == Access::workspace)
    shared.buffers.pop_back();
  for (BufferPlan& buffer : shared.buffers) {
    buffer.tolerance.reset();
    if (buffer.access == Access::workspace) buffer = {"", ElementType::uint8, 0, buffer.access, {}, {}};
  }
  return DigestBuilder().add(shared.inputs_key()).add(reference_key).finish();
}

Digest judgement_key(const Plan& plan) {
  Plan bounds;
  for (const BufferPlan& buffer : plan.buffers) {
    if (buffer.access == Access::workspace) continue;
    BufferPlan& judged = bounds.buffers.emplace_back();
    judged.tolerance = buffer.tolerance;
  }
  bounds.verify = plan.verify;
  bounds.verify.reference.clear();
  bounds.verify.comparison.clear();
  return bounds.inputs_key();
}

Digest inputs_drawn_key(const Plan& plan, const Digest& reference_key, std::uint64_t seed) {
  Plan drawn;
  for (const BufferPlan& buffer : plan.buffers) {
    // Its place counts: a buffer's seed follows from it.
    BufferPlan& input = drawn.buffers.emplace_back();
    input.access = Access::workspace;
    if (buffer.access == Access::out || buffer.access == Access::workspace) continue;
    input.access = Access::in;
    input.type = buffer.type;
    input.elements = buffer.elements;
    input.init = buffer.init;
    input.second_init = buffer.second_init;
    input.file = buffer.file;
    input.second_file = buffer.second_file;
    input.struct_bytes = buffer.struct_bytes;
    input.fields = buffer.fields;
  }
  while (!drawn.buffers.empty() && drawn.buffers.back().access == Access::workspace) drawn.buffers.pop_back();
  drawn.generator = plan.generator;
  DigestBuilder digest;
  digest.add(drawn.inputs_key()).add(static_cast<std::int64_t>(seed));
  if (!plan.generator.empty()) digest.add(reference_key);
  return digest.finish();
}

std::string SourceLocation::text() const {
  if (line == 0) return file;
  return fmt::format("{}:{}:{}", file, line, column);
}

const InitRule& InitSpec::for_type(ElementType type) const {
  const auto found = by_type.find(type);
  return found == by_type.end() ? usual : found->second;
}

}  // namespace tuner::model
