#pragma once
#include <string>

#include "tuner/cluster/sweep_folder.hpp"

namespace tuner::cli {

/// The job array of a new sweep and its last job. Throws model::Error with what sbatch said.
void submit_sweep(const cluster::SweepFolder& folder);

/// Submits the shards that are not done and that nobody works on, and the last job once more, after all that
/// is under way. A last job that still waits for the shards before is taken back. Where nothing is missing,
/// says so. Throws model::Error where Slurm cannot be asked, with the commands to give where it can.
void retry_sweep(const cluster::SweepFolder& folder);

}  // namespace tuner::cli
