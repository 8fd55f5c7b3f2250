#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "tuner/capture/folder.hpp"
#include "tuner/capture/parameters.hpp"
#include "tuner/capture/recording.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::capture {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* capture_hint = "tuner capture --folder app.capture --save KERNEL -- PROGRAM makes one";
constexpr int known_version = 1;

json parsed(const fs::path& path) {
  std::ifstream in(path);
  json document = json::parse(in, nullptr, false);
  if (document.is_discarded() || !document.is_object())
    throw model::Error(fmt::format("{} is damaged", path.string()), "capture the program again");
  if (document.value("schema_version", 0) != known_version)
    throw model::Error(fmt::format("{} is of another version of tuner", path.string()),
                       "capture the program again with this one");
  return document;
}

std::array<std::int64_t, 3> extents_of(const json& list) {
  return {list.at(0).get<std::int64_t>(), list.at(1).get<std::int64_t>(), list.at(2).get<std::int64_t>()};
}

/// The time of a shape is shared out by how often each size was launched. Launches whose integers were not
/// kept are a size without any.
void add_shape(const json& shape, model::CapturedKernel& kernel) {
  model::CapturedSize size;
  size.grid = extents_of(shape.at("grid"));
  size.block = extents_of(shape.at("block"));
  size.dynamic_shared_bytes = shape.at("dynamic_shared_bytes");
  size.launches = shape.at("launches");
  size.total_ns = shape.at("total_ns");
  const json& integers = shape.at("integers");
  std::uint64_t counted = 0;
  for (const json& one : integers) counted += one.at("launches").get<std::uint64_t>();
  const std::uint64_t all = std::max<std::uint64_t>({counted, size.launches, 1});
  const auto part_of = [&](std::uint64_t launches) {
    model::CapturedSize part = size;
    part.launches = launches;
    part.total_ns = size.total_ns * static_cast<double>(launches) / static_cast<double>(all);
    return part;
  };
  if (integers.empty()) kernel.sizes.push_back(size);
  if (!integers.empty() && counted < size.launches) kernel.sizes.push_back(part_of(size.launches - counted));
  for (const json& one : integers) {
    model::CapturedSize part = part_of(one.at("launches"));
    for (const auto& [place, value] : one.at("values").items())
      part.integers[std::stoi(place)] = value.get<std::int64_t>();
    kernel.sizes.push_back(std::move(part));
  }
}

model::CapturedKernel& kernel_named(model::Capture& capture, const std::string& name) {
  const auto found = std::ranges::find(capture.kernels, name, &model::CapturedKernel::name);
  if (found != capture.kernels.end()) return *found;
  model::CapturedKernel& made = capture.kernels.emplace_back();
  made.name = name;
  made.readable = demangled(name);
  made.plain = plain_name(name);
  return made;
}

void add_process(const json& process, model::Capture& capture) {
  if (capture.device.empty()) capture.device = process.at("device");
  for (const json& one : process.at("kernels")) {
    model::CapturedKernel& kernel = kernel_named(capture, one.at("name"));
    kernel.launches += one.at("launches").get<std::uint64_t>();
    kernel.total_ns += one.at("total_ns").get<double>();
    capture.total_ns += one.at("total_ns").get<double>();
    for (const json& shape : one.at("shapes")) add_shape(shape, kernel);
  }
}

std::string bytes_of(const std::string& hexadecimal) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string text_or_nothing(const json& object, const char* key) {
  return object.contains(key) && object.at(key).is_string() ? object.at(key).get<std::string>() : "";
}

model::CapturedRegion region_of(const json& one, const fs::path& folder) {
  model::CapturedRegion region;
  region.address = one.at("address");
  region.bytes = one.at("bytes");
  region.element = text_or_nothing(one, "element");
  region.before = (folder / one.at("before").get<std::string>()).string();
  const std::string after = text_or_nothing(one, "after");
  if (!after.empty()) region.after = (folder / after).string();
  const std::string again = text_or_nothing(one, "again");
  if (!again.empty()) region.again = (folder / again).string();
  region.variable = demangled(text_or_nothing(one, "variable"));
  for (const std::string& file : {region.before, region.after, region.again})
    if (!file.empty() && !fs::is_regular_file(file))
      throw model::Error(fmt::format("{} is missing", file), "capture the program again");
  return region;
}

std::string text_of_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw model::Error(fmt::format("{} is missing", path.string()), "capture the program again");
  return {std::istreambuf_iterator<char>(in), {}};
}

model::CapturedText source_of(const json& one, const fs::path& folder) {
  model::CapturedText source;
  source.name = one.at("name");
  source.text = text_of_file(folder / source_file);
  source.options = one.at("options").get<std::vector<std::string>>();
  int number = 0;
  for (const json& name : one.at("headers"))
    source.headers[name] = text_of_file(folder / fmt::format("{}{}", header_prefix, number++));
  return source;
}

