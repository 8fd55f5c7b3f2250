#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/table.hpp"
#include "tuner/cli/terminal/progress.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/cluster/publisher.hpp"
#include "tuner/cluster/sweep_status.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/space/configuration_list.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// What stands below the line of progress: the best of each size as it improves, what compiles, what each
/// device runs with its clock, temperature and watts where they are known, and the last failure. `tuner run`
/// and `tuner top` draw it alike.
class SweepPicture {
 public:
  explicit SweepPicture(std::vector<model::DeviceInfo> devices);

  void compiling(const model::TrialRecord& trial);
  void compiled(const model::TrialRecord& trial);
  void launching(const model::TrialRecord& trial);
  void finished(const model::TrialRecord& trial);
  /// Nothing is compiled or run any more.
  void ended();

  /// At most `rows` lines; those about a configuration are no wider than `columns`; sizes that were
  /// improved long ago are left out first, then what comes last.
  std::vector<std::string> lines(const terminal::Progress& progress, std::size_t columns,
                                 std::size_t rows) const;

 private:
  struct AtWork {
    std::string id;
    std::int64_t trials = 0;
    std::string now;
    std::string configuration;
    std::string state;  ///< ` · 1755 MHz · 54 °C · 412 W`, of its last trial
  };
  AtWork& device_of(const model::TrialRecord& trial);
  static std::vector<std::string> size_lines(const terminal::Progress& progress, std::size_t columns,
                                             std::size_t rows);

  std::vector<std::pair<std::string, AtWork>> m_devices;                     ///< by uuid
  std::map<model::Digest, std::pair<std::string, std::string>> m_compiling;  ///< name, configuration
  std::vector<model::Digest> m_compiling_order;
  std::string m_last_failure;
};

/// For what may take long before anything else can be said: it ends with a quarter of a budget of time, which
/// is for more than looking, or with a signal, and is shown after a second. `budget_s`: absent: no limit. The
/// references must outlive it.
space::GoOn long_look(terminal::LinePrinter& printer, std::string what, std::optional<double> budget_s,
                      const std::atomic<bool>& stop);

/// What a sweep begins with.
struct Expected {
  std::vector<model::DeviceInfo> devices;
  std::optional<model::Environment> environment;  ///< in which it measures; absent: unknown
  /// On which something is left; absent: their number is unknown.
  std::optional<std::vector<model::Problem>> problems{std::vector<model::Problem>{}};
  model::Objective objective = model::Objective::time;
  std::vector<model::TrialRecord> known_best;  ///< the best of each that is known
  std::optional<double> seconds_each;          ///< what a trial took before
  std::optional<double> seconds;               ///< it ends when so many are over, whatever is left …
  std::optional<std::int64_t> trials;          ///< … or so many trials have ended
};

template <class Archive, class T>
requires model::Described<T, Expected>
void describe(Archive& archive, T& value) {
  archive("devices", value.devices);
  archive("environment", value.environment);
  archive("problems", value.problems);
  archive("objective", value.objective);
  archive("known_best", value.known_best);
  archive("seconds_each", value.seconds_each);
  archive("budget_s", value.seconds);
  archive("budget_trials", value.trials);
}

/// Shows a sweep: on a terminal its line of progress with a SweepPicture below, elsewhere whole lines at a
/// bounded rate, and one for each size that ends.
class SweepDisplay final : public sweep::Observer {
 public:
  /// `publisher` is told of what it counts, and what it has to say is shown; may be null. The picture has at
  /// most `rows` lines.
  SweepDisplay(terminal::LinePrinter& printer, std::vector<model::DeviceInfo> devices,
               cluster::Publisher* publisher = nullptr, std::size_t rows = usual_rows,
               terminal::Clock clock = terminal::steady_clock());
  static constexpr std::size_t usual_rows = 8;
  static constexpr std::size_t all_rows = 1000;  ///< that the terminal has

  /// Before the sweep.
  void expect(const Expected& expected);
  enum class Stays { line, picture };
  /// After it.
  void ended(Stays what = Stays::line);
  /// Anew, since time has passed.
  void show();

  /// Only trials for which this holds may be shown as the best so far.
  void count_only(std::function<bool(const model::TrialRecord&)> counts) { m_counts = std::move(counts); }

  void planned(std::int64_t total, std::int64_t known, bool may_end_early) override;
  void more(std::int64_t trials) override;
  void compiling(const model::TrialRecord& trial) override { m_picture.compiling(trial); }
  void compiled(const model::TrialRecord& trial) override { m_picture.compiled(trial); }
  void launching(const model::TrialRecord& trial) override { m_picture.launching(trial); }
  void finished(const model::TrialRecord& trial) override;
  void left_out(const model::TrialRecord& trial) override;
  void final_begins(const model::Problem& problem, std::size_t finalists) override;
  void search_ended(const model::SearchRecord& search) override;
  void search_pauses(const model::Problem& problem) override { size_ended(problem); }
  void notice(const std::string& text) override;

 private:
  void size_ended(const model::Problem& problem);
  void show_publishers_notices();

  terminal::LinePrinter& m_printer;
  std::optional<std::vector<model::Problem>> m_to_search{std::vector<model::Problem>{}};
  terminal::Progress m_progress;
  SweepPicture m_picture;
  std::size_t m_rows;
  cluster::Publisher* m_publisher;
  std::function<bool(const model::TrialRecord&)> m_counts;  ///< null: all
};

/// A sweep in parts, as `tuner status` shows it: a row a shard, the last job and a total.
std::string status_table(const cluster::SweepStatus& status, const reports::Screen& screen);
/// The same for programs; `schema_version` says which keys there are.
std::string status_json(const cluster::SweepStatus& status);

}  // namespace tuner::cli
