#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/words.hpp"

namespace tuner::model {

/// One invocation of `tuner run`.
struct RunRecord {
  Digest id;
  std::string command_line;  ///< reproduces the run
  std::string started_at;    ///< UTC, ISO 8601; set by the database when empty
  std::string ended_at;      ///< empty: it did not end by itself
  std::string state;         ///< `running`, `done`, `interrupted`, `failed`
  std::string host;
  std::string version;   ///< of the tuner
  std::string strategy;  ///< as --strategy took it, settings included; empty: unknown
  std::uint64_t seed = 0;
  DeviceInfo device;
  std::string toolkit;
  std::int64_t measured = 0;  ///< trials this run added
};

/// What a search can say about candidates that it has not tried. A learning search knows what its last
/// results gained. No bound follows from that on every space, so it gives how often such searches were wrong
/// on test spaces. A search in random order knows how rare faster candidates must be.
struct Outlook {
  /// As a fraction of the best time: 0.01 is one per cent faster. What the last `stretch` results gained;
  /// where `stretch` is 0, what is expected of the rest (order statistics, or a database before version 8).
  double gain = 0;
  double low = 0;            ///< 95 % interval of an expectation
  double high = 0;           ///< a search goes on until this is below `--until`
  std::string estimate;      ///< how it was made, for people: `gain of late`, `order statistics`
  std::int64_t stretch = 0;  ///< results, failures not counted
  /// Share of the searches on test spaces that ended like this one but more than 5 % behind the best
  /// (docs/search.md): over all spaces, and over the worst kind of space. 0: this search has not ended like
  /// that.
  double behind = 0;
  double behind_at_worst = 0;
  double faster = 0;  ///< upper limit of the share of untried candidates that are faster than the best, with
                      ///< 95 % confidence; 0: not known
  bool operator==(const Outlook&) const = default;
};

/// Why a search ended: no candidate is left; the rest is not expected to gain enough (--until); the budget is
/// spent; the user stopped it; its strategy has no more candidates; or the rest could not be prepared or
/// probed. Only the first two mean that nothing more is to be done.
enum class SearchEnding { exhausted, until, budget, interrupted, gave_up, refused };

template <>
struct Words<SearchEnding> {
  static constexpr std::string_view all[] = {"exhausted",   "until",   "budget",
                                             "interrupted", "gave_up", "refused"};
  static constexpr const char* expected = "exhausted, until, budget, interrupted, gave_up or refused";
};

/// How one run's search of a case ended.
struct SearchRecord {
  /// The space of a kernel that took part.
  struct Part {
    std::string kernel;
    Digest spec;                  ///< as KernelDeclaration::spec
    std::int64_t candidates = 0;  ///< its configurations that can be launched
    bool operator==(const Part&) const = default;
  };
  Problem problem;
  Environment environment;
  Digest run;
  std::string strategy;  ///< with its settings
  SearchEnding ending = SearchEnding::exhausted;
  std::vector<Part> parts;  ///< by kernel
  std::int64_t tried = 0;   ///< candidates with a result by then, from any run
  std::int64_t failed = 0;  ///< of those tried
  std::optional<Outlook> outlook;
  std::string ended_at;  ///< UTC, ISO 8601; set by the database
  bool operator==(const SearchRecord&) const = default;
};

/// How far a case has been searched, for the kernels as they are declared today.
struct Searched {
  std::int64_t candidates = 0;
  std::int64_t tried = 0;  ///< by now, by any run or database
  /// Of the search that knew most and whose trials are all still known; absent where there is none.
  std::optional<Outlook> outlook;
  std::int64_t outlook_tried = 0;  ///< what was tried when it was made
  /// Counted as not tried: dropped early against a trial that is no longer that fast.
  std::int64_t reopened = 0;
  bool whole() const { return tried >= candidates; }
  bool operator==(const Searched&) const = default;
};

}  // namespace tuner::model
