#include "db/final_queries.hpp"

#include <fmt/format.h>

#include "db/condition.hpp"
#include "db/row_reader.hpp"
#include "db/sql.hpp"
#include "tuner/model/error.hpp"

namespace db {

using tuner::model::Ceiling;
using tuner::model::Digest;
using tuner::model::Error;
using tuner::model::FinalRecord;

FinalReader::FinalReader(const Connection& db, const std::string& rest)
    : m_final(db, sql("select_finals") + rest),
      m_entries(
          db,
          "SELECT trial, ratio, ratio_low, ratio_high, tied FROM final_entries WHERE final = ? ORDER BY "
          "place"),
      m_coverage(db,
                 "SELECT run, kernel, first, last FROM final_coverage WHERE final = ? "
                 "ORDER BY run, kernel, first") {}

FinalRecord FinalReader::read(Statement::Use& row) {
  FinalRecord final;
  const Digest id = row.digest();
  final.problem = read_problem(row);
  final.comparison_class = read_class(row);
  final.chosen = row.digest();
  final.rounds = row.small();
  final.throttled_rounds = row.small();
  final.run = row.digest();
  final.measured_at = row.text();
  final.sequence = row.integer();
  auto entry = m_entries.use();
  entry.bind(id);
  while (entry.step()) {
    FinalRecord::Entry read;
    read.trial = entry.digest();
    read.ratio = entry.real();
    read.ratio_low = entry.real();
    read.ratio_high = entry.real();
    read.tied = entry.flag();
    final.entries.push_back(read);
  }
  auto covered = m_coverage.use();
  covered.bind(id);
  while (covered.step()) {
    FinalRecord::Coverage read;
    read.run = covered.digest();
    read.kernel = covered.text();
    read.first = covered.integer();
    read.last = covered.integer();
    final.coverage.push_back(std::move(read));
  }
  return final;
}

std::vector<FinalRecord> finals(const Connection& db, const TrialFilter& filter) {
  TrialFilter contests = filter;
  contests.kernel.clear();
  Condition condition = contest_condition(contests);
  if (filter.superseded) {
    condition.add("(SELECT superseded FROM trials WHERE id = f.chosen) = ?",
                  static_cast<std::int64_t>(*filter.superseded));
  }
  FinalReader reader(db, condition.text() +
                             " ORDER BY p.family, length(p.size), p.size, p.type, p.row_padding, n.class, "
                             "f.measured_at, f.id");
  std::vector<FinalRecord> list;
  auto row = reader.use();
  condition.bind(row);
  while (row.step()) list.push_back(reader.read(row));
  return list;
}

std::optional<FinalRecord> final_with(const Connection& db, const Digest& trial) {
  FinalReader reader(db,
                     " WHERE f.id IN (SELECT final FROM final_entries WHERE trial = ?)"
                     " ORDER BY f.measured_at DESC, f.id DESC LIMIT 1");
  auto row = reader.use();
  row.bind(trial);
  if (!row.step()) return std::nullopt;
  return reader.read(row);
}

std::optional<FinalRecord> final_between(const Connection& db, const Digest& a, const Digest& b) {
  FinalReader reader(db,
                     " WHERE f.id IN (SELECT final FROM final_entries WHERE trial = ?"
                     " INTERSECT SELECT final FROM final_entries WHERE trial = ?)"
                     " ORDER BY f.measured_at DESC, f.id DESC LIMIT 1");
  auto row = reader.use();
  row.bind(a).bind(b);
  if (!row.step()) return std::nullopt;
  return reader.read(row);
}

namespace {

constexpr const char* select_ceilings =
    "SELECT device, kind, type, value, unit, trial, measured_at FROM ceilings";

Ceiling read_ceiling(Statement::Use& row) {
  Ceiling ceiling;
  ceiling.device = row.text();
  ceiling.kind = row.text();
  const std::string type = row.text();
  const auto parsed = tuner::model::parse_element_type(type);
  if (!parsed) throw Error(fmt::format("a ceiling of {}: '{}' is no element type", ceiling.device, type));
  ceiling.type = *parsed;
  ceiling.value = row.real();
  ceiling.unit = row.text();
  ceiling.trial = row.digest();
  ceiling.measured_at = row.text();
  return ceiling;
}

std::vector<Ceiling> read_all(Statement::Use& row) {
  std::vector<Ceiling> list;
  while (row.step()) list.push_back(read_ceiling(row));
  return list;
}

}  // namespace

std::vector<Ceiling> ceilings(const Connection& db, const std::string& device) {
  Statement select(db, std::string(select_ceilings) + " WHERE device = ? ORDER BY kind, type");
  auto row = select.use();
  row.bind(device);
  return read_all(row);
}

std::vector<Ceiling> ceilings(const Connection& db) {
  Statement select(db, std::string(select_ceilings) + " ORDER BY device, kind, type");
  auto row = select.use();
  return read_all(row);
}

}  // namespace db
