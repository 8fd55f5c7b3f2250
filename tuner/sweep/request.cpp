#include "tuner/sweep/request.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "tuner/model/digest.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::sweep {

bool Shard::has(std::string_view kernel, const model::Configuration& configuration) const {
  const model::Digest digest =
      model::DigestBuilder().add("shard").add(kernel).add(configuration.canonical_json()).finish();
  std::uint64_t drawn = 0;
  for (std::size_t i = 0; i < sizeof drawn; ++i) drawn = drawn << 8U | digest.bytes[i];
  return drawn % static_cast<std::uint64_t>(of) == static_cast<std::uint64_t>(number - 1);
}

std::string Shard::text() const {
  return fmt::format("{}/{}", number, of);
}

Shard parse_shard(std::string_view text) {
  constexpr int most = 100'000;
  const auto slash = text.find('/');
  const auto number = util::parse_number<int>(text.substr(0, slash));
  const auto of =
      slash == std::string_view::npos ? std::nullopt : util::parse_number<int>(text.substr(slash + 1));
  if (!number || !of || *of < 1 || *of > most) {
    throw model::UsageError(fmt::format("'{}' is no shard", text),
                            "write which of how many, as in 3/16: the third of sixteen");
  }
  if (*number < 1 || *number > *of) {
    throw model::UsageError(fmt::format("there is no shard {} of {}", *number, *of),
                            fmt::format("they are numbered 1/{} to {}/{}", *of, *of, *of));
  }
  return {*number, *of};
}

}  // namespace tuner::sweep
