#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "db/best.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"

namespace db {

using tuner::model::BitsRelation;
using tuner::model::Digest;
using tuner::model::OutputBits;
using tuner::model::TrialRecord;

namespace {

std::string short_id(const TrialRecord& trial) {
  return trial.key.hex().substr(0, 12);
}

/// The defaults of a case, or what it has of one configuration as it was in one definition; what competes,
/// then what has the largest sequence, comes first.
std::vector<TrialRecord> trials_of(const Connection& db, Condition which, const Digest& tuning_case) {
  which.add("t.status <> ''");
  which.add("t.tuning_case = ?", tuning_case);
  Statement select(db,
                   "SELECT t.id FROM trials AS t INDEXED BY trials_of_case "
                   "JOIN kernels AS k ON k.id = t.kernel JOIN configurations AS f ON f.id = t.configuration" +
                       which.text() + " ORDER BY t.superseded, t.sequence DESC, t.id");
  return TrialLoader(db).load(select.all(&Statement::Use::digest, which));
}

}  // namespace

SameBits::SameBits(const Connection& db, const SameBitsAs& as, const tuner::model::CaseName& tuning_case)
    : m_of_default(!as.trial) {
  const Digest id = case_id(tuning_case.problem, tuning_case.environment);
  Condition which;
  if (m_of_default) {
    which.add("t.is_default = 1 AND t.superseded = 0");
    for (TrialRecord& one : trials_of(db, which, id)) m_references.try_emplace(one.kernel, std::move(one));
    if (m_references.empty()) m_lack = "the default was not tried";
    return;
  }
  if (as.trial->problem == tuning_case.problem) {
    m_references.emplace("", *as.trial);
    return;
  }
  // After an edit the same configuration may give other bits.
  which.add("k.name = ?", as.trial->kernel);
  which.add("f.json = ?", as.trial->configuration.canonical_json());
  which.add("t.definition IS ?", as.trial->definition);
  std::vector<TrialRecord> like = trials_of(db, which, id);
  if (like.empty()) {
    m_lack = fmt::format("{} is of {}, and its configuration was not tried here", short_id(*as.trial),
                         as.trial->problem.size_text());
  } else {
    m_references.emplace("", std::move(like.front()));
  }
}

bool SameBits::admits(const TrialRecord& trial) const {
  const auto reference = m_references.find(m_of_default ? trial.kernel : "");
  if (reference == m_references.end()) return false;
  return compare_bits(reference->second.outcome.output_bits, trial.outcome.output_bits) == BitsRelation::same;
}

std::string SameBits::lack(const std::string& kernel) const {
  if (!m_lack.empty()) return m_lack;
  std::string why;
  for (const auto& [name, reference] : m_references) {
    if (m_of_default && !kernel.empty() && name != kernel) continue;
    if (reference.outcome.output_bits) return "";
    if (!why.empty()) why += "; ";
    why += fmt::format("{}{}: {}", m_of_default ? "the default of " + name + ", " : "", short_id(reference),
                       why_no_bits(reference));
  }
  return why.empty() ? fmt::format("the default of {} was not tried", kernel) : why;
}

std::string why_no_bits(const TrialRecord& trial) {
  using tuner::model::TrialStatus;
  if (trial.outcome.output_bits) return "";
  const TrialStatus status = trial.outcome.status;
  if (status != TrialStatus::ok && status != TrialStatus::dropped)
    return fmt::format("it has no result ({})", to_string(status));
  return "its bits are unknown: its kernel is not deterministic, it was dropped at its first run, or an "
         "older "
         "tuner measured it";
}

std::vector<std::vector<Digest>> bits_groups(
    const std::vector<std::pair<Digest, std::optional<OutputBits>>>& trials) {
  std::vector<std::pair<OutputBits, std::vector<Digest>>> groups;
  for (const auto& [trial, bits] : trials) {
    if (!bits) continue;
    auto own =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == *bits; });
    if (own == groups.end()) own = groups.insert(groups.end(), {*bits, {}});
    own->second.push_back(trial);
  }
  std::vector<std::vector<Digest>> out;
  for (auto& group : groups) out.push_back(std::move(group.second));
  return out;
}

}  // namespace db
