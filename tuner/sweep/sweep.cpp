#include "tuner/sweep/sweep.hpp"

#include "tuner/model/error.hpp"
#include "tuner/sweep/declare.hpp"
#include "tuner/sweep/driver.hpp"

namespace tuner::sweep {
namespace {

std::string state_of(Ending ending) {
  return ending == Ending::interrupted ? "interrupted" : "done";
}

}  // namespace

Summary sweep(const Request& request, const TrialList& list, Services& services) {
  const StrategyChoice known(request.strategy, request.own_strategies);  // throws before anything is written
  services.sink.begin_run(request.run);
  try {
    declare_kernels(request, services);
    Summary summary = Driver(request, list, services).run();
    services.sink.end_run(request.run.id, state_of(summary.ending));
    return summary;
  } catch (...) {
    try {
      services.sink.end_run(request.run.id, "failed");
    } catch (const model::Error&) {
      // The first error is the one to tell; a run without an end is recognised by its missing end time.
    }
    throw;
  }
}

}  // namespace tuner::sweep
