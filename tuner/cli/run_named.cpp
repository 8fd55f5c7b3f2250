#include "tuner/cli/run_named.hpp"

#include <fmt/format.h>

#include "db/queries.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {

std::vector<model::Digest> runs_named(const db::Connection& connection, const std::string& prefix) {
  std::vector<model::Digest> found;
  for (const model::RunRecord& run : db::runs(connection)) {
    if (run.id.hex().starts_with(prefix)) found.push_back(run.id);
  }
  return found;
}

model::Digest run_named(const db::Connection& connection, const std::string& prefix) {
  constexpr const char* hint = "`tuner list runs` shows identifiers; their first digits will do";
  if (prefix.empty() || prefix.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw model::UsageError(fmt::format("'{}' is not the beginning of a run's identifier", prefix), hint);
  }
  const std::vector<model::Digest> found = runs_named(connection, prefix);
  if (found.empty()) {
    throw model::Error(fmt::format("no run's identifier begins with {}", prefix), hint,
                       model::ExitCode::nothing_found);
  }
  if (found.size() > 1) {
    throw model::UsageError(fmt::format("{} runs begin with {}", found.size(), prefix), "give more digits");
  }
  return found.front();
}

}  // namespace tuner::cli
