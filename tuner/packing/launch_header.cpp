#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tuner/model/digest.hpp"
#include "tuner/packing/build_recipe.hpp"
#include "tuner/space/cpp_configuration.hpp"
#include "tuner/space/expression.hpp"

namespace tuner::packing {
namespace {

using cover::Feature;

/// `a OP(b OP c)`: the least or the largest of all sizes.
std::string folded(const std::vector<std::string>& dimensions, const char* function) {
  std::string text = "s." + space::cpp_name(dimensions.front());
  for (std::size_t i = 1; i < dimensions.size(); ++i)
    text = fmt::format("{}({}, s.{})", function, text, space::cpp_name(dimensions[i]));
  return text;
}

std::string question_text(const cover::RuleNode& node, const std::vector<std::string>& dimensions) {
  const Feature& feature = node.feature;
  const auto size = [&](std::size_t at) { return "s." + space::cpp_name(dimensions[at]); };
  const auto real = [&](std::size_t at) { return "double(" + size(at) + ")"; };
  std::string value;
  switch (feature.kind) {
    case Feature::Kind::size:
      value = size(feature.a);
      break;
    case Feature::Kind::least:
      value = folded(dimensions, "least_");
      break;
    case Feature::Kind::most:
      value = folded(dimensions, "most_");
      break;
    case Feature::Kind::product:
      value = real(0);
      for (std::size_t i = 1; i < dimensions.size(); ++i) value += " * " + real(i);
      break;
    case Feature::Kind::pair:
      value = real(feature.a) + " * " + real(feature.b);
      break;
    case Feature::Kind::ratio:
      value = real(feature.a) + " / " + real(feature.b);
      break;
    case Feature::Kind::remainder:
      return fmt::format("{} % {} == 0", size(feature.a), feature.modulus);
  }
  return fmt::format("{} <= {}", value, node.threshold);
}

void add_rule(const LaunchHeader& header, std::size_t place, std::size_t indent, std::string& text) {
  const cover::RuleNode& node = header.rule.nodes[place];
  const std::string blanks(indent, ' ');
  if (node.is_leaf) {
    std::string others;
    for (const std::size_t other : node.otherwise) others += fmt::format("\\x{:x}", other + 1);
    text += fmt::format("{}return {}::can_launch(s, d) ? {} : first_of(u\"{}\", s, d);\n", blanks,
                        cover::letter_of(node.configuration), node.configuration, others);
    return;
  }
  text += fmt::format("{}if ({}) {{\n", blanks, question_text(node, header.dimensions));
  add_rule(header, node.yes, indent + 2, text);
  text += fmt::format("{}}}\n", blanks);
  add_rule(header, node.no, indent, text);
}

/// What is left to choose from at sizes where configurations failed.
std::string failures_text(const LaunchHeader& header) {
  std::string text;
  for (const cover::FailedAt& there : header.rule.failed) {
    const cover::RuleNode& leaf = header.rule.leaf(there.sizes);
    std::string conditions, order;
    for (std::size_t i = 0; i < there.sizes.size(); ++i)
      conditions += fmt::format("{}s.{} == {}", i == 0 ? "" : " && ", space::cpp_name(header.dimensions[i]),
                                there.sizes[i]);
    const auto add = [&](std::size_t one) {
      if (!header.rule.has_failed(there.sizes, one)) order += fmt::format("\\x{:x}", one + 1);
    };
    add(leaf.configuration);
    std::ranges::for_each(leaf.otherwise, add);
    text += fmt::format("  if ({}) return first_of(u\"{}\", s, d);  // what failed there is left out\n",
                        conditions, order);
  }
  return text;
}

/// The sizes, and those device limits that are read, with the values of the device that was measured.
std::string inputs_text(const LaunchHeader& header, const std::set<std::string>& limits) {
  std::string text = "/// What is to be computed.\nstruct Sizes {\n";
  std::set<std::string> names(header.dimensions.begin(), header.dimensions.end());
  for (const std::string& name : header.dimensions)
    text += fmt::format("  std::int64_t {} = 0;\n", space::cpp_name(name));
  text += fmt::format("}};\n\n/// What launches ask of the device; these are of {}.\nstruct Device {{\n",
                      header.device.name);
  for (const space::LimitName& limit : space::limit_names()) {
    if (!limits.contains(std::string(limit.name))) continue;
    text += fmt::format("  std::int64_t {} = {};\n", limit.name, limit.value(header.device.limits));
  }
  return text + "};\n\n";
}

std::string selection_text(const LaunchHeader& header) {
  const std::size_t count = header.configurations.size();
  std::string text = fmt::format("constexpr int configurations = {};\n", count);
  text += "/// The struct of a number that select() gives.\ntemplate <int>\nstruct configuration;\n";
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("template <>\nstruct configuration<{}> {{\n  using type = {};\n}};\n", i,
                        cover::letter_of(i));
  text +=
      "\n/// Whether the struct of that number may run there.\n"
      "TUNER_BOTH constexpr bool can_launch(int number, const Sizes& s, const Device& d) {\n"
      "  switch (number) {\n";
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("    case {}:\n      return {}::can_launch(s, d);\n", i, cover::letter_of(i));
  // Text, which compilers read fast: of a thousand leaves, each with an order of its own, template arguments
  // take five times as long, and arrays twice.
  text += R"(    default:
      return false;
  }
}

/// The first that its spec lets run there, of these numbers plus 1; -1 where there is none.
TUNER_BOTH constexpr int first_of(const char16_t* order, const Sizes& s, const Device& d) {
  while (*order != 0 && !can_launch(*order - 1, s, d)) ++order;
  return *order - 1;
}

/// Which configuration to use; -1 where none can run.
TUNER_BOTH constexpr int select([[maybe_unused]] const Sizes& s, [[maybe_unused]] const Device& d = Device{}) {
)";
  text += failures_text(header);
  add_rule(header, 0, 2, text);
  std::string parameters, values;
  for (const std::string& name : header.dimensions) {
    parameters += fmt::format("std::int64_t {}, ", space::cpp_name(name));
    values += (values.empty() ? "" : ", ") + space::cpp_name(name);
  }
  text += fmt::format(
      "}}\nTUNER_BOTH constexpr int select({}const Device& d_ = Device{{}}) {{\n  return select(Sizes{{{}}}, "
      "d_);\n}}\n",
      parameters, values);
  text +=
      "\n/// Calls `visitor` with the struct of that number: visit(select(s), [&](auto c) { "
      "decltype(c)::step(0, s, d); })\ntemplate <class Visitor>\nconstexpr auto visit(int number, Visitor&& "
      "visitor) {\n";
  for (std::size_t i = 0; i + 1 < count; ++i)
    text += fmt::format("  if (number == {}) return visitor({}{{}});\n", i, cover::letter_of(i));
  return text + fmt::format("  static_cast<void>(number);\n  return visitor({}{{}});\n}}\n",
                            cover::letter_of(count - 1));
}

