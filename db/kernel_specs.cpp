#include "db/kernel_specs.hpp"

#include <algorithm>

#include "db/machine.hpp"
#include "db/rows.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/error.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::Judgement;
using tuner::model::KernelDeclaration;
using tuner::model::PastTrial;
using tuner::model::Role;

namespace {

std::string select_in_force(const std::string& condition) {
  return select_from<KernelDeclaration>("declaration_in_force WHERE " + condition);
}

constexpr const char* insert_in_force =
    "INSERT INTO kernel_specs (family, kernel, role, definition, spec, path, declared) "
    "SELECT family, kernel, role, definition, spec, path, 1 FROM declaration_in_force ";

}  // namespace

std::vector<StoredDeclaration> declarations(const Connection& db) {
  Statement followed(db,
                     "SELECT older FROM declaration_succession "
                     "WHERE family = ? AND kernel = ? AND declaration = ? ORDER BY older");
  const auto read = [&](Statement::Use& row) {
    const Digest id = row.digest();
    const bool own = row.flag();
    auto stored = read_row<StoredDeclaration>(row);
    stored.own = own;
    stored.followed = followed.all(&Statement::Use::digest, stored.kernel.family, stored.kernel.kernel, id);
    return stored;
  };
  return Statement(db, "SELECT id, own, " + columns_of<StoredDeclaration>().names() +
                           " FROM declarations ORDER BY family, kernel, generation, id")
      .all(read);
}

void for_each_judgement(const Connection& db, const std::function<void(const StoredJudgement&)>& visit) {
  Statement select(db, "SELECT trial, spec, describes FROM judgements ORDER BY trial, spec");
  for (auto row = select.use(); row.step();) visit(StoredJudgement{row.digest(), row.digest(), row.flag()});
}

KernelSpecs::KernelSpecs(const Connection& db)
    : m_db(db),
      m_declared(db, select_in_force("family = ? ORDER BY kernel")),
      m_declared_one(db, select_in_force("family = ? AND kernel = ?")),
      m_all_declared(db, select_in_force("spec IS NOT NULL ORDER BY family, kernel")),
      m_undecided(db, sql("select_undecided")),
      m_id(db, "SELECT id, own FROM declaration_in_force WHERE family = ? AND kernel = ?"),
      m_put(
          db,
          insert_into<StoredDeclaration>(
              "declarations", "id, own",
              // Declared alike in two places: any of the two is told, and always the same.
              "UPDATE SET (host, declared_at) = (excluded.host, excluded.declared_at) "
              "WHERE (excluded.declared_at, excluded.host) > (declarations.declared_at, declarations.host)")),
      m_follow(db,
               "INSERT INTO declaration_succession (declaration, family, kernel, older) VALUES (?, ?, ?, ?) "
               "ON CONFLICT DO NOTHING"),
      m_latest(db,
               "SELECT id, generation FROM latest_declaration WHERE family = ? AND kernel = ? ORDER BY id"),
      m_own(db,
            "UPDATE declarations SET own = (id = ?3) WHERE family = ?1 AND kernel = ?2 AND own <> (id = ?3)"),
      m_in_force(db, std::string(insert_in_force) +
                         "WHERE family = ? AND kernel = ? "
                         "ON CONFLICT DO UPDATE SET (role, definition, spec, path, declared) = "
                         "(excluded.role, excluded.definition, excluded.spec, excluded.path, 1)"),
      m_judge(db,
              "INSERT INTO judgements (trial, spec, describes) VALUES (?, ?, ?) "
              "ON CONFLICT DO UPDATE SET describes = 0 WHERE describes > excluded.describes"),
      m_stand(
          db,
          "UPDATE trials SET (superseded, judged_by) = (s.superseded, s.judged_by) FROM standing AS s "
          "WHERE trials.kernel IN (SELECT id FROM kernels WHERE family = ?1 AND name = ?2) "  // by an index
          "AND s.trial = trials.id AND s.family = ?1 AND s.kernel = ?2 "
          "AND (s.superseded <> trials.superseded OR s.judged_by IS NOT trials.judged_by)"),
      m_stand_one(db,
                  "UPDATE trials SET (superseded, judged_by) = (s.superseded, s.judged_by) FROM (SELECT "
                  "superseded, judged_by FROM standing WHERE trial = ?1) AS s WHERE trials.id = ?1 "
                  "AND (s.superseded <> trials.superseded OR s.judged_by IS NOT trials.judged_by)"),
      m_role(db,
             "UPDATE trials SET role = ?3 WHERE kernel IN (SELECT id FROM kernels WHERE family = ?1 AND name "
             "= ?2) AND judged_by IS NOT NULL AND superseded = 0 AND role <> ?3") {}

std::vector<KernelDeclaration> KernelSpecs::declared(const std::string& family) {
  return m_declared.all(read_row<KernelDeclaration>, family);
}

std::vector<KernelDeclaration> KernelSpecs::declared() {
  return m_all_declared.all(read_row<KernelDeclaration>);
}

