#include "tuner/capture/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "tuner/capture/folder.hpp"
#include "tuner/capture/parameters.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::capture {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

template <std::size_t room>
std::string text_in(const char (&text)[room]) {
  return util::valid_utf8(std::string(text, strnlen(text, room)));
}

std::unique_ptr<const Ledger> read_ledger(const fs::path& path) {
  auto ledger = std::make_unique<Ledger>();
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(ledger.get()), sizeof(Ledger));
  if (in.gcount() >= 16 && ledger->magic == ledger_magic && ledger->bytes != sizeof(Ledger))
    throw model::Error(fmt::format("{} is of another version of tuner", path.string()),
                       "capture the program again with this one");
  const bool is_whole = in.gcount() == sizeof(Ledger) && ledger->magic == ledger_magic &&
                        ledger->kernel_count <= most_kernels && ledger->shape_count <= most_shapes &&
                        ledger->values_count <= most_values &&
                        ledger->replacement_count <= most_replacements &&
                        ledger->name_bytes <= most_name_bytes;
  if (!is_whole) throw model::Error(fmt::format("{} is damaged", path.string()), "capture the program again");
  return ledger;
}

RecordedShape read_shape(const ShapeEntry& entry) {
  RecordedShape shape;
  shape.gpu = entry.gpu;
  std::copy(std::begin(entry.grid), std::end(entry.grid), shape.grid.begin());
  std::copy(std::begin(entry.block), std::end(entry.block), shape.block.begin());
  shape.dynamic_shared_bytes = entry.dynamic_shared_bytes;
  shape.graph = entry.graph;
  shape.launches = std::max(entry.launches, entry.timed);
  shape.in_graphs = entry.in_graphs;
  shape.timed = entry.timed;
  if (entry.timed == 0) return shape;
  shape.total_ns = static_cast<double>(entry.timed_ns) / static_cast<double>(entry.timed) *
                   static_cast<double>(shape.launches);
  std::vector<std::uint32_t> samples(entry.samples_ns,
                                     entry.samples_ns + std::min<std::uint64_t>(entry.timed, most_samples));
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  shape.median_ns = *middle;
  return shape;
}

/// Measured on an H100 (docs/capture.md): 1.2 to 1.9 µs for a launch, 0.5 µs for a kernel of a graph.
double cupti_cost(const RecordedProcess& process) {
  constexpr double launch_ns = 1500;
  constexpr double graph_kernel_ns = 500;
  double ns = 0;
  for (const RecordedKernel& kernel : process.kernels)
    for (const RecordedShape& shape : kernel.shapes)
      ns += static_cast<double>(shape.timed) * (shape.graph == 0 ? launch_ns : graph_kernel_ns);
  return process.timing == Timing::cupti && process.seconds > 0 ? ns / 1e9 / process.seconds : 0;
}

std::string name_at(const Ledger& ledger, std::uint32_t at) {
  if (at >= most_name_bytes) return "";
  return util::valid_utf8(std::string(ledger.names + at, strnlen(ledger.names + at, most_name_bytes - at)));
}

RecordedKernel read_kernel(const Ledger& ledger, const KernelEntry& entry) {
  RecordedKernel kernel;
  kernel.name = name_at(ledger, entry.name_at);
  kernel.readable = demangled(kernel.name);
  kernel.registers = entry.registers;
  kernel.static_shared_bytes = entry.static_shared_bytes;
  kernel.local_bytes = entry.local_bytes;
  kernel.has_parameters = entry.has_parameters != 0;
  for (std::uint32_t i = 0; i < std::min(entry.parameter_count, most_parameters); ++i)
    kernel.parameters.push_back({entry.parameter_bytes[i], entry.parameter_kinds[i]});
  return kernel;
}

void add_integers(RecordedShape& shape, const ValuesEntry& entry) {
  RecordedIntegers integers{entry.launches};
  for (std::uint32_t i = 0; i < std::min(entry.count, most_integers); ++i)
    integers.values.emplace_back(entry.parameters[i], entry.values[i]);
  shape.integers.push_back(std::move(integers));
}

bool is_longer(const RecordedKernel& a, const RecordedKernel& b) {
  return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.launches > b.launches;
}

/// Orders shapes and integers and sums up the kernel.
void finish(RecordedKernel& kernel) {
  kernel.launches = 0;
  kernel.total_ns = 0;
  for (RecordedShape& shape : kernel.shapes) {
    kernel.launches += shape.launches;
    kernel.total_ns += shape.total_ns;
    std::stable_sort(shape.integers.begin(), shape.integers.end(),
                     [](const auto& a, const auto& b) { return a.launches > b.launches; });
  }
  std::stable_sort(kernel.shapes.begin(), kernel.shapes.end(),
                   [](const RecordedShape& a, const RecordedShape& b) {
                     return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.launches > b.launches;
                   });
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(util::valid_utf8(line));
  return lines;
}

