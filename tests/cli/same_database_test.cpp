#include <doctest/doctest.h>

#include "tuner/cli/output.hpp"

using namespace tuner::cli;

TEST_SUITE_BEGIN("tuner::cli");

TEST_CASE("a command in a message asks the database that the user's command had") {
  CHECK(in_same_database("2 trials failed; `tuner list failures` says why") ==
        "2 trials failed; `tuner list failures` says why");
  name_database("/scratch/a b.db");
  CHECK(in_same_database("2 trials failed; `tuner list failures` says why") ==
        "2 trials failed; `tuner list failures --db '/scratch/a b.db'` says why");
  CHECK(in_same_database("measure it first: tuner run --sizes 1024") ==
        "measure it first: tuner run --sizes 1024 --db '/scratch/a b.db'");
  CHECK(
      in_same_database("`tuner list runs` and `tuner report` show identifiers") ==
      "`tuner list runs --db '/scratch/a b.db'` and `tuner report --db '/scratch/a b.db'` show identifiers");
  CHECK(in_same_database("`tuner explain 64` says what binds it") ==
        "`tuner explain 64 --db '/scratch/a b.db'` says what binds it");
  CHECK(in_same_database("for example tuner best 1024 --format flags") ==
        "for example tuner best 1024 --format flags --db '/scratch/a b.db'");
  CHECK(in_same_database("measure it first: tuner run --kernel '/a;b/it'\\''s;k.toml'; or another") ==
        "measure it first: tuner run --kernel '/a;b/it'\\''s;k.toml' --db '/scratch/a b.db'; or another");
}

TEST_CASE("what has no database, or has one already, is left as it is") {
  name_database("x.db");
  for (const char* text :
       {"`tuner list devices` shows what there is", "`tuner check` says why", "tuner: no such file",
        "`tuner best --db y.db` shows it", "To resume:\n  tuner run --sizes 64 \\\n    --db x.db",
        "`tuner runs` is no command", "the tuner best of all", "`tuner list"})
    CHECK(in_same_database(text) == text);
}

TEST_SUITE_END();
