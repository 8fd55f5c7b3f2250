#include "tuner/cli/spec_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "db/queries.hpp"
#include "tuner/cli/spec_files.hpp"
#include "tuner/model/device_kind.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

using answers::SpecNote;

/// Of the device that a trial ran on, or one of its name; those of no device where none is known.
std::optional<model::DeviceInfo> device_named(const std::vector<model::DeviceInfo>& devices,
                                              const std::string& name) {
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const model::DeviceInfo& device) { return device.name == name; });
  return found == devices.end() ? std::nullopt : std::optional(*found);
}

/// As `--device` takes it; empty where that is what it takes anyway, or needs an address or a file.
std::string device_of(const model::DeviceInfo& device) {
  const model::DeviceKind& kind = model::device_kind(device.kind);
  return kind.naming == model::DeviceKind::Naming::word ? std::string(kind.name) : "";
}

SpecNote::State state_of(const model::KernelDeclaration& declared, const space::KernelSpace* now,
                         const model::TrialRecord& winner, const model::DeviceLimits& limits) {
  if (!SpecFiles::has_place(declared) || declared.spec.empty()) return SpecNote::State::unknown;
  if (now == nullptr) return SpecNote::State::unreadable;
  if (now->spec_digest() == declared.spec) return SpecNote::State::unchanged;
  if (now->definition() != declared.definition) return SpecNote::State::changed;
  return now->contains(winner.problem, winner.configuration, limits) ? SpecNote::State::widened
                                                                     : SpecNote::State::excluded;
}

/// Measures these sizes of a kernel again, in the database that was asked.
std::string command_for(const std::string& path, const model::TrialRecord& winner,
                        const std::vector<std::string>& sizes, const std::string& device,
                        const Context& context) {
  const bool is_shipped = path.starts_with("shipped:");
  std::string text = fmt::format("tuner run --kernel {} --sizes {}",
                                 util::shell_quote(is_shipped ? winner.kernel : path), fmt::join(sizes, ","));
  if (winner.problem.type != model::ElementType::float32)
    text += fmt::format(" --type {}", util::shell_quote(std::string(cuda_name(winner.problem.type))));
  if (winner.problem.row_padding != 0) text += fmt::format(" --pad {}", winner.problem.row_padding);
  if (!device.empty()) text += " --device " + device;
  if (const auto db = context.flags.find("db"); db != context.flags.end())
    text += " --db " + util::shell_quote(db->second);
  return text;
}

}  // namespace

std::vector<SpecNote> spec_notes(const db::Connection& connection, const std::vector<db::BestAnswer>& answers,
                                 const Context& context) {
  db::KernelSpecs specs(connection);
  SpecFiles files;
  const std::vector<model::DeviceInfo> devices = db::devices(connection);
  std::map<std::string, std::vector<model::KernelDeclaration>> families;
  std::vector<SpecNote> notes(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const model::TrialRecord& winner = answers[i].winner;
    const std::string& family = winner.problem.family;
    auto known = families.find(family);
    if (known == families.end()) known = families.emplace(family, specs.declared(family)).first;
    for (const model::KernelDeclaration& declared : known->second) {
      if (declared.kernel != winner.kernel) continue;
      const auto device = device_named(devices, winner.comparison_class.device);
      SpecNote& note = notes[i];
      note.path = declared.path;
      note.declared_at = declared.declared_at;
      note.host = declared.host;
      note.state =
          state_of(declared, files.find(declared), winner, device ? device->limits : model::DeviceLimits());
      if (!answers::sentence(note, winner.kernel).empty()) {
        note.device = device ? device_of(*device) : "";
        note.command = command_for(declared.path, winner, {winner.problem.size_text()}, note.device, context);
      }
    }
  }
  return notes;
}

std::vector<std::string> spec_sentences(const std::vector<db::BestAnswer>& answers,
                                        const std::vector<SpecNote>& notes, const Context& context) {
  struct Told {
    std::string sentence;
    const model::TrialRecord* winner = nullptr;
    const SpecNote* note = nullptr;
    std::vector<std::string> sizes;
  };
  std::vector<Told> all;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const model::TrialRecord& winner = answers[i].winner;
    const std::string text = answers::sentence(notes[i], winner.kernel);
    if (text.empty()) continue;
    auto told = std::find_if(all.begin(), all.end(), [&](const Told& one) {
      return one.sentence == text && one.winner->problem.type == winner.problem.type &&
             one.winner->problem.row_padding == winner.problem.row_padding;
    });
    if (told == all.end()) told = all.insert(all.end(), Told{text, &winner, &notes[i], {}});
    const std::string size = winner.problem.size_text();
    if (std::find(told->sizes.begin(), told->sizes.end(), size) == told->sizes.end())
      told->sizes.push_back(size);
  }
  std::vector<std::string> sentences;
  for (const Told& told : all) {
    sentences.push_back(
        told.sentence + "; to measure it anew:" +
        pasteable(command_for(told.note->path, *told.winner, told.sizes, told.note->device, context)));
  }
  return sentences;
}

}  // namespace tuner::cli
