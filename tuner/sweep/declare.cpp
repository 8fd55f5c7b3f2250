#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/processors.hpp"

namespace tuner::sweep {
namespace {

/// Judging this many takes long enough for people to wonder.
constexpr std::size_t many = 20'000;

/// What a library is that no spec names: the definition of no trial.
model::Digest withdrawn() {
  return model::DigestBuilder().add("withdrawn").finish();
}

/// What `work`'s kernel is today.
model::KernelDeclaration declaration_of(const Work& work) {
  const model::KernelSpec& spec = work.kernel.spec();
  // Where a later sweep, started elsewhere, finds it again.
  const bool is_file = !spec.path.empty() && !spec.path.starts_with(model::shipped_prefix);
  const std::string path =
      is_file ? std::filesystem::absolute(spec.path).lexically_normal().string() : spec.path;
  return {spec.family, spec.name, spec.role, work.kernel.definition(), work.kernel.spec_digest(), path};
}

/// What is declared of each family, asked for once.
class Declared {
 public:
  explicit Declared(model::ResultSource& source) : m_source(source) {}
  const std::vector<model::KernelDeclaration>& of(const std::string& family) {
    const auto [known, is_new] = m_families.try_emplace(family);
    if (is_new) known->second = m_source.declared(family);
    return known->second;
  }

