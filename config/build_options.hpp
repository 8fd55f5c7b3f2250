#pragma once
#include <string>
#include <utility>
#include <vector>

namespace config {

/// A macro and its value.
using BuildMacro = std::pair<std::string, std::string>;

/// What a build gives a source besides its text.
struct BuildOptions {
  std::vector<BuildMacro> macros;
  std::vector<std::string> folders;  ///< of headers
  std::vector<std::string> others;   ///< as they were given, but for those that `tuner` sets itself
};

/// Of options as NVRTC takes them. The last of a macro's values counts.
BuildOptions read_build_options(const std::vector<std::string>& options);

/// Of `NAME` or `NAME=VALUE`. Throws model::UsageError where that is none.
BuildMacro read_build_macro(const std::string& text);

/// A value takes the place of an earlier one.
void set_macro(std::vector<BuildMacro>& macros, const BuildMacro& macro);

/// The `#define`s of whole numbers with which a source begins: a program that makes its source out of
/// strings gives parameters so.
std::vector<BuildMacro> leading_macros(const std::string& text);

/// The source as one that a build may give other numbers: `macros`, and the numbers that it begins with, are
/// defined behind an `#ifndef` each; macros with other values are defined plainly.
std::string with_open_macros(const std::string& text, const std::vector<BuildMacro>& macros);

}  // namespace config
