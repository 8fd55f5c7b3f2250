#include "tests/support/scripted_behaviour.hpp"

#include <map>

namespace tuner::test {
namespace {

using model::TrialStatus;

const std::map<std::string, Behaviour>& behaviours() {
  static const std::map<std::string, Behaviour> table = {
      {"crash", Behaviour::crash},
      {"abort", Behaviour::abort},
      {"exit", Behaviour::exit},
      {"hang", Behaviour::hang},
      {"infinite_loop", Behaviour::hang},
      {"thirty_seconds", Behaviour::hang},
      {"slow", Behaviour::slow},
      {"nap", Behaviour::nap},
      {"flood", Behaviour::flood},
      {"printf_flood", Behaviour::flood},
      {"throw", Behaviour::throw_exception},
      {"throw_error", Behaviour::throw_error},
      {"vanish", Behaviour::vanish},
      {"garbage", Behaviour::garbage},
      {"half_frame", Behaviour::half_frame},
      {"half_frame_hang", Behaviour::half_frame_hang},
      {"huge_frame", Behaviour::huge_frame},
      {"deep_frame", Behaviour::deep_frame},
      {"wrong_message", Behaviour::wrong_message},
      {"leave", Behaviour::leave},
      {"wrong_on_probes", Behaviour::wrong_on_probes},
      {"unprepared", Behaviour::unprepared},
      {"crash_preparing", Behaviour::crash_preparing},
      {"crash_preparing_once", Behaviour::crash_preparing_once},
      {"hang_preparing", Behaviour::hang_preparing},
      {"crash_probing", Behaviour::crash_probing},
      {"tell_reference", Behaviour::tell_reference},
      {"odd_culprit", Behaviour::odd_culprit},
      {"odd_fastest", Behaviour::odd_fastest},
      {"odd_standings", Behaviour::odd_standings},
      {"odd_winner", Behaviour::odd_winner},
      {"illegal_address", Behaviour::lose_device},
      {"misaligned_address", Behaviour::lose_device},
      {"device_assert", Behaviour::lose_device},
      {"device_malloc_null", Behaviour::lose_device},
  };
  return table;
}

const std::map<std::string, TrialStatus>& statuses() {
  static const std::map<std::string, TrialStatus> table = {
      {"syntax_error", TrialStatus::compile_error},
      {"static_assertion", TrialStatus::compile_error},
      {"too_much_shared", TrialStatus::unlaunchable},
      {"too_much_static_shared", TrialStatus::unlaunchable},
      {"too_many_registers", TrialStatus::unlaunchable},
      {"wrong_edge", TrialStatus::wrong_result},
      {"unwritten_tile", TrialStatus::wrong_result},
      {"does_nothing", TrialStatus::wrong_result},
      {"half_of_bytes", TrialStatus::wrong_result},
      {"touches_rest", TrialStatus::wrong_result},
      {"stale_output", TrialStatus::wrong_result},
      {"trusts_workspace", TrialStatus::wrong_result},
      {"whole_tiles_only", TrialStatus::wrong_result},
      {"tf32_product", TrialStatus::wrong_result},
      {"half_accumulation", TrialStatus::wrong_result},
      {"order_of_arrival", TrialStatus::unstable},
      {"write_past_end", TrialStatus::out_of_bounds},
      {"write_before_start", TrialStatus::out_of_bounds},
      {"update_past_end", TrialStatus::out_of_bounds},
      {"update_before_start", TrialStatus::out_of_bounds},
      {"atomic_past_end", TrialStatus::out_of_bounds},
      {"far_write", TrialStatus::out_of_bounds},
      {"overwrites_input", TrialStatus::input_modified},
      {"missing_barrier", TrialStatus::unstable},
      {"illegal_address", TrialStatus::crashed},
      {"misaligned_address", TrialStatus::crashed},
      {"device_assert", TrialStatus::crashed},
      {"device_malloc_null", TrialStatus::crashed},
  };
  return table;
}

}  // namespace

Behaviour behaviour_of(const std::string& entry) {
  const auto known = behaviours().find(entry);
  if (known != behaviours().end()) return known->second;
  return status_of(entry) == TrialStatus::ok ? Behaviour::good : Behaviour::report_status;
}

TrialStatus status_of(const std::string& entry) {
  const auto known = statuses().find(entry);
  return known != statuses().end() ? known->second
                                   : model::parse_word<TrialStatus>(entry).value_or(TrialStatus::ok);
}

}  // namespace tuner::test
