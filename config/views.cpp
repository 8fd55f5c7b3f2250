#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/spec_context.hpp"
#include "config/table_reader.hpp"
#include "tuner/model/device.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace model = tuner::model;
namespace {

/// cuTensorMapEncodeTiled (cuda.h).
constexpr std::size_t most_map_dimensions = 5;

/// "zero" or "nan".
void read_outside(TableReader& reader, model::TensorMapSpec& map) {
  const auto word = reader.text("outside");
  if (!word) return;
  map.nan_outside = *word == "nan";
  if (map.nan_outside || *word == "zero") return;
  reader.mistakes().add(reader.table().find("outside")->value.contents,
                        fmt::format("unknown \"outside\" \"{}\"", tuner::util::one_line(*word, 40)),
                        "zero or nan: what a copy reads beyond the shape");
}

}  // namespace

void read_tensor_map(TableReader& reader, model::ArgumentSpec& argument, SpecContext& context) {
  model::TensorMapSpec& map = *argument.tensor;
  map.buffer = reader.required_text("tensor", "tensor = the name of the buffer that it is over").value_or("");
  const model::TensorMap planned;
  const auto read = [&]<typename Planned>(const model::TensorMapKey& key, auto& value, const Planned&) {
    if (*key.example != 0) reader.require(key.name, key.example);
    if constexpr (std::is_same_v<Planned, std::int64_t>)
      value = reader.expression(key.name);
    else
      value = reader.expressions(key.name, most_map_dimensions);
    return true;
  };
  model::each_map_key(read, map, planned);
  read_outside(reader, map);
  keep_to_devices_with_views(argument, "tensor map", context);
}

void keep_to_devices_with_views(const model::ArgumentSpec& argument, std::string_view what,
                                SpecContext& context) {
  std::vector<std::string>& kinds = context.spec.device_kinds;
  std::vector<std::string> with_views;
  for (const model::DeviceKind& kind : model::device_kinds())
    if (kind.has_views) with_views.emplace_back(kind.name);
  for (const std::string& kind : kinds) {
    if (model::device_kind(kind).has_views) continue;
    context.mistakes.add(
        argument.where,
        fmt::format("{} is a {}, which devices of kind \"{}\" do not have", argument.name, what, kind),
        fmt::format("devices = [\"{}\"]", fmt::join(with_views, "\", \"")));
  }
  kinds = with_views;
}

namespace model = tuner::model;
namespace {

using Outside = model::Texture::Outside;

template <typename Value, std::size_t Count>
Value read_word(TableReader& reader, std::string_view key,
                const std::array<std::pair<std::string_view, Value>, Count>& words) {
  const auto word = reader.text(key);
  if (!word) return words.front().second;
  std::string allowed;
  for (const auto& [name, value] : words) {
    if (name == *word) return value;
    allowed += allowed.empty() ? name : fmt::format(", {}", name);
  }
  reader.mistakes().add(reader.table().find(key)->value.contents,
                        fmt::format("unknown {} \"{}\"", key, tuner::util::one_line(*word, 40)), allowed);
  return words.front().second;
}

}  // namespace

void read_texture(TableReader& reader, model::ArgumentSpec& argument, SpecContext& context) {
  model::TextureSpec& texture = *argument.texture;
  texture.buffer =
      reader.required_text("texture", "texture = the name of the buffer that it is over").value_or("");
  texture.kind.in_array = reader.boolean("array").value_or(false);
  texture.shape = reader.expressions("shape", 2);
  texture.pitch = reader.expression("pitch");
  model::Texture& kind = texture.kind;
  kind.outside = read_word<Outside, 4>(reader, "outside",
                                       {{{"clamp", Outside::clamp},
                                         {"border", Outside::border},
                                         {"wrap", Outside::wrap},
                                         {"mirror", Outside::mirror}}});
  kind.interpolates = read_word<bool, 2>(reader, "filter", {{{"point", false}, {"linear", true}}});
  kind.reads_normalized = read_word<bool, 2>(reader, "read", {{{"element", false}, {"normalized", true}}});
  kind.normalized_coordinates = reader.boolean("normalized_coordinates").value_or(false);
  const Node& table = reader.table();
  const Member* const outside = table.find("outside");
  const bool repeats = kind.outside == Outside::wrap || kind.outside == Outside::mirror;
  if (repeats && !kind.normalized_coordinates) {
    reader.mistakes().add(outside->value.contents,
                          fmt::format("{} repeats, and its coordinates are not normalized", argument.name),
                          "normalized_coordinates = true; clamp and border do without");
  }
  if (table.find("shape") == nullptr) {
    for (const std::string_view key : {"array", "pitch", "outside", "filter", "normalized_coordinates"}) {
      if (const Member* member = table.find(key))
        reader.mistakes().add(member->where,
                              fmt::format("{} has \"{}\" without \"shape\"", argument.name, key),
                              "shape = [\"WIDTH\", \"HEIGHT\"]; without one it is read by element alone");
    }
  } else if (texture.shape.size() == 1) {
    reader.mistakes().add(table.find("shape")->where, fmt::format("{} has one dimension", argument.name),
                          "shape = [\"WIDTH\", \"HEIGHT\"]; leave it out for linear memory");
  }
  keep_to_devices_with_views(argument, "texture", context);
}

void read_surface(TableReader& reader, model::ArgumentSpec& argument, SpecContext& context) {
  model::TextureSpec& surface = *argument.texture;
  surface.buffer =
      reader.required_text("surface", "surface = the name of the buffer that it is over").value_or("");
  surface.shape = reader.expressions("shape", 2);
  surface.pitch = reader.expression("pitch");
  if (surface.shape.size() < 2) {
    const Member* const shape = reader.table().find("shape");
    reader.mistakes().add(shape != nullptr ? shape->where : reader.table().where,
                          fmt::format("{} has not two dimensions", argument.name),
                          "shape = [\"WIDTH\", \"HEIGHT\"]");
  }
  keep_to_devices_with_views(argument, "surface", context);
}

}  // namespace config
