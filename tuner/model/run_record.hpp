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

/// What a search can say of the candidates that it has not tried. One that learns observes: what its last
/// results gained. No number that follows from that holds on every space, so there is none; what is known is
/// how often such searches were wrong on test spaces. A random order knows how rare something faster must be.
struct Outlook {
  /// Of the best time: 0.01 is one per cent faster. Gained by the last `stretch` results; where that is 0,
  /// expected of the rest, by order statistics or as versions before 8 of the database had it.
  double gain = 0;
  double low = 0;            ///< of an expectation the 95 % interval
  double high = 0;           ///< likewise; a search goes on as long as this is not below `--until`
  std::string estimate;      ///< how it was made, for people: `gain of late`, `order statistics`
  std::int64_t stretch = 0;  ///< results, failures not counted
  /// Share of the searches on test spaces that ended like this one more than 5 % behind the best
  /// (docs/search.md): of all of them, and on the kind of space where it was largest. 0: the search has not
  /// ended so.
  double behind = 0;
  double behind_at_worst = 0;
  double faster =
      0;  ///< with 95 % confidence no larger share of the rest is faster than the best; 0: not known
  bool operator==(const Outlook&) const = default;
};

/// Why a search ended: nothing is left; what is left was not expected to give enough (--until); the budget
/// was spent; somebody stopped it; its strategy had no more ideas; or what is left could not be prepared or
/// probed, so that it was not tried. Of these the first two alone say that there is nothing more to do.
enum class SearchEnding { exhausted, until, budget, interrupted, gave_up, refused };

template <>
struct Words<SearchEnding> {
  static constexpr std::string_view all[] = {"exhausted",   "until",   "budget",
                                             "interrupted", "gave_up", "refused"};
  static constexpr const char* expected = "exhausted, until, budget, interrupted, gave_up or refused";
};

/// How one run's search of a problem in a class ended.
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
  std::int64_t tried = 0;   ///< candidates known by then, by whichever run
  std::int64_t failed = 0;  ///< of those tried
  std::optional<Outlook> outlook;
  std::string ended_at;  ///< UTC, ISO 8601; set by the database
  bool operator==(const SearchRecord&) const = default;
};

/// How far a case has been searched, as far as that can be said of the kernels as they are today.
struct Searched {
  std::int64_t candidates = 0;
  std::int64_t tried = 0;  ///< by now, and by whichever run or database
  /// Of the search that knew most, all of whose trials are still known; nothing where none could say.
  std::optional<Outlook> outlook;
  std::int64_t outlook_tried = 0;  ///< what was tried when it was made
  /// Of those not tried: dropped early, for somebody who is no longer that fast.
  std::int64_t reopened = 0;
  bool whole() const { return tried >= candidates; }
  bool operator==(const Searched&) const = default;
};

}  // namespace tuner::model
