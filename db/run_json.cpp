#include <nlohmann/json.hpp>

#include "db/json_values.hpp"
#include "db/trial_json.hpp"

namespace db {

using tuner::model::DeviceInfo;
using tuner::model::RunRecord;

namespace {

Json json_of(const DeviceInfo& device) {
  return {{"id", device.id},
          {"kind", device.kind},
          {"name", device.name},
          {"uuid", device.uuid},
          {"architecture", device.architecture},
          {"compute_major", device.compute_major},
          {"compute_minor", device.compute_minor},
          {"driver", device.driver},
          {"memory_bytes", device.memory_bytes},
          {"limits", db::json_of(device.limits)}};
}

DeviceInfo device_from(const Fields& fields) {
  DeviceInfo device;
  device.id = fields.text("id", 4096);
  device.kind = fields.text("kind", 64);
  device.name = fields.text("name", 256);
  device.uuid = fields.text("uuid", 256);
  device.architecture = fields.text("architecture", 64);
  device.compute_major = fields.small("compute_major");
  device.compute_minor = fields.small("compute_minor");
  device.driver = fields.text("driver", 256);
  device.memory_bytes = fields.integer("memory_bytes");
  device.limits = limits_from(fields.value("limits"));
  return device;
}

}  // namespace

std::string to_json(const RunRecord& run) {
  return json_line({{"id", run.id.hex()},
                    {"command_line", run.command_line},
                    {"started_at", run.started_at},
                    {"ended_at", run.ended_at},
                    {"state", run.state},
                    {"host", run.host},
                    {"version", run.version},
                    {"seed", run.seed},
                    {"device", json_of(run.device)},
                    {"toolkit", run.toolkit},
                    {"measured", run.measured}});
}

RunRecord run_from_json(const Json& value) {
  const Fields fields(value, "run");
  RunRecord run;
  run.id = fields.digest("id");
  if (run.id.empty()) fields.refuse("id", "an identifier");
  run.command_line = fields.text("command_line", std::size_t{1} << 20U);
  run.started_at = fields.text("started_at", 64);
  run.ended_at = fields.text("ended_at", 64);
  run.state = fields.text("state");
  const bool known =
      run.state == "running" || run.state == "done" || run.state == "interrupted" || run.state == "failed";
  if (!known) fields.refuse("state", "running, done, interrupted or failed");
  run.host = fields.text("host", 1024);
  run.version = fields.text("version", 256);
  run.seed = fields.natural("seed");
  run.device = device_from(fields.object("device"));
  run.toolkit = fields.text("toolkit", 256);
  run.measured = fields.integer("measured", 0);
  return run;
}

}  // namespace db
