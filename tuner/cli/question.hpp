#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "db/best.hpp"
#include "tuner/cli/command.hpp"

namespace tuner::cli {

/// Which of the results in a database a question is about.
struct Question {
  std::string family;
  std::string kernel;
  std::string spec;  ///< the file that the kernel was named by; empty: by its name
  std::string gpu;
  std::string part_of_environment;
  std::string same_bits_as;  ///< `default`, or the beginning of a trial's identifier; empty: any bits will do
};

constexpr const char* same_bits_as_help =
    "only trials whose outputs are the same to the last bit: as the default's of their kernel, or as this "
    "trial's";

template <typename Options>
void add_question(Command<Options>& command, Question& question) {
  command.option("--family", question.family, "NAME", "only this family of kernels");
  command.option("--kernel,-k", question.kernel, "NAME|FILE", "only this kernel, by its name or its spec");
  command.option("--gpu", question.gpu, "NAME", "only devices with this in their name");
  command.option("--environment", question.part_of_environment, "TEXT",
                 "only environments with this in their text, as 'driver 580' or 'nvrtc 13.0'");
  command.option("--same-bits-as", question.same_bits_as, "default|TRIAL", same_bits_as_help);
}

/// A kernel may be named by its spec, which is then what a build is made by.
void name_kernel(Question& question);

/// Of every size, of any row padding unless --pad says one, and of the bits that the question asks for.
/// Throws as same_bits_as(), and where these are of another family or type than it asks for.
db::BestQuery query_of(const Context& context, const config::Settings& settings,
                       const db::Connection& connection, const Question& question);

/// Of `size` alone, where that is not empty. Throws model::UsageError where it is several.
void ask_for_size(const std::string& size, const config::Settings& settings, db::BestQuery& query);

/// Whose bits are asked for. Throws model::UsageError where the bits of that trial are unknown.
db::SameBitsAs same_bits_as(const db::Connection& connection, const std::string& text);

/// The environment that is asked for, for people; empty: any.
std::string asked_environment(const db::BestQuery& query);
/// The same question of any environment.
db::BestQuery without_environment(db::BestQuery query);

/// The flags of the command line that say what is measured, and how: ` --measure quick --type double`.
std::string flags_asked(const config::Settings& settings);
/// The flags that ask the same question: ` --family matmul --gpu H200`.
std::string flags_of(const Question& question);
/// The command that measures what was asked for, as it was asked for. `sizes`: empty: those of a first sweep.
std::string measuring_command(const db::Connection& connection, const config::Settings& settings,
                              const Question& question, const std::string& sizes);

/// Throws that nothing in the database answers this question, of `sizes` where that is not empty, with what
/// was asked `besides`. It says what there is of a GPU that was named, and of others. The hint says which
/// kernel or family may have been meant, else what is `next`; empty: the run that measures it, with the flags
/// `more`.
[[noreturn]] void find_nothing(const db::Connection& connection, const config::Settings& settings,
                               const Question& question, const std::string& sizes = "",
                               const std::string& besides = "", const std::string& next = "",
                               const std::string& more = "");

/// `measured` with other sizes: one for each, or one for all.
model::Problem asked_problem(const model::Problem& measured, const std::vector<std::int64_t>& sizes);
/// Whether a problem has a size that was asked for: one number for all dimensions, or one each.
bool is_of_size(const model::Problem& problem, const std::vector<std::int64_t>& wanted);
/// One of several.
bool is_of_sizes(const model::Problem& problem, const std::vector<std::vector<std::int64_t>>& wanted);

/// ` of family matmul of kernel sgemm in environment nvrtc 13`: what was asked for, for messages.
std::string asked_text(const Question& question);

}  // namespace tuner::cli
