#include "tuner/sweep/declare.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "tuner/sweep/for_each_index.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::sweep {
namespace {

/// Judging this many takes long enough for people to wonder.
constexpr std::size_t many = 20'000;

void declare(const Work& work, Services& services) {
  const model::KernelDeclaration kernel = declaration_of(work);
  const std::vector<model::PastTrial> past = services.source.undecided(kernel);
  if (past.size() >= many) {
    services.observer.notice(
        fmt::format("{}: its spec has changed; looking which of {} past trials it describes", kernel.kernel,
                    past.size()));
  }
  std::vector<model::Judgement> judgements(past.size());
  for_each_index(past.size(), [&](std::size_t i) {
    judgements[i] = {past[i].key, describes(work.kernel, past[i])};
  });
  services.sink.declare(kernel, judgements);
}

}  // namespace

model::KernelDeclaration declaration_of(const Work& work) {
  const model::KernelSpec& spec = work.kernel.spec();
  // Where a later sweep, started elsewhere, finds it again.
  const bool is_file = !spec.path.empty() && spec.path.find(':') == std::string::npos;
  const std::string path = is_file ? std::filesystem::absolute(spec.path).string() : spec.path;
  return {spec.family, spec.name, spec.role, work.kernel.definition(), work.kernel.spec_digest(), path};
}

void declare_kernels(const Request& request, Services& services) {
  for (const Work& work : request.work) declare(work, services);
  for (const Work& rival : request.rivals) declare(rival, services);
}

}  // namespace tuner::sweep
