#include <fmt/format.h>

#include <algorithm>

#include "config/spec_context.hpp"
#include "config/table_reader.hpp"
#include "tuner/model/device_kind.hpp"
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
  reader.require("shape", "shape = [\"K\", \"M\"], elements in each dimension, innermost first");
  map.shape = reader.expressions("shape", most_map_dimensions);
  map.strides = reader.expressions("strides", most_map_dimensions);
  reader.require("box", "box = [\"TILE_K\", \"TILE_M\"], elements that one copy takes, innermost first");
  map.box = reader.expressions("box", most_map_dimensions);
  map.element_strides = reader.expressions("element_strides", most_map_dimensions);
  map.interleave = reader.expression("interleave");
  map.swizzle = reader.expression("swizzle");
  map.l2_promotion = reader.expression("l2_promotion");
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

}  // namespace config
