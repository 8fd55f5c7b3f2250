#pragma once
#include <atomic>
#include <memory>
#include <string>

#include "config/settings.hpp"
#include "tuner/cluster/publisher.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// `tuner run --publish FILE`: stands between a sweep and its display, counts for the progress beside FILE,
/// and shows what the publisher has to say. Without FILE it passes everything on and does nothing else.
class Publishing final : public sweep::Observer {
 public:
  /// Merges what FILE holds into the database, which is there already, and says so; then publishes from time
  /// to time. `stop` outlives this. Throws model::Error where FILE cannot be written or is no database.
  Publishing(const std::string& file, const config::Settings& settings,
             const std::optional<sweep::Shard>& shard, const std::atomic<bool>& stop);

  /// Where everything goes from now on.
  void show_on(sweep::Observer& display) { m_display = &display; }

  void planned(std::int64_t total, std::int64_t known, bool may_end_early) override;
  void more(std::int64_t trials) override;
  void launching(const model::TrialRecord& trial) override;
  void finished(const model::TrialRecord& trial) override;
  void left_out(const model::TrialRecord& trial) override;
  void final_begins(const model::Problem& problem, std::size_t finalists) override;
  void search_ended(const model::SearchRecord& search) override;
  void notice(const std::string& text) override;

  /// Publishes a last time and says where. The exit code: `code`, or that of a failure where not everything
  /// could be published.
  int settle(sweep::Ending ending, int code);

 private:
  void show_notices();

  std::string m_file;
  std::string m_database;
  sweep::Observer* m_display = nullptr;
  std::unique_ptr<cluster::Publisher> m_publisher;
};

}  // namespace tuner::cli
