#include "config/kernel_spec_reader.hpp"

#include <algorithm>
#include <utility>

#include "config/spec_context.hpp"
#include "config/table_reader.hpp"

namespace config {
namespace model = tuner::model;
namespace {

void read_launches(const Node& document, TableReader& reader, SpecContext& context) {
  const Member* launch = reader.require("launch", "[launch] says the block and the grid");
  if (launch == nullptr) return;
  context.spec.steps = read_steps(launch->value, "launch", context.entry, context.mistakes);
  const auto launches = [](const model::StepSpec& step) { return step.upload.empty(); };
  if (!context.spec.steps.empty() &&
      std::none_of(context.spec.steps.begin(), context.spec.steps.end(), launches)) {
    context.mistakes.add(document.find("launch")->where, "no step launches a kernel",
                         "add a [[launch]] with block and grid");
  }
}

}  // namespace

ReadSpec read_kernel_spec(const Node& document, const FileReader& files, const std::filesystem::path& folder,
                          Mistakes& mistakes) {
  ReadSpec result;
  SpecContext context{files, folder, mistakes, result.spec, "", document.where, nullptr, {}, {}};
  model::KernelSpec& spec = result.spec;
  TableReader reader(document, "the file", mistakes);
  spec.constraints = reader.expressions("constraints", most_items, Empty::fine);
  if (const Member* kernel =
          reader.require("kernel", "[kernel] names the kernel, its source and its sizes")) {
    read_kernel_table(kernel->value, context);
    result.include_folders = context.includes;
    result.headers_above = context.before;
  }
  if (const Member* derived = reader.take("derived")) spec.derived = read_derived(derived->value, mistakes);
  if (const Member* macros = reader.take("macros")) read_macros(macros->value, spec, mistakes);
  if (const Member* parameters = reader.take("parameters")) read_parameters(parameters->value, context);
  read_defaults(context);
  read_launches(document, reader, context);
  if (const Member* structs = reader.take("structs")) read_structs(structs->value, context);
  if (const Member* arguments = reader.take("arguments")) read_arguments(arguments->value, context);
  if (const Member* generate = reader.take("generate")) read_generate(generate->value, context);
  if (const Member* verify =
          reader.require("verify",
                         "[verify] says what is right; verify = \"none\", above [kernel], that "
                         "nobody knows, and then every time of it is shown as unverified")) {
    read_verify(verify->value, context);
  }
  if (const Member* baselines = reader.take("baseline")) read_baselines(baselines->value, context);
  if (const Member* metrics = reader.take("metrics")) spec.metrics = read_metrics(metrics->value, mistakes);
  check_ceiling(context);
  if (const Member* workload = reader.take("workload"))
    spec.workload = read_workload(workload->value, mistakes);
  reader.finish();
  result.name_place = context.name_place;
  return result;
}

}  // namespace config
