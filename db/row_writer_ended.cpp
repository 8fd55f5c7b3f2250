// The part of RowWriter that is about how finals and searches ended.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "db/ids.hpp"
#include "db/row_reader.hpp"
#include "db/row_writer.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/record_fields.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::Error;
using tuner::model::FinalRecord;
using tuner::model::Measurement;
using tuner::model::Outlook;
using tuner::model::SearchRecord;
using tuner::model::TrialRecord;

namespace {

/// Rows may come from strangers: only what a final can have said is kept.
void require_sound(const FinalRecord& final) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("the final of {} at {}: {}", final.problem.text(), final.measured_at, why));
  };
  if (final.entries.empty() || final.entries.size() > most_final_entries) {
    refuse(fmt::format("{} finalists, 1 to {} were expected", final.entries.size(), most_final_entries));
  }
  bool chosen_is_tied = false;
  for (const FinalRecord::Entry& entry : final.entries) {
    for (const double ratio : {entry.ratio, entry.ratio_low, entry.ratio_high}) {
      if (!std::isfinite(ratio) || ratio <= 0) refuse(fmt::format("{} is no ratio of times", ratio));
    }
    chosen_is_tied = chosen_is_tied || (entry.trial == final.chosen && entry.tied);
  }
  if (!chosen_is_tied) refuse("the trial chosen is none of those tied with the fastest");
}

Digest final_id(const FinalRecord& final, const Digest& tuning_case) {
  tuner::model::DigestBuilder digest;
  digest.add("final 1").add(tuning_case).add(final.run).add(final.measured_at).add(final.chosen);
  for (const FinalRecord::Entry& entry : final.entries) {
    digest.add(entry.trial).add(std::bit_cast<std::int64_t>(entry.ratio));
  }
  return digest.finish();
}

}  // namespace

void RowWriter::put(const FinalRecord& final) {
  require_sound(final);
  const Digest tuning_case = put_case(final.problem, final.environment);
  for (const FinalRecord::Entry& entry : final.entries) {
    auto row = m_case_of.use();
    row.bind(entry.trial);
    if (!row.step() || row.digest() != tuning_case) {
      throw Error(fmt::format("the final of {}: its finalist {} is no trial of that problem and class",
                              final.problem.text(), entry.trial.hex()));
    }
  }
  const Digest id = final_id(final, tuning_case);
  m_final.use()
      .bind(id)
      .bind(tuning_case)
      .bind(final.chosen)
      .bind(final.rounds)
      .bind(final.throttled_rounds)
      .bind(final.measured_at)
      .bind(final.sequence)
      .bind(final.run)
      .run();
  for (std::size_t place = 0; place < final.entries.size(); ++place) {
    const FinalRecord::Entry& entry = final.entries[place];
    auto row = m_final_entry.use();
    row.bind(id).bind(place).bind(entry.trial);
    row.bind(entry.ratio).bind(entry.ratio_low).bind(entry.ratio_high).bind(entry.tied);
    row.run();
  }
  put_coverage(final, id);
}

void RowWriter::put_coverage(const FinalRecord& final, const Digest& id) {
  for (const FinalRecord::Coverage& covered : final.coverage) {
    auto row = m_coverage.use();
    row.bind(id);
    // An unknown run is x'' there: a column of a primary key cannot be NULL.
    if (covered.run.empty()) {
      row.bind(std::span<const std::byte>());
    } else {
      row.bind(covered.run);
    }
    row.bind(covered.kernel).bind(covered.first).bind(covered.last).run();
  }
  if (final.coverage.empty()) m_entry_coverage.use().bind(id).run();
}

namespace {

/// Rows may come from strangers: only what a search can have said is kept.
void require_sound(const SearchRecord& search) {
  const auto refuse = [&](const std::string& why) {
    throw Error(
        fmt::format("the search of {} that ended at {}: {}", search.problem.text(), search.ended_at, why));
  };
  if (search.parts.empty() || search.parts.size() > most_search_parts)
    refuse(fmt::format("{} kernels, 1 to {} were expected", search.parts.size(), most_search_parts));
  if (search.tried < 0 || search.failed < 0 || search.failed > search.tried)
    refuse(fmt::format("{} of {} tried have failed", search.failed, search.tried));
  for (const SearchRecord::Part& part : search.parts) {
    if (part.candidates < 0) refuse(fmt::format("{} candidates", part.candidates));
  }
  if (!search.outlook) return;
  const Outlook& outlook = *search.outlook;
  for (const double share : {outlook.gain, outlook.low, outlook.high}) {
    if (!std::isfinite(share) || share < 0) refuse(fmt::format("{} is no expected gain", share));
  }
  for (const double share : {outlook.behind, outlook.behind_at_worst, outlook.faster}) {
    if (!(share >= 0 && share <= 1)) refuse(fmt::format("{} is no share", share));
  }
  if (outlook.stretch < 0) refuse(fmt::format("a stretch of {} results", outlook.stretch));
}

Digest search_id(const SearchRecord& search, const Digest& tuning_case) {
  tuner::model::DigestBuilder digest;
  digest.add("search 1").add(tuning_case).add(search.run).add(search.ended_at).add(search.strategy);
  for (const SearchRecord::Part& part : search.parts) digest.add(part.kernel).add(part.spec);
  return digest.add(search.tried).finish();
}

}  // namespace

void RowWriter::put(const SearchRecord& search) {
  require_sound(search);
  const Digest tuning_case = put_case(search.problem, search.environment);
  const Digest id = search_id(search, tuning_case);
  auto row = m_search.use();
  row.bind(id).bind(tuning_case).bind(search.run);
  row.bind(search.strategy)
      .bind(to_string(search.ending))
      .bind(search.tried)
      .bind(search.failed)
      .bind(search.ended_at);
  if (search.outlook) {
    db::bind(row, *search.outlook);
  } else {
    for (int i = 0; i < columns_of<tuner::model::Outlook>().count(); ++i) row.bind(std::nullopt);
  }
  row.run();
  for (const SearchRecord::Part& part : search.parts)
    m_search_kernel.use().bind(id).bind(part.kernel).bind(part.spec).bind(part.candidates).run();
}

}  // namespace db
