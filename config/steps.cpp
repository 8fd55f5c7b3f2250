#include <fmt/format.h>

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

}  // namespace config
