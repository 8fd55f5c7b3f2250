#pragma once
#include <string>
#include <utility>

#include "tuner/source/host_code.hpp"

namespace tuner::source {

/// Reads one expression of C++ into a value.
class ExpressionReader {
 public:
  ExpressionReader(HostCode& host, Tokens tokens, const Frame& frame)
      : m_host(host), m_tokens(tokens), m_frame(frame) {}

  /// Unknown where the tokens are no expression that a spec could have.
  Value read();

 private:
  bool at(std::string_view text, std::size_t ahead = 0) const;
  bool take(std::string_view text);
  std::string binary_operator() const;
  Value choice();
  Value binary(int least);
  Value unary();
  Value primary();
  Value literal();
  Value named();
  Value called(const std::string& name, const std::vector<Tokens>& template_arguments);
  Value size_of();
  /// Behind `(type)` that begins here; 0: none does.
  std::size_t behind_cast() const;
  bool is_type(Tokens tokens) const;
  std::vector<Tokens> bracketed();
  /// Template arguments of a call that begin here; empty: none do.
  std::vector<Tokens> template_arguments();
  static Value converted(const std::string& type, const Value& value);

  HostCode& m_host;
  Tokens m_tokens;
  const Frame& m_frame;
  std::size_t m_at = 0;
  bool m_failed = false;
};

}  // namespace tuner::source
