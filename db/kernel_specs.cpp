#include "db/kernel_specs.hpp"

#include <algorithm>
#include <optional>

#include "db/machine.hpp"
#include "db/row_reader.hpp"
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

constexpr const char* columns = "family, kernel, role, definition, spec, path, host, declared_at";

KernelDeclaration read_declaration(Statement::Use& row) {
  KernelDeclaration kernel;
  kernel.family = row.text();
  kernel.kernel = row.text();
  kernel.role = read_enum<tuner::model::Role>(row);
  kernel.definition = row.digest();
  kernel.spec = row.digest();
  kernel.path = row.text();
  kernel.host = row.text();
  kernel.declared_at = row.text();
  return kernel;
}

/// NULL where nobody knows it.
std::optional<Digest> known(const Digest& digest) {
  return digest.empty() ? std::nullopt : std::optional(digest);
}

}  // namespace

std::vector<StoredDeclaration> declarations(const Connection& db) {
  Statement select(db, std::string("SELECT id, generation, own, ") + columns +
                           " FROM declarations ORDER BY family, kernel, generation, id");
  Statement followed(
      db,
      "SELECT older FROM declaration_succession WHERE family = ? AND kernel = ? AND declaration "
      "= ? ORDER BY older");
  std::vector<StoredDeclaration> list;
  auto row = select.use();
  while (row.step()) {
    const Digest id = row.digest();
    StoredDeclaration& stored = list.emplace_back();
    stored.generation = row.integer();
    stored.own = row.flag();
    stored.kernel = read_declaration(row);
    auto older = followed.use();
    older.bind(stored.kernel.family).bind(stored.kernel.kernel).bind(id);
    while (older.step()) stored.followed.push_back(older.digest());
  }
  return list;
}

void for_each_judgement(const Connection& db, const std::function<void(const StoredJudgement&)>& visit) {
  Statement select(db, "SELECT trial, spec, describes FROM judgements ORDER BY trial, spec");
  auto row = select.use();
  while (row.step()) {
    StoredJudgement judgement;
    judgement.trial = row.digest();
    judgement.spec = row.digest();
    judgement.describes = row.flag();
    visit(judgement);
  }
}

KernelSpecs::KernelSpecs(const Connection& db)
    : m_db(db),
      m_declared(db, std::string("SELECT ") + columns +
                         " FROM declaration_in_force WHERE family = ? ORDER BY kernel"),
      m_all_declared(db, std::string("SELECT ") + columns +
                             " FROM declaration_in_force WHERE spec IS NOT NULL ORDER BY family, kernel"),
      m_undecided(db, sql("select_undecided")),
      m_id(db, "SELECT id, own FROM declaration_in_force WHERE family = ? AND kernel = ?"),
      m_put(db,
            "INSERT INTO declarations (id, family, kernel, role, definition, spec, path, host, declared_at, "
            "generation, own) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) "
            // Declared alike in two places: any of the two is told, and always the same.
            "ON CONFLICT DO UPDATE SET (host, declared_at) = (excluded.host, excluded.declared_at) "
            "WHERE (excluded.declared_at, excluded.host) > (declarations.declared_at, declarations.host)"),
      m_follow(db,
               "INSERT INTO declaration_succession (declaration, family, kernel, older) VALUES (?, ?, ?, ?) "
               "ON CONFLICT DO NOTHING"),
      m_latest(db,
               "SELECT id, generation FROM latest_declaration WHERE family = ? AND kernel = ? ORDER BY id"),
      m_own(db,
            "UPDATE declarations SET own = (id = ?3) WHERE family = ?1 AND kernel = ?2 AND own <> (id = ?3)"),
      m_in_force(db,
                 "INSERT INTO kernel_specs (family, kernel, role, definition, spec, path, declared) "
                 "SELECT family, kernel, role, definition, spec, path, 1 FROM declaration_in_force "
                 "WHERE family = ? AND kernel = ? "
                 "ON CONFLICT DO UPDATE SET (role, definition, spec, path, declared) = "
                 "(excluded.role, excluded.definition, excluded.spec, excluded.path, 1)"),
      m_judge(db,
              "INSERT INTO judgements (trial, spec, describes) VALUES (?, ?, ?) "
              "ON CONFLICT DO UPDATE SET describes = 0 WHERE describes > excluded.describes"),
      m_stand(db,
              "UPDATE trials SET (superseded, judged_by) = (s.superseded, s.judged_by) FROM standing AS s "
              "WHERE s.trial = trials.id AND s.family = ?1 AND s.kernel = ?2 "
              "AND (s.superseded <> trials.superseded OR s.judged_by IS NOT trials.judged_by)"),
      m_stand_one(db,
                  "UPDATE trials SET (superseded, judged_by) = (s.superseded, s.judged_by) FROM (SELECT "
                  "superseded, judged_by FROM standing WHERE trial = ?1) AS s WHERE trials.id = ?1 "
                  "AND (s.superseded <> trials.superseded OR s.judged_by IS NOT trials.judged_by)"),
      m_role(db,
             "UPDATE trials SET role = ?3 WHERE kernel IN (SELECT id FROM kernels WHERE family = ?1 AND name "
             "= ?2) AND judged_by IS NOT NULL AND superseded = 0 AND role <> ?3") {}

