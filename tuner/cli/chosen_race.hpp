#pragma once
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "db/pending_results.hpp"
#include "db/result_store.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/cli/sweep_display.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tuner::cli {

/// A run that races what is known beforehand instead of searching: on the device at hand, verified, timed and
/// kept like any other trial.
class ChosenRace {
 public:
  /// Opens the database, which must be there, and the device. Throws as open_backend() does. Both arguments
  /// must outlive it.
  ChosenRace(const Context& context, const config::Settings& settings);

  const db::Connection& connection() const { return m_store.connection(); }
  /// Told twice to end, it says that the same command goes on: its database stays.
  void may_go_on();
  /// Its work and its run are the caller's to say.
  sweep::Request& request() { return m_request; }
  /// Judges what is known by the specs of the work as they are now, as a sweep does before it begins.
  void declare();
  /// Throws model::Error with nothing_found where none can be launched, which is told of `what`.
  void race(const std::vector<sweep::Chosen>& chosen, const std::vector<std::string>& notices,
            const std::string& what);
  bool was_cut_short() const { return m_summary.ending != sweep::Ending::done; }
  /// The exit code of the signal that ended it early; 0: none did.
  int interrupted() const {
    return m_summary.ending == sweep::Ending::interrupted ? m_signals.exit_code() : 0;
  }
  /// Behind the answer: what was done, and how it goes on. The exit code: that of a signal, or `code`.
  int end(int code);
  /// The same without a word about what was done.
  int settle(int code);

 private:
  template <typename Act>
  void with_services(const Act& act);

  const Context& m_context;
  db::ResultStore m_store;
  SignalGuard m_signals;
  Backend m_backend;
  sweep::Request m_request;
  terminal::LinePrinter m_printer;
  db::PendingResults m_results;
  sweep::Summary m_summary;
};

}  // namespace tuner::cli
