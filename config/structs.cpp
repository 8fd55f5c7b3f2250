#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/spec_reader.hpp"
#include "tuner/space/expression.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace {

constexpr std::size_t most_structs = 64;
constexpr std::size_t most_fields = 64;
constexpr std::int64_t most_struct_bytes = 65536;
constexpr std::int64_t most_field_length = 4096;
constexpr std::string_view field_hint = "as C++ declares it: \"float3 position\", \"float weights[4]\"";

/// `float weights[4]`; nothing where that was reported.
std::optional<StructField> read_struct_field(const Node& node, Mistakes& mistakes) {
  StructField field;
  field.where = node.contents;
  std::string_view text = util::trimmed(node.text);
  bool sound = true;
  if (text.ends_with(']')) {
    const std::size_t open = text.rfind('[');
    const std::string_view length =
        open == std::string_view::npos ? "" : util::trimmed(text.substr(open + 1, text.size() - open - 2));
    field.length = util::parse_number<std::int64_t>(length).value_or(0);
    sound = field.length >= 1 && field.length <= most_field_length;
    text = util::trimmed(text.substr(0, std::min(open, text.size())));
  }
  const std::size_t blank = text.find_last_of(" \t");
  if (sound && blank != std::string_view::npos) {
    field.name = text.substr(blank + 1);
    const auto type = model::parse_element_type(util::trimmed(text.substr(0, blank)));
    if (type && tuner::space::is_identifier(field.name)) {
      field.type = *type;
      return field;
    }
    if (tuner::space::is_identifier(field.name)) {
      mistakes.add(node.contents,
                   fmt::format("unknown type \"{}\" of a field",
                               util::one_line(util::trimmed(text.substr(0, blank)), 60)),
                   model::element_type_names());
      return std::nullopt;
    }
  }
  mistakes.add(node.contents, fmt::format("\"{}\" is no field", util::one_line(node.text, 60)),
               std::string(field_hint));
  return std::nullopt;
}

void read_fields(TableReader& reader, Struct& out) {
  Mistakes& mistakes = reader.mistakes();
  const Member* const list = reader.require("fields", "fields = [\"float3 position\", \"int cell\"]");
  const std::vector<const Node*> texts = reader.texts("fields");
  if (list != nullptr && list->value.kind == Node::Kind::list &&
      (texts.size() > most_fields || list->value.items.empty())) {
    mistakes.add(list->value.where, fmt::format("{} fields", texts.size()),
                 fmt::format("from 1 to {}", most_fields));
    return;
  }
  for (const Node* const text : texts) {
    auto field = read_struct_field(*text, mistakes);
    if (!field) continue;
    const bool taken = std::ranges::count(out.fields, field->name, &StructField::name) > 0;
    if (taken)
      mistakes.add(field->where, fmt::format("the field \"{}\" stands twice", field->name), "rename one");
    out.fields.push_back(std::move(*field));
  }
}

/// Fields as C++ lays them out, and the whole a multiple of the largest alignment.
void lay_out(TableReader& reader, Struct& out) {
  auto [offsets, align, end] = natural_layout(out.fields);
  out.layout.offsets = std::move(offsets);
  if (const auto given = reader.integer("align", 1, 4096)) {
    if (*given < align || (*given & (*given - 1)) != 0) {
      reader.wrong("align", fmt::format("align = {}", *given),
                   fmt::format("a power of two, at least {}, that of its fields", align));
    } else {
      align = *given;
    }
  }
  out.layout.bytes = round_up(end, align);
  if (const auto given = reader.integer("size", 1, most_struct_bytes)) {
    if (*given < end || *given % align != 0) {
      reader.wrong(
          "size", fmt::format("size = {}", *given),
          fmt::format("a multiple of its alignment, {}, and at least {}, where its fields end", align, end));
    }
    out.layout.bytes = *given;
  }
  if (out.layout.bytes > most_struct_bytes)
    reader.mistakes().add(reader.table().where, fmt::format("a struct of {} bytes", out.layout.bytes),
                          fmt::format("at most {}", most_struct_bytes));
}