std::vector<PastTrial> KernelSpecs::undecided(const KernelDeclaration& kernel) {
  const auto read = [](Statement::Use& row) {
    PastTrial trial;
    trial.key = row.digest();
    trial.configuration = read_configuration(row);
    read_case(row, trial);
    trial.definition = row.digest();
    trial.architecture = row.text();
    RowReader reader(row);
    reader("limits", trial.limits);
    return trial;
  };
  return m_undecided.all(read, kernel.family, kernel.kernel, kernel.spec);
}

bool KernelSpecs::is_current(const KernelDeclaration& kernel) {
  const auto known = m_declared_one.first(read_row<KernelDeclaration>, kernel.family, kernel.kernel);
  return known == kernel && in_force(kernel).own;
}

KernelSpecs::InForce KernelSpecs::in_force(const KernelDeclaration& kernel) {
  return m_id
      .first(
          [](Statement::Use& row) {
            return InForce{row.digest(), row.flag()};
          },
          kernel.family, kernel.kernel)
      .value_or(InForce{});
}

StoredDeclaration KernelSpecs::next(const KernelDeclaration& kernel) {
  StoredDeclaration stored;
  stored.kernel = kernel;
  if (stored.kernel.declared_at.empty()) stored.kernel.declared_at = utc_now();
  for (auto row = m_latest.use(kernel.family, kernel.kernel); row.step();) {
    stored.followed.push_back(row.digest());
    stored.generation = std::max(stored.generation, row.integer());
  }
  ++stored.generation;
  return stored;
}

void KernelSpecs::declare(const KernelDeclaration& kernel, const std::vector<Judgement>& judgements) {
  for (const Judgement& judgement : judgements) put({judgement.trial, kernel.spec, judgement.describes});
  Digest id = in_force(kernel).id;
  if (m_declared_one.first(read_row<KernelDeclaration>, kernel.family, kernel.kernel) != kernel) {
    const StoredDeclaration stored = next(kernel);
    put(stored);
    id = stored.id();
  }
  m_own.run(kernel.family, kernel.kernel, id);
  m_in_force.run(kernel.family, kernel.kernel);
  stand(kernel.family, kernel.kernel, kernel.role);
}

void KernelSpecs::stand(const Digest& trial) {
  m_stand_one.run(trial);
}

std::vector<std::pair<std::string, std::int64_t>> KernelSpecs::waiting() {
  return Statement(m_db,
                   "SELECT k.name, count(*) FROM kernel_specs AS s "
                   "JOIN kernels AS k ON k.family = s.family AND k.name = s.kernel "
                   "JOIN trials AS t ON t.kernel = k.id "
                   "WHERE t.superseded = 1 AND t.judged_by IS NULL AND t.definition = s.definition "
                   "GROUP BY k.family, k.name")
      .all([](Statement::Use& row) {
        return std::pair{row.text(), row.integer()};
      });
}

void KernelSpecs::put(const StoredDeclaration& stored) {
  const KernelDeclaration& kernel = stored.kernel;
  if (stored.generation < 0 || stored.followed.size() > most_followed)
    throw tuner::model::Error("a declaration of " + kernel.kernel + " has an impossible past");
  const Digest id = stored.id();
  auto row = m_put.use(id, false);
  bind(row, stored).run();
  for (const Digest& older : stored.followed) m_follow.run(id, kernel.family, kernel.kernel, older);
}

void KernelSpecs::put(const StoredJudgement& judgement) {
  m_judge.run(judgement.trial, judgement.spec, judgement.describes);
}

void KernelSpecs::stand(const std::string& family, const std::string& kernel, Role role) {
  m_stand.run(family, kernel);
  m_role.run(family, kernel, to_string(role));
}

void KernelSpecs::ask(const Judge& judge) {
  for (const KernelDeclaration& kernel : declared()) {
    const std::vector<PastTrial> past = undecided(kernel);
    if (past.empty()) continue;
    for (const Judgement& judgement : judge.describes(kernel, past))
      put({judgement.trial, kernel.spec, judgement.describes});
  }
}

void KernelSpecs::settle(const Judge& judge) {
  m_db.execute(
      "DELETE FROM judgements WHERE trial NOT IN (SELECT id FROM trials); DELETE FROM kernel_specs;");
  m_db.execute(insert_in_force);
  m_db.execute(
      "INSERT INTO kernel_specs (family, kernel, role, definition, spec, path, declared) "
      "SELECT family, kernel, role, definition, NULL, '', 0 FROM (" +
      sql("select_newest_definitions") + ")");
  // Of an unknown kernel everything competes.
  m_db.execute(
      "UPDATE trials SET superseded = 0, judged_by = NULL WHERE (superseded <> 0 OR judged_by IS NOT NULL) "
      "AND kernel IN (SELECT k.id FROM kernels AS k WHERE NOT EXISTS (SELECT 1 FROM kernel_specs AS s "
      "WHERE s.family = k.family AND s.kernel = k.name))");
  if (judge.describes) ask(judge);
  // stand() writes to other tables.
  Statement known(m_db, "SELECT family, kernel, role FROM kernel_specs ORDER BY family, kernel");
  for (auto row = known.use(); row.step();) {
    const std::string family = row.text();
    const std::string kernel = row.text();
    stand(family, kernel, read_enum<Role>(row));
  }
}

}  // namespace db
