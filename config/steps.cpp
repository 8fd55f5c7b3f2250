#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/spec_reader.hpp"
#include "tuner/space/expression.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace {

constexpr std::size_t most_steps = 64;
constexpr std::int64_t most_streams = 16;
constexpr std::string_view memset_key = "memset";
constexpr std::string_view call_key = "call";

/// true, false, or an expression that is not 0 where it is on.
std::optional<model::Expression> read_switch(TableReader& reader, std::string_view key) {
  const Member* member = reader.take(key);
  if (member == nullptr || member->value.kind != Node::Kind::boolean) return reader.expression(key);
  return model::Expression{member->value.boolean ? "1" : "0", member->value.where};
}

using Of = model::StepKey::Of;

void refuse(TableReader& reader, const Member& member, Of what) {
  const char* const name = what == Of::launches  ? "a launch"
                           : what == Of::calls   ? "a call"
                           : what == Of::memsets ? "a memset"
                                                 : "an upload";
  reader.mistakes().add(member.where, fmt::format("{} has no \"{}\"", name, member.key),
                        "a step either launches a kernel, calls a library, uploads a buffer or sets one");
}

/// The keys whose values are expressions. `what` has them: launches, calls, copies (an upload) or memsets.
void read_keys(TableReader& reader, Of what, model::StepSpec& step) {
  const model::StepKeys<model::AsNumbers> planned;
  const auto read = [&]<typename Planned>(const model::StepKey& key, auto& value, const Planned&) {
    const bool is_copy = what == Of::copies || what == Of::memsets;
    if (key.of != Of::all && key.of != what && !(key.of == Of::copies && is_copy)) {
      if (const Member* member = reader.take(key.name)) refuse(reader, *member, what);
      return true;
    }
    if (*key.example != 0) reader.require(key.name, key.example);
    if constexpr (std::is_same_v<Planned, bool>)
      value = read_switch(reader, key.name);
    else if constexpr (std::is_same_v<Planned, std::int64_t>)
      value = reader.expression(key.name);
    else
      value = reader.expressions(key.name, 3);
    return true;
  };
  model::each_key(read, step, planned);
  const Member* steps = reader.table().find("repeat_steps");
  step.repeat_steps =
      static_cast<int>(reader.integer("repeat_steps", 1, static_cast<std::int64_t>(most_steps)).value_or(1));
  if (steps != nullptr && reader.table().find("repeat") == nullptr) {
    reader.mistakes().add(steps->where, "\"repeat_steps\" without \"repeat\"",
                          "repeat = \"ITERATIONS\" says how often the steps run in turn");
  }
}

void read_step_arguments(TableReader& reader, model::StepSpec& step) {
  for (const Node* name : reader.texts("arguments")) {
    if (name->text.empty()) reader.mistakes().add(name->where, "an empty name among \"arguments\"");
    step.arguments.push_back(name->text);
  }
}

void read_launch(TableReader& reader, const std::string& default_entry, model::StepSpec& step) {
  Mistakes& mistakes = reader.mistakes();
  const Node& table = reader.table();
  const std::optional<std::string> entry = reader.text("entry");
  if (entry) check_entry(*entry, reader.place("entry"), mistakes);
  step.entry = entry.value_or(default_entry);
  if (step.entry.empty() && table.find("entry") == nullptr) {
    mistakes.add(table.where, fmt::format("{} has no \"entry\"", reader.name()),
                 "entry = the name of the kernel function; [kernel] entry serves launches that have none");
  }
  read_keys(reader, Of::launches, step);
  read_step_arguments(reader, step);
  if (const Member* member = reader.take("workspace")) refuse(reader, *member, Of::launches);
}

void read_call(TableReader& reader, model::StepSpec& step) {
  step.calls = true;
  const Member* function = reader.table().find(call_key);
  if (const auto name = reader.text(call_key); name && tuner::space::is_identifier(*name)) {
    step.entry = *name;
  } else if (name) {
    reader.mistakes().add(function->value.where,
                          fmt::format("\"{}\" is no C function", util::one_line(*name, 60)),
                          "call = the name of a function of [kernel] library");
  }
  read_keys(reader, Of::calls, step);
  reader.require("arguments", "arguments = [\"A\", \"B\", \"C\", \"N\"], what the call gets");
  read_step_arguments(reader, step);
  step.workspace = reader.text("workspace").value_or("");
  if (const Member* member = reader.take("entry")) refuse(reader, *member, Of::calls);
}

/// `key`: upload or memset.
void read_copy(TableReader& reader, std::string_view key, model::StepSpec& step) {
  step.upload = reader.text(key).value_or("");
  step.sets = key == memset_key;
  const Member* upload = reader.table().find(key);
  if (upload->value.kind == Node::Kind::text && step.upload.empty()) {
    reader.mistakes().add(upload->value.where, fmt::format("\"{}\" names nothing", key),
                          fmt::format("{} = the name of a buffer", key));
  }
  const Of what = step.sets ? Of::memsets : Of::copies;
  read_keys(reader, what, step);
  for (const std::string_view other : {"entry", "arguments", "workspace"})
    if (const Member* member = reader.take(other)) refuse(reader, *member, what);
}

