#include "tuner/cli/device_list.hpp"

#include <fmt/format.h>

#include "reports/numbers.hpp"
#include "reports/table.hpp"
#include "tuner/cli/answer_style.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/device/cpu/cpu_device.hpp"
#include "tuner/device/cuda/cuda.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {
namespace {

void add(reports::Table& table, const model::DeviceInfo& device) {
  table.add_row(
      {device.id, device.name, device.architecture, fmt::format("{}", device.limits.multiprocessors),
       device.memory_bytes > 0 ? reports::bytes_text(device.memory_bytes) : "", device.driver, device.uuid});
}

}  // namespace

int list_devices() {
  using reports::Align;
  reports::Table table({{"device"},
                        {"name", Align::left, true},
                        {"architecture"},
                        {"multiprocessors", Align::right},
                        {"memory", Align::right},
                        {"driver"},
                        {"uuid"}});
  try {
    for (const model::DeviceInfo& device : device::cuda::devices()) add(table, device);
  } catch (const model::Error& error) {
    write_err(fmt::format("no GPU: {}", error.what()));
  }
  add(table, device::cpu::describe_cpu());
  write_out(table.fitted(stdout_columns()));
  return 0;
}

}  // namespace tuner::cli
