#include "config/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace config {
namespace model = tuner::model;
namespace {

/// Names longer than this are compared by nobody; it bounds the quadratic distance.
constexpr std::size_t most_letters = 64;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Optimal string alignment distance: Levenshtein's, and swapping two neighbours counts one.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t exchange = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + exchange});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

void Mistakes::add(model::SourceLocation where, std::string message, std::string hint) {
  m_list.push_back({std::move(where), std::move(message), std::move(hint)});
}

void Mistakes::wrong_type(const Node& found, std::string_view what, std::string_view expected,
                          std::string hint) {
  add(found.where, fmt::format("{} must be {}, found {}", what, expected, found.described()),
      std::move(hint));
}

std::vector<model::Diagnostic> Mistakes::take() {
  std::stable_sort(m_list.begin(), m_list.end(), [](const model::Diagnostic& a, const model::Diagnostic& b) {
    return std::tie(a.where.file, a.where.line, a.where.column) <
           std::tie(b.where.file, b.where.line, b.where.column);
  });
  return std::exchange(m_list, {});
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > most_letters) return {};
  std::string_view best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > most_letters) continue;
    const std::size_t away = distance(word, candidate);
    if (away < least && away < candidate.size()) {
      least = away;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view meant = nearest(word, candidates);
  return meant.empty() ? "" : fmt::format("did you mean \"{}\"?", meant);
}

std::string listed(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace config
