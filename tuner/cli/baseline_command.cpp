#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "db/json.hpp"
#include "db/queries.hpp"
#include "db/transfer.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/compare.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/record_fields.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

constexpr int baseline_version = 1;
constexpr std::string_view baseline_start = R"({"format":"tuner-baseline")";
/// More samples would make a large file and a judgement hardly finer.
constexpr std::size_t most_samples = 30;
constexpr std::uintmax_t largest_file = std::uintmax_t{64} << 20U;

/// To five digits: a hundredth of the least difference that counts.
double rounded(double value) {
  if (!(value > 0)) return value;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 4);
  // Division by a whole number keeps the text short: 0.1 is not a whole number of anything.
  return unit < 1 ? std::round(value / unit) / std::round(1 / unit) : std::round(value / unit) * unit;
}

/// The fastest, the slowest and what lies between them at equal ranks.
std::vector<double> thinned(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  std::vector<double> out;
  const std::size_t count = std::min(samples.size(), most_samples);
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(rounded(samples[count < 2 ? 0 : i * (samples.size() - 1) / (count - 1)]));
  return out;
}

/// In an entry of what nobody verified.
constexpr const char* unverified = "unverified";

/// What an entry has of a trial. The names are those of an export.
template <class Archive, class Trial, class Measurement>
void describe_entry(Archive& a, Trial& trial, Measurement& measurement) {
  describe(a, trial.problem);
  a("environment", trial.environment);
  a("gpu", trial.gpu);
  a("kernel", trial.kernel);
  a("configuration", trial.configuration);
  a("definition", trial.definition);
  a("trial", trial.key);
  a("measured_at", trial.measured_at);
  a("median_ns", measurement.median_ns);
  a("low_ns", measurement.low_ns);
  a("high_ns", measurement.high_ns);
  a("sm_clock_mhz", measurement.sm_clock_mhz);
  a("includes_launch_latency", measurement.includes_launch_latency);
  a("samples_ns", measurement.samples_ns);
}

db::Json entry_of(const BestTrial& best) {
  model::TrialRecord trial = best.trial;
  model::Measurement measurement = trial.outcome.measurement.value();
  measurement.samples_ns = thinned(best.samples_ns.empty() ? measurement.samples_ns : best.samples_ns);
  for (double* value :
       {&measurement.median_ns, &measurement.low_ns, &measurement.high_ns, &measurement.sm_clock_mhz})
    *value = rounded(*value);
  db::JsonWriter writer;
  describe_entry(writer, trial, measurement);
  db::Json entry = writer.take();
  if (!trial.outcome.verification.checked) entry[unverified] = true;
  return entry;
}

BestTrial best_of(const db::Json& entry) {
  BestTrial best;
  model::Measurement& measurement = best.trial.outcome.measurement.emplace();
  db::JsonReader reader(entry, {});
  describe_entry(reader, best.trial, measurement);
  best.trial.outcome.verification.checked = reader.find(unverified) == nullptr;
  const auto is_time = [](double ns) { return ns > 0 && std::isfinite(ns); };
  const bool positive = !measurement.samples_ns.empty() && is_time(measurement.median_ns) &&
                        std::ranges::all_of(measurement.samples_ns, is_time);
  if (!positive) db::refuse({"samples_ns"}, entry, "an entry with positive times");
  measurement.min_ns = *std::ranges::min_element(measurement.samples_ns);
  best.samples_ns = measurement.samples_ns;
  best.is_of_baseline = true;
  return best;
}

}  // namespace

std::string baseline_text(const std::vector<BestTrial>& best) {
  std::string text = fmt::format("{},\"version\":{},\"entries\":[", baseline_start, baseline_version);
  const char* separator = "\n";
  for (const BestTrial& one : best) {
    text += separator + db::json_line(entry_of(one));
    separator = ",\n";
  }
  return text + "\n]}\n";
}

bool looks_like_baseline(const std::filesystem::path& file) {
  std::string begin(baseline_start.size(), '\0');
  std::ifstream in(file, std::ios::binary);
  return in.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == baseline_start;
}

std::vector<BestTrial> read_baseline(const std::filesystem::path& file) {
  std::size_t number = 0;
  try {
    if (std::filesystem::file_size(file) > largest_file) throw model::Error("larger than any baseline is");
    const db::Json json = db::parse_json(util::text_of(file));
    const db::JsonReader header(json, {});
    const db::Json* version = header.find("version");
    const db::Json* entries = header.find("entries");
    if (version == nullptr || *version != baseline_version)
      throw model::Error("its version is not the one that this program reads", "a newer tuner wrote it?");
    if (entries == nullptr || !entries->is_array()) throw model::Error("has no entries");
    std::vector<BestTrial> out;
    for (const db::Json& entry : *entries) {
      ++number;
      out.push_back(best_of(entry));
    }
    return out;
  } catch (const model::Error& error) {
    throw error.in_context(number == 0 ? file.string() : fmt::format("{}: entry {}", file.string(), number));
  }
}

namespace {

struct BaselineOptions {
  std::string path = "tuner-baseline.json";
  db::TrialFilter filter;
};

int write_baseline(const Context& context, const BaselineOptions& options) {
  require_deliverable(options.path);
  const db::Connection connection = db::open_results(context.settings().database());
  std::vector<BestTrial> best = best_in(connection, options.filter);
  std::string dropped;
  const auto is_dropped = [&](const BestTrial& one) {
    if (one.trial.outcome.trusted_ns()) return false;
    dropped += (dropped.empty() ? "" : ", ") + one.trial.problem.family + ' ' + one.trial.problem.text();
    return true;
  };
  std::erase_if(best, is_dropped);
  if (!dropped.empty())
    write_err(
        fmt::format("warning: left out, since the best was dropped early and a time of few samples holds "
                    "nothing: {}; `tuner run` measures it whole",
                    dropped));
  if (best.empty())
    throw NothingFound("no size that is selected has an answer", "`tuner best` shows what there is");
  deliver(options.path, baseline_text(best));
  write_err(
      fmt::format("{} of {} written; commit it, and hold later results against it: tuner compare NEW.db {} "
                  "--fail-if-slower 2%",
                  is_stdout(options.path) ? "a baseline" : options.path, util::counted(best.size(), "size"),
                  is_stdout(options.path) ? "FILE" : util::shell_quote(options.path)));
  return 0;
}

}  // namespace

void add_baseline(const CommandPlace& place) {
  Command<BaselineOptions> command(
      place, "baseline", "Write today's answers to a small file for later comparisons", write_baseline);
  BaselineOptions& options = command.options();
  command.option("-o,--output", options.path, "FILE", "file to write; - is stdout")->capture_default_str();
  command.option("--family", options.filter.family, "NAME", "only this family");
  command.option("--kernel,-k", options.filter.kernel, "NAME", "only this kernel");
  command.option("--gpu", options.filter.device, "NAME", "only devices with this in their name");
  command.settings("db");
  command->footer(
      "Of each size in each environment: the configuration to use, its time with interval and samples, the "
      "GPU, and the digest of the kernel's definition.\n"
      "Example: tuner compare tonight.db tuner-baseline.json --fail-if-slower 2% --format github");
}

}  // namespace tuner::cli