model::CapturedLaunch launch_of(const json& one, const fs::path& folder) {
  model::CapturedLaunch launch;
  launch.folder = folder.string();
  launch.number = one.at("launch");
  launch.architecture = one.at("architecture");
  launch.grid = extents_of(one.at("grid"));
  launch.block = extents_of(one.at("block"));
  launch.cluster = extents_of(one.at("cluster"));
  launch.dynamic_shared_bytes = one.at("dynamic_shared_bytes");
  launch.cooperative = one.at("cooperative");
  launch.twice = one.value("twice", false);
  if (one.contains("source") && one.at("source").is_object())
    launch.source = source_of(one.at("source"), folder);
  for (const json& region : one.at("regions")) launch.regions.push_back(region_of(region, folder));
  for (const json& passed : one.at("arguments")) {
    model::CapturedArgument argument;
    argument.bytes = passed.at("bytes");
    argument.type = passed.at("type");
    argument.raw = bytes_of(passed.at("raw"));
    if (passed.contains("region")) argument.region = passed.at("region").get<int>();
    argument.has_pointers = passed.contains("pointers_inside") && !passed.at("pointers_inside").empty();
    const int region = argument.region.value_or(0);
    const bool is_whole = static_cast<std::int64_t>(argument.raw.size()) == argument.bytes && region >= 0 &&
                          (!argument.region || region < static_cast<int>(launch.regions.size()));
    if (!is_whole) throw model::Error(fmt::format("{} is damaged", folder.string()));
    launch.arguments.push_back(std::move(argument));
  }
  return launch;
}

void add_kept(const fs::path& folder, const std::string& kernel, model::Capture& capture) {
  const fs::path file = folder / launch_file;
  if (!fs::is_regular_file(file)) {
    capture.failures.push_back(fmt::format("{} was left half written", folder.string()));
    return;
  }
  try {
    kernel_named(capture, kernel).kept.push_back(launch_of(parsed(file), folder));
  } catch (const model::Error& error) {
    capture.failures.emplace_back(error.what());
  } catch (const std::exception&) {  // of JSON, or of a number in it
    capture.failures.push_back(fmt::format("{} is damaged", file.string()));
  }
}

/// Programs that keep binaries, as CuPy does, load in a later process what NVRTC made in an earlier one.
void share_sources(model::Capture& capture) {
  const auto module_of = [](const model::CapturedLaunch& launch) {
    const fs::path file = fs::path(launch.folder) / "module";
    return fs::is_regular_file(file) ? text_of_file(file) : "";
  };
  std::map<std::string, model::CapturedText> sources;  // by module
  for (const model::CapturedKernel& kernel : capture.kernels)
    for (const model::CapturedLaunch& launch : kernel.kept)
      if (launch.source) sources.emplace(module_of(launch), *launch.source);
  sources.erase("");
  if (sources.empty()) return;
  for (model::CapturedKernel& kernel : capture.kernels)
    for (model::CapturedLaunch& launch : kernel.kept)
      if (const auto known = sources.find(module_of(launch)); !launch.source && known != sources.end())
        launch.source = known->second;
}

}  // namespace

model::Capture read_capture(const fs::path& path) {
  const bool is_folder = fs::is_directory(path);
  const fs::path manifest = is_folder ? path / manifest_file : path;
  if (!fs::is_regular_file(manifest)) {
    const bool is_begun = is_folder && fs::exists(path / request_file);
    throw model::UsageError(
        fmt::format("{} is {}", path.string(),
                    is_begun ? "a capture that was left half written: it has no capture.json" : "no capture"),
        is_begun ? "capture the program again" : capture_hint);
  }
  const json document = parsed(manifest);
  model::Capture capture;
  capture.path = path.string();
  try {
    for (const json& process : document.at("processes")) add_process(process, capture);
    for (const json& failure : document.at("failures")) capture.failures.push_back(failure);
    if (is_folder)
      for (const json& saved : document.at("saved"))
        add_kept(path / saved.at("folder").get<std::string>(), saved.at("kernel"), capture);
  } catch (const std::exception&) {  // of JSON, or of a number in it
    throw model::Error(fmt::format("{} is no capture", manifest.string()), capture_hint);
  }
  share_sources(capture);
  for (model::CapturedKernel& kernel : capture.kernels)
    std::ranges::stable_sort(kernel.sizes, [](const auto& a, const auto& b) {
      return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.launches > b.launches;
    });
  std::ranges::stable_sort(capture.kernels, std::greater<>(), &model::CapturedKernel::total_ns);
  return capture;
}

PackedNumbers::PackedNumbers(const fs::path& packed) : m_path(packed), m_in(packed) {
  constexpr std::size_t before_header = 10;
  m_header.resize(before_header);
  if (!m_in.read(m_header.data(), before_header) || !m_header.starts_with("\x93NUMPY")) fail("is no .npy.gz");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(m_header[i]));
  };
  const std::size_t length = byte(8) + 256 * byte(9);
  m_header.resize(before_header + length);
  if (!m_in.read(m_header.data() + before_header, static_cast<std::streamsize>(length))) fail("ends early");
}

std::string_view PackedNumbers::next(std::int64_t bytes) {
  constexpr std::int64_t piece_bytes = std::int64_t{1} << 20U;
  m_piece.resize(static_cast<std::size_t>(std::min(bytes, piece_bytes)));
  if (!m_in.read(m_piece.data(), static_cast<std::streamsize>(m_piece.size()))) fail("ends early");
  return m_piece;
}

void PackedNumbers::fail(const char* what) const {
  throw model::Error(fmt::format("{} {}", m_path.string(), what), "capture the program again");
}

void unpack(const fs::path& packed, const fs::path& to, bool is_raw, std::int64_t bytes) {
  PackedNumbers numbers(packed);
  std::ofstream out(to, std::ios::binary);
  if (!is_raw) out << numbers.header();
  while (bytes > 0) {
    const std::string_view piece = numbers.next(bytes);
    out << piece;
    bytes -= static_cast<std::int64_t>(piece.size());
  }
  out.close();
  if (!out) throw model::Error(fmt::format("{} cannot be written", to.string()), "is the disk full?");
}

}  // namespace tuner::capture