 private:
  model::ResultSource& m_source;
  std::map<std::string, std::vector<model::KernelDeclaration>> m_families;
};

void declare(const Work& work, Services& services) {
  const model::KernelDeclaration kernel = declaration_of(work);
  const std::vector<model::PastTrial> past = services.source.undecided(kernel);
  if (past.size() >= many) {
    services.observer.notice(
        fmt::format("{}: its spec has changed; looking which of {} past trials it describes", kernel.kernel,
                    past.size()));
  }
  std::vector<model::Judgement> judgements(past.size());
  util::for_each_index(past.size(), worth_a_thread, [&](std::size_t i) {
    judgements[i] = {past[i].key, describes(work.kernel, past[i])};
  });
  services.sink.declare(kernel, judgements);
  services.sink.restate(kernel, says(work.kernel));
}

/// Whether another file is what was declared: neither the same one as it was before an edit, nor one of this
/// host that was moved away since.
bool is_of_another(const model::KernelDeclaration& known, const model::KernelDeclaration& own,
                   const std::string& host) {
  if (known.spec == own.spec) return false;
  const bool is_here = known.host.empty() || known.host == host;
  if (known.path == own.path) return !is_here;
  const bool is_file = !known.path.starts_with(model::shipped_prefix);
  if (!is_file || !is_here) return true;
  std::error_code error;
  return std::filesystem::exists(known.path, error) &&
         !std::filesystem::equivalent(known.path, own.path, error);
}

/// `2026-11-23T20:15:01.123456Z` to the minute.
std::string minute_of(const std::string& time) {
  constexpr std::size_t minutes = 16;
  if (time.size() < minutes) return time;
  return time.substr(0, 10) + " " + time.substr(11, 5) + " UTC";
}

std::string who_declared(const model::KernelDeclaration& known, const std::string& host) {
  std::string text = known.path;
  if (!known.host.empty() && known.host != host) text += " on " + known.host;
  if (!known.declared_at.empty()) text += " at " + minute_of(known.declared_at);
  return text;
}

/// Whether a spec at hand names it, its own devices or not.
bool is_named(const model::KernelDeclaration& baseline, const std::vector<Work>& at_hand) {
  for (const Work& work : at_hand) {
    const model::KernelSpec& spec = work.kernel.spec();
    if (spec.family != baseline.family) continue;
    if (spec.name == baseline.kernel) return true;
    for (const model::BaselineSpec& named : spec.baselines) {
      if (named.name == baseline.kernel) return true;
    }
  }
  return false;
}

/// A library that its spec names no longer is held against no kernel: no trial of it is one of today's. The
/// next sweep that names it declares it, and has them back.
void withdraw(model::KernelDeclaration baseline, Services& services) {
  baseline.definition = baseline.spec = withdrawn();
  std::vector<model::Judgement> judgements;
  for (const model::PastTrial& trial : services.source.undecided(baseline)) {
    judgements.push_back({trial.key, false});
  }
  services.sink.declare(baseline, judgements);
}

void withdraw_unnamed(const Request& request, Services& services) {
  std::set<std::pair<std::string, std::string>> specs;  // family and path
  for (const Work& work : request.work) {
    const model::KernelDeclaration kernel = declaration_of(work);
    if (model::may_win(kernel.role)) specs.emplace(kernel.family, kernel.path);
  }
  for (const auto& [family, path] : specs) {
    for (const model::KernelDeclaration& known : services.source.declared(family)) {
      const bool is_of_spec = known.role == model::Role::baseline && known.path == path;
      const bool is_withdrawn = known.spec == withdrawn();
      if (is_of_spec && !is_withdrawn && !is_named(known, request.work)) withdraw(known, services);
    }
  }
}

}  // namespace

model::AskSpec says(const space::KernelSpace& kernel) {
  return [space = kernel](const model::Problem& problem, const model::Configuration& configuration,
                          std::optional<double> time_ns) {
    return model::SpecSays{space.is_default(configuration),
                           time_ns ? space.metrics(problem, configuration, *time_ns) : model::Metrics(),
                           space.workload(problem)};
  };
}

std::string other_declarations(const Request& request, model::ResultSource& source) {
  std::string first;
  std::size_t others = 0;
  Declared declared(source);
  for (const Work& work : request.work) {
    const model::KernelDeclaration own = declaration_of(work);
    if (!model::may_win(own.role)) continue;
    for (const model::KernelDeclaration& known : declared.of(own.family)) {
      if (known.kernel != own.kernel || !is_of_another(known, own, request.run.host)) continue;
      if (++others == 1)
        first = fmt::format("{} was declared by {}", own.kernel, who_declared(known, request.run.host));
    }
  }
  if (others == 0) return "";
  if (others > 1) first += fmt::format(", and {} more kernels by another path too", others - 1);
  return first + "; this run answers by its own specs";
}

void hold_declarations(const Request& request, Services& services) {
  if (!services.has_told_of_others) {
    const std::string others = other_declarations(request, services.source);
    if (!others.empty()) services.observer.notice("meanwhile " + others);
    services.has_told_of_others = !others.empty();
  }
  Declared declared(services.source);
  for (const Work& work : request.work) {
    const model::KernelDeclaration own = declaration_of(work);
    const std::vector<model::KernelDeclaration>& known = declared.of(own.family);
    if (std::find(known.begin(), known.end(), own) == known.end()) declare(work, services);
  }
}

void declare_own(const Request& request, Services& services) {
  for (const Work& work : request.work) declare(work, services);
}

void declare_kernels(const Request& request, Services& services) {
  for (const Work& work : request.work) declare(work, services);
  for (const Work& rival : request.rivals) declare(rival, services);
  withdraw_unnamed(request, services);
}

std::vector<Work> find_rivals(const std::vector<model::KernelSpec>& tuned,
                              const std::vector<model::KernelSpec>& at_hand, model::ResultSource& source,
                              const ReadSpec& read) {
  std::vector<Work> rivals;
  const auto add = [&](const model::KernelSpec& kernel) {
    try {
      rivals.push_back({space::KernelSpace(kernel), {}});
    } catch (const model::UsageError&) {
      // Its mistakes are told when it is tuned itself.
    }
  };
  std::set<std::string> families;
  for (const model::KernelSpec& kernel : tuned) families.insert(kernel.family);
  for (const std::string& family : families) {
    std::set<std::string> seen;
    for (const model::KernelSpec& kernel : tuned) seen.insert(kernel.name);
    for (const model::KernelDeclaration& declared : source.declared(family)) {
      if (!seen.insert(declared.kernel).second) continue;
      const auto own = std::ranges::find_if(at_hand, [&](const model::KernelSpec& kernel) {
        return kernel.name == declared.kernel && kernel.family == family &&
               (declared.path.empty() || kernel.path == declared.path);
      });
      if (own != at_hand.end())
        add(*own);
      else if (const space::KernelSpace* space = read(declared))
        rivals.push_back({*space, {}});
    }
    for (const model::KernelSpec& kernel : at_hand)
      if (kernel.family == family && seen.insert(kernel.name).second) add(kernel);
  }
  return rivals;
}

}  // namespace tuner::sweep
