#pragma once
#include <span>
#include <string>
#include <string_view>

#include "tuner/model/embedded_file.hpp"
#include "tuner/model/layout.hpp"

namespace config {

/// Report layouts stand beside the kernels they are about, in files called NAME.layout.toml; see
/// docs/reports.md for their keys.
inline constexpr std::string_view layout_suffix = ".layout.toml";

/// The layout called `name` among the shipped files, or the one in the file `name` where that is a path.
/// Throws model::UsageError with every mistake in it, or with the names there are.
tuner::model::layout::Layout load_layout(std::span<const tuner::model::EmbeddedFile> shipped,
                                         const std::string& name);

}  // namespace config
