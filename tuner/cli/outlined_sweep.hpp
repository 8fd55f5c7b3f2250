#pragma once
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "db/result_store.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/terminal/line_printer.hpp"
#include "tuner/sweep/trial_list.hpp"

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