std::vector<KernelDeclaration> KernelSpecs::declared(const std::string& family) {
  std::vector<KernelDeclaration> list;
  auto row = m_declared.use();
  row.bind(family);
  while (row.step()) list.push_back(read_declaration(row));
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
    read_case(row, trial);
    trial.definition = row.digest();
    trial.architecture = row.text();
    RowReader reader(row);
    reader("limits", trial.limits);
    list.push_back(std::move(trial));
  }
  return list;
}

bool KernelSpecs::is_current(const KernelDeclaration& kernel) {
  for (const KernelDeclaration& known : declared(kernel.family)) {
    if (known == kernel) return in_force(kernel).own;
  }
  return false;
}

KernelSpecs::InForce KernelSpecs::in_force(const KernelDeclaration& kernel) {
  auto row = m_id.use();
  InForce found;
  if (!row.bind(kernel.family).bind(kernel.kernel).step()) return found;
  found.id = row.digest();
  found.own = row.flag();
  return found;
}

StoredDeclaration KernelSpecs::next(const KernelDeclaration& kernel) {
  StoredDeclaration stored;
  stored.kernel = kernel;
  if (stored.kernel.declared_at.empty()) stored.kernel.declared_at = utc_now();
  auto row = m_latest.use();
  row.bind(kernel.family).bind(kernel.kernel);
  while (row.step()) {
    stored.followed.push_back(row.digest());
    stored.generation = std::max(stored.generation, row.integer());
  }
  ++stored.generation;
  return stored;
}

void KernelSpecs::declare(const KernelDeclaration& kernel, const std::vector<Judgement>& judgements) {
  for (const Judgement& judgement : judgements) put({judgement.trial, kernel.spec, judgement.describes});
  const std::vector<KernelDeclaration> all = declared(kernel.family);
  Digest id = in_force(kernel).id;
  if (std::find(all.begin(), all.end(), kernel) == all.end()) {
    const StoredDeclaration stored = next(kernel);
    put(stored);
    id = stored.id();
  }
  m_own.use().bind(kernel.family).bind(kernel.kernel).bind(id).run();
  m_in_force.use().bind(kernel.family).bind(kernel.kernel).run();
  stand(kernel.family, kernel.kernel, kernel.role);
}

void KernelSpecs::stand(const Digest& trial) {
  m_stand_one.use().bind(trial).run();
}

