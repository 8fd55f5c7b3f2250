#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/spec_reader.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace {

constexpr std::size_t most_arguments = 64;
constexpr std::size_t most_extents = 8;

constexpr std::array<Word<model::Access>, 4> accesses = {{{"in", model::Access::in},
                                                          {"out", model::Access::out},
                                                          {"inout", model::Access::inout},
                                                          {"workspace", model::Access::workspace}}};
constexpr std::array<Word<model::Memory>, 3> memories = {{{"device", model::Memory::device},
                                                          {"pinned", model::Memory::pinned},
                                                          {"managed", model::Memory::managed}}};

/// `float*`, `ELEMENT_TYPE *`, `int`, `Particle*`; whether it could be read.
bool read_type(const Node& node, model::ArgumentSpec& argument, const SpecContext& context) {
  Mistakes& mistakes = context.mistakes;
  std::string_view text = util::trimmed(node.text);
  argument.pointer = text.ends_with('*');
  if (argument.pointer) text = util::trimmed(text.substr(0, text.size() - 1));
  if (text == "ELEMENT_TYPE") return true;
  if (!argument.pointer && make_view(text, argument)) return true;
  if (const Struct* const found = find_struct(context, text)) {
    argument.structure = found->layout;
    argument.type = model::ElementType::uint8;  // the plan counts its bytes
    return true;
  }
  argument.type = model::parse_element_type(text);
  if (argument.type) return true;
  mistakes.add(node.where, fmt::format("unknown type \"{}\"", util::one_line(node.text, 60)),
               text.starts_with("const ")
                   ? "leave const out: access = \"in\" says it"
                   : fmt::format("ELEMENT_TYPE, {}; with * for a buffer; CUtensorMap, cudaTextureObject_t, "
                                 "cudaSurfaceObject_t",
                                 model::element_type_names()));
  return false;
}

/// The element types a buffer may have in the problems this kernel offers; empty where [kernel] could not
/// say.
std::vector<model::ElementType> possible_types(const model::ArgumentSpec& argument,
                                               const model::KernelSpec& spec) {
  if (argument.type) return {*argument.type};
  return spec.types;
}

/// The two keys that say what a buffer is filled with.
constexpr std::string_view first_set = "init";
constexpr std::string_view second_set = "second_init";

/// A type without an entry has no init; in the second input set it takes that of the first.
void read_inits_by_type(const Member& member_of_table, model::InitSpec& out,
                        const model::ArgumentSpec& argument, SpecContext& context) {
  const Node& table = member_of_table.value;
  const std::string_view key = member_of_table.key;
  const std::vector<model::ElementType> types = possible_types(argument, context.spec);
  for (const Member& member : table.members) {
    const auto type = model::parse_element_type(member.key);
    const bool offered = types.empty() || std::ranges::count(types, type) > 0;
    if (!type || !offered) {
      context.mistakes.add(member.where,
                           fmt::format("{}: {} names \"{}\", which is not among its types", argument.name,
                                       key, util::one_line(member.key, 40)),
                           fmt::format("{} takes one entry for each type in kernel.types", key));
      continue;
    }
    if (auto init = read_init_of(member.value, key, *type, context)) out.by_type.emplace(*type, *init);
  }
  if (key == second_set) return;
  for (const model::ElementType type : types) {
    const bool written = std::ranges::any_of(table.members, [type](const Member& member) {
      return model::parse_element_type(member.key) == type;
    });
    if (!written) {
      context.mistakes.add(
          table.where, fmt::format("{} has no init for the type {}", argument.name, model::cuda_name(type)),
          fmt::format("add {} = \"...\"", model::cuda_name(type)));
    }
  }
}

