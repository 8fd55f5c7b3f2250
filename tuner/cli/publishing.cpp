#include "tuner/cli/publishing.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "tuner/cli/context.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// As squeue shows it: an array's task is `1234_5`.
std::string slurm_task() {
  const std::string array = environment("SLURM_ARRAY_JOB_ID");
  if (array.empty()) return environment("SLURM_JOB_ID");
  return array + "_" + environment("SLURM_ARRAY_TASK_ID");
}

cluster::PartProgress who_publishes(const std::optional<sweep::Shard>& shard, const std::string& database) {
  cluster::PartProgress progress;
  if (shard) progress.part = {shard->number, shard->of};
  char host[256] = {};
  progress.host = ::gethostname(host, sizeof host - 1) == 0 ? host : "unknown";
  progress.process = ::getpid();
  progress.job = slurm_task();
  progress.owner = model::Digest::random().hex().substr(0, 16);
  progress.database = database;
  return progress;
}

cluster::RunState state_of(sweep::Ending ending) {
  return ending == sweep::Ending::interrupted ? cluster::RunState::interrupted : cluster::RunState::done;
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

void Publishing::planned(std::int64_t total, std::int64_t known, bool may_end_early) {
  if (m_publisher) m_publisher->planned(total, known);
  m_display->planned(total, known, may_end_early);
}

void Publishing::more(std::int64_t trials) {
  if (m_publisher) m_publisher->more(trials);
  m_display->more(trials);
}

void Publishing::launching(const model::TrialRecord& trial) {
  m_display->launching(trial);
}

void Publishing::finished(const model::TrialRecord& trial) {
  if (m_publisher) m_publisher->finished_one();
  show_notices();
  m_display->finished(trial);
}

void Publishing::left_out(const model::TrialRecord& trial) {
  if (m_publisher) m_publisher->more(-1);
  m_display->left_out(trial);
}

void Publishing::final_begins(const model::Problem& problem, std::size_t finalists) {
  show_notices();
  m_display->final_begins(problem, finalists);
}

void Publishing::search_ended(const model::SearchRecord& search) {
  m_display->search_ended(search);
}

void Publishing::notice(const std::string& text) {
  m_display->notice(text);
}

void Publishing::show_notices() {
  if (!m_publisher) return;
  for (const std::string& notice : m_publisher->take_notices()) m_display->notice("warning: " + notice);
}

int Publishing::settle(sweep::Ending ending, int code) {
  if (!m_publisher) return code;
  const std::string failure = m_publisher->finish(state_of(ending));
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
