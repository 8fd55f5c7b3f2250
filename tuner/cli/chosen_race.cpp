#include "tuner/cli/chosen_race.hpp"

#include <fmt/format.h>

#include "db/transfer.hpp"
#include "tuner/cli/outlined_sweep.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/cli/run_sentences.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// Of a database that is there: what is raced is known from it.
std::filesystem::path existing(const std::filesystem::path& database) {
  db::open_results(database);
  return database;
}

}  // namespace

ChosenRace::ChosenRace(const Context& context, const config::Settings& settings)
    : m_context(context),
      m_store(existing(settings.database())),
      m_backend(open_backend(settings)),
      m_request(make_request(settings, m_backend)),
      m_printer(open_terminal(settings), terminal::steady_clock()),
      m_results(m_store, [this](const std::string& sentence) { m_printer.warning(sentence); }) {
  m_request.strategy = "exhaustive";
  m_request.until = 0;
  begin_run(context, settings, m_request);
  m_request.budget.is_shared = false;  // of half its finalists a size learns nothing
}

void ChosenRace::may_go_on() {
  m_signals.set_last_words([this] { say_cut_off(m_context, ""); });
}

template <typename Act>
void ChosenRace::with_services(const Act& act) {
  SweepDisplay display(m_printer, m_backend.devices());
  compile::CompilePool pool(m_backend.compile_jobs, m_backend.make_compiler);
  sweep::Services services = m_backend.services(pool, m_results, m_store, display, m_signals.stop());
  act(services);
}

void ChosenRace::declare() {
  with_services([this](sweep::Services& services) { sweep::declare_own(m_request, services); });
}

void ChosenRace::race(const std::vector<sweep::Chosen>& chosen, const std::vector<std::string>& notices,
                      const std::string& what) {
  with_services([&](sweep::Services& services) {
    for (const auto& all : {m_backend.notices, notices})
      for (const std::string& notice : all) services.observer.notice(notice);
    std::vector<model::KernelSpec> specs;
    for (const sweep::Work& work : m_request.work) specs.push_back(work.kernel.spec());
    require_nvcc(specs, m_backend.device, m_backend.compiler);
    const sweep::TrialList list = sweep::list_chosen(m_request, chosen, m_store);
    if (chosen.empty())
      throw NothingFound(fmt::format("no spec of {} is at hand", what),
                         "--kernel FILE names a kernel's spec");
    if (list.groups.empty()) {
      const model::KernelSpec& spec = specs.front();
      const bool has_file = !spec.path.empty() && !spec.path.starts_with(model::shipped_prefix);
      const std::string& kernel = has_file ? spec.path : spec.name;
      throw NothingFound(fmt::format("none of {} can be launched on {}", what, m_backend.device.name),
                         fmt::format("`tuner run --kernel {}` searches what can", util::shell_quote(kernel)));
    }
    m_summary = sweep::sweep(m_request, list, services);
    sweep::declare_own(m_request, services);
  });
  m_printer.finish();
}

int ChosenRace::end(int code) {
  say_end(m_summary, m_backend.compile_jobs, false);
  say_how_to_go_on(m_summary.ending, m_context);
  return settle(code);
}

int ChosenRace::settle(int code) {
  return cli::settle(m_results, interrupted() != 0 ? interrupted() : code);
}

}  // namespace tuner::cli
