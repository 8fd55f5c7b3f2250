#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "db/statement.hpp"
#include "db/stored_records.hpp"
#include "tuner/model/results.hpp"

namespace db {

/// By kernel, then generation.
std::vector<StoredDeclaration> declarations(const Connection& db);
/// By trial, then spec.
void for_each_judgement(const Connection& db, const std::function<void(const StoredJudgement&)>& visit);

/// Knows the specs of declared kernels. Both may be empty.
struct Judge {
  /// Says which of `past` a declared kernel describes, as far as that can be told; the rest has no judgement.
  std::function<std::vector<tuner::model::Judgement>(const tuner::model::KernelDeclaration&,
                                                     const std::vector<tuner::model::PastTrial>& past)>
      describes;
  /// What else the spec says; empty where it is not at hand.
  std::function<tuner::model::AskSpec(const tuner::model::KernelDeclaration&)> says;
};

/// What each kernel is today, and which of its trials that describes. The rest of them are kept as superseded
/// and do not compete, until a spec describes them again.
///
/// Declarations and judgements are sets that only grow, so that merges may come in any order. Which
/// declaration is in force and how each trial stands by it follows from them: see the views
/// `declaration_in_force` and `standing`. The caller of what writes holds the transaction.
class KernelSpecs {
 public:
  explicit KernelSpecs(const Connection& db);

  /// Those in force of the kernels of a family; of all families.
  std::vector<tuner::model::KernelDeclaration> declared(const std::string& family);
  std::vector<tuner::model::KernelDeclaration> declared();
  /// Trials that were not held against `kernel.spec`.
  std::vector<tuner::model::PastTrial> undecided(const tuner::model::KernelDeclaration& kernel);
  /// Whether the declaration is in force, and was made here. Writes nothing.
  bool is_current(const tuner::model::KernelDeclaration& kernel);
  /// Makes it so: it takes the place of all that are known.
  void declare(const tuner::model::KernelDeclaration& kernel,
               const std::vector<tuner::model::Judgement>& judgements);

  /// Says how a trial that has just been written stands.
  void stand(const tuner::model::Digest& trial);
  /// Of each kernel how many trials of its definition do not compete, since they were not held against the
  /// spec in force.
  std::vector<std::pair<std::string, std::int64_t>> waiting();

  /// One of another database. It counts after settle().
  void put(const StoredDeclaration& declaration);
  /// Of two that contradict each other the one that excludes stands.
  void put(const StoredJudgement& judgement);
  /// Finds which declarations are in force and how all trials stand by them. Of kernels that were not
  /// declared a definition is chosen among those that the trials have. `judge` is asked of the trials that
  /// were not held against a spec in force; it may be empty.
  void settle(const Judge& judge = {});

 private:
  struct InForce {
    tuner::model::Digest id;
    bool own = false;
  };
  InForce in_force(const tuner::model::KernelDeclaration& kernel);
  /// As it takes the place of all that are known.
  StoredDeclaration next(const tuner::model::KernelDeclaration& kernel);
  void stand(const std::string& family, const std::string& kernel, tuner::model::Role role);
  void ask(const Judge& judge);

  const Connection& m_db;
  Statement m_declared, m_declared_one, m_all_declared, m_undecided, m_id, m_put, m_follow, m_latest, m_own,
      m_in_force, m_judge, m_stand, m_stand_one, m_role;
};

}  // namespace db