std::string comment(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' || c == '\r' || c == '\\' ? ' ' : c;
  return "// " + out + "\n";
}

}  // namespace

std::string LaunchHeader::text() const {
  std::set<std::string> limits;
  std::string structs;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const HeaderConfiguration& one = configurations[i];
    const space::CppConfiguration written =
        space::cpp_configuration(*one.spec, one.values, one.problem, cover::letter_of(i), one.options);
    limits.insert(written.limits.begin(), written.limits.end());
    for (const std::string& remark : one.remarks) structs += comment(remark);
    structs += written.text + "\n";
  }
  std::string out;
  for (const std::string& remark : remarks) out += comment(remark);
  out += "#pragma once\n#include <cstdint>\n\n";
  out += "#ifdef __CUDACC__\n#define TUNER_BOTH __host__ __device__\n#else\n#define TUNER_BOTH\n#endif\n\n";
  std::string body = inputs_text(*this, limits);
  body += std::string(space::cpp_types()) + "\n";
  body += std::string(space::cpp_helpers()) + "\n" + structs + selection_text(*this);
  // So that a program may have several headers of a family: of two types, or of two GPUs.
  const std::string own = "of_" + model::DigestBuilder().add(body).finish().hex().substr(0, 8);
  out += fmt::format("namespace {} {{\ninline namespace {} {{\n\n", name_space, own);
  return out + body +
         fmt::format("\n}}  // namespace {}\n}}  // namespace {}\n#undef TUNER_BOTH\n", own, name_space);
}

}  // namespace tuner::packing
