#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/spec_reader.hpp"
#include "tuner/model/device.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace {

constexpr std::array<std::string_view, 18> type_names = {
    "float",         "double",        "signed char",   "unsigned char", "int",    "unsigned int",
    "int64",         "uint64",        "short",         "uint16",        "bool",   "__half",
    "__nv_bfloat16", "__nv_fp8_e4m3", "__nv_fp8_e5m2", "float2",        "float4", "double2"};

/// Reports the second of two equal strings.
bool is_new(const Node& node, const std::vector<const Node*>& nodes, std::string_view what,
            Mistakes& mistakes) {
  for (const Node* earlier : nodes) {
    if (earlier == &node) return true;
    if (earlier->text == node.text) {
      mistakes.add(node.where, fmt::format("{} \"{}\" stands twice", what, util::one_line(node.text, 60)),
                   "leave one out");
      return false;
    }
  }
  return true;
}

void read_names(TableReader& reader, SpecContext& context) {
  model::KernelSpec& spec = context.spec;
  if (const auto name = reader.required_text("name", "name = \"my_kernel\"")) {
    context.name_place = reader.place("name");
    if (check_label(*name, "kernel", context.name_place, context.mistakes)) spec.name = *name;
  }
  spec.family = spec.name;
  if (const auto family = reader.text("family")) {
    if (check_label(*family, "family", reader.place("family"), context.mistakes)) {
      spec.family = *family;
    }
  }
  spec.description = reader.line("description");
}

void read_sizes(TableReader& reader, SpecContext& context) {
  const Member* member =
      reader.require("sizes", "sizes = [\"M\", \"N\", \"K\"], the names of the problem's extents");
  if (member == nullptr) return;
  const std::vector<const Node*> names = reader.texts("sizes");
  for (const Node* name : names) {
    if (check_name(name->text, "size", name->where, context.mistakes) &&
        is_new(*name, names, "the size", context.mistakes)) {
      context.spec.sizes.push_back(name->text);
    }
  }
  const bool is_list_value = member->value.kind == Node::Kind::list;
  if (is_list_value && (member->value.items.empty() || names.size() > most_sizes_of_a_kernel)) {
    context.mistakes.add(member->value.where,
                         fmt::format("\"sizes\" has {} names", member->value.items.size()),
                         fmt::format("from 1 to {}", most_sizes_of_a_kernel));
  }
}

bool check_option(const Node& option, Mistakes& mistakes) {
  if (option.text.size() >= 2 && option.text[0] == '-' && util::one_line(option.text) == option.text)
    return true;
  mistakes.add(option.where, fmt::format("\"{}\" is no compiler option", util::one_line(option.text, 60)),
               "one option an item, such as \"--use_fast_math\"");
  return false;
}

/// The header that an option such as `-include config.h` names; nothing: it is another option.
std::optional<std::string> header_of(std::string_view option) {
  for (const std::string_view name : {"--pre-include", "-include", "--include"}) {
    if (!option.starts_with(name)) continue;
    const std::string_view rest = option.substr(name.size());
    if (rest.empty() || rest.front() == '=' || rest.front() == ' ')
      return std::string(util::trimmed(rest.substr(rest.empty() ? 0 : 1)));
  }
  return std::nullopt;
}

/// The folder that an option such as -Iinclude names; empty: none.
std::string folder_of(std::string_view option) {
  for (const std::string_view name : {"-I", "--include-path"}) {
    if (!option.starts_with(name)) continue;
    option.remove_prefix(name.size());
    return std::string(util::trimmed(option.substr(option.starts_with('=') ? 1 : 0)));
  }
  return "";
}

/// Sources are read before there is a configuration.
bool has_fixed_path(const Node& option, Mistakes& mistakes) {
  const bool is_path = header_of(option.text).has_value() || !folder_of(option.text).empty();
  if (!is_path || option.text.find("${") == std::string::npos) return true;
  mistakes.add(option.where, fmt::format("\"{}\" depends on a parameter", util::one_line(option.text, 60)),
               "folders and headers are the same in all configurations; choose in the source, by #if");
  return false;
}

/// `{ option = "--use_fast_math", when = "FAST == 1" }`
void read_conditional_option(const Node& table, SpecContext& context) {
  TableReader reader(table, "an item of \"options\"", context.mistakes);
  const auto option = reader.required_text("option", "option = \"--use_fast_math\"");
  reader.require("when", "when = \"FAST_MATH == 1\"; an option that is always there is a plain string");
  const auto when = reader.expression("when");
  reader.finish();
  if (!option || !when || !check_option(table.find("option")->value, context.mistakes)) return;
  if (header_of(*option) || !folder_of(*option).empty())
    reader.wrong("option", "a header or its folder is for all configurations or none",
                 "include the header in the source, below an #if");
  else
    context.spec.conditional_options.push_back({*option, *when, reader.place("option")});
}

void read_option(const Node& item, const Node* next, SpecContext& context) {
  if (!check_option(item, context.mistakes) || !has_fixed_path(item, context.mistakes)) return;
  const std::optional<std::string> header = header_of(item.text);
  if (!header) {
    context.spec.compile_options.emplace_back(item.text, item.where);
  } else if (!header->empty()) {
    context.before.push_back(*header);
  } else if (next != nullptr && next->kind == Node::Kind::text) {
    context.before.push_back(next->text);
  } else {
    context.mistakes.add(item.where, fmt::format("\"{}\" names no header", item.text),
                         "\"-include config.h\", relative to the spec");
  }
}

