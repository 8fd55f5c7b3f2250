#pragma once
#include <string>

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
};

template <typename Options>
void add_question(Command<Options>& command, Question& question) {
  command.option("--family", question.family, "NAME", "only this family of kernels");
  command.option("--kernel,-k", question.kernel, "NAME|FILE", "only this kernel, by its name or its spec");
  command.option("--gpu", question.gpu, "NAME", "devices with this in their name first");
  command.option("--environment", question.part_of_environment, "TEXT",
                 "only environments with this in their text, as 'driver 580' or 'nvrtc 13.0'");
}

/// A kernel may be named by its spec, which is then what a build is made by.
void name_kernel(Question& question);

/// Of every size, and of any row padding unless --pad says one.
db::BestQuery query_of(const Context& context, const config::Settings& settings, const Question& question);

/// ` of family matmul of kernel sgemm in environment nvrtc 13`: what was asked for, for messages.
std::string asked_text(const Question& question);

}  // namespace tuner::cli
