
#include <fmt/format.h>

#include <algorithm>

#include "reports/json.hpp"
#include "reports/text.hpp"
#include "tuner/cli/compare.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

using reports::Json;
using sweep::Judgement;

/// Why the candidate is refused.
struct Reason {
  std::string stage;
  std::string status;
  std::string detail;
  std::string size;
};

std::optional<Reason> reason_of(const JudgementReport& report) {
  if (!report.mistakes.empty()) return Reason{"signature", "mistake", report.mistakes.front(), ""};
  if (!report.sanitizers.findings.empty())
    return Reason{"sanitizers", "finding", report.sanitizers.findings.front(), ""};
  for (const JudgementReport::Size& size : report.sizes) {
    if (!size.judgement.refused()) continue;
    const model::TrialOutcome& outcome = size.judgement.candidate.outcome;
    return Reason{size.judgement.stage, std::string(model::to_string(outcome.status)), outcome.detail,
                  size.problem.text()};
  }
  return std::nullopt;
}

/// The candidate's time by that of each that took part beside it, in their order.
struct RatioBeside {
  const model::TrialRecord* trial = nullptr;
  measure::Ratio ratio;
};

std::vector<RatioBeside> ratios_of(const Judgement& judgement) {
  std::vector<RatioBeside> out;
  if (judgement.standings.empty()) return out;
  std::size_t next = 1;
  for (const Judgement::Beside& beside : judgement.beside) {
    if (!beside.left_out.empty()) continue;
    out.push_back({&beside.trial, ratio_between(judgement.standings[0], judgement.standings[next++])});
  }
  return out;
}

bool is_slower(const JudgementReport& report) {
  if (!report.allowed_share) return false;
  return std::ranges::any_of(report.sizes, [&](const JudgementReport::Size& size) {
    return std::ranges::any_of(ratios_of(size.judgement), [&](const RatioBeside& beside) {
      return beside.trial->role == model::Role::competitor &&
             measure::slowdown_of(beside.ratio, *report.allowed_share).allowed == measure::Allowed::no;
    });
  });
}

const char* verdict_of(const JudgementReport& report) {
  if (reason_of(report)) return "refused";
  if (report.interrupted != 0) return "interrupted";
  return is_slower(report) ? "slower" : "accepted";
}

std::string name_beside(const model::TrialRecord& trial) {
  return trial.role == model::Role::baseline ? trial.kernel : "the default of " + trial.kernel;
}

std::string size_text(const JudgementReport::Size& size) {
  const Judgement& judgement = size.judgement;
  std::string text;
  if (!judgement.standings.empty()) {
    text = reports::time_text(judgement.standings[0].measurement.median_ns);
    for (const RatioBeside& beside : ratios_of(judgement))
      text +=
          fmt::format("; {} of the time of {}, {}",
                      reports::ratio_interval_text(beside.ratio.ratio, beside.ratio.low, beside.ratio.high),
                      name_beside(*beside.trial), measure::to_string(measure::verdict(beside.ratio)));
    text += fmt::format(" ({} rounds in turn)", judgement.rounds);
    if (judgement.bits != model::BitsRelation::unknown)
      text += judgement.bits == model::BitsRelation::same ? "; the default's bits"
                                                          : "; other bits than the default";
  }
  for (const Judgement::Beside& beside : judgement.beside)
    if (!beside.left_out.empty())
      text +=
          fmt::format("; not beside {}: {}", name_beside(beside.trial), util::one_line(beside.left_out, 120));
  return text;
}

Json beside_json(const Judgement& judgement) {
  Json out = Json::array();
  const std::vector<RatioBeside> ratios = ratios_of(judgement);
  for (const Judgement::Beside& beside : judgement.beside) {
    Json one = {{"kernel", beside.trial.kernel},
                {"role", std::string(model::word_of(beside.trial.role))},
                {"left_out", beside.left_out}};
    for (const RatioBeside& found : ratios) {
      if (found.trial != &beside.trial) continue;
      one["ratio"] = found.ratio.ratio;
      one["ratio_low"] = found.ratio.low;
      one["ratio_high"] = found.ratio.high;
      one["candidate_is"] = measure::to_string(measure::verdict(found.ratio));
    }
    out.push_back(std::move(one));
  }
  return out;
}

Json size_json(const JudgementReport::Size& size) {
  const Judgement& judgement = size.judgement;
  Json out = db::json_of(size.problem);
  out["accepted"] = judgement.accepted();
  out["partial"] = judgement.interrupted;
  out["stage"] = judgement.stage;
  out["status"] = std::string(model::to_string(judgement.candidate.outcome.status));
  out["detail"] = judgement.candidate.outcome.detail;
  out["registers"] = judgement.candidate.resources ? Json(judgement.candidate.resources->registers) : Json();
  const bool timed = !judgement.standings.empty();
  out["measurement"] = timed ? db::json_of(judgement.standings[0].measurement) : Json();
  out["beside"] = beside_json(judgement);
  const bool knows_bits = judgement.bits != model::BitsRelation::unknown;
  out["same_bits"] = knows_bits ? Json(judgement.bits == model::BitsRelation::same) : Json();
  return out;
}

}  // namespace

int exit_code_of(const JudgementReport& report) {
  if (reason_of(report)) return static_cast<int>(model::ExitCode::refused);
  if (report.interrupted != 0) return report.interrupted;
  return static_cast<int>(is_slower(report) ? model::ExitCode::slower : model::ExitCode::done);
}

std::string judgement_text(const JudgementReport& report, std::size_t columns) {
  std::string out;
  const auto say = [&](const std::string& line) { out += util::wrapped_text(line, columns, 2); };
  say(fmt::format("{} against {}: {}", report.candidate, report.against, verdict_of(report)));
  if (const auto reason = reason_of(report)) {
    say(fmt::format("refused at: {}{}", reason->stage, reason->size.empty() ? "" : ", size " + reason->size));
    say(fmt::format("because: {}: {}", reason->status, reason->detail));
  }
  for (std::size_t i = 1; i < report.mistakes.size(); ++i) say("and: " + report.mistakes[i]);
  for (std::size_t i = 1; i < report.sanitizers.findings.size(); ++i)
    say("and: " + report.sanitizers.findings[i]);
  if (!report.sanitizers.why_not.empty()) say("not run under sanitizers: " + report.sanitizers.why_not);
  for (const JudgementReport::Size& size : report.sizes)
    if (const std::string text = size_text(size); !text.empty())
      say(fmt::format("{}: {}", size.problem.text(), text));
  return out;
}

std::string judgement_json(const JudgementReport& report) {
  const auto reason = reason_of(report);
  Json out = {{"schema_version", 1},           {"candidate", report.candidate},
              {"against", report.against},     {"device", report.device},
              {"verdict", verdict_of(report)}, {"exit_code", exit_code_of(report)}};
  out["reason"] = reason ? Json({{"stage", reason->stage},
                                 {"status", reason->status},
                                 {"detail", reason->detail},
                                 {"size", reason->size}})
                         : Json();
  out["signature"] = {{"mistakes", report.mistakes}};
  out["sanitizers"] = {{"findings", report.sanitizers.findings}, {"not_run", report.sanitizers.why_not}};
  out["sizes"] = Json::array();
  for (const JudgementReport::Size& size : report.sizes) out["sizes"].push_back(size_json(size));
  return reports::json_text(out);
}

}  // namespace tuner::cli
