#pragma once
#include <string>
#include <vector>

#include "db/best.hpp"

namespace tuner::cli {

/// `{"schema_version": 1, "size": …, "answers": […]}`; times in nanoseconds.
std::string best_json(const std::vector<db::BestAnswer>& answers, const std::string& size);

/// A C header that defines the winner's parameters as macros, words by their codes.
std::string best_header(const db::BestAnswer& answer);

/// The same as -D options, on one line.
std::string best_flags(const db::BestAnswer& answer);

}  // namespace tuner::cli
