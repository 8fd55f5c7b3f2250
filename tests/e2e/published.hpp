#pragma once
#include <set>
#include <string>

#include "db/database.hpp"
#include "tuner/model/error.hpp"

namespace tuner::test {

/// The identities of a database's trials; none where there is no database.
inline std::set<std::string> trials_of(const std::string& path) {
  std::set<std::string> trials;
  std::string all;
  try {
    all = db::open_as_it_is(path).text("SELECT group_concat(hex(id), ' ') FROM trials");
  } catch (const model::Error& error) {
    if (error.code() != model::ExitCode::nothing_found) throw;
  }
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find(' ', at), all.size());
    trials.insert(all.substr(at, end - at));
    at = end + 1;
  }
  return trials;
}

}  // namespace tuner::test
