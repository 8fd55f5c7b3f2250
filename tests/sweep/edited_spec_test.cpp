#include <doctest/doctest.h>

#include "db/best.hpp"
#include "db/database.hpp"
#include "db/queries.hpp"
#include "tests/support/run_program.hpp"
#include "tests/sweep/scripted_sweep.hpp"

using namespace tuner;

namespace {

/// Two kernels of one family, each with a spec and a source of its own that can be edited.
struct Edited {
  Edited() {
    for (const char* kernel : {"first", "second"}) {
      test::write_scripted_spec(folder / kernel, kernel, 3);
      sweep.specs.push_back(folder.path() + "/" + kernel);
    }
    sweep.database = folder / "tuner.db";
  }

  test::ScriptedSummary run() const { return test::run_scripted_sweep(sweep); }
  void write_source(const std::string& kernel, const std::string& text) const {
    test::write_text(folder / (kernel + "/scripted.cu"), text);
  }
  std::string spec_of_first() const { return test::read_text(folder / "first/first.toml"); }
  void write_spec_of_first(const std::string& text) const {
    test::write_text(folder / "first/first.toml", text);
  }
  /// Changes the spec of the first kernel in one place.
  void edit(const std::string& from, const std::string& to) const {
    std::string text = spec_of_first();
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    write_spec_of_first(text.replace(at, from.size(), to));
  }
  /// The kernel's best trial; of both where none is named.
  std::optional<model::TrialRecord> best(const std::string& kernel) const {
    db::BestQuery query;
    query.sizes = {100'000};
    query.kernel = kernel;
    const auto answers = db::best(db::open_for_reading(sweep.database), query);
    if (answers.empty()) return std::nullopt;
    CHECK(answers.size() == 1);
    return answers[0].winner;
  }
  std::string definition(const std::string& kernel) const {
    const auto winner = best(kernel);
    return winner ? winner->definition.hex() : "";
  }
  /// Of the first kernel, what may win.
  std::vector<model::TrialRecord> competing() const {
    db::TrialFilter filter;
    filter.kernel = "first";
    filter.superseded = false;
    return db::trials(db::open_for_reading(sweep.database), filter);
  }

  test::TemporaryFolder folder;
  test::ScriptedSweep sweep;
};

}  // namespace

TEST_SUITE("tuner::sweep edited specs") {
  TEST_CASE("the best is of the source as it is now; undoing the edit brings the old one back unmeasured") {
    const Edited edited;
    CHECK(edited.run().finished == 6);
    const std::string first = edited.definition("first");
    const std::string second = edited.definition("second");
    edited.write_source("first", "// Edited.\n");
    CHECK(edited.run().finished == 3);
    const std::string after = edited.definition("first");
    CHECK_FALSE(after.empty());
    CHECK(after != first);
    CHECK(edited.definition("second") == second);
    edited.write_source("first", "// What a scripted compiler is given is never read.\n");
    CHECK(edited.run().finished == 0);
    CHECK(edited.definition("first") == first);
  }

  TEST_CASE("what a configuration runs, or what is right, is edited in the spec alone: old trials are out") {
    const Edited edited;
    edited.run();
    const std::string spec = edited.spec_of_first();
    const std::string first = edited.definition("first");
    SUBCASE("grid") {
      edited.edit("ceil_div(N, 128 * VARIANT)", "ceil_div(N, 64 * VARIANT)");
    }
    SUBCASE("block") {
      edited.edit("block = [128]", "block = [64]");
    }
    SUBCASE("shared memory") {
      edited.edit("block = [128]", "block = [128]\ndynamic_shared_bytes = \"1024\"");
    }
    SUBCASE("compile options") {
      edited.edit("sizes = [", "options = [\"--use_fast_math\"]\nsizes = [");
    }
    SUBCASE("an argument's contents") {
      edited.edit("access = \"out\"", "access = \"inout\"\ninit = \"uniform(-1, 1)\"");
    }
    SUBCASE("rounding terms") {
      edited.edit("rounding_terms = \"1\"", "rounding_terms = \"2\"");
    }
    SUBCASE("the reference's launch") {
      edited.edit("\"x.magnitude\"]", "\"x.magnitude\", \"N\"]");
    }
    SUBCASE("a parameter that is new") {
      edited.edit("[launch]", "OTHER = [5]\n\n[launch]");
    }
    SUBCASE("a parameter's name") {
      edited.edit("VARIANT = [", "KIND = [");
      edited.edit("128 * VARIANT", "128 * KIND");
    }
    const sweep::Summary summary = edited.run();
    CHECK(summary.finished == 3);
    CHECK(summary.finals == 1);
    CHECK(edited.definition("first") != first);
    CHECK(edited.competing().size() == 3);
    CHECK(edited.run().finished == 0);

    edited.write_spec_of_first(spec);
    CHECK(edited.run().finished == 0);
    CHECK(edited.definition("first") == first);
    CHECK(edited.competing().size() == 3);
  }

  TEST_CASE("a configuration that left the space does not win, and comes back with its value") {
    const Edited edited;
    edited.run();
    const std::string spec = edited.spec_of_first();
    const std::string best = edited.best("first")->configuration.text();
    const std::string value = best.substr(best.find('=') + 1);
    SUBCASE("its value was removed") {
      std::string rest;
      for (const char* one : {"1", "2", "3"}) {
        if (one != value) rest += (rest.empty() ? "" : ", ") + std::string(one);
      }
      edited.edit("VARIANT = [1, 2, 3]", "VARIANT = [" + rest + "]");
    }
    SUBCASE("a constraint excludes it") {
      edited.edit("[kernel]", "constraints = [\"VARIANT != " + value + "\"]\n\n[kernel]");
    }
    CHECK(edited.run().finished == 0);
    CHECK(edited.competing().size() == 2);
    CHECK(edited.best("first")->configuration.text() != best);
    edited.write_spec_of_first(spec);
    CHECK(edited.run().finished == 0);
    CHECK(edited.best("first")->configuration.text() == best);
  }

  TEST_CASE("a wider list adds what is new; words and metrics measure nothing again") {
    const Edited edited;
    edited.run();
    SUBCASE("a value") {
      edited.edit("VARIANT = [1, 2, 3]", "VARIANT = [1, 2, 3, 4]");
      CHECK(edited.run().finished == 1);
      CHECK(edited.competing().size() == 4);
    }
    SUBCASE("a description") {
      edited.edit("sizes = [", "description = \"Of scripted behaviour.\"\nsizes = [");
      CHECK(edited.run().finished == 0);
      CHECK(edited.competing().size() == 3);
    }
    SUBCASE("a metric") {
      edited.edit("\"elements/ns\" = \"1.0 * N / time_ns\"", "\"elements/us\" = \"1000.0 * N / time_ns\"");
      CHECK(edited.run().finished == 0);
      CHECK(edited.competing().size() == 3);
    }
    SUBCASE("a workload") {
      edited.edit("[metrics]", "[workload]\nbytes = \"4 * N\"\n\n[metrics]");
      CHECK(edited.run().finished == 0);
      CHECK(edited.competing().size() == 3);
    }
    CHECK(edited.definition("second") != "");
  }
}
