#include "config/spec_context.hpp"
#include "config/table_reader.hpp"

namespace config {
namespace model = tuner::model;

model::WorkloadSpec read_workload(const Node& table, Mistakes& mistakes) {
  model::WorkloadSpec workload;
  if (table.kind != Node::Kind::table) {
    mistakes.wrong_type(table, "\"workload\"", "a table", "write [workload], then operations and bytes");
    return workload;
  }
  TableReader reader(table, "[workload]", mistakes);
  workload.operations = reader.expression("operations", Numbers::real);
  workload.bytes = reader.expression("bytes", Numbers::real);
  reader.finish();
  return workload;
}

}  // namespace config
