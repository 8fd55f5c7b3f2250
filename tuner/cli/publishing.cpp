#include "tuner/cli/publishing.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "tuner/cli/context.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"

namespace tuner::cli {
namespace {

/// As squeue shows it: an array's task is `1234_5`.
std::string slurm_task() {
  const std::string array = util::environment_variable("SLURM_ARRAY_JOB_ID");
  if (array.empty()) return util::environment_variable("SLURM_JOB_ID");
  return array + "_" + util::environment_variable("SLURM_ARRAY_TASK_ID");
}

cluster::PartProgress who_publishes(const std::optional<sweep::Shard>& shard, const std::string& database) {
  cluster::PartProgress progress;
  if (shard) progress.part = {shard->number, shard->of};
  progress.host = util::host_name();
  progress.process = ::getpid();
  progress.job = slurm_task();
  progress.owner = model::Digest::random().hex().substr(0, 16);
  progress.database = database;
  return progress;
}

}  // namespace

Publishing::Publishing(const std::string& file, const config::Settings& settings,
                       const std::optional<sweep::Shard>& shard, const std::atomic<bool>& stop)
    : m_file(file), m_database(std::filesystem::absolute(settings.database()).string()) {
  if (m_file.empty()) return;
  cluster::Publication publication(m_database, m_file);
  if (const auto added = publication.take_over()) {
    write_err(
        fmt::format("{} had been published before: {} of its trials were new here", m_file, added->trials));
  }
  m_publisher = std::make_unique<cluster::Publisher>(std::move(publication), who_publishes(shard, m_database),
                                                     settings.number("publish_every_s"), stop);
}

int Publishing::settle(sweep::Ending ending, int code) {
  if (!m_publisher) return code;
  const std::string failure = m_publisher->finish(
      ending == sweep::Ending::interrupted ? cluster::RunState::interrupted : cluster::RunState::done);
  for (const std::string& notice : m_publisher->take_notices()) write_err("warning: " + notice);
  m_publisher.reset();
  if (failure.empty()) {
    write_err("published: " + m_file);
    return code;
  }
  write_err(fmt::format("tuner: not everything is published: {}", failure));
  write_err(fmt::format("  all of it is in {}; `tuner merge` takes it, and the same command publishes it",
                        m_database));
  return static_cast<int>(model::ExitCode::failed);
}

}  // namespace tuner::cli
