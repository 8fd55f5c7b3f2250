#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "db/best.hpp"
#include "db/connection.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/cli/answers/show.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/packing/build_recipe.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// ` --device cpu` where nothing but that device's kind has measured what the database has of `device`, or
/// has at all where that is empty; else empty, since a GPU is what commands take by themselves.
std::string device_flag(const db::Connection& connection, const std::string& device);

/// The flags that ask for times taken as those of `there`, where `here` is asked for without them.
std::string taking_flags(const model::Environment& there, const model::Environment& here);
/// ` --type __half --measure quick --device cpu`: the flags by which a command measures where `one` was, as
/// far as commands do not by themselves.
std::string measuring_flags(const db::Connection& connection, const db::Case& one, const Context& context);

/// The runs whose identifiers begin with `prefix`.
std::vector<model::Digest> runs_named(const db::Connection& connection, const std::string& prefix);

/// The one run. Throws model::UsageError where `prefix` is no beginning of an identifier or of several, and
/// model::Error with nothing_found where it is of none.
model::Digest run_named(const db::Connection& connection, const std::string& prefix);

/// What a database knows of one of its trials, with the steps to its occupancy and, where the cache of
/// binaries in `cache` has its binary, the size of its code.
answers::TrialFacts load_facts(const db::Connection& connection, model::TrialRecord trial,
                               const std::filesystem::path& cache);

/// What the machine code of a trial's binary says. The binary is the cached one, else, where that may be, it
/// is compiled again by the same job from the spec at hand. What nvdisasm prints of it is kept in the cache
/// of binaries. Throws model::Error where there is no such binary, it is not for a GPU, or nvdisasm is
/// missing or refuses it.
answers::TrialCode machine_code(const config::Settings& settings, const db::Connection& connection,
                                model::TrialRecord trial, bool may_compile = true);

/// `trial 1a2b3c4 (sgemm)`.
std::string trial_name(const model::TrialRecord& trial);

/// The device of this name; null: there is none.
const model::DeviceInfo* device_named(const std::vector<model::DeviceInfo>& devices, const std::string& name);
/// Of the device that measured a trial: `sm_90`; empty: unknown.
std::string architecture_of(const db::Connection& connection, const model::TrialRecord& trial);

/// Whether a spec is still what a trial was measured of: it has not changed, or an edit since changed nothing
/// of this trial. `devices`: those that the database knows.
bool is_described(const model::TrialRecord& trial, const space::KernelSpace& kernel,
                  const std::vector<model::DeviceInfo>& devices);

/// A trial's kernel, by the spec at hand that is what was measured, else by the last; and the libraries that
/// it names. `spec`: where it is looked for; empty: where a sweep read it, or in the program.
std::vector<sweep::Work> kernel_of(const db::Connection& connection, const model::TrialRecord& trial,
                                   const std::string& spec, const model::DeviceInfo& device);

/// Of each answer, in their order, whether the spec and the sources on disk are still what was measured: of
/// the file `spec`, which is of all their kernels, or else of the one that was declared. Files are read and
/// nothing is compiled.
std::vector<answers::SpecNote> spec_notes(const db::Connection& connection, const db::BestAnswers& answers,
                                          const std::string& spec, const Context& context);

/// What is to be said of them to people, each kernel once, with the command that measures its sizes anew.
std::vector<std::string> spec_sentences(const db::BestAnswers& answers,
                                        const std::vector<answers::SpecNote>& notes, const Context& context);

/// Says both on stderr of the answers that a cover or a pack is made from.
void say_spec_changes(const db::Connection& connection, const answers::Chosen& answers,
                      const std::string& spec, const Context& context);
/// The same of sizes without an answer: of the kernels that could have had one, or of this one.
void say_spec_changes(const db::Connection& connection, const std::vector<answers::Missing>& sizes,
                      const std::string& kernel, const std::string& spec, const Context& context);

/// How a trial of a database is built: by the first of the specs at hand that compiles to what was measured,
/// or the last at all. `asked`: for this problem; nothing: the trial's.
packing::BuildRecipe recipe_of(const db::Connection& connection, const model::TrialRecord& winner,
                               SpecsAtHand& specs, const std::optional<model::Problem>& asked = {});

}  // namespace tuner::cli
