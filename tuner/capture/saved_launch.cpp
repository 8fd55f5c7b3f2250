#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "tuner/capture/folder.hpp"
#include "tuner/capture/parameters.hpp"
#include "tuner/capture/recording.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

namespace tuner::capture {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t piece_bytes = std::size_t{1} << 20U;

/// NumPy's name of the elements behind a pointer, and their bytes.
struct Element {
  std::string type = {};  ///< `float`; empty where it is not known
  std::string numpy = "|u1";
  std::size_t bytes = 1;
  bool is_constant = false;  ///< the kernel takes a pointer to const
};

Element element_of(std::string type) {
  static const std::map<std::string, std::pair<std::string, std::size_t>, std::less<>> known = {
      {"float", {"<f4", 4}},         {"double", {"<f8", 8}},
      {"__half", {"<f2", 2}},        {"__nv_bfloat16", {"|V2", 2}},
      {"int", {"<i4", 4}},           {"unsigned int", {"<u4", 4}},
      {"long", {"<i8", 8}},          {"unsigned long", {"<u8", 8}},
      {"long long", {"<i8", 8}},     {"unsigned long long", {"<u8", 8}},
      {"short", {"<i2", 2}},         {"unsigned short", {"<u2", 2}},
      {"char", {"|i1", 1}},          {"signed char", {"|i1", 1}},
      {"unsigned char", {"|u1", 1}}, {"bool", {"|b1", 1}}};
  Element element;
  if (!type.ends_with('*')) return element;
  type.pop_back();
  constexpr std::string_view constant = " const";
  element.is_constant = type.ends_with(constant);
  if (element.is_constant) type.resize(type.size() - constant.size());
  const auto found = known.find(type);
  if (found == known.end()) return element;
  element.type = type;
  element.numpy = found->second.first;
  element.bytes = found->second.second;
  return element;
}

/// What a launch did to a region.
struct Change {
  std::uint64_t bytes = 0;  ///< that differ
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

class Packed {
 public:
  explicit Packed(const fs::path& path) : m_path(path), m_file(gzopen(path.c_str(), "wb1"), gzclose) {
    if (!m_file) fail();
  }
  void write(std::string_view bytes) {
    if (gzwrite(m_file.get(), bytes.data(), static_cast<unsigned>(bytes.size())) !=
        static_cast<int>(bytes.size()))
      fail();
  }
  void close() {
    if (gzclose(m_file.release()) != Z_OK) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw model::Error(m_path.string() + " cannot be written", "is the disk full?");
  }
  fs::path m_path;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> m_file;
};

/// Version 1 of the format.
std::string npy_header(const Element& element, std::uint64_t bytes) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", element.numpy,
                                 bytes / element.bytes);
  constexpr std::size_t before = 10;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  const std::size_t size = text.size();
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(size % 256) + static_cast<char>(size / 256) +
         text;
}

std::ifstream open_raw(const fs::path& path, std::uint64_t bytes) {
  std::ifstream in(path, std::ios::binary);
  std::error_code error;
  if (!in || fs::file_size(path, error) != bytes)
    throw model::Error(fmt::format("{} is not whole", path.string()), "capture the program again");
  return in;
}

std::string next_piece(std::ifstream& in) {
  std::string piece(piece_bytes, 0);
  in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
  piece.resize(static_cast<std::size_t>(in.gcount()));
  return piece;
}

Change compare(const fs::path& before, const fs::path& after, std::uint64_t bytes) {
  std::ifstream old_in = open_raw(before, bytes);
  std::ifstream new_in = open_raw(after, bytes);
  Change change;
  for (std::uint64_t at = 0; at < bytes;) {
    const std::string old_piece = next_piece(old_in);
    const std::string new_piece = next_piece(new_in);
    if (old_piece.empty() || new_piece.size() != old_piece.size())
      throw model::Error(fmt::format("{} cannot be read", before.string()));
    for (std::size_t i = 0; old_piece != new_piece && i < old_piece.size(); ++i) {
      if (old_piece[i] == new_piece[i]) continue;
      if (change.bytes++ == 0) change.first = at + i;
      change.last = at + i;
    }
    at += old_piece.size();
  }
  return change;
}

void pack(const fs::path& raw, const fs::path& packed, const Element& element, std::uint64_t bytes) {
  std::ifstream in = open_raw(raw, bytes);
  Packed out(packed);
  out.write(npy_header(element, bytes));
  for (std::string piece = next_piece(in); !piece.empty(); piece = next_piece(in)) out.write(piece);
  out.close();
}

