#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "db/best.hpp"
#include "tests/sweep/saved.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/util/files.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

std::vector<std::int64_t> scales_to(std::int64_t most) {
  std::vector<std::int64_t> scales;
  for (std::int64_t scale = 1; scale <= most; ++scale) scales.push_back(scale);
  return scales;
}

/// A bench of which `shard` alone is done; without one all.
struct Part : Bench {
  explicit Part(std::optional<sweep::Shard> shard = std::nullopt, std::int64_t scales = 60) {
    sizes = {1024, 2048};
    behave = [](int scale, const model::TrialJob& job) {
      // The sizes disagree on which scale is best.
      const auto elements = static_cast<double>(job.plan.buffers.at(0).elements);
      return ok_in(1000 + std::abs(scale - elements / 64) * 10);
    };
    adjust = [shard, scales](sweep::Request& request) {
      edit_values(request, scales_to(scales));
      request.shard = shard;
      if (shard) request.policy.final.finalists = 0;
    };
  }
};

std::vector<std::string> winners(const Bench& bench) {
  std::vector<std::string> text;
  for (const auto& answer : db::best_of_each(bench.results.store.connection(), {}))
    text.push_back(answer.tuning_case.problem.text() + " " + answer.winner.configuration.text());
  return text;
}

}  // namespace

TEST_SUITE("tuner::sweep shards") {
  TEST_CASE("a shard is the same at every clock, and a clock knows nothing of what another has measured") {
    Part part(sweep::Shard{2, 3});
    std::map<int, std::set<std::string>> tried;
    for (const int mhz : {0, 1200, 1500}) {
      part.adjust = [mhz, own = Part(sweep::Shard{2, 3}).adjust](sweep::Request& request) {
        own(request);
        request.policy.clock_mhz = mhz;
      };
      CHECK(part.run().known == 0);
      for (const auto& [key, record] : part.results.trials())
        if (record.environment.clock_mhz == mhz)
          tried[mhz].insert(record.problem.text() + record.configuration.text());
      CHECK(part.launched.size() == tried[mhz].size());
      CHECK(part.run().finished == 0);
    }
    CHECK_FALSE(tried[0].empty());
    CHECK(tried[1200] == tried[0]);
    CHECK(tried[1500] == tried[0]);
    CHECK(db::best(part.results.store.connection(), {}).size() == 6);
  }

  TEST_CASE("every configuration is in exactly one shard, whatever their number, and all its sizes with it") {
    for (const int of : {1, 2, 3, 16, 61}) {
      std::map<std::string, int> shards;
      std::size_t trials = 0;
      for (int number = 1; number <= of; ++number) {
        Part part(sweep::Shard{number, of});
        const sweep::Request request = part.request();
        for (const sweep::Group& group : sweep::list_trials(request, part.results).groups) {
          for (std::size_t i = 0; i < group.candidates.size(); ++i) {
            ++trials;
            const std::string text = group.configuration(i).text();
            CHECK(shards.try_emplace(text, number).first->second == number);
          }
        }
      }
      CHECK(shards.size() == 60);
      CHECK(trials == 2 * 60);
    }
  }

  TEST_CASE("another value in a list moves no configuration to another shard") {
    for (int number = 1; number <= 4; ++number) {
      const auto keys = [&](std::int64_t scales) {
        Part part(sweep::Shard{number, 4}, scales);
        const sweep::TrialList list = sweep::list_trials(part.request(), part.results);
        std::set<std::string> texts;
        const sweep::Group& group = list.groups.at(0);
        for (std::size_t i = 0; i < group.candidates.size(); ++i) texts.insert(group.configuration(i).text());
        return texts;
      };
      std::set<std::string> longer = keys(61);
      longer.erase("SCALE=61");
      CHECK(longer == keys(60));
    }
  }

  TEST_CASE("shards merged in any order are the unsharded sweep, but for the finals") {
    Part whole;
    whole.run();
    const std::vector<std::string> expected = winners(whole);
    std::mt19937 random(7);
    const util::TemporaryFolder folder;
    constexpr int of = 5;
    std::vector<std::filesystem::path> files;
    for (int number = 1; number <= of; ++number) {
      Part part(sweep::Shard{number, of});
      CHECK(part.run().finals == 0);
      CHECK(part.results.finals.empty());
      files.push_back(folder.path() / (std::to_string(number) + ".db"));
      save(part, files.back());
    }
    for (int round = 0; round < 4; ++round) {
      std::shuffle(files.begin(), files.end(), random);
      Part merged;
      for (const auto& file : files) db::merge_database(merged.results.store.connection(), file);
      CHECK(db::merge_database(merged.results.store.connection(), files.front()).measurements == 0);
      const sweep::Summary summary = merged.run();
      CHECK(summary.planned == 2 * 60);
      CHECK(summary.known == 2 * 60);
      CHECK(summary.finals == 2);
      CHECK(winners(merged) == expected);
    }
    SUBCASE("one that was lost is made good by a sweep without shards") {
      Part merged;
      for (std::size_t i = 1; i < files.size(); ++i)
        db::merge_database(merged.results.store.connection(), files[i]);
      const sweep::Summary summary = merged.run();
      CHECK(summary.finished > 0);
      CHECK(summary.finished + summary.known == 2 * 60);
      CHECK(winners(merged) == expected);
    }
  }

  TEST_CASE("a shard that is done does not claim that the space is") {
    Part part(sweep::Shard{1, 3});
    const sweep::Summary summary = part.run();
    REQUIRE(summary.finished > 0);
    for (const model::SearchRecord& search : part.watcher.searches) {
      CHECK(search.ending == model::SearchEnding::gave_up);
      CHECK(search.parts.at(0).candidates == 60);
    }
    for (const auto& answer : db::best_of_each(part.results.store.connection(), {})) {
      REQUIRE(answer.searched);
      CHECK(answer.searched->candidates == 60);
      CHECK_FALSE(answer.searched->whole());
    }
    CHECK(part.run().finished == 0);  // a retry does only what is missing
  }

  TEST_CASE("more shards than configurations leave some with nothing to do") {
    int idle = 0;
    for (int number = 1; number <= 30; ++number) {
      Part part(sweep::Shard{number, 30}, 6);
      const sweep::Summary summary = part.run();
      CHECK(summary.ending == sweep::Ending::done);
      idle += summary.planned == 0;
    }
    CHECK(idle >= 24);
  }

  TEST_CASE("what is no shard is said to be none") {
    CHECK(sweep::parse_shard("3/16").text() == "3/16");
    CHECK(sweep::parse_shard("1/1").of == 1);
    for (const char* text : {"17/16", "0/16", "-1/16"}) {
      const auto message = [&] {
        try {
          sweep::parse_shard(text);
        } catch (const model::UsageError& error) {
          return std::string(error.what()) + " | " + error.hint();
        }
        return std::string("accepted");
      }();
      CHECK(message.find("there is no shard") == 0);
      CHECK(message.find("1/16 to 16/16") != std::string::npos);
    }
    for (const char* text : {"", "3", "/", "3/", "/16", "a/b", "3/16/2", "3/0", "3 / 16", "1/100001"}) {
      CAPTURE(text);
      CHECK_THROWS_AS(sweep::parse_shard(text), model::UsageError);
    }
  }
}
