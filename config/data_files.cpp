#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/spec_reader.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/util/text.hpp"

// Files whose numbers fill buffers, or are what is right.
namespace config {
namespace {

using model::ElementType;

/// What a .npy says of itself.
struct Header {
  std::optional<ElementType> type;
  std::string type_text;
  std::int64_t first_byte = 0;
  bool column_major = false;
  std::vector<std::int64_t> shape;
};

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_header_bytes = 1 << 16;

constexpr std::array<std::pair<std::string_view, ElementType>, 14> numpy_types = {{
    {"<f4", ElementType::float32},
    {"<f8", ElementType::float64},
    {"<f2", ElementType::float16},
    {"|i1", ElementType::int8},
    {"|u1", ElementType::uint8},
    {"<i2", ElementType::int16},
    {"<u2", ElementType::uint16},
    {"<i4", ElementType::int32},
    {"<u4", ElementType::uint32},
    {"<i8", ElementType::int64},
    {"<u8", ElementType::uint64},
    {"|b1", ElementType::boolean},
    {"<c8", ElementType::float2},
    {"<c16", ElementType::double2},
}};

/// What follows `'key':` in the header's dictionary.
std::string_view value_of(std::string_view dictionary, std::string_view key) {
  const std::size_t at = dictionary.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return {};
  return util::trimmed(dictionary.substr(at + key.size() + 3));
}

/// `(3, 4)`; nothing where it is no such thing.
std::optional<std::vector<std::int64_t>> shape_of(std::string_view text) {
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) return std::nullopt;
  text = text.substr(1, close - 1);
  std::vector<std::int64_t> shape;
  while (!util::trimmed(text).empty()) {
    const std::size_t comma = text.find(',');
    const auto extent = util::parse_number<std::int64_t>(util::trimmed(text.substr(0, comma)));
    if (!extent || *extent < 0) return std::nullopt;
    shape.push_back(*extent);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return shape;
}

std::optional<Header> read_header(const std::string& bytes) {
  if (bytes.size() < 12 || !bytes.starts_with(magic)) return std::nullopt;
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const std::size_t begin = byte(6) == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8U;
  if (begin == 12) length |= byte(10) << 16U | byte(11) << 24U;
  if (begin + length > bytes.size()) return std::nullopt;
  const std::string_view dictionary = std::string_view(bytes).substr(begin, length);
  Header header;
  header.first_byte = static_cast<std::int64_t>(begin + length);
  const std::string_view type = value_of(dictionary, "descr");
  const std::size_t quote = type.find('\'', 1);
  if (!type.starts_with('\'') || quote == std::string_view::npos) return std::nullopt;
  header.type_text = type.substr(1, quote - 1);
  for (const auto& [name, known] : numpy_types) {
    if (name == header.type_text) header.type = known;
  }
  header.column_major = value_of(dictionary, "fortran_order").starts_with("True");
  auto shape = shape_of(value_of(dictionary, "shape"));
  if (!shape) return std::nullopt;
  header.shape = std::move(*shape);
  return header;
}

/// Nothing where the numbers of the header are more than a file can hold.
std::optional<std::int64_t> count(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(elements, extent, &elements)) return std::nullopt;
  }
  return elements;
}

/// The number for each `{NAME}` of a pattern, where a file's name fits it.
std::optional<std::map<std::string, std::int64_t>> sizes_in(std::string_view name, std::string_view pattern) {
  std::map<std::string, std::int64_t> sizes;
  while (!pattern.empty()) {
    if (pattern.front() != '{') {
      if (name.empty() || name.front() != pattern.front()) return std::nullopt;
      name.remove_prefix(1);
      pattern.remove_prefix(1);
      continue;
    }
    const std::size_t close = pattern.find('}');
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    const auto number = util::parse_number<std::int64_t>(std::string(name.substr(0, digits)));
    if (close == std::string_view::npos || !number) return std::nullopt;
    const auto [known, added] = sizes.emplace(pattern.substr(1, close - 1), *number);
    if (!added && known->second != *number) return std::nullopt;
    name.remove_prefix(digits);
    pattern.remove_prefix(close + 1);
  }
  return name.empty() ? std::optional(sizes) : std::nullopt;
}

/// The names of a pattern that are no sizes of the spec.
std::vector<std::string> strangers_in(std::string_view pattern, const std::vector<std::string>& sizes) {
  std::vector<std::string> strangers;
  for (std::size_t open = pattern.find('{'); open != std::string_view::npos;
       open = pattern.find('{', open + 1)) {
    const std::string name(pattern.substr(open + 1, pattern.find('}', open) - open - 1));
    if (std::ranges::find(sizes, name) == sizes.end()) strangers.push_back(name);
  }
  return strangers;
}

