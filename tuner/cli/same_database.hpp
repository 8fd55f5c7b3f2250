#pragma once
#include <string>

namespace tuner::cli {

/// Says which database this command reads and writes, where it is not the usual one. Once, before anything is
/// said.
void name_database(const std::string& path);

/// `text` with `--db FILE` in each command of it that reads or goes on, so that it asks the same database;
/// unchanged as long as none was named.
std::string in_same_database(std::string text);

}  // namespace tuner::cli
