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

/// The candidate that `word` was probably meant to be: at most a third of its letters differ (insertions,
/// deletions, exchanges and swapped neighbours count one each; case does not). Empty when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);
/// `did you mean "source"?`, or empty.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

/// `a, b or c`
std::string listed(std::span<const std::string_view> words);

}  // namespace config
