#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "config/spec_reader.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/embedded_file.hpp"
#include "tuner/util/text.hpp"

namespace config {

model::WorkloadSpec read_workload(const Node& table, Mistakes& mistakes) {
  model::WorkloadSpec workload;
  if (!is_table(table, "\"workload\"", "write [workload], then operations and bytes", mistakes))
    return workload;
  TableReader reader(table, "[workload]", mistakes);
  workload.operations = reader.expression("operations", Numbers::real);
  workload.bytes = reader.expression("bytes", Numbers::real);
  reader.finish();
  return workload;
}

std::vector<model::PlacedName> read_profile(const Node& table, Mistakes& mistakes) {
  std::vector<model::PlacedName> names;
  const std::string hint = "metrics = [\"dram__bytes_read.sum\"], by NVIDIA's names";
  if (!is_table(table, "\"profile\"", "write [profile], then " + hint, mistakes)) return names;
  TableReader reader(table, "[profile]", mistakes);
  reader.require("metrics", hint);
  for (const Node* name : reader.texts("metrics")) {
    if (name->text.empty() || name->text.find_first_of(", \t\n'\"") != std::string::npos)
      mistakes.add(name->where, fmt::format("\"{}\" is no name of a metric", util::one_line(name->text, 60)),
                   hint);
    names.push_back({name->text, name->where});
  }
  reader.finish();
  return names;
}

void read_ceiling(TableReader& reader, SpecContext& context) {
  const std::vector<model::Expression> sizes = reader.expressions("ceiling_sizes");
  const auto kind = reader.text("ceiling");
  if (!kind) {
    const Member* alone = reader.table().find("ceiling_sizes");
    if (alone != nullptr && reader.table().find("ceiling") == nullptr) {
      context.mistakes.add(alone->where, "\"ceiling_sizes\" without \"ceiling\"",
                           "it is for kernels that measure what their device can do at most");
    }
    return;
  }
  context.ceiling_place = reader.place("ceiling");
  const auto kinds = model::ceiling_kinds();
  if (std::ranges::count(kinds, *kind) == 0) {
    std::string hint = util::did_you_mean(*kind, kinds, '\"');
    if (hint.empty()) hint = "choose " + util::listed(kinds);
    context.mistakes.add(context.ceiling_place,
                         fmt::format("unknown kind of ceiling \"{}\"", util::one_line(*kind, 40)),
                         std::move(hint));
    return;
  }
  reader.require("ceiling_sizes", "the problem it is measured on, a size each: [\"multiprocessors * 4096\"]");
  context.spec.ceiling = *kind;
  context.spec.ceiling_sizes = sizes;
}

void check_ceiling(const SpecContext& context) {
  const model::KernelSpec& spec = context.spec;
  if (spec.ceiling.empty()) return;
  const std::string unit = spec.metrics.empty() ? "" : spec.metrics.front().name;
  if (model::ceiling_unit(spec.ceiling, unit)) return;
  const std::string found =
      unit.empty() ? "there is no metric" : fmt::format("the first metric is \"{}\"", unit);
  context.mistakes.add(context.ceiling_place, fmt::format("ceiling \"{}\", but {}", spec.ceiling, found),
                       fmt::format("its first metric is kept as the ceiling: name it {}",
                                   model::ceiling_unit_examples(spec.ceiling)));
}

namespace baseline {
std::span<const model::EmbeddedFile> embedded_files();  // generated: tuner_baseline.h
}

namespace {

constexpr std::size_t most_baselines = 16;
constexpr std::size_t most_call_arguments = 64;

/// The files of a spec, and the header that describes a baseline wherever its source includes it from.
class WithBaselineHeader final : public FileReader {
 public:
  explicit WithBaselineHeader(const FileReader& files) : m_files(files) {}
  FileText read(const std::filesystem::path& path) const override {
    FileText file = m_files.read(path);
    if (!file.missing) return file;
    for (const model::EmbeddedFile& header : baseline::embedded_files()) {
      if (path.filename() == header.path) return {std::string(header.text), "", false};
    }
    return file;
  }
  std::filesystem::path data_path(const std::filesystem::path& path) const override {
    return m_files.data_path(path);
  }