void read_options(TableReader& reader, SpecContext& context) {
  const Member* member = reader.take("options");
  if (member == nullptr || !is_list(member->value, "\"options\"", "a list of strings", context.mistakes))
    return;
  const std::vector<Node>& items = member->value.items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_header = i > 0 && items[i - 1].kind == Node::Kind::text &&
                           header_of(items[i - 1].text) == std::optional<std::string>("");
    if (items[i].kind == Node::Kind::table) {
      read_conditional_option(items[i], context);
    } else if (items[i].kind != Node::Kind::text) {
      context.mistakes.wrong_type(items[i], "an item of \"options\"",
                                  "a string, or { option = \"...\", when = \"...\" }");
    } else if (!is_header) {
      read_option(items[i], i + 1 < items.size() ? &items[i + 1] : nullptr, context);
    }
  }
}

/// What the kernel takes part as. A kernel with a `ceiling` is one, and is no baseline as well.
void read_role(TableReader& reader, SpecContext& context) {
  read_ceiling(reader, context);
  constexpr std::array<Word<model::Role>, 2> roles = {
      {{"competitor", model::Role::competitor}, {"baseline", model::Role::baseline}}};
  const auto role = reader.word<model::Role>(
      "role", roles, "competitor, or baseline: timed beside the others, never chosen");
  if (role) context.spec.role = *role;
  if (context.spec.ceiling.empty()) return;
  context.spec.role = model::Role::ceiling;
  if (reader.table().find("role") != nullptr)
    reader.wrong("role", "\"role\" beside \"ceiling\"", "a kernel with a ceiling has no other role");
}

void read_compiler(TableReader& reader, SpecContext& context) {
  constexpr std::array<Word<bool>, 2> compilers = {{{"nvrtc", false}, {"nvcc", true}}};
  context.spec.by_nvcc =
      reader
          .word<bool>("compiler", compilers,
                      "nvrtc, or nvcc: for sources with code for the host, and flags that NVRTC lacks")
          .value_or(false);
}

void read_sources(TableReader& reader, SpecContext& context) {
  for (const model::CompilerOption& option : context.spec.compile_options) {
    const std::string folder = folder_of(option.text);
    // The toolkit's own headers are the compiler's, whose version is part of every binary's identity.
    const bool is_toolkit =
        !folder.empty() && !context.files.read(context.folder / folder / "cuda_fp16.h").missing;
    if (!folder.empty() && !is_toolkit) context.includes.push_back(context.folder / folder);
  }
  for (const Node* folder : reader.texts("include")) {
    if (folder->text.empty() || folder->text[0] == '/') {
      context.mistakes.add(folder->where,
                           fmt::format("\"{}\" is no relative path", util::one_line(folder->text, 80)),
                           "folders of \"include\" are relative to the spec");
    } else {
      context.includes.push_back(context.folder / folder->text);
    }
  }
  if (const auto source = reader.required_text("source", "source = \"my_kernel.cu\"")) {
    context.spec.source = collect_sources(
        context.files, {context.folder, *source, reader.place("source"), context.includes, context.before},
        context.mistakes);
  }
  read_library(reader, context);
}

}  // namespace

/// Leaves the types empty after a mistake: then nothing that depends on them is judged.
void read_types(TableReader& reader, std::vector<model::ElementType>& types) {
  Mistakes& mistakes = reader.mistakes();
  const std::vector<const Node*> names = reader.texts("types");
  for (const Node* name : names) {
    const auto type = model::parse_element_type(name->text);
    if (!type) {
      std::string hint = util::did_you_mean(name->text, type_names, '\"');
      if (hint.empty()) hint = "known types: " + util::listed(type_names);
      mistakes.add(name->where, fmt::format("unknown type \"{}\"", util::one_line(name->text, 40)),
                   std::move(hint));
    } else if (is_new(*name, names, "the type", mistakes)) {
      types.push_back(*type);
    }
  }
  if (types.size() != names.size()) types.clear();
  const Member* member = reader.table().find("types");
  if (member != nullptr && member->value.kind == Node::Kind::list && member->value.items.empty()) {
    mistakes.add(member->value.where, "\"types\" is an empty list", "leave it out for the usual");
  }
}

void read_device_kinds(TableReader& reader, std::vector<std::string>& device_kinds) {
  for (const Node* kind : reader.texts("devices")) {
    if (!model::device_kind(kind->text).in_specs) {
      reader.mistakes().add(kind->where,
                            fmt::format("unknown kind of device \"{}\"", util::one_line(kind->text, 40)),
                            "\"cuda\" or \"cpu\"; leave \"devices\" out for the usual");
    } else {
      device_kinds.push_back(kind->text);
    }
  }
}

void read_kernel_table(const Node& table, SpecContext& context) {
  if (!is_table(table, "\"kernel\"", "write [kernel], once", context.mistakes)) return;
  TableReader reader(table, "[kernel]", context.mistakes);
  read_names(reader, context);
  read_sizes(reader, context);
  read_types(reader, context.spec.types);
  if (table.find("types") == nullptr) context.spec.types = {model::ElementType::float32};
  read_device_kinds(reader, context.spec.device_kinds);
  read_options(reader, context);
  read_compiler(reader, context);
  read_sources(reader, context);
  if (const auto entry = reader.text("entry")) {
    check_entry(*entry, reader.place("entry"), context.mistakes);
    context.entry = *entry;
  }
  if (const auto padding = reader.text("row_padding")) {
    const model::SourceLocation& where = reader.place("row_padding");
    if (check_name(*padding, "row padding", where, context.mistakes)) context.spec.row_padding = *padding;
  }
  context.spec.deterministic = reader.boolean("deterministic").value_or(true);
  read_role(reader, context);
  if (const Member* defaults = reader.take("default")) context.defaults = &defaults->value;
  reader.finish();
}

}  // namespace config