/// Steps that must have finished, by their number from 0; only earlier ones can be waited for.
void read_after(TableReader& reader, std::size_t index, model::StepSpec& step) {
  Mistakes& mistakes = reader.mistakes();
  for (const Node& item : reader.items("after", "a list of step numbers, the first being 0", most_steps)) {
    if (item.kind != Node::Kind::integer || item.integer < 0 ||
        item.integer >= static_cast<std::int64_t>(index)) {
      mistakes.wrong_type(item, "an item of \"after\"", "the number of an earlier step",
                          fmt::format("this is step {}; the first is 0", index));
    } else {
      step.after.push_back(static_cast<int>(item.integer));
    }
  }
}

model::StepSpec read_step(const Node& table, const std::string& name, const std::string& default_entry,
                          std::size_t index, Mistakes& mistakes) {
  model::StepSpec step;
  step.where = table.where;
  TableReader reader(table, name, mistakes);
  if (table.find("upload") != nullptr) {
    read_copy(reader, "upload", step);
  } else if (table.find(memset_key) != nullptr) {
    read_copy(reader, memset_key, step);
  } else if (table.find(call_key) != nullptr) {
    read_call(reader, step);
  } else {
    read_launch(reader, default_entry, step);
  }
  step.stream = static_cast<int>(reader.integer("stream", 0, most_streams - 1).value_or(0));
  read_after(reader, index, step);
  step.when = reader.expression("when");
  if (step.upload.empty()) {  // so that a misspelt one finds its name
    reader.take("upload");
    reader.take(memset_key);
    reader.take(call_key);
  }
  reader.finish();
  return step;
}

}  // namespace

std::vector<model::StepSpec> read_steps(const Node& node, const std::string& name,
                                        const std::string& default_entry, Mistakes& mistakes) {
  std::vector<model::StepSpec> steps;
  if (node.kind == Node::Kind::table) {
    steps.push_back(read_step(node, fmt::format("[{}]", name), default_entry, 0, mistakes));
  } else {
    each_table(node, name, "a table, or several [[tables]]", most_steps, mistakes, [&](const Node& item) {
      steps.push_back(read_step(item, fmt::format("[[{}]]", name), default_entry, steps.size(), mistakes));
    });
  }
  return steps;
}

namespace {

/// Launches that find what they read on the device already.
std::vector<model::StepSpec> read_launches_alone(const Node& node, const char* name, const char* what,
                                                 const char* hint, Mistakes& mistakes) {
  std::vector<model::StepSpec> steps = read_steps(node, name, "", mistakes);
  for (const model::StepSpec& step : steps) {
    if (!step.upload.empty())
      mistakes.add(step.where, fmt::format("the {} uploads or sets a buffer", what), hint);
  }
  return steps;
}

constexpr const char* judging_hint = "its inputs are on the device already; only launches belong here";

}  // namespace

void read_generate(const Node& table, SpecContext& context) {
  if (!is_table(table, "\"generate\"", "write [generate], once", context.mistakes)) return;
  TableReader reader(table, "[generate]", context.mistakes);
  model::GeneratorSpec generator;
  if (const auto source = reader.required_text("source", "source = \"inputs.cu\", device code")) {
    generator.source = collect_sources(
        context.files, {context.folder, *source, reader.place("source"), context.includes}, context.mistakes);
  }
  if (const Member* launch = reader.require("launch", "[generate.launch] says how the generator is run")) {
    generator.steps = read_launches_alone(launch->value, "generate.launch", "generator",
                                          "only launches belong here", context.mistakes);
  }
  reader.finish();
  context.spec.generator = std::move(generator);
}