 private:
  const FileReader& m_files;
};

std::vector<model::SourceText> host_sources(const std::string& name, const model::SourceLocation& place,
                                            const SpecContext& context) {
  return collect_sources(WithBaselineHeader(context.files), {context.folder, name, place, context.includes},
                         context.mistakes);
}

void read_name(TableReader& reader, model::BaselineSpec& spec, const SpecContext& context) {
  spec.where = reader.table().where;
  const auto name = reader.required_text("name", "name = \"cuBLAS\", what tables call it");
  if (!name) return;
  spec.where = reader.place("name");
  if (!check_label(*name, "baseline", spec.where, context.mistakes)) return;
  spec.name = *name;
  const auto& others = context.spec.baselines;
  const bool taken = *name == context.spec.name ||
                     std::ranges::any_of(others, [&](const auto& other) { return other.name == *name; });
  if (!taken) return;
  context.mistakes.add(spec.where, fmt::format("the name \"{}\" is taken in this file", *name),
                       "a baseline is shown beside its kernel and the other baselines: give each a name");
}

void read_source(TableReader& reader, model::BaselineSpec& spec, const SpecContext& context) {
  const auto source =
      reader.required_text("source", "source = \"cublas.cpp\", which defines what tuner_baseline.h declares");
  if (source) spec.source = host_sources(*source, reader.place("source"), context);
}

void read_arguments(TableReader& reader, model::BaselineSpec& spec) {
  Mistakes& mistakes = reader.mistakes();
  const Member* member =
      reader.require("arguments", "arguments = [\"A\", \"B\", \"C\", \"N\"], what the call gets");
  if (member == nullptr) return;
  const std::vector<const Node*> names = reader.texts("arguments");
  for (const Node* name : names) {
    if (name->text.empty()) mistakes.add(name->where, "an empty name among \"arguments\"");
    spec.arguments.push_back({name->text, name->contents});
  }
  if (member->value.kind != Node::Kind::list) return;
  if (member->value.items.empty() || names.size() > most_call_arguments) {
    mistakes.add(member->value.where, fmt::format("\"arguments\" has {} names", names.size()),
                 fmt::format("from 1 to {}", most_call_arguments));
  }
}

model::BaselineSpec read_baseline(const Node& table, const SpecContext& context) {
  model::BaselineSpec spec;
  TableReader reader(table, "[[baseline]]", context.mistakes);
  read_name(reader, spec, context);
  spec.description = reader.line("description");
  read_source(reader, spec, context);
  read_arguments(reader, spec);
  spec.workspace_bytes = reader.expression("workspace_bytes");
  spec.rounding_terms = reader.expression("rounding_terms", Numbers::real);
  read_types(reader, spec.types);
  read_device_kinds(reader, spec.device_kinds);
  if (table.find("devices") == nullptr) {
    for (const model::DeviceKind& kind : model::device_kinds())
      if (kind.has_libraries) spec.device_kinds.emplace_back(kind.name);
  }
  reader.finish();
  return spec;
}

}  // namespace

void read_baselines(const Node& list, SpecContext& context) {
  each_table(list, "baseline", "a list of tables; write [[baseline]] above each", most_baselines,
             context.mistakes,
             [&](const Node& table) { context.spec.baselines.push_back(read_baseline(table, context)); });
}

void read_library(TableReader& reader, SpecContext& context) {
  const auto source = reader.text("library");
  if (!source) return;
  context.library_place = reader.place("library");
  context.spec.library = host_sources(*source, context.library_place, context);
}

void check_calls(const SpecContext& context) {
  const model::KernelSpec& spec = context.spec;
  const bool has_library = context.library_place.line != 0;
  bool calls = false;
  for (const model::StepSpec& step : spec.steps) {
    if (!step.calls) continue;
    calls = true;
    const bool is_named = std::any_of(spec.library.begin(), spec.library.end(), [&](const auto& file) {
      return file.text.find(step.entry) != std::string::npos;
    });
    if (!has_library)
      context.mistakes.add(step.where, fmt::format("`{}` is called, and there is no library", step.entry),
                           "[kernel] library = \"calls.cpp\", C++ for the host (docs/specs-launches.md)");
    else if (!spec.library.empty() && !is_named)
      context.mistakes.add(step.where,
                           fmt::format("{} has no function `{}`", spec.library.front().name, step.entry),
                           "define it as tuner_baseline.h declares tuner_baseline");
  }
  if (has_library && !calls)
    context.mistakes.add(context.library_place, "no step calls the library",
                         "a [[launch]] with call = \"FUNCTION\"; a library that does all is a [[baseline]]");
}

}  // namespace config
