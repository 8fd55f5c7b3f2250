#pragma once
#include <cstdint>

#include "tuner/space/fault.hpp"
#include "tuner/space/program.hpp"

namespace tuner::space {

/// Results of the operators, one overload per kind of arithmetic. `result` is written only when the Fault is
/// none. Operators that the real arithmetic lacks never reach it: the code generator refuses them.
Fault apply_unary(Op op, std::int64_t a, std::int64_t& result);
Fault apply_unary(Op op, double a, double& result);
Fault apply_binary(Op op, std::int64_t a, std::int64_t b, std::int64_t& result);
Fault apply_binary(Op op, double a, double b, double& result);

}  // namespace tuner::space
