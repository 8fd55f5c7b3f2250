#include "tuner/cli/device_list.hpp"

#include <fmt/format.h>

#include "reports/numbers.hpp"
#include "reports/table.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/cli/table_output.hpp"
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

int list_devices(const std::string& format) {
  using reports::Align;
  reports::Table table({{"device"},
                        {"name", Align::left, true},
                        {"architecture"},
                        {"multiprocessors", Align::right, false, 2},
                        {"memory", Align::right, false, 4},
                        {"driver", Align::left, false, 3},
                        {"uuid", Align::left, false, 1}});
  try {
    for (const model::DeviceInfo& device : device::cuda::devices()) add(table, device);
  } catch (const model::Error& error) {
    write_err(fmt::format("no GPU: {}", error.what()));
  }
  add(table, device::cpu::describe_cpu());
  write_table(table, "devices", format);
  return 0;
}

}  // namespace tuner::cli
