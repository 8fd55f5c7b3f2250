#include <fmt/format.h>

#include "config/spec_context.hpp"
#include "config/table_reader.hpp"

namespace config {
namespace model = tuner::model;

void read_verify(const Node& table, SpecContext& context) {
  if (table.kind != Node::Kind::table) {
    context.mistakes.wrong_type(table, "\"verify\"", "a table", "write [verify], once");
    return;
  }
  TableReader reader(table, "[verify]", context.mistakes);
  model::VerifySpec verify;
  verify.where = table.where;
  if (const auto reference = reader.required_text("reference", "reference = \"reference.cu\"")) {
    verify.source = collect_sources(
        context.files, {context.folder, *reference, table.find("reference")->value.where, context.includes},
        context.mistakes);
  }
  reader.require(
      "rounding_terms",
      "how many rounded operations lead to an element: \"K\" for a sum of K products, 0 where results must "
      "be equal");
  if (auto terms = reader.expression("rounding_terms", Numbers::real))
    verify.rounding_terms = std::move(*terms);
  verify.second_is_exact = reader.boolean("second_is_exact").value_or(false);
  if (const Member* launch = reader.require("launch", "[verify.launch] says how the reference is run")) {
    verify.steps = read_steps(launch->value, "verify.launch", "", context.mistakes);
    for (const model::StepSpec& step : verify.steps) {
      if (!step.upload.empty()) {
        context.mistakes.add(step.where, "the reference uploads a buffer",
                             "its inputs are on the device already; only launches belong here");
      }
    }
  }
  reader.finish();
  context.spec.verify = std::move(verify);
}

}  // namespace config
