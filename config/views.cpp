#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/spec_reader.hpp"
#include "tuner/model/device.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace {

/// cuTensorMapEncodeTiled (cuda.h).
constexpr std::size_t most_map_dimensions = 5;

constexpr std::string_view view_types[] = {"CUtensorMap", "cudaTextureObject_t", "cudaSurfaceObject_t"};

void read_tensor_map(TableReader& reader, model::TensorMapSpec& map) {
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
}

/// How a texture, and no surface, is read.
void read_sampling(TableReader& reader, const std::string& name, model::TextureSpec& texture) {
  using Outside = model::Texture::Outside;
  constexpr std::array<Word<Outside>, 4> outsides = {{{"clamp", Outside::clamp},
                                                      {"border", Outside::border},
                                                      {"wrap", Outside::wrap},
                                                      {"mirror", Outside::mirror}}};
  constexpr std::array<Word<bool>, 2> filters = {{{"point", false}, {"linear", true}}};
  constexpr std::array<Word<bool>, 2> reads = {{{"element", false}, {"normalized", true}}};
  model::Texture& kind = texture.kind;
  kind.outside = reader.word<Outside>("outside", outsides).value_or(Outside::clamp);
  kind.interpolates = reader.word<bool>("filter", filters).value_or(false);
  kind.reads_normalized = reader.word<bool>("read", reads).value_or(false);
  kind.normalized_coordinates = reader.boolean("normalized_coordinates").value_or(false);
  const bool repeats = kind.outside == Outside::wrap || kind.outside == Outside::mirror;
  if (repeats && !kind.normalized_coordinates) {
    reader.wrong("outside", fmt::format("{} repeats, and its coordinates are not normalized", name),
                 "normalized_coordinates = true; clamp and border do without");
  }
  if (reader.table().find("shape") == nullptr) {
    for (const char* key : {"array", "pitch", "outside", "filter", "normalized_coordinates"}) {
      if (reader.table().find(key) != nullptr)
        reader.misplaced(key, fmt::format("{} has \"{}\" without \"shape\"", name, key),
                         "shape = [\"WIDTH\", \"HEIGHT\"]; without one it is read by element alone");
    }
  } else if (texture.shape.size() == 1) {
    reader.misplaced("shape", fmt::format("{} has one dimension", name),
                     "shape = [\"WIDTH\", \"HEIGHT\"]; leave it out for linear memory");
  }
}

/// Only some kinds of device have views.
void keep_to_devices_with_views(const model::ArgumentSpec& argument, SpecContext& context) {
  std::vector<std::string>& kinds = context.spec.device_kinds;
  std::vector<std::string> with_views;
  for (const model::DeviceKind& kind : model::device_kinds())
    if (kind.has_views) with_views.emplace_back(kind.name);
  for (const std::string& kind : kinds) {
    if (model::device_kind(kind).has_views) continue;
    context.mistakes.add(argument.where,
                         fmt::format("{} is a {}, which devices of kind \"{}\" do not have", argument.name,
                                     argument.view_name(), kind),
                         fmt::format("devices = [\"{}\"]", fmt::join(with_views, "\", \"")));
  }
  kinds = with_views;
}

}  // namespace

bool make_view(std::string_view type, model::ArgumentSpec& argument) {
  if (type == view_types[0]) argument.tensor.emplace();
  if (type == view_types[1] || type == view_types[2]) {
    model::Texture& kind = argument.texture.emplace().kind;
    kind.in_array = kind.is_surface = type == view_types[2];
  }
  return argument.is_view();
}

void read_view(TableReader& reader, model::ArgumentSpec& argument, SpecContext& context) {
  const std::string key = argument.tensor ? "tensor" : argument.view_name();
  std::string& buffer = argument.tensor ? argument.tensor->buffer : argument.texture->buffer;
  buffer = reader.required_text(key, key + " = the name of the buffer that it is over").value_or("");
  if (!buffer.empty())
    (argument.tensor ? argument.tensor->where : argument.texture->where) = reader.place(key);
  if (argument.tensor) {
    read_tensor_map(reader, *argument.tensor);
  } else {
    model::TextureSpec& texture = *argument.texture;
    if (!texture.kind.is_surface) texture.kind.in_array = reader.boolean("array").value_or(false);
    texture.shape = reader.expressions("shape", 2);
    texture.pitch = reader.expression("pitch");
    const Member* const shape = reader.table().find("shape");
    if (!texture.kind.is_surface) {
      read_sampling(reader, argument.name, texture);
    } else if (texture.shape.size() < 2) {
      context.mistakes.add(shape != nullptr ? shape->where : reader.table().where,
                           fmt::format("{} has not two dimensions", argument.name),
                           "shape = [\"WIDTH\", \"HEIGHT\"]");
    }
  }
  keep_to_devices_with_views(argument, context);
}

}  // namespace config
