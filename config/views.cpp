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
  constexpr std::array<Word<bool>, 2> outsides = {{{"zero", false}, {"nan", true}}};
  map.nan_outside = reader.word<bool>("outside", outsides, "zero or nan: what a copy reads beyond the shape")
                        .value_or(false);
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

using Outside = model::Texture::Outside;

void read_texture(TableReader& reader, model::ArgumentSpec& argument, SpecContext& context) {
  model::TextureSpec& texture = *argument.texture;
  texture.buffer =
      reader.required_text("texture", "texture = the name of the buffer that it is over").value_or("");
  texture.kind.in_array = reader.boolean("array").value_or(false);
  texture.shape = reader.expressions("shape", 2);
  texture.pitch = reader.expression("pitch");
  model::Texture& kind = texture.kind;
  constexpr std::array<Word<Outside>, 4> outsides = {{{"clamp", Outside::clamp},
                                                      {"border", Outside::border},
                                                      {"wrap", Outside::wrap},
                                                      {"mirror", Outside::mirror}}};
  constexpr std::array<Word<bool>, 2> filters = {{{"point", false}, {"linear", true}}};
  constexpr std::array<Word<bool>, 2> reads = {{{"element", false}, {"normalized", true}}};
  kind.outside = reader.word<Outside>("outside", outsides).value_or(Outside::clamp);
  kind.interpolates = reader.word<bool>("filter", filters).value_or(false);
  kind.reads_normalized = reader.word<bool>("read", reads).value_or(false);
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
    reader.misplaced("shape", fmt::format("{} has one dimension", argument.name),
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
