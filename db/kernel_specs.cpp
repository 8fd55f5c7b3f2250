#include "db/kernel_specs.hpp"

#include <optional>

#include "db/row_reader.hpp"
#include "db/sql.hpp"
#include "db/stored_json.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::Judgement;
using tuner::model::KernelDeclaration;
using tuner::model::PastTrial;

KernelSpecs::KernelSpecs(const Connection& db)
    : m_db(db),
      m_declared(db,
                 "SELECT family, kernel, role, definition, spec, path FROM kernel_specs "
                 "WHERE family = ? AND declared = 1 ORDER BY kernel"),
      m_undecided(db, sql("select_undecided")),
      m_put(
          db,
          "INSERT INTO kernel_specs (family, kernel, role, definition, spec, path, declared) "
          "VALUES (?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET (role, definition, spec, path, declared) = "
          "(excluded.role, excluded.definition, excluded.spec, excluded.path, 1)"),
      m_judge(db,
              "UPDATE trials SET superseded = ?2, judged_by = ?3, "
              "definition = iif(?2, definition, ?4), role = ?5 WHERE id = ?1"),
      m_newest(db, sql("select_newest_definitions")),
      m_mark(db,
             "UPDATE trials SET superseded = (definition <> ?1) "
             "WHERE kernel IN (SELECT id FROM kernels WHERE family = ?2 AND name = ?3) "
             "AND definition IS NOT NULL AND superseded <> (definition <> ?1)") {}

std::vector<KernelDeclaration> KernelSpecs::declared(const std::string& family) {
  std::vector<KernelDeclaration> list;
  auto row = m_declared.use();
  row.bind(family);
  while (row.step()) {
    KernelDeclaration kernel;
    kernel.family = row.text();
    kernel.kernel = row.text();
    kernel.role = read_role(row);
    kernel.definition = row.digest();
    kernel.spec = row.digest();
    kernel.path = row.text();
    list.push_back(std::move(kernel));
  }
  return list;
}

std::vector<PastTrial> KernelSpecs::undecided(const KernelDeclaration& kernel) {
  std::vector<PastTrial> list;
  auto row = m_undecided.use();
  row.bind(kernel.family).bind(kernel.kernel).bind(kernel.spec);
  while (row.step()) {
    PastTrial trial;
    trial.key = row.digest();
    const std::string configuration = row.text();
    trial.configuration = stored_configuration(configuration, row.text());
    trial.problem = read_problem(row);
    trial.comparison_class = read_class(row);
    trial.definition = row.digest();
    trial.architecture = row.text();
    if (const std::string limits = row.text(); !limits.empty()) trial.limits = stored_limits(limits);
    list.push_back(std::move(trial));
  }
  return list;
}

bool KernelSpecs::is_current(const KernelDeclaration& kernel) {
  for (const KernelDeclaration& known : declared(kernel.family)) {
    if (known.kernel == kernel.kernel) return known == kernel;
  }
  return false;
}

void KernelSpecs::declare(const KernelDeclaration& kernel, const std::vector<Judgement>& judgements) {
  m_put.use()
      .bind(kernel.family)
      .bind(kernel.kernel)
      .bind(to_string(kernel.role))
      .bind(kernel.definition)
      .bind(kernel.spec)
      .bind(kernel.path)
      .run();
  for (const Judgement& judgement : judgements) {
    m_judge.use()
        .bind(judgement.trial)
        .bind(!judgement.describes)
        .bind(kernel.spec)
        .bind(kernel.definition)
        .bind(to_string(kernel.role))
        .run();
  }
}

void KernelSpecs::adopt_newest() {
  struct Newest {
    std::string family;
    std::string kernel;
    Digest definition;
    std::string role;
  };
  std::vector<Newest> found;
  {
    auto row = m_newest.use();
    while (row.step()) {
      Newest newest;
      newest.family = row.text();
      newest.kernel = row.text();
      newest.definition = row.digest();
      newest.role = row.text();
      found.push_back(std::move(newest));
    }
  }
  m_db.execute("DELETE FROM kernel_specs WHERE declared = 0");
  Statement put(m_db,
                "INSERT INTO kernel_specs (family, kernel, role, definition, spec, path, declared) "
                "VALUES (?, ?, ?, ?, NULL, '', 0)");
  for (const Newest& newest : found) {
    put.use().bind(newest.family).bind(newest.kernel).bind(newest.role).bind(newest.definition).run();
    m_mark.use().bind(newest.definition).bind(newest.family).bind(newest.kernel).run();
  }
}

}  // namespace db