void read_inits(const Member& member, model::InitSpec& out, const model::ArgumentSpec& argument,
                SpecContext& context) {
  if (member.value.kind == Node::Kind::table) {
    read_inits_by_type(member, out, argument, context);
    return;
  }
  auto init = read_init(member.value, member.key, context.mistakes);
  if (!init) return;
  const std::vector<model::ElementType> types = possible_types(argument, context.spec);
  if (!file_name(*init).empty() && types.size() == 1) {
    read_data_file(*init, types.front(), false, context);
  } else if (!file_name(*init).empty() && !types.empty()) {
    context.mistakes.add(member.value.where,
                         fmt::format("{} has elements of several types, and its file of one", argument.name),
                         fmt::format("{} = {{ float = \"file(...)\", ... }}, one for each", member.key));
  }
  out.usual = *init;
  for (const model::ElementType type : types) {
    if (!check_init(*init, type, member.value.contents, context.mistakes)) return;
  }
}

/// Reports those of the keys that the table has; `subject` ends with "no".
void refuse_keys(TableReader& reader, std::initializer_list<std::string_view> keys,
                 const std::string& subject, const char* hint) {
  for (const std::string_view key : keys)
    if (const Member* const member = reader.take(key))
      reader.mistakes().add(member->where, fmt::format("{} \"{}\"", subject, key), hint);
}

/// What only outputs have: how they are judged.
void read_judgement(TableReader& reader, model::ArgumentSpec& argument, SpecContext& context) {
  const Member* const unwritten = reader.take("unwritten");
  const Member* const expected = reader.take("expected");
  argument.unordered = reader.expression("unordered");
  const Member* const tolerance = reader.take("tolerance");
  if (tolerance != nullptr) argument.tolerance = read_tolerance(tolerance->value, context.mistakes);
  if (!argument.is_written())
    refuse_keys(reader, {"unwritten", "expected", "unordered", "tolerance"},
                fmt::format("{} is no output, so it has no", argument.name),
                "access = \"out\" or \"inout\" for what the kernel writes");
  if (unwritten != nullptr) {
    argument.ignores_unwritten = unwritten->value.text == "ignored";
    const bool known = unwritten->value.kind == Node::Kind::text &&
                       (argument.ignores_unwritten || unwritten->value.text == "untouched");
    if (!known) {
      context.mistakes.wrong_type(unwritten->value, "\"unwritten\"", "\"untouched\" or \"ignored\"",
                                  "whether elements that the reference does not write may hold anything");
    }
  }
  if (expected == nullptr) return;
  auto rule = read_init(expected->value, "expected", context.mistakes);
  if (!rule) return;
  if (file_name(*rule).empty()) {
    context.mistakes.add(expected->value.contents, "\"expected\" is no file",
                         "expected = \"file(result.npy)\"; a reference says what is right otherwise");
    return;
  }
  const std::vector<model::ElementType> types = possible_types(argument, context.spec);
  if (!types.empty()) read_data_file(*rule, types.front(), true, context);
  argument.expected = std::move(rule);
}

/// What a buffer is filled with: of structs the fields are.
void read_contents(TableReader& reader, model::ArgumentSpec& argument,
                   std::vector<model::ArgumentSpec>& fields, SpecContext& context) {
  const Member* const first = reader.take(first_set);
  const Member* const second = reader.take(second_set);
  const bool is_filled_workspace = argument.access == model::Access::workspace && !argument.structure &&
                                   (argument.restore || first != nullptr);
  const bool has_contents =
      argument.access == model::Access::in || argument.access == model::Access::inout || is_filled_workspace;
  if (!has_contents)
    return refuse_keys(reader, {first_set, second_set},
                       fmt::format("{} is not read, so it has no", argument.name),
                       "outputs start as poison; access = \"inout\" for a buffer whose contents matter");
  const Struct* const of = argument.structure ? find_struct(context, argument.structure->name) : nullptr;
  if (first != nullptr && of != nullptr) {
    read_field_inits(*first, *of, fields, argument.name, context);
  } else if (first != nullptr) {
    read_inits(*first, argument.init, argument, context);
  } else {
    context.mistakes.add(reader.table().where, fmt::format("{} is read, but has no \"init\"", argument.name),
                         "init = \"uniform(-1, 1)\" says what it is filled with");
  }
  if (second == nullptr) return;
  if (of != nullptr) {
    read_field_inits(*second, *of, fields, argument.name, context);
  } else {
    read_inits(*second, argument.second_init.emplace(), argument, context);
  }
}

