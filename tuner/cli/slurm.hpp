#pragma once
#include <string>
#include <vector>

#include "tuner/cli/context.hpp"
#include "tuner/cluster/slurm.hpp"

namespace tuner::cli {

/// What `tuner slurm` was asked for.
struct SlurmOptions {
  int array = 0;  ///< shards; 0: not given
  std::string folder = "tuner-sweep";
  std::vector<std::string> kernels;
  std::vector<std::string> sbatch;  ///< options of sbatch, as given
  bool submit = false;
  std::string retry;  ///< a folder; empty: a new sweep
};

/// Writes the scripts of a new sweep, and what `tuner status` needs, into its folder. What `tuner run` is
/// told there holds wherever the scripts are run: settings of files and of the environment are written out,
/// paths are absolute, and all tasks have one seed. Throws model::UsageError for mistakes that would
/// otherwise show on each node, and where the folder has a sweep already.
cluster::SweepFolder write_slurm_sweep(const Context& context, const SlurmOptions& options);

/// The job array of a new sweep and its last job. Throws model::Error with what sbatch said.
void submit_sweep(const cluster::SweepFolder& folder);

/// Submits the shards that are not done and that nobody works on, and the last job once more, after all that
/// is under way. A last job that still waits for the shards before is taken back. Where nothing is missing,
/// says so. Throws model::Error where Slurm cannot be asked, with the commands to give where it can.
void retry_sweep(const cluster::SweepFolder& folder);

}  // namespace tuner::cli