std::string names_of(const Struct& of) {
  std::vector<std::string> names;
  for (const StructField& field : of.fields) names.push_back(field.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The entries of a table with one for each field, in the fields' order, null where there is none.
std::vector<const Member*> by_field(const Node& table, std::string_view key, const Struct& of,
                                    const std::string& argument, Mistakes& mistakes) {
  std::vector<const Member*> all(of.fields.size(), nullptr);
  for (const Member& member : table.members) {
    const auto found = std::ranges::find(of.fields, member.key, &StructField::name);
    if (found != of.fields.end()) {
      all[static_cast<std::size_t>(found - of.fields.begin())] = &member;
      continue;
    }
    mistakes.add(member.where,
                 fmt::format("{}: {} names \"{}\", which is no field of {}", argument, key,
                             util::one_line(member.key, 40), of.layout.name),
                 fmt::format("its fields are {}", names_of(of)));
  }
  return all;
}

}  // namespace

std::int64_t round_up(std::int64_t value, std::int64_t to) {
  return (value + to - 1) / to * to;
}

NaturalLayout natural_layout(const std::vector<StructField>& fields) {
  NaturalLayout layout;
  for (const StructField& field : fields) {
    const std::int64_t own = model::alignment_bytes(field.type);
    layout.offsets.push_back(round_up(layout.end, own));
    layout.end = layout.offsets.back() + field.length * model::size_bytes(field.type);
    layout.align = std::max(layout.align, own);
  }
  return layout;
}

void read_structs(const Node& table, SpecContext& context) {
  Mistakes& mistakes = context.mistakes;
  if (!is_table(table, "\"structs\"", "write [structs.Particle], with its fields", mistakes)) return;
  if (table.members.size() > most_structs) {
    mistakes.add(table.where, fmt::format("{} structs", table.members.size()),
                 fmt::format("at most {}", most_structs));
    return;
  }
  for (const Member& member : table.members) {
    if (member.value.kind != Node::Kind::table) {
      mistakes.wrong_type(member.value, fmt::format("\"{}\"", member.key), "a table",
                          fmt::format("write [structs.{}], with its fields", member.key));
      continue;
    }
    if (model::parse_element_type(member.key) || member.key == "ELEMENT_TYPE") {
      mistakes.add(member.where, fmt::format("the struct \"{}\" has the name of a type", member.key),
                   "call it as the kernel's source does");
    }
    TableReader reader(member.value, fmt::format("[structs.{}]", member.key), mistakes);
    Struct& read = context.structs.emplace_back();
    read.layout.name = member.key;
    read_fields(reader, read);
    lay_out(reader, read);
    reader.finish();
  }
}

const Struct* find_struct(const SpecContext& context, std::string_view name) {
  for (const Struct& one : context.structs)
    if (one.layout.name == name) return &one;
  return nullptr;
}

std::vector<model::ArgumentSpec> fields_of(const Struct& of, const model::ArgumentSpec& argument) {
  std::vector<model::ArgumentSpec> all;
  for (const StructField& field : of.fields) {
    model::ArgumentSpec& one = all.emplace_back();
    one.name = fmt::format("{}.{}", argument.name, field.name);
    one.type = field.type;
    one.pointer = argument.pointer;
    one.access = argument.access;
    one.field_length = field.length;
    one.where = argument.where;
  }
  return all;
}

void read_field_inits(const Member& member, const Struct& of, std::vector<model::ArgumentSpec>& fields,
                      const std::string& argument, SpecContext& context) {
  Mistakes& mistakes = context.mistakes;
  const bool is_second = member.key == "second_init";
  if (member.value.kind != Node::Kind::table) {
    mistakes.wrong_type(member.value, fmt::format("\"{}\" of a struct", member.key),
                        "a table with one for each field",
                        fmt::format("{} = {{ {} = \"uniform(-1, 1)\", ... }}", member.key,
                                    of.fields.empty() ? "position" : of.fields.front().name));
    return;
  }
  const std::vector<const Member*> written = by_field(member.value, member.key, of, argument, mistakes);
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i] == nullptr) {
      if (!is_second)
        mistakes.add(member.value.where, fmt::format("{} has no init for {}", argument, of.fields[i].name),
                     fmt::format("add {} = \"...\"", of.fields[i].name));
      continue;
    }
    if (auto init = read_init_of(written[i]->value, written[i]->key, of.fields[i].type, context))
      (is_second ? fields[i].second_init.emplace() : fields[i].init).usual = *init;
  }
}

void read_field_values(TableReader& reader, const Struct& of, std::vector<model::ArgumentSpec>& fields,
                       const std::string& argument, SpecContext& context) {
  Mistakes& mistakes = context.mistakes;
  constexpr std::int64_t most_bytes = 128;
  if (of.layout.bytes > most_bytes) {
    reader.wrong("type", fmt::format("{} by value has {} bytes", of.layout.name, of.layout.bytes),
                 fmt::format("at most {}; a buffer of one may have more", most_bytes));
  }
  std::vector<const Member*> written(of.fields.size(), nullptr);
  if (const Member* const value = reader.take("value")) {
    if (value->value.kind == Node::Kind::table) {
      written = by_field(value->value, "value", of, argument, mistakes);
    } else {
      mistakes.wrong_type(value->value, "\"value\" of a struct", "a table with expressions for its fields",
                          "value = { steps = \"2 * N\" }; a field without one is the value of its own name");
    }
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const StructField& field = of.fields[i];
    const Numbers numbers = model::is_floating(field.type) ? Numbers::real : Numbers::whole;
    if (written[i] == nullptr) {
      fields[i].value = model::Expression{field.name, fields[i].where};
      continue;
    }
    const Node& value = written[i]->value;
    if (value.kind != Node::Kind::list) {
      fields[i].value = read_expression(value, field.name, mistakes, numbers);
      continue;
    }
    const auto wanted = static_cast<std::size_t>(field.length * model::components(field.type));
    if (value.items.size() != wanted) {
      mistakes.add(value.where,
                   fmt::format("{} values for {}, which has {}", value.items.size(), fields[i].name, wanted),
                   "a list with one for each number, or one expression for all");
    }
    for (const Node& item : value.items)
      if (auto one = read_expression(item, field.name, mistakes, numbers))
        fields[i].components.push_back(std::move(*one));
  }
}

}  // namespace config
