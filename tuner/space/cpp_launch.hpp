#pragma once
#include <set>
#include <string>

#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::space {

/// A configuration of a kernel as a C++17 struct: its parameters as constants, and as functions of sizes and
/// device what its steps, buffers and arguments are.
struct CppConfiguration {
  std::string text;              ///< of the struct
  std::set<std::string> limits;  ///< device limits that it reads
};

/// `options`: what its compiler is given, for people and for compilers at run time. Type and row padding are
/// those of `problem`; its sizes do not matter. Throws model::UsageError where the spec has a mistake, lacks
/// a parameter, or has an expression that a constant expression of C++17 cannot say.
CppConfiguration cpp_configuration(const model::KernelSpec& spec, const model::Configuration& configuration,
                                   const model::Problem& problem, const std::string& name,
                                   const std::string& options);

/// The types that such structs use: Extents, Step, Buffer.
std::string_view cpp_types();

}  // namespace tuner::space
