#pragma once
#include <string>
#include <vector>

#include "db/statement.hpp"
#include "tuner/model/results.hpp"

namespace db {

/// What each kernel is today, and which of its trials that describes. The rest of them are kept as superseded
/// and do not compete, until a spec describes them again.
///
/// A trial that comes from elsewhere is judged by its definition alone, which is all there is to compare
/// without the spec at hand; the next sweep of the kernel looks closer.
class KernelSpecs {
 public:
  explicit KernelSpecs(const Connection& db);

  std::vector<tuner::model::KernelDeclaration> declared(const std::string& family);
  /// Trials that were not judged by `kernel.spec`.
  std::vector<tuner::model::PastTrial> undecided(const tuner::model::KernelDeclaration& kernel);
  /// Whether the declaration is what is known and every judgement has been made. Writes nothing.
  bool is_current(const tuner::model::KernelDeclaration& kernel);
  /// Makes it so. The caller holds the transaction.
  void declare(const tuner::model::KernelDeclaration& kernel,
               const std::vector<tuner::model::Judgement>& judgements);
  /// Of kernels that no sweep here has declared, the definition of the trial measured last is taken, anew
  /// each time: what is taken depends on the trials that are there, not on the order in which they came. The
  /// caller holds the transaction.
  void adopt_newest();

 private:
  const Connection& m_db;
  Statement m_declared, m_undecided, m_put, m_judge, m_newest, m_mark;
};

}  // namespace db
