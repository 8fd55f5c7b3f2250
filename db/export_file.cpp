#include "db/export_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "db/json.hpp"
#include "db/record_json.hpp"
#include "db/trial_json.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

namespace db {
namespace {

using tuner::model::Ceiling;
using tuner::model::Error;
using tuner::model::FinalRecord;
using tuner::model::RunRecord;
using tuner::model::SearchRecord;
using tuner::model::TrialRecord;

constexpr int newest_version = 4;
constexpr std::size_t longest_line = std::size_t{64} << 20U;

/// The next line, without its end; false at the end of the file. Throws before a line without end fills the
/// memory.
bool read_line(std::istream& in, std::string& line) {
  line.clear();
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    if (c == '\n') return true;
    if (line.size() == longest_line) throw Error(fmt::format("longer than {} bytes", longest_line));
    line += static_cast<char>(c);
  }
  return !line.empty();
}

ExportHeader header_from(const std::string& line) {
  const Json object = parse_json(line);
  const Fields fields(object);
  if (fields.text("format") != "tuner-export") fields.refuse("format", "\"tuner-export\"");
  ExportHeader header{fields.small("version")};
  if (header.version < 1 || header.version > newest_version) {
    fields.refuse("version", fmt::format("a version up to {} (a newer tuner wrote it?)", newest_version));
  }
  return header;
}

void visit_line(const std::string& line, const ExportVisitor& visitor) {
  const Json object = parse_json(line);
  const Fields fields(object);
  const auto visit = [](const auto& what, auto&& value) {
    if (what) what(std::move(value));
  };
  if (fields.has("failure")) return visit(visitor.failure, failure_from_json(fields.value("failure")));
  if (fields.has("verdict")) return visit(visitor.verdict, verdict_from_json(fields.value("verdict")));
  if (fields.has("declaration"))
    return visit(visitor.declaration, declaration_from_json(fields.value("declaration")));
  if (fields.has("judgements"))
    return visit(visitor.judgements, judgements_from_json(fields.value("judgements")));
  if (fields.has("final")) return visitor.final(final_from_json(fields.value("final")));
  if (fields.has("search")) return visitor.search(search_from_json(fields.value("search")));
  if (fields.has("ceiling")) return visitor.ceiling(ceiling_from_json(fields.value("ceiling")));
  if (!fields.has("trial")) return visitor.run(run_from_json(fields.value("run")));
  TrialWithPast parsed = trial_from_json(object);
  visitor.trial(std::move(parsed.trial), std::move(parsed.earlier));
}

}  // namespace

ExportHeader stream_export(std::istream& in, const std::string& name, const ExportVisitor& visitor) {
  std::string line;
  std::int64_t number = 1;
  ExportHeader header;
  try {
    if (!read_line(in, line)) throw Error("the file is empty, a header was expected");
    header = header_from(line);
    for (number = 2; read_line(in, line); ++number) visit_line(line, visitor);
  } catch (const Error& error) {
    throw error.in_context(fmt::format("{}:{}", name, number));
  }
  if (in.bad()) throw Error(fmt::format("{}: reading failed after line {}", name, number - 1));
  return header;
}

Export parse_export(std::istream& in, const std::string& name) {
  Export out;
  ExportVisitor visitor;
  visitor.run = [&](RunRecord&& run) { out.runs.push_back(std::move(run)); };
  visitor.trial = [&](TrialRecord&& trial, std::vector<StoredMeasurement>&& earlier) {
    if (!earlier.empty()) out.earlier[trial.key] = std::move(earlier);
    out.trials.push_back(std::move(trial));
  };
  visitor.verdict = [&](Probing&& probing) {
    if (!probing.cleared) out.verdicts.push_back(std::move(probing.verdict));
  };
  visitor.final = [&](FinalRecord&& final) { out.finals.push_back(std::move(final)); };
  visitor.search = [&](SearchRecord&& search) { out.searches.push_back(std::move(search)); };
  visitor.ceiling = [&](Ceiling&& ceiling) { out.ceilings.push_back(std::move(ceiling)); };
  stream_export(in, name, visitor);
  return out;
}

Export parse_export(const std::filesystem::path& path) {
  const std::unique_ptr<std::istream> in = open_export(path);
  return parse_export(*in, path.string());
}

std::unique_ptr<std::istream> open_export(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(fmt::format("{}: is a folder, not an export", path.string()));
  auto in = std::make_unique<tuner::util::GzipInput>(path);
  if (!*in) {
    throw Error(fmt::format("{}: cannot be read", path.string()), "name a file made with `tuner export`",
                tuner::model::ExitCode::nothing_found);
  }
  return in;
}

std::string header_line(const ExportHeader& header) {
  return fmt::format("{{\"format\":\"tuner-export\",\"version\":{}}}\n", header.version);
}

std::string run_line(const RunRecord& run) {
  return fmt::format("{{\"run\":{}}}\n", to_json(run));
}

std::string trial_line(const TrialRecord& trial, const std::vector<StoredMeasurement>& earlier) {
  return to_json(trial, earlier) + '\n';
}

std::string failure_line(const PastFailure& failure) {
  return fmt::format("{{\"failure\":{}}}\n", to_json(failure));
}

std::string verdict_line(const Probing& verdict) {
  return fmt::format("{{\"verdict\":{}}}\n", to_json(verdict));
}

std::string final_line(const FinalRecord& final) {
  return fmt::format("{{\"final\":{}}}\n", to_json(final));
}

std::string search_line(const SearchRecord& search) {
  return fmt::format("{{\"search\":{}}}\n", to_json(search));
}

std::string declaration_line(const StoredDeclaration& declaration) {
  return fmt::format("{{\"declaration\":{}}}\n", to_json(declaration));
}

std::string judgement_line(const SpecJudgements& judgements) {
  return fmt::format("{{\"judgements\":{}}}\n", to_json(judgements));
}

std::string ceiling_line(const Ceiling& ceiling) {
  return fmt::format("{{\"ceiling\":{}}}\n", to_json(ceiling));
}

}  // namespace db
