#include "config/spec_context.hpp"
#include "config/table_reader.hpp"

namespace config {
namespace model = tuner::model;

void read_generate(const Node& table, SpecContext& context) {
  if (table.kind != Node::Kind::table) {
    context.mistakes.wrong_type(table, "\"generate\"", "a table", "write [generate], once");
    return;
  }
  TableReader reader(table, "[generate]", context.mistakes);
  model::GeneratorSpec generator;
  if (const auto source = reader.required_text("source", "source = \"inputs.cu\", device code")) {
    generator.source = collect_sources(
        context.files, {context.folder, *source, table.find("source")->value.where, context.includes},
        context.mistakes);
  }
  if (const Member* launch = reader.require("launch", "[generate.launch] says how the generator is run")) {
    generator.steps = read_steps(launch->value, "generate.launch", "", context.mistakes);
    for (const model::StepSpec& step : generator.steps) {
      if (!step.upload.empty())
        context.mistakes.add(step.where, "the generator uploads or sets a buffer",
                             "only launches belong here");
    }
  }
  reader.finish();
  context.spec.generator = std::move(generator);
}

}  // namespace config
