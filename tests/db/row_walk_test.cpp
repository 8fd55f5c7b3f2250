#include <doctest/doctest.h>

#include "db/row_copier.hpp"
#include "tests/db/fixture.hpp"

using db_test::key;

TEST_SUITE("db") {
  TEST_CASE("rows are found by id in their order, against it, again, and not where there are none") {
    const db::Connection db = db::Connection::in_memory();
    db.execute("CREATE TABLE things (id BLOB PRIMARY KEY NOT NULL, name TEXT) STRICT");
    db::Statement insert(db, "INSERT INTO things VALUES (?, ?)");
    for (const char* name : {"a", "b", "c", "d"}) insert.use().bind(key(name)).bind(name).run();
    db::RowWalk walk(db, "things", "m.name");
    const auto find = [&](const char* name) {
      db::Statement::Use* row = walk.find(key(name));
      return row == nullptr ? std::string("none") : row->text();
    };
    for (const char* name : {"a", "b", "b", "d", "d", "a", "c", "d"}) CHECK(find(name) == name);
    CHECK(find("e") == "none");
    CHECK(find("e") == "none");
    CHECK(find("b") == "b");
    CHECK(find("c") == "c");
    db.execute("DELETE FROM things");
    db::RowWalk empty(db, "things", "m.name");
    CHECK(empty.find(key("a")) == nullptr);
  }
}