/// How structs are judged is how each of their fields is.
void judge_fields(TableReader& reader, model::ArgumentSpec& argument,
                  std::vector<model::ArgumentSpec>& fields) {
  if (!argument.structure) return;
  refuse_keys(reader, {"unordered", "expected"}, fmt::format("{} has structs and no", argument.name),
              "their fields are compared one by one, in order, with what a reference writes");
  for (model::ArgumentSpec& field : fields) {
    field.ignores_unwritten = argument.ignores_unwritten;
    field.tolerance = argument.tolerance;
  }
  argument.ignores_unwritten = false;
  argument.tolerance.reset();
}

void read_restore(TableReader& reader, model::ArgumentSpec& argument) {
  argument.restore = reader.boolean("restore").value_or(false);
  if (argument.restore && argument.structure && argument.access == model::Access::workspace) {
    reader.misplaced("restore",
                     fmt::format("{} is a workspace of structs, and is not restored", argument.name),
                     "access = \"inout\", with an init for each field");
    argument.restore = false;
  }
  const bool changes = argument.access == model::Access::inout || argument.access == model::Access::workspace;
  if (!argument.restore || changes) return;
  reader.misplaced("restore",
                   fmt::format("{} is never restored: it is only {}", argument.name,
                               argument.access == model::Access::in ? "read" : "written"),
                   "\"restore\" is for access = \"inout\" and \"workspace\"");
}

/// Where a buffer lies: in a kind of memory, or in a variable of the kernel's source.
void read_place(TableReader& reader, model::ArgumentSpec& argument, SpecContext& context) {
  const Member* const symbol = reader.table().find("symbol");
  const Member* const memory = reader.table().find("memory");
  if (const auto name = reader.text("symbol")) {
    argument.symbol = std::string(util::trimmed(*name));
    const bool is_name = !argument.symbol.empty() && argument.symbol.front() != '&' &&
                         util::one_line(argument.symbol, 256) == argument.symbol;
    if (!is_name) {
      context.mistakes.add(
          symbol->value.contents, fmt::format("\"{}\" is no name of a variable", util::one_line(*name, 60)),
          "symbol = \"filter\" for __constant__ float filter[25]; space::filter in a namespace");
    }
    for (const model::ArgumentSpec& earlier : context.spec.arguments) {
      if (earlier.symbol != argument.symbol || !is_name) continue;
      context.mistakes.add(symbol->value.contents,
                           fmt::format("{} and {} are the same variable", earlier.name, argument.name),
                           "a variable holds one buffer");
    }
  }
  argument.memory = reader.word<model::Memory>("memory", memories).value_or(model::Memory::device);
  if (symbol != nullptr && memory != nullptr) {
    context.mistakes.add(memory->where, fmt::format("{} is a symbol and has no \"memory\"", argument.name),
                         "it lies where the kernel's source declares it");
  }
}

/// `type = "float*"`, `value = "NULL"`: an address without a buffer. Whether it is one.
bool read_null(TableReader& reader, model::ArgumentSpec& argument, Mistakes& mistakes) {
  const Member* const value = reader.table().find("value");
  if (value == nullptr || reader.table().find("access") != nullptr) return false;
  const std::string text = reader.text("value").value_or("NULL");
  if (text != "NULL" && text != "nullptr" && text != "0") {
    mistakes.add(value->value.where, fmt::format("{} is a buffer and has a \"value\"", argument.name),
                 "\"access\" and \"extent\" make a buffer; value = \"NULL\" passes none");
  }
  argument.pointer = false;
  argument.structure.reset();
  argument.type = model::ElementType::uint64;
  argument.value = model::Expression{"0", value->value.where};
  return true;
}

