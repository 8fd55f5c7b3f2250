#include "config/node.hpp"

#include <fmt/format.h>

#include "tuner/util/text.hpp"

namespace config {
namespace util = tuner::util;

const Member* Node::find(std::string_view key) const {
  for (const Member& member : members) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

std::string Node::described() const {
  switch (kind) {
    case Kind::text:
      return fmt::format("string \"{}\"", util::one_line(text, 40));
    case Kind::integer:
      return fmt::format("integer {}", integer);
    case Kind::real:
      return fmt::format("number {}", real);
    case Kind::boolean:
      return boolean ? "boolean true" : "boolean false";
    case Kind::time:
      return "date or time";
    case Kind::list:
      return fmt::format("list of {}", items.size());
    case Kind::table:
      return "table";
  }
  return "value";
}

}  // namespace config