std::vector<fs::path> entries_of(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(prefix)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

void add_process(const fs::path& folder, Recording& recording) {
  try {
    recording.processes.push_back(read_process(folder / ledger_file));
  } catch (const model::Error& error) {
    recording.failures.emplace_back(error.what());
  }
  const std::vector<std::string> notes = lines_of(folder / notes_file);
  recording.notes.insert(recording.notes.end(), notes.begin(), notes.end());
  for (const fs::path& launch : entries_of(folder, launch_prefix)) {
    try {
      SavedLaunch saved = finish_launch(launch);
      saved.folder = (folder.filename() / saved.folder).string();
      recording.saved.push_back(saved);
    } catch (const model::Error& error) {
      recording.failures.emplace_back(error.what());
    }
  }
}

}  // namespace

RecordedProcess read_process(const fs::path& path) {
  const std::unique_ptr<const Ledger> ledger = read_ledger(path);
  RecordedProcess process;
  process.process = ledger->process;
  process.parent = ledger->parent;
  process.program = text_in(ledger->program);
  process.device = text_in(ledger->device);
  if (ledger->compute_major != 0)
    process.architecture = fmt::format("sm_{}{}", ledger->compute_major, ledger->compute_minor);
  process.driver_version = ledger->driver_version;
  process.contexts = ledger->contexts;
  process.timing = ledger->timing;
  process.timing_reason = text_in(ledger->timing_reason);
  process.end = ledger->end;
  if (ledger->end_ns > ledger->begin_ns)
    process.seconds = static_cast<double>(ledger->end_ns - ledger->begin_ns) / 1e9;
  process.launches = ledger->launches;
  process.untold = ledger->untold;
  process.untold_runs = ledger->untold_runs;
  process.untold_ns = ledger->untold_ns;
  process.without_integers = ledger->without_integers;
  process.graph_launches = ledger->graph_launches;
  process.lost_records = ledger->lost_records;

  std::vector<RecordedShape> shapes;
  for (std::uint32_t i = 0; i < ledger->shape_count; ++i) shapes.push_back(read_shape(ledger->shapes[i]));
  for (std::uint32_t i = 0; i < ledger->values_count; ++i)
    if (ledger->values[i].shape < shapes.size())
      add_integers(shapes[ledger->values[i].shape], ledger->values[i]);
  for (std::uint32_t i = 0; i < ledger->kernel_count; ++i)
    process.kernels.push_back(read_kernel(*ledger, ledger->kernels[i]));
  for (std::uint32_t i = 0; i < ledger->replacement_count; ++i) {
    const ReplacementEntry& entry = ledger->replacements[i];
    if (entry.kernel >= process.kernels.size()) continue;
    process.replacements.push_back({process.kernels[entry.kernel].name, entry.is_replaced != 0,
                                    entry.launches, name_at(*ledger, entry.text_at)});
  }
  for (std::uint32_t i = 0; i < ledger->shape_count; ++i)
    if (ledger->shapes[i].kernel < process.kernels.size())
      process.kernels[ledger->shapes[i].kernel].shapes.push_back(std::move(shapes[i]));
  for (RecordedKernel& kernel : process.kernels) finish(kernel);
  std::stable_sort(process.kernels.begin(), process.kernels.end(), is_longer);
  process.cost = cupti_cost(process);
  return process;
}

Recording read_folder(const fs::path& folder) {
  Recording recording;
  recording.was_loaded = fs::exists(folder / first_file);
  recording.unfollowed = entries_of(folder, unfollowed_prefix).size();
  for (const fs::path& failure : entries_of(folder, failed_prefix))
    for (const std::string& line : lines_of(failure)) recording.failures.push_back(line);
  for (const fs::path& process : entries_of(folder, process_prefix)) add_process(process, recording);
  return recording;
}