std::vector<std::pair<std::string, std::int64_t>> KernelSpecs::waiting() {
  Statement select(m_db,
                   "SELECT k.name, count(*) FROM kernel_specs AS s "
                   "JOIN kernels AS k ON k.family = s.family AND k.name = s.kernel "
                   "JOIN trials AS t ON t.kernel = k.id "
                   "WHERE t.superseded = 1 AND t.judged_by IS NULL AND t.definition = s.definition "
                   "GROUP BY k.family, k.name");
  std::vector<std::pair<std::string, std::int64_t>> list;
  auto row = select.use();
  while (row.step()) {
    auto& [kernel, trials] = list.emplace_back();
    kernel = row.text();
    trials = row.integer();
  }
  return list;
}

void KernelSpecs::put(const StoredDeclaration& stored) {
  const KernelDeclaration& kernel = stored.kernel;
  if (stored.generation < 0 || stored.followed.size() > most_followed)
    throw tuner::model::Error("a declaration of " + kernel.kernel + " has an impossible past");
  const Digest id = stored.id();
  m_put.use()
      .bind(id)
      .bind(kernel.family)
      .bind(kernel.kernel)
      .bind(to_string(kernel.role))
      .bind(kernel.definition)
      .bind(known(kernel.spec))
      .bind(kernel.path)
      .bind(kernel.host)
      .bind(kernel.declared_at)
      .bind(stored.generation)
      .run();
  for (const Digest& older : stored.followed)
    m_follow.use().bind(id).bind(kernel.family).bind(kernel.kernel).bind(older).run();
}

void KernelSpecs::own(const StoredDeclaration& declaration) {
  m_own.use().bind(declaration.kernel.family).bind(declaration.kernel.kernel).bind(declaration.id()).run();
}

void KernelSpecs::put(const StoredJudgement& judgement) {
  m_judge.use().bind(judgement.trial).bind(judgement.spec).bind(judgement.describes).run();
}

void KernelSpecs::stand(const std::string& family, const std::string& kernel, Role role) {
  m_stand.use().bind(family).bind(kernel).run();
  m_role.use().bind(family).bind(kernel).bind(to_string(role)).run();
}

void KernelSpecs::ask(const Judge& judge) {
  std::vector<KernelDeclaration> all;
  {
    auto row = m_all_declared.use();
    while (row.step()) all.push_back(read_declaration(row));
  }
  for (const KernelDeclaration& kernel : all) {
    const std::vector<PastTrial> past = undecided(kernel);
    if (past.empty()) continue;
    for (const Judgement& judgement : judge(kernel, past))
      put({judgement.trial, kernel.spec, judgement.describes});
  }
}

void KernelSpecs::settle(const Judge& judge) {
  m_db.execute(
      "DELETE FROM judgements WHERE trial NOT IN (SELECT id FROM trials);"
      "DELETE FROM kernel_specs;"
      "INSERT INTO kernel_specs (family, kernel, role, definition, spec, path, declared) "
      "SELECT family, kernel, role, definition, spec, path, 1 FROM declaration_in_force;" +
      ("INSERT INTO kernel_specs (family, kernel, role, definition, spec, path, declared) "
       "SELECT family, kernel, role, definition, NULL, '', 0 FROM (" +
       sql("select_newest_definitions") + ")"));
  // Of a kernel of which nobody knows anything, everything competes.
  m_db.execute(
      "UPDATE trials SET superseded = 0, judged_by = NULL WHERE (superseded <> 0 OR judged_by IS NOT NULL) "
      "AND kernel IN (SELECT k.id FROM kernels AS k WHERE NOT EXISTS (SELECT 1 FROM kernel_specs AS s "
      "WHERE s.family = k.family AND s.kernel = k.name))");
  if (judge) ask(judge);
  struct Known {
    std::string family;
    std::string kernel;
    Role role = Role::competitor;
  };
  std::vector<Known> all;
  {
    Statement select(m_db, "SELECT family, kernel, role FROM kernel_specs ORDER BY family, kernel");
    auto row = select.use();
    while (row.step()) {
      Known& one = all.emplace_back();
      one.family = row.text();
      one.kernel = row.text();
      one.role = read_enum<tuner::model::Role>(row);
    }
  }
  for (const Known& one : all) stand(one.family, one.kernel, one.role);
}

}  // namespace db
