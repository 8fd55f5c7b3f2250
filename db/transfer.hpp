#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "db/arrivals.hpp"
#include "db/connection.hpp"
#include "db/queries.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/util/files.hpp"

namespace db {

/// Writes what `filter` selects as JSON Lines (export_file.hpp): header, runs, then one trial a line with all
/// its measurements, then how runs before saw them fail, what probes said of them, the finals between
/// selected trials alone, the ceilings of their devices, how their kernels were declared, and which of them
/// those specs describe. Without a filter runs that measured nothing, and their searches, are there too.
/// Equal databases give equal bytes. Returns the number of trials.
std::int64_t export_database(const Connection& db, const TrialFilter& filter, std::ostream& out);

/// A database of its own, in memory, with what one run measured, as it measured it, whatever was measured
/// later: to be reported, exported and compared like any other.
Connection extract_run(const Connection& db, const tuner::model::Digest& run);

/// Adds exported files, and recordings of other tuners (interchange::read_recorded_space), to the database in
/// one transaction: all of them or, on a bad line (which the error names), nothing. Of a trial that is known,
/// newer figures become current and measurements are added. `judge` is asked of what came, by the specs in
/// force; it may be empty. Returns what each added, in their order.
std::vector<Added> import_files(const Connection& target, const std::vector<std::filesystem::path>& paths,
                                const Judge& judge = {});
/// Throws model::Error unless the file at `path` is there and begins as one that import_files() takes. To be
/// asked before anything is made for its sake.
void require_importable(const std::filesystem::path& path);
/// One of them.
Added import_file(const Connection& target, const std::filesystem::path& path, const Judge& judge = {});

/// What the file at `path` answers: a database, opened for reading; or in memory what an export or another
/// tuner's recording holds.
Connection open_results(const std::filesystem::path& path);

/// Throws model::Error, with what may have been meant, unless the file at `path` is there and a database of
/// the tuner's. To be asked before anything is made for its sake.
void require_mergeable(const std::filesystem::path& path, const OpenOptions& options = {});

/// A stranger's database, open for reading and never changed. It must be intact and have exactly this
/// program's tables; its views are this program's. One of an older schema is read as a copy that is brought
/// up to date. Throws model::Error that says what did not pass.
class Foreign {
 public:
  explicit Foreign(const std::filesystem::path& path, const OpenOptions& options = {});
  const Connection& db() const { return m_db; }

 private:
  std::optional<tuner::util::TemporaryFolder> m_folder;
  Connection m_db;
};

struct MergeOptions {
  OpenOptions open;  ///< how the others are opened, the mode aside
  Judge judge;       ///< of what came, by the specs in force; may be empty
  /// Told of each database when its rows are in; they stay only if merge_databases() returns.
  std::function<void(const std::filesystem::path&, const Added&)> progress;
};

/// Adds to `target` what the databases at `paths` hold and `target` does not; of a trial that both have, the
/// newer figures become current and all measurements are kept. Attempts stay where they are: they are about a
/// machine. One transaction: all of it or nothing. No database is trusted: each is a Foreign, and every row
/// is written under ids made here, in this program's words (Arrivals). Returns what each added, in their
/// order.
std::vector<Added> merge_databases(const Connection& target, const std::vector<std::filesystem::path>& paths,
                                   const MergeOptions& options = {});
/// One of them.
Added merge_database(const Connection& target, const std::filesystem::path& path,
                     const OpenOptions& options = {});

/// What to forget: one of these.
struct ForgetQuery {
  std::string kernel;  ///< with every trial and its declaration
  std::optional<tuner::model::Digest>
      run;  ///< what it measured; trials that others measured too keep the rest
  std::optional<tuner::model::Digest> trial;
  std::string before;       ///< what was measured before this moment, UTC as the database writes it
  std::string family = {};  ///< of `kernel`; empty: in any
};

/// What goes.
struct Forgotten {
  std::int64_t trials = 0;
  std::int64_t measurements = 0;  ///< of trials that stay too
  std::int64_t failures = 0;      ///< each of one trial in one run; of trials that stay too
  std::int64_t finals = 0;        ///< that chose a trial which goes, or were held by a run that goes
  std::int64_t runs = 0;
  std::int64_t probings = 0;  ///< runs of a binary's probes
  std::int64_t attempts = 0;  ///< that were left open
  bool nothing() const { return trials + measurements + failures + finals + runs + probings + attempts == 0; }
};

/// Removes it, and what nothing refers to any more, in one transaction; with `dry_run` only tells what would
/// go. A trial whose current result goes has the latest of those that stay.
Forgotten forget(const Connection& db, const ForgetQuery& query, bool dry_run);

}  // namespace db
