#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/source/program.hpp"

namespace tuner::source {

/// Reads the files of a program into its code.
class Preprocessor {
 public:
  Preprocessor(Program& program, const Program::Find& find) : m_program(program), m_find(find) {}

  /// A macro of the build, which it may give another value.
  void predefine(const std::string& name, const std::string& value);
  /// `file`: its place among the program's files.
  void read(std::size_t file, int depth = 0);

 private:
  struct Macro {
    std::vector<std::string_view> parameters;
    Tokens tokens;
    bool takes_arguments = false;
    bool constant = false;
    bool guarded = false;
    int file = 0;
    int line = 0;
  };
  struct Branch {
    bool active = false;
    bool taken = false;  ///< a branch of this `#if` was active
  };

  bool is_active() const;
  void flush(std::vector<Token>& plain);
  void directive(Tokens line, std::size_t file, int depth);
  void define(Tokens rest, bool guarded);
  void include(Tokens rest, std::size_t file, int depth);
  bool is_defined(std::string_view name) const;
  bool condition(Tokens tokens);
  void expand(Tokens tokens, std::vector<Token>& into, const std::set<std::string_view>& within);
  std::vector<Token> with_arguments(const Macro& macro, Tokens arguments);

  Program& m_program;
  const Program::Find& m_find;
  std::map<std::string_view, Macro> m_macros;
  std::vector<Branch> m_conditions;
  std::string_view m_guard;  ///< what an `#ifndef` on the line before asks for
  bool m_expands_constants = false;
};

}  // namespace tuner::source