namespace {

/// A number from 0 on; `below_one`: and less than 1.
std::optional<double> read_amount(TableReader& reader, std::string_view key, bool below_one) {
  const Member* member = reader.take(key);
  if (member == nullptr) return std::nullopt;
  const Node& value = member->value;
  const bool is_number = value.kind == Node::Kind::real || value.kind == Node::Kind::integer;
  const double number = value.kind == Node::Kind::integer ? static_cast<double>(value.integer) : value.real;
  if (is_number && number >= 0 && number < (below_one ? 1 : 1e300)) return number;
  reader.mistakes().wrong_type(value, fmt::format("\"{}\"", key),
                               below_one ? "a number from 0 to less than 1" : "a number from 0 on");
  return std::nullopt;
}

void read_accumulator(TableReader& reader, model::VerifySpec& verify) {
  const auto name = reader.text("accumulate");
  if (!name) return;
  verify.accumulator = model::parse_element_type(*name);
  const bool sound = verify.accumulator && model::is_floating(*verify.accumulator) &&
                     model::components(*verify.accumulator) == 1;
  if (sound) return;
  reader.wrong("accumulate", fmt::format("\"{}\" is no type that rounds", util::one_line(*name, 40)),
               "accumulate = \"float\": the type that the kernel adds up in, before it rounds once to "
               "the type of the output");
}

/// Results from a file hold for one set of inputs, which no seed may change.
void check_inputs_of_file(SpecContext& context) {
  const auto is_fixed = [](const model::InitRule& rule) {
    using Kind = model::Init::Kind;
    return rule.kind == Kind::file || rule.kind == Kind::constant || rule.kind == Kind::iota;
  };
  for (const model::ArgumentSpec& argument : context.spec.arguments) {
    const bool is_read = argument.access == model::Access::in || argument.access == model::Access::inout;
    if (!argument.pointer || argument.structure || !is_read) continue;
    const auto& by_type = argument.init.by_type;
    const bool fixed =
        !argument.second_init &&
        (by_type.empty() ? is_fixed(argument.init.usual)
                         : std::ranges::all_of(by_type, [&](const auto& e) { return is_fixed(e.second); }));
    if (fixed) continue;
    context.mistakes.add(
        argument.where,
        fmt::format("{} differs between the two input sets, and what is expected comes from a file",
                    argument.name),
        "init = \"file(...)\", \"constant(...)\" or \"iota(...)\", and no second_init");
  }
}

}  // namespace

model::Tolerance read_tolerance(const Node& table, Mistakes& mistakes) {
  model::Tolerance tolerance;
  if (!is_table(table, "\"tolerance\"",
                "tolerance = { absolute = 1e-6, relative = 1e-5, ulp = 2, share = 0.001 }, or some "
                "of these",
                mistakes))
    return tolerance;
  TableReader reader(table, "tolerance", mistakes);
  tolerance.absolute = read_amount(reader, "absolute", false).value_or(0);
  tolerance.relative = read_amount(reader, "relative", false).value_or(0);
  tolerance.ulps = read_amount(reader, "ulp", false).value_or(0);
  tolerance.share = read_amount(reader, "share", true).value_or(0);
  reader.finish();
  if (tolerance == model::Tolerance{} && mistakes.none())
    mistakes.add(table.where, "\"tolerance\" allows nothing", "leave it out for equality");
  return tolerance;
}

void read_verify(const Node& node, SpecContext& context) {
  Mistakes& mistakes = context.mistakes;
  if (node.kind == Node::Kind::text && node.text == "none") {
    context.spec.unverified = true;
    return;
  }
  if (node.kind != Node::Kind::table) {
    mistakes.wrong_type(node, "\"verify\"", "a table or \"none\"", "write [verify], once");
    return;
  }
  TableReader reader(node, "[verify]", mistakes);
  model::VerifySpec verify;
  verify.where = node.where;
  const auto& arguments = context.spec.arguments;
  const bool any_file =
      std::ranges::any_of(arguments, [](const model::ArgumentSpec& a) { return a.expected.has_value(); });
  const bool all_files = any_file && std::ranges::all_of(arguments, [](const auto& a) {
                           return !a.is_output() || a.expected.has_value();
                         });
  if (any_file) check_inputs_of_file(context);
  const auto reference = all_files ? reader.text("reference")
                                   : reader.required_text("reference", "reference = \"reference.cu\"");
  if (reference) {
    verify.source = collect_sources(
        context.files, {context.folder, *reference, reader.place("reference"), context.includes}, mistakes);
  }
  if (const Member* tolerance = reader.take("tolerance"))
    verify.tolerance = read_tolerance(tolerance->value, mistakes);
  read_accumulator(reader, verify);
  verify.rounding_terms = {"0", node.where};
  const bool all_tolerate = std::ranges::all_of(
      arguments, [](const model::ArgumentSpec& a) { return !a.is_output() || a.tolerance; });
  if (node.find("tolerance") == nullptr && node.find("compare") == nullptr && !all_tolerate) {
    reader.require(
        "rounding_terms",
        "how many rounded operations lead to an element: \"K\" for a sum of K products, 0 where results must "
        "be equal; or tolerance = { relative = 1e-5 }");
  }
  if (auto terms = reader.expression("rounding_terms", Numbers::real))
    verify.rounding_terms = std::move(*terms);
  verify.second_is_exact = reader.boolean("second_is_exact").value_or(false);
  const Member* const compare = reader.take("compare");
  if (compare != nullptr)
    verify.comparison =
        read_launches_alone(compare->value, "verify.compare", "comparison", judging_hint, mistakes);
  const std::string_view launch_hint = "[verify.launch] says how the reference is run";
  if (const Member* launch =
          all_files || compare != nullptr ? reader.take("launch") : reader.require("launch", launch_hint))
    verify.steps = read_launches_alone(launch->value, "verify.launch", "reference", judging_hint, mistakes);
  reader.finish();
  context.spec.verify = std::move(verify);
}

}  // namespace config
