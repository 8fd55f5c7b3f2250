#pragma once
#include <string_view>

namespace tuner::model {

/// A text file put into the binary at build time; `path` is relative to the folder it was taken from.
struct EmbeddedFile {
  std::string_view path;
  std::string_view text;
};

}  // namespace tuner::model
