#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/node.hpp"
#include "tuner/model/diagnostic.hpp"

namespace config {

/// What is wrong with one file, collected while it is read so that all of it can be told at once.
class Mistakes {
 public:
  void add(tuner::model::SourceLocation where, std::string message, std::string hint = "");
  /// `key` is a string, found something else: "sizes must be a list of names, found integer 3".
  void wrong_type(const Node& found, std::string_view what, std::string_view expected, std::string hint = "");

  bool none() const { return m_list.empty(); }
  /// In the order of their places; leaves this empty.
  std::vector<tuner::model::Diagnostic> take();

 private:
  std::vector<tuner::model::Diagnostic> m_list;
};

}  // namespace config