/// What a region is to the launch, and why that is not sure.
void tell_role(json& region, const Change& change, const Element& element) {
  region["role"] = change.bytes == 0 ? "input" : "output";
  if (change.bytes == 0) {
    region["sure"] = element.is_constant;
    if (!element.is_constant) region["doubt"] = "it may have been written with what it held";
    return;
  }
  region["sure"] = false;
  region["doubt"] = element.is_constant
                        ? "the kernel takes it as const: another pointer leads here, or another "
                          "kernel wrote it"
                        : "whether it was read before it was written is not known";
  region["changed_bytes"] = change.bytes;
  region["first_changed_byte"] = change.first;
  region["last_changed_byte"] = change.last;
}

/// By the first argument that leads there and says it.
Element element_of_region(const json& draft, std::size_t place) {
  for (const json& argument : draft.at("arguments")) {
    if (!argument.contains("region") || argument.at("region") != place) continue;
    const Element element = element_of(argument.at("type").get<std::string>());
    if (!element.type.empty()) return element;
  }
  return {};
}

void finish_region(const fs::path& folder, json& region, std::size_t place, Element element) {
  const auto bytes = region.at("bytes").get<std::uint64_t>();
  if (bytes % element.bytes != 0) element = {"", "|u1", 1, element.is_constant};
  const fs::path before = folder / fmt::format("{}.before", place);
  const fs::path after = folder / fmt::format("{}.after", place);
  const Change change = compare(before, after, bytes);
  tell_role(region, change, element);
  const fs::path again = folder / fmt::format("{}.again", place);
  const bool repeats = !fs::exists(again) || compare(after, again, bytes).bytes == 0;
  region["again"] = repeats ? json() : json(fmt::format("{}.again.npy.gz", place));
  if (!repeats) pack(again, folder / region["again"].get<std::string>(), element, bytes);
  region["element"] = element.type.empty() ? json() : json(element.type);
  region["before"] = fmt::format("{}.before.npy.gz", place);
  region["after"] = change.bytes == 0 ? json() : json(fmt::format("{}.after.npy.gz", place));
  pack(before, folder / region["before"].get<std::string>(), element, bytes);
  if (change.bytes != 0) pack(after, folder / region["after"].get<std::string>(), element, bytes);
}

/// A number by value, where its kind is known.
json value_of(const json& argument) {
  const std::string raw = argument.at("raw");
  const std::string kind = argument.at("kind");
  unsigned char bytes[8] = {};
  if (raw.size() % 2 != 0 || raw.size() / 2 > sizeof bytes) return {};
  for (std::size_t i = 0; i < raw.size() / 2; ++i)
    bytes[i] = static_cast<unsigned char>(std::stoi(raw.substr(2 * i, 2), nullptr, 16));
  std::int64_t integer = 0;
  if (kind == "integer" && integer_value(ParameterKind::integer, bytes, raw.size() / 2, integer))
    return integer;
  if (kind == "unsigned" && integer_value(ParameterKind::unsigned_integer, bytes, raw.size() / 2, integer))
    return static_cast<std::uint64_t>(integer);
  if (kind == "real" && raw.size() == 8) {
    float real = 0;
    std::memcpy(&real, bytes, sizeof real);
    return real;
  }
  if (kind == "real" && raw.size() == 16) {
    double real = 0;
    std::memcpy(&real, bytes, sizeof real);
    return real;
  }
  return {};
}

json read_draft(const fs::path& folder) {
  std::ifstream in(folder / draft_file);
  json draft = json::parse(in, nullptr, false);
  if (draft.is_discarded() || !draft.is_object())
    throw model::Error(fmt::format("{} was left half written", folder.string()), "capture the program again");
  return draft;
}

}  // namespace

SavedLaunch finish_launch(const fs::path& folder) {
  json launch = read_draft(folder);
  SavedLaunch saved;
  try {
    launch["readable"] = demangled(launch.at("kernel"));
    std::size_t place = 0;
    for (json& region : launch.at("regions")) {
      finish_region(folder, region, place, element_of_region(launch, place));
      ++place;
    }
    for (json& argument : launch.at("arguments")) argument["value"] = value_of(argument);
    saved = {folder.filename().string(), launch.at("kernel"), launch.at("launch"), 0};
  } catch (const json::exception&) {
    throw model::Error(fmt::format("{} is damaged", (folder / draft_file).string()),
                       "capture the program again");
  }
  util::write_file((folder / launch_file).string(), launch.dump(1) + '\n');
  for (std::size_t i = 0; i < launch.at("regions").size(); ++i)
    for (const char* when : {"before", "after", "again"}) fs::remove(folder / fmt::format("{}.{}", i, when));
  fs::remove(folder / draft_file);
  for (const auto& entry : fs::directory_iterator(folder)) saved.bytes += entry.file_size();
  return saved;
}

}  // namespace tuner::capture
