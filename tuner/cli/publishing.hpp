#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "config/settings.hpp"
#include "tuner/cluster/publisher.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// `tuner run --publish FILE`. Without FILE it does nothing.
class Publishing {
 public:
  /// Merges what FILE holds into the database, which is there already, and says so; then publishes from time
  /// to time. `stop` outlives this. Throws model::Error where FILE cannot be written or is no database.
  Publishing(const std::string& file, const config::Settings& settings,
             const std::optional<sweep::Shard>& shard, const std::atomic<bool>& stop);

  /// Who counts for the progress beside FILE, and has something to say; null without FILE.
  cluster::Publisher* publisher() const { return m_publisher.get(); }

  /// Publishes a last time and says where. The exit code: `code`, or that of a failure where not everything
  /// could be published.
  int settle(sweep::Ending ending, int code);

 private:
  std::string m_file;
  std::string m_database;
  std::unique_ptr<cluster::Publisher> m_publisher;
};

}  // namespace tuner::cli
