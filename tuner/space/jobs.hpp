#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::space {

/// Small problems of the same type as `problem` that kernels get wrong first: every extent odd and unlike the
/// others. In the first they are smaller than most tiles, in the second no multiple of any; the second one's
/// rows are padded where the spec offers that. A configuration may be invalid on either.
std::vector<model::Problem> probe_problems(const model::KernelSpec& spec, const model::Problem& problem);

// compile_job and reference_job of space.hpp for a spec that is known to be sound.

/// ELEMENT_TYPE and what is to be known of it, which every source sees.
std::vector<model::Macro> element_macros(model::ElementType type);

/// The names in the `${NAME}`s of a compiler option.
std::vector<std::string> placeholders(const std::string& option);

/// `option` with the value of each parameter it names.
std::string with_values(std::string option, const model::Configuration& configuration);

model::CompileJob kernel_job(const model::KernelSpec& spec, const model::Problem& problem,
                             const model::Configuration& configuration, const std::string& architecture,
                             const std::string& compiler);
/// What verification_job() compiles: the reference's sources; with a generator, one that includes both.
std::vector<model::SourceText> verification_source(const model::KernelSpec& spec);
/// Of the reference and the generator, which share a binary; nothing where there is neither.
std::optional<model::CompileJob> verification_job(const model::KernelSpec& spec,
                                                  const model::Problem& problem,
                                                  const std::string& architecture,
                                                  const std::string& compiler);

}  // namespace tuner::space
