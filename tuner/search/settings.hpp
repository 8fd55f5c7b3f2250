#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace tuner::search {

/// A number that a strategy can be given: `population=20`.
struct Setting {
  std::string_view name;
  double usual = 0;
  double low = 0;   ///< the least and
  double high = 1;  ///< the most that is accepted
  bool whole = false;
  std::string_view description;  ///< a sentence for people
};

/// The settings of a strategy with their values: the usual ones but for those that were given.
class Settings {
 public:
  /// `text`: `name=value,…`, or empty. Throws model::UsageError that names what there is where a name or a
  /// value is none; `strategy` is for the message.
  Settings(std::string_view strategy, std::span<const Setting> known, std::string_view text);

  /// `name` is one of the known ones.
  double number(std::string_view name) const;
  std::size_t count(std::string_view name) const { return static_cast<std::size_t>(number(name)); }

 private:
  void set(std::string_view strategy, std::string_view name, std::string_view value);

  std::span<const Setting> m_known;
  std::vector<double> m_values;
};

}  // namespace tuner::search
