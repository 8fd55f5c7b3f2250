#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/capture/ledger.hpp"

namespace tuner::capture {

/// `matmul(float const*, int)` of `_Z6matmulPKfi`; names that are not mangled stay.
std::string demangled(const std::string& name);

/// `matmul` of `void ns::matmul<float>(float const*, int)`, mangled or not.
std::string plain_name(const std::string& name);

/// Whether `wish` means the kernel of this name: it is the name, or the plain name of `ns::name<T>(int)`.
bool means_kernel(const std::string& wish, const std::string& name);

/// `float const*`, `int`: what a mangled name says of its parameters; empty where it says nothing.
std::vector<std::string> parameter_types(const std::string& name);

/// `float`, `4`: those of `void ns::scale<float, 4>(float*, long)`, mangled or not.
std::vector<std::string> template_arguments(const std::string& name);

/// Of a type as a demangled name has it.
ParameterKind parameter_kind(std::string_view type);

/// As the files of a capture have it.
const char* kind_word(ParameterKind kind);

/// The value of 1, 2, 4 or 8 bytes as an integer. Where its kind is not known, false unless it is a number
/// that neither an address nor a floating-point number would be.
bool integer_value(ParameterKind kind, const void* value, std::size_t bytes, std::int64_t& integer);

}  // namespace tuner::capture
