#pragma once
#include <string>
#include <vector>

#include "tuner/cli/context.hpp"
#include "tuner/cluster/sweep_folder.hpp"

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

}  // namespace tuner::cli
