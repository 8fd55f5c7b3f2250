#pragma once
#include <cstdint>
#include <filesystem>
#include <iosfwd>

#include "db/arrivals.hpp"
#include "db/connection.hpp"
#include "db/queries.hpp"

namespace db {

/// Writes what `filter` selects as JSON Lines (export_file.hpp): header, runs, then one trial a line with all
/// its measurements, then how runs before saw them fail, what probes said of them, the finals between
/// selected trials alone, the ceilings of their devices, how their kernels were declared, and which of them
/// those specs describe. Without a filter runs that measured nothing are there too. Equal databases give
/// equal bytes. Returns the number of trials.
std::int64_t export_database(const Connection& db, const TrialFilter& filter, std::ostream& out);

/// A database of its own, in memory, with what one run measured, as it measured it, whatever was measured
/// later: to be reported, exported and compared like any other.
Connection extract_run(const Connection& db, const tuner::model::Digest& run);

/// Adds an exported file, or a recording of another tuner's (interchange::read_recorded_space), to the
/// database in one transaction: all of it or, on a bad line (which the error
/// names), nothing. Of a trial that is known, newer figures become current and measurements are added.
/// `judge` is asked of what came, by the specs in force; it may be empty.
Added import_file(const Connection& target, const std::filesystem::path& path, const Judge& judge = {});

/// What the file at `path` answers: a database, opened for reading; or in memory what an export or another
/// tuner's recording holds.
Connection open_results(const std::filesystem::path& path);

}  // namespace db
