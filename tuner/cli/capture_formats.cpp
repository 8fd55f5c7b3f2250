#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/capture/parameters.hpp"
#include "tuner/cli/capture.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

using capture::RecordedIntegers;
using capture::RecordedKernel;
using capture::RecordedShape;
using capture::Recording;
using reports::Align;

constexpr std::size_t most_tuples = 3;  ///< of integers, in a cell
constexpr std::size_t most_name = 100;  ///< of a kernel; templates have names of pages

std::string extent_text(const std::array<std::uint32_t, 3>& extents) {
  return reports::dim_text({extents[0], extents[1], extents[2]});
}

/// `4096, 64`
std::string values_text(const RecordedIntegers& integers) {
  std::string text;
  for (const auto& [parameter, value] : integers.values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

/// Of all shapes, the most frequent first: `4096, 64 (12 times)`.
std::string integers_text(const RecordedKernel& kernel) {
  std::map<std::string, std::uint64_t> counted;
  for (const RecordedShape& shape : kernel.shapes)
    for (const RecordedIntegers& integers : shape.integers)
      counted[values_text(integers)] += integers.launches;
  std::vector<std::pair<std::string, std::uint64_t>> order(counted.begin(), counted.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), most_tuples); ++i)
    text += fmt::format("{}{}: {}×", text.empty() ? "" : "; ", order[i].first, order[i].second);
  if (order.size() > most_tuples) text += fmt::format("; {} more", order.size() - most_tuples);
  return text;
}

std::string graph_name(std::uint32_t graph) {
  return graph == 0 ? "" : graph == capture::other_graphs ? "others" : std::to_string(graph);
}

std::string graph_text(const RecordedKernel& kernel) {
  std::set<std::uint32_t> graphs;
  for (const RecordedShape& shape : kernel.shapes)
    if (shape.graph != 0) graphs.insert(shape.graph);
  if (graphs.empty()) return "";
  const std::string first = graph_name(*graphs.begin());
  return graphs.size() == 1 ? first : fmt::format("{} +{}", first, graphs.size() - 1);
}

/// Over all shapes, each with its launches.
double median_ns(const RecordedKernel& kernel) {
  std::vector<const RecordedShape*> timed;
  std::uint64_t all = 0;
  for (const RecordedShape& shape : kernel.shapes) {
    if (shape.timed == 0) continue;
    timed.push_back(&shape);
    all += shape.launches;
  }
  std::sort(timed.begin(), timed.end(),
            [](const auto* a, const auto* b) { return a->median_ns < b->median_ns; });
  std::uint64_t below = 0;
  for (const RecordedShape* shape : timed)
    if ((below += shape->launches) * 2 >= all) return shape->median_ns;
  return 0;
}

/// A grid, and how many others ran.
std::string grid_text(const RecordedKernel& kernel) {
  const auto ran = std::count_if(kernel.shapes.begin(), kernel.shapes.end(),
                                 [](const RecordedShape& shape) { return shape.launches != 0; });
  const std::string text = extent_text(kernel.shapes.front().grid);
  return ran > 1 ? fmt::format("{} +{}", text, ran - 1) : text;
}

std::vector<std::string> row_of(const RecordedKernel& kernel, double all_ns, bool has_gpus) {
  const RecordedShape& shape = kernel.shapes.front();
  const bool is_timed = kernel.total_ns > 0;
  return {util::one_line(kernel.readable, most_name),
          is_timed ? reports::percent_text(kernel.total_ns / all_ns) : "",
          is_timed ? reports::time_text(kernel.total_ns) : "",
          is_timed ? reports::time_text(median_ns(kernel)) : "",
          std::to_string(kernel.launches),
          grid_text(kernel),
          extent_text(shape.block),
          reports::bytes_text(kernel.static_shared_bytes + shape.dynamic_shared_bytes),
          std::to_string(kernel.registers),
          has_gpus ? std::to_string(shape.gpu) : "",
          graph_text(kernel),
          integers_text(kernel)};
}

}  // namespace

std::string capture_table(const Recording& recording, std::size_t columns) {
  reports::Table table({{"kernel", Align::left, true},
                        {"share", Align::right},
                        {"total", Align::right},
                        {"median", Align::right, false, 5},
                        {"launches", Align::right},
                        {"grid", Align::right, false, 6},
                        {"block", Align::right, false, 7},
                        {"shared", Align::right, false, 3},
                        {"regs", Align::right, false, 4},
                        {"GPU", Align::right, false, 8},
                        {"graph", Align::left, false, 2},
                        {"integers", Align::left, true, 1}});
  const std::vector<RecordedKernel> kernels = capture::all_kernels(recording);
  double all_ns = 0;
  bool has_gpus = false;
  for (const RecordedKernel& kernel : kernels) {
    all_ns += kernel.total_ns;
    has_gpus = has_gpus || kernel.shapes.front().gpu != kernels.front().shapes.front().gpu;
  }
  for (const RecordedKernel& kernel : kernels) table.add_row(row_of(kernel, all_ns, has_gpus));
  return table.empty() ? "" : table.fitted(columns, "--format json");
}

