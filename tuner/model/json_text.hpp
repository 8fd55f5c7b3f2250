#pragma once
#include <string>
#include <string_view>

namespace tuner::model {

/// `text` as a JSON string literal, quotes included. Bytes that are not UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

}  // namespace tuner::model
