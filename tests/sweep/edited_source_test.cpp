#include <doctest/doctest.h>

#include "db/best.hpp"
#include "db/database.hpp"
#include "tests/support/run_program.hpp"
#include "tests/sweep/scripted_sweep.hpp"

using namespace tuner;

namespace {

/// Two kernels of one family, each with a source of its own that can be edited.
struct Edited {
  Edited() {
    for (const char* kernel : {"first", "second"}) {
      test::write_scripted_spec(folder / kernel, kernel, 3);
      sweep.specs.push_back(folder.path() + "/" + kernel);
    }
    sweep.database = folder / "tuner.db";
  }

  sweep::Summary run() const { return test::run_scripted_sweep(sweep); }
  void write_source(const std::string& kernel, const std::string& text) const {
    test::write_text(folder / (kernel + "/scripted.cu"), text);
  }
  /// The source of the kernel's best trial; empty where it has none.
  std::string best(const std::string& kernel) const {
    db::BestQuery query;
    query.sizes = {100'000};
    query.kernel = kernel;
    const auto answers = db::best(db::open_for_reading(sweep.database), query);
    return answers.empty() ? "" : answers.at(0).winner.source_key.hex();
  }

  test::TemporaryFolder folder;
  test::ScriptedSweep sweep;
};

}  // namespace

TEST_SUITE("tuner::sweep edited sources") {
  TEST_CASE("the best is of the source as it is now; undoing the edit brings the old one back unmeasured") {
    const Edited edited;
    CHECK(edited.run().finished == 6);
    const std::string first = edited.best("first");
    const std::string second = edited.best("second");
    edited.write_source("first", "// Edited.\n");
    CHECK(edited.run().finished == 3);
    const std::string after = edited.best("first");
    CHECK_FALSE(after.empty());
    CHECK(after != first);
    CHECK(edited.best("second") == second);
    edited.write_source("first", "// What a scripted compiler is given is never read.\n");
    CHECK(edited.run().finished == 0);
    CHECK(edited.best("first") == first);
  }
}