std::string capture_csv(const Recording& recording) {
  reports::Table table;
  for (const char* name : {"process", "gpu", "kernel", "readable", "grid", "block", "static_shared_bytes",
                           "dynamic_shared_bytes", "registers", "graph", "launches", "timed", "total_ns",
                           "median_ns", "integers"})
    table.add_column(name);
  for (const capture::RecordedProcess& process : recording.processes) {
    for (const RecordedKernel& kernel : process.kernels) {
      for (const RecordedShape& shape : kernel.shapes) {
        std::string integers;
        for (const RecordedIntegers& one : shape.integers)
          integers += fmt::format("{}{}: {}", integers.empty() ? "" : "; ", values_text(one), one.launches);
        table.add_row(
            {std::to_string(process.process), std::to_string(shape.gpu), kernel.name, kernel.readable,
             fmt::format("{}", fmt::join(shape.grid, "x")), fmt::format("{}", fmt::join(shape.block, "x")),
             std::to_string(kernel.static_shared_bytes), std::to_string(shape.dynamic_shared_bytes),
             std::to_string(kernel.registers), graph_name(shape.graph), std::to_string(shape.launches),
             std::to_string(shape.timed), fmt::format("{:.0f}", shape.total_ns),
             shape.timed == 0 ? "" : fmt::format("{:.0f}", shape.median_ns), integers});
      }
    }
  }
  return table.csv();
}

namespace {

void add_process_remarks(const capture::RecordedProcess& process, std::vector<std::string>& remarks) {
  const std::string who = fmt::format("process {}", process.process);
  constexpr double much = 0.03;
  if (process.cost > much)
    remarks.push_back(
        fmt::format("{}: its kernels are short, so that taking all times may have cost {} of its time; "
                    "--times events costs less",
                    who, reports::percent_text(process.cost)));
  if (process.timing == capture::Timing::events && !process.timing_reason.empty())
    remarks.push_back(
        fmt::format("{}: some launches were timed by events, others and those in graphs not: {}; "
                    "TUNER_LIBCUPTI names a libcupti.so",
                    who, process.timing_reason));
  if (process.end == capture::End::unknown)
    remarks.push_back(
        fmt::format("{} did not exit normally; the times of its last second may be missing", who));
  constexpr std::uint32_t first_with_parameters = 12040;
  if (process.driver_version != 0 && process.driver_version < first_with_parameters)
    remarks.push_back(
        fmt::format("{}: the driver is of CUDA {}.{}; from 12.4 on drivers say what a kernel's parameters "
                    "are, which integers, --save and --use need",
                    who, process.driver_version / 1000, process.driver_version % 1000 / 10));
  if (process.lost_records != 0)
    remarks.push_back(fmt::format("{}: CUPTI lost {}", who, util::counted(process.lost_records, "record")));
  if (process.untold != 0)
    remarks.push_back(fmt::format("{}: {} of kernels without a name or beyond the {} shapes that are kept",
                                  who, util::counted(process.untold, "launch"), capture::most_shapes));
  if (process.untold_runs != 0)
    remarks.push_back(
        fmt::format("{}: {}, {} in all, have none of the {} shapes that are kept; no share counts them", who,
                    util::counted(process.untold_runs, "run"),
                    reports::time_text(static_cast<double>(process.untold_ns)), capture::most_shapes));
  if (process.without_integers != 0)
    remarks.push_back(
        fmt::format("{}: the integers of {} are not kept: they are beyond the {} sets of a shape and {} of a "
                    "process",
                    who, util::counted(process.without_integers, "launch"), capture::most_values_of_shape,
                    capture::most_values));
  for (const capture::RecordedReplacement& one : process.replacements) {
    const std::string launches = util::counted(one.launches, "launch");
    const std::string kernel = util::one_line(capture::demangled(one.kernel), most_name);
    remarks.push_back(one.is_replaced
                          ? fmt::format("replaced: {} of {} by {}", launches, kernel, one.text)
                          : fmt::format("passed through: {} of {}: {}", launches, kernel, one.text));
  }
  std::uint64_t captured_into_graphs = 0;
  for (const RecordedKernel& kernel : process.kernels)
    for (const RecordedShape& shape : kernel.shapes) captured_into_graphs += shape.in_graphs;
  if (process.graph_launches != 0)
    remarks.push_back(fmt::format("{}: {} of graphs, with {} put into them", who,
                                  util::counted(process.graph_launches, "launch"),
                                  util::counted(captured_into_graphs, "kernel")));
}

}  // namespace

std::vector<std::string> capture_remarks(const Recording& recording) {
  std::vector<std::string> remarks = recording.notes;
  for (const capture::SavedLaunch& saved : recording.saved)
    remarks.push_back(fmt::format("saved: launch {} of {}, {}, in {}", saved.number,
                                  util::one_line(capture::demangled(saved.kernel), most_name),
                                  reports::bytes_text(static_cast<std::int64_t>(saved.bytes)), saved.folder));
  for (const std::string& failure : recording.failures) remarks.push_back("not captured: " + failure);
  for (const auto& process : recording.processes) add_process_remarks(process, remarks);
  if (recording.unfollowed != 0)
    remarks.push_back(fmt::format("{} used CUDA too; --children captures those that the program starts",
                                  util::counted(recording.unfollowed, "process")));
  if (!recording.was_loaded)
    remarks.emplace_back(
        "nothing could be loaded into the program: it is linked statically, or runs with other rights");
  else if (recording.processes.empty() && recording.failures.empty() && recording.unfollowed == 0)
    remarks.emplace_back("the program did not use CUDA");
  return remarks;
}

}  // namespace tuner::cli