void read_buffer(TableReader& reader, model::ArgumentSpec& argument, std::vector<model::ArgumentSpec>& fields,
                 SpecContext& context) {
  reader.require("access", "access = \"in\", \"out\", \"inout\" or \"workspace\"");
  if (const auto access = reader.word<model::Access>("access", accesses)) {
    argument.access = *access;
    read_restore(reader, argument);
    if (argument.structure && argument.access == model::Access::workspace) {
      argument.structure->offsets.clear();  // no host code looks into it
    } else if (argument.structure) {
      fields = fields_of(*find_struct(context, argument.structure->name), argument);
    }
    read_contents(reader, argument, fields, context);
  }
  for (const std::string_view key : {first_set, second_set, std::string_view("restore")})
    reader.take(key);  // where the access is unknown, nothing can be said of it
  reader.require("extent", "extent = [\"M\", \"N\"], how many elements: their product");
  argument.extent = reader.expressions("extent", most_extents);
  read_judgement(reader, argument, context);
  judge_fields(reader, argument, fields);
  read_place(reader, argument, context);
  refuse_keys(reader, {"value"}, fmt::format("{} is a buffer and has no", argument.name),
              "init says what a buffer is filled with");
}

/// A vector's `value` as a list: one for each component.
void read_components(const Node& list, Numbers numbers, model::ArgumentSpec& argument, SpecContext& context) {
  const int components = argument.type ? model::components(*argument.type) : 1;
  if (components == 1 || list.items.size() != static_cast<std::size_t>(components)) {
    context.mistakes.add(
        list.where,
        fmt::format("{} values for {}, which has {}", list.items.size(), argument.name, components),
        "a list with one for each component of a vector, or one expression for all");
    return;
  }
  for (const Node& item : list.items) {
    if (auto one = read_expression(item, "an item of \"value\"", context.mistakes, numbers))
      argument.components.push_back(std::move(*one));
  }
}

void read_scalar(TableReader& reader, model::ArgumentSpec& argument, std::vector<model::ArgumentSpec>& fields,
                 SpecContext& context) {
  const bool real = !argument.type || model::is_floating(*argument.type);
  const Numbers numbers = real ? Numbers::real : Numbers::whole;
  const Member* const value = reader.table().find("value");
  if (argument.structure) {
    const Struct& of = *find_struct(context, argument.structure->name);
    fields = fields_of(of, argument);
    read_field_values(reader, of, fields, argument.name, context);
  } else if (value != nullptr && value->value.kind == Node::Kind::list) {
    reader.take("value");
    read_components(value->value, numbers, argument, context);
  } else {
    argument.value = reader.expression("value", numbers);
  }
  refuse_keys(reader,
              {"access", "extent", "init", "second_init", "restore", "unwritten", "unordered", "expected",
               "tolerance", "symbol", "memory"},
              fmt::format("{} is a {} and has no", argument.name, argument.structure ? "value" : "number"),
              "only buffers have it: their type ends in *");
}

void read_argument(const Node& table, SpecContext& context) {
  TableReader reader(table, "[[arguments]]", context.mistakes);
  model::ArgumentSpec argument;
  argument.where = table.where;
  if (const auto name = reader.required_text("name", "the name the launches use")) {
    check_identifier(*name, "argument", reader.place("name"), context.mistakes);
    argument.name = *name;
    argument.where = table.find("name")->value.contents;
    for (const model::ArgumentSpec& earlier : context.spec.arguments) {
      if (earlier.name != *name) continue;
      context.mistakes.add(argument.where,
                           fmt::format("the argument \"{}\" stands twice", util::one_line(*name, 60)),
                           fmt::format("the first is in line {}", earlier.where.line));
      break;
    }
  }
  std::vector<model::ArgumentSpec> fields;
  const auto type = reader.required_text("type", "type = \"float*\"");
  if (type && read_type(table.find("type")->value, argument, context)) {
    if (argument.pointer && read_null(reader, argument, context.mistakes)) {
      // That is all.
    } else if (argument.pointer) {
      read_buffer(reader, argument, fields, context);
    } else if (argument.is_view()) {
      read_view(reader, argument, context);
    } else {
      read_scalar(reader, argument, fields, context);
    }
    reader.finish();
  }
  context.spec.arguments.push_back(std::move(argument));
  for (model::ArgumentSpec& field : fields) context.spec.arguments.push_back(std::move(field));
}

}  // namespace

void read_arguments(const Node& list, SpecContext& context) {
  each_table(list, "arguments", "a list of tables; write [[arguments]] above each", most_arguments,
             context.mistakes, [&](const Node& table) { read_argument(table, context); });
}

}  // namespace config