std::vector<RecordedKernel> all_kernels(const Recording& recording) {
  std::map<std::pair<std::string, std::uint32_t>, RecordedKernel> by_name;
  for (const RecordedProcess& process : recording.processes) {
    for (const RecordedKernel& kernel : process.kernels) {
      for (const RecordedShape& shape : kernel.shapes) {
        const auto [place, is_new] = by_name.try_emplace({kernel.name, shape.gpu}, kernel);
        RecordedKernel& known = place->second;
        if (is_new) known.shapes.clear();
        known.shapes.push_back(shape);
        known.registers = std::max(known.registers, kernel.registers);
      }
    }
  }
  std::vector<RecordedKernel> all;
  for (auto& [name, kernel] : by_name) {
    finish(kernel);
    all.push_back(std::move(kernel));
  }
  std::stable_sort(all.begin(), all.end(), is_longer);
  return all;
}

namespace {

json as_json(const RecordedShape& shape) {
  json integers = json::array();
  for (const RecordedIntegers& one : shape.integers) {
    json values = json::object();
    for (const auto& [parameter, value] : one.values) values[std::to_string(parameter)] = value;
    integers.push_back({{"launches", one.launches}, {"values", values}});
  }
  json median = shape.timed == 0 ? json() : json(shape.median_ns);
  return {{"gpu", shape.gpu},
          {"grid", shape.grid},
          {"block", shape.block},
          {"dynamic_shared_bytes", shape.dynamic_shared_bytes},
          {"graph", shape.graph == 0              ? json()
                    : shape.graph == other_graphs ? json("others")
                                                  : json(shape.graph)},
          {"launches", shape.launches},
          {"put_into_graphs", shape.in_graphs},
          {"timed", shape.timed},
          {"total_ns", shape.total_ns},
          {"median_ns", std::move(median)},
          {"integers", integers}};
}

json as_json(const RecordedKernel& kernel, double all_ns) {
  json parameters = json::array();
  for (const RecordedParameter& parameter : kernel.parameters)
    parameters.push_back({{"bytes", parameter.bytes}, {"kind", kind_word(parameter.kind)}});
  json shapes = json::array();
  for (const RecordedShape& shape : kernel.shapes) shapes.push_back(as_json(shape));
  return {{"name", kernel.name},
          {"readable", kernel.readable},
          {"registers", kernel.registers},
          {"static_shared_bytes", kernel.static_shared_bytes},
          {"local_bytes", kernel.local_bytes},
          {"parameters", kernel.has_parameters ? parameters : json()},
          {"launches", kernel.launches},
          {"total_ns", kernel.total_ns},
          {"share", all_ns > 0 ? json(kernel.total_ns / all_ns) : json()},
          {"shapes", shapes}};
}

json as_json(const RecordedProcess& process) {
  double all_ns = 0;
  for (const RecordedKernel& kernel : process.kernels) all_ns += kernel.total_ns;
  json kernels = json::array();
  for (const RecordedKernel& kernel : process.kernels) kernels.push_back(as_json(kernel, all_ns));
  json replacements = json::array();
  for (const RecordedReplacement& one : process.replacements)
    replacements.push_back({{"kernel", one.kernel},
                            {one.is_replaced ? "by" : "passed_through_since", one.text},
                            {"launches", one.launches}});
  const char* const timings[] = {"none", "cupti", "events"};
  const char* const ends[] = {"unknown", "exit", "_exit"};
  return {{"process", process.process},
          {"parent", process.parent},
          {"program", process.program},
          {"device", process.device},
          {"architecture", process.architecture},
          {"driver_version", process.driver_version},
          {"contexts", process.contexts},
          {"timing", timings[std::min(static_cast<std::uint32_t>(process.timing), 2U)]},
          {"end", ends[std::min(static_cast<std::uint32_t>(process.end), 2U)]},
          {"seconds", process.seconds},
          {"cupti_cost", process.cost},
          {"launches", process.launches},
          {"untold", process.untold},
          {"untold_runs", process.untold_runs},
          {"untold_ns", process.untold_ns},
          {"without_integers", process.without_integers},
          {"graph_launches", process.graph_launches},
          {"lost_records", process.lost_records},
          {"replacements", replacements},
          {"kernels", kernels}};
}

}  // namespace

json as_json(const Recording& recording) {
  json processes = json::array();
  for (const RecordedProcess& process : recording.processes) processes.push_back(as_json(process));
  json saved = json::array();
  for (const SavedLaunch& one : recording.saved)
    saved.push_back(
        {{"folder", one.folder}, {"kernel", one.kernel}, {"launch", one.number}, {"bytes", one.bytes}});
  return {{"schema_version", 1},
          {"command", recording.command},
          {"exit_code", recording.exit_code},
          {"signal", recording.signal},
          {"unfollowed_processes", recording.unfollowed},
          {"saved", saved},
          {"failures", recording.failures},
          {"processes", processes}};
}

}  // namespace tuner::capture