/// A file for each problem: those in the folder whose name fits.
void read_files_of_sizes(model::InitRule& rule, ElementType type, bool any_type, SpecContext& context) {
  namespace fs = std::filesystem;
  const std::string name = rule.contents.path;
  const std::vector<std::string> strangers = strangers_in(name, context.spec.sizes);
  if (!strangers.empty()) {
    return context.mistakes.add(
        rule.where, fmt::format("{{{}}} in \"{}\" is no size", strangers.front(), util::one_line(name, 80)),
        fmt::format("the sizes are {}", fmt::join(context.spec.sizes, ", ")));
  }
  const fs::path pattern = context.files.data_path(context.folder / name);
  std::vector<std::pair<std::map<std::string, std::int64_t>, std::string>> found;
  std::error_code error;
  const fs::path folder = pattern.has_parent_path() ? pattern.parent_path() : ".";
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    if (auto sizes = sizes_in(file, pattern.filename().string()))
      found.emplace_back(std::move(*sizes), (fs::path(name).parent_path() / file).string());
  }
  if (found.empty()) {
    return context.mistakes.add(rule.where, fmt::format("no file is called \"{}\"", util::one_line(name, 80)),
                                "each {SIZE} stands for a number, as in x.1024.npy");
  }
  std::ranges::sort(found);
  for (auto& [sizes, file] : found) {
    model::InitRule one = rule;
    one.of_sizes.clear();
    one.sizes = std::move(sizes);
    one.contents.path = file;
    read_data_file(one, type, any_type, context);
    rule.of_sizes.push_back(std::move(one));
  }
}

}  // namespace

void read_data_file(model::InitRule& rule, ElementType type, bool any_type, SpecContext& context) {
  const std::string name = rule.contents.path;
  if (name.find('{') != std::string::npos) return read_files_of_sizes(rule, type, any_type, context);
  const auto mistake = [&](std::string message, std::string hint) {
    context.mistakes.add(rule.where, std::move(message), std::move(hint));
  };
  const std::filesystem::path path = context.files.data_path(context.folder / name);
  std::error_code error;
  if (path.empty() || !std::filesystem::is_regular_file(path, error)) {
    return mistake(fmt::format("\"{}\" is no file", util::one_line(name, 80)),
                   fmt::format("looked for {}; paths are relative to the spec",
                               (context.folder / name).generic_string()));
  }
  rule.contents.path = std::filesystem::absolute(path, error).lexically_normal().string();
  rule.contents.type = type;
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  if (path.extension() == ".npy") {
    std::ifstream in(path, std::ios::binary);
    std::string beginning(most_header_bytes, '\0');
    in.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
    beginning.resize(static_cast<std::size_t>(in.gcount()));
    const auto header = read_header(beginning);
    if (!header) return mistake(fmt::format("\"{}\" is no .npy", name), "numpy.save() writes one");
    const auto elements = count(header->shape);
    const ElementType stored = header->type.value_or(type);
    const auto same = [&](ElementType of) {
      return model::component_type(of) == model::component_type(type);
    };
    // NumPy has no names for some types and calls them bytes: |V2.
    const bool is_nameless = header->type_text == fmt::format("|V{}", model::size_bytes(type)) ||
                             header->type_text == fmt::format("<V{}", model::size_bytes(type));
    const bool is_right = header->type ? any_type || same(*header->type) : is_nameless;
    if (!is_right) {
      return mistake(fmt::format("\"{}\" holds elements of type {}, and the buffer's are {}", name,
                                 header->type ? std::string(model::cuda_name(stored)) : header->type_text,
                                 model::cuda_name(type)),
                     "convert it with astype(), or change the argument's type");
    }
    if (header->column_major) {
      return mistake(fmt::format("\"{}\" is in column-major order", name),
                     "numpy.ascontiguousarray() makes it row-major");
    }
    rule.contents.type = stored;
    rule.contents.first_byte = header->first_byte;
    if (!elements || *elements > (bytes - header->first_byte) / model::size_bytes(stored))
      return mistake(fmt::format("\"{}\" ends before its last element", name), "save it again");
    rule.contents.elements = *elements;
    rule.shape = header->shape;
  } else {
    if (bytes % model::size_bytes(type) != 0) {
      return mistake(fmt::format("\"{}\" has {} bytes, which is no number of elements of type {}", name,
                                 bytes, model::cuda_name(type)),
                     fmt::format("each has {}", model::size_bytes(type)));
    }
    rule.contents.elements = bytes / model::size_bytes(type);
  }
  rule.contents.digest = model::digest_of_file(rule.contents.path);
  if (rule.contents.digest.empty()) mistake(fmt::format("\"{}\" cannot be read", name), "");
}

std::optional<model::InitRule> read_init_of(const Node& node, std::string_view key, ElementType type,
                                            SpecContext& context) {
  std::optional<model::InitRule> init = read_init(node, key, context.mistakes);
  if (!init || !check_init(*init, type, node.contents, context.mistakes)) return std::nullopt;
  if (!file_name(*init).empty()) read_data_file(*init, type, false, context);
  return init;
}

}  // namespace config
