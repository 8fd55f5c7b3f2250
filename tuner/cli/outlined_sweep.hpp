#pragma once
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "db/result_store.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::cli {

/// Every kernel with every problem that the sizes, type and paddings of `settings` give it. A kernel that
/// does not offer the type, the padding or that many dimensions is left out with a sentence in `notices`;
/// when none is left, the first reason is thrown as model::UsageError.
std::vector<sweep::Work> make_work(const std::vector<model::KernelSpec>& kernels,
                                   const config::Settings& settings, std::vector<std::string>& notices);

/// Adds to `work` the libraries that specs of its families name, each on the problems of its family: those
/// that run on `device`, of which nothing is replayed. `kernels` are all that are at hand; of two baselines
/// of one name the first counts. A sentence in `notices` says which they are, or why there are none.
void add_baselines(const std::vector<model::KernelSpec>& kernels, const model::DeviceInfo& device,
                   std::vector<sweep::Work>& work, std::vector<std::string>& notices);

/// Throws model::Error where one of `kernels` is compiled by nvcc for the device and there is none of the
/// release of `compiler` (`nvrtc 13.0`): before anything runs, and not at that kernel's turn.
void require_nvcc(const std::vector<model::KernelSpec>& kernels, const model::DeviceInfo& device,
                  const std::string& compiler);

}  // namespace tuner::cli

namespace CLI {
class App;
}

namespace tuner::cli {

/// Which part of which sweep; as `tuner run` takes it.
struct OutlineOptions {
  std::vector<std::string> kernels;
  std::optional<sweep::Shard> shard;
  bool fresh = false;
  bool retry_failed = false;
  std::string publish;  ///< taken as `tuner run` does, and of no consequence here
  std::string gpu;      ///< a GPU that need not be here, see named_gpu(); empty: the setting `device`
};

/// A sweep that is not run here: what `tuner run` with the same flags would have to do.
struct OutlinedSweep {
  sweep::Request request;
  Backend backend;  ///< without a runner where its GPU need not be here
  std::string
      compiler_kind;  ///< as local_compiler() takes it; empty: a recording, of which nothing is compiled
  sweep::TrialList list;
  std::vector<std::string> notices;
};

/// Adds the flags of `tuner run`, and `--gpu`.
void add_outline_flags(CLI::App& command, Context& context, OutlineOptions& options);

/// The database to read what is known from: an empty one in memory where there is none yet.
db::ResultStore known_results(const config::Settings& settings);

/// `known` has what was measured before. Throws as `tuner run` does.
/// Counting the configurations ends with the setting `budget`, where that is a time, and with `stop`; it is
/// shown on `printer` where it takes long.
OutlinedSweep outline_sweep(const config::Settings& settings, const OutlineOptions& options,
                            db::ResultStore& known, terminal::LinePrinter& printer,
                            const std::atomic<bool>& stop);

/// The device with `name` in its name, in any case, that a run in the database was on, else the flagship of
/// the architecture `name` (`sm_90`). Throws model::UsageError where that is none, or several of different
/// names.
model::DeviceInfo named_gpu(const std::string& name, const db::Connection& known);

}  // namespace tuner::cli
