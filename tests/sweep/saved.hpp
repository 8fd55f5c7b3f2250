#pragma once
#include <filesystem>
#include <fstream>

#include "db/transfer.hpp"
#include "tests/sweep/scale_bench.hpp"

namespace tuner::test {

/// Writes the results of a bench to a database in `file`, which others can merge.
inline void save(const Bench& bench, const std::filesystem::path& file) {
  const std::filesystem::path lines = file.string() + ".jsonl";
  std::ofstream out(lines);
  db::export_database(bench.results.store.connection(), {}, out);
  out.close();
  const db::ResultStore store(file);
  db::import_file(store.connection(), lines);
}

/// Merges the results of `from` into those of `into`.
inline void merge(Bench& into, const std::filesystem::path& from) {
  db::merge_database(into.results.store.connection(), from);
}

}  // namespace tuner::test
