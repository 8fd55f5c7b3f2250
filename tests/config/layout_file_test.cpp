#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "config/kernel_file.hpp"
#include "tests/config/temporary_folder.hpp"
#include "tests/support/contains.hpp"
#include "tuner/model/error.hpp"

using namespace tuner;

namespace {

model::layout::Layout layout_of(std::string_view text) {
  const std::array files = {model::EmbeddedFile{"mine.layout.toml", text}};
  return config::load_layout(files, "mine");
}

std::string mistake_in_layout(std::string_view text) {
  try {
    layout_of(text);
  } catch (const model::UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("a layout is read whole") {
  const model::layout::Layout layout = layout_of(R"toml(title = "T"
introduction = "I"
[[table]]
title = "A"
caption = "C"
family = "f"
kernels = ["k"]
sizes = ["8"]
row_padding = 3
where = { B = 32, P = "row" }
rows = ["size", { by = "parameter", heading = "H", parameters = ["B"] }]
columns = [{ by = "choice", choices = ["x", { label = "y", kernel = "k", where = { B = 1 } }] }]
cell = { field = "GB/s", heading = "G", scale = 2 }
extra = ["time", { field = "registers", scale = 0.5 }]
not_applicable = [{ parameter = "B", dimension = "N" }]
[[chart]]
title = "B"
family = "g"
series = "kernel"
cell = "time_ms"
)toml");
  using Kind = model::layout::Axis::Kind;
  CHECK(layout.name == "mine");
  CHECK(layout.title == "T");
  CHECK(layout.introduction == "I");
  const model::layout::TableLayout& table = layout.tables.at(0);
  CHECK(table.title == "A");
  CHECK(table.caption == "C");
  CHECK(table.filter.family == "f");
  CHECK(table.filter.kernels == std::vector<std::string>{"k"});
  CHECK(table.filter.sizes == std::vector<std::string>{"8"});
  CHECK(table.filter.row_padding == 3);
  CHECK(model::Configuration(table.filter.fixed).text() == "B=32 P=row");
  CHECK(table.rows.at(0).kind == Kind::size);
  CHECK(table.rows.at(1).kind == Kind::parameter);
  CHECK(table.rows[1].heading == "H");
  CHECK(table.rows[1].parameters == std::vector<std::string>{"B"});
  CHECK(table.columns.at(0).kind == Kind::choice);
  CHECK(table.columns[0].choices.at(0).label == "x");
  CHECK(table.columns[0].choices.at(1).kernel == "k");
  CHECK(model::Configuration(table.columns[0].choices[1].where).text() == "B=1");
  CHECK(table.cell.name == "GB/s");
  CHECK(table.cell.heading == "G");
  CHECK(table.cell.scale == 2);
  CHECK(table.extra.at(0).name == "time");
  CHECK(table.extra.at(1).scale == 0.5);
  CHECK(table.not_applicable.at(0).parameter == "B");
  CHECK(table.not_applicable[0].dimension == "N");
  CHECK(layout.charts.at(0).title == "B");
  CHECK(layout.charts[0].filter.family == "g");
  CHECK(layout.charts[0].series.kind == Kind::kernel);
  CHECK(layout.charts[0].cell.name == "time_ms");
}

TEST_CASE("a mistake in a layout is told, in every table of it") {
  const auto table = [](const std::string& lines) {
    return mistake_in_layout("title = \"T\"\n[[table]]\ntitle = \"A\"\n" + lines + "\n");
  };
  const auto chart = [](const std::string& lines) {
    return mistake_in_layout("title = \"T\"\n[[chart]]\ntitle = \"A\"\n" + lines + "\n");
  };
  CHECK(table("cell = \"time\"") == "");
  CHECK(chart("cell = \"time\"") == "");
  CHECK(contains(mistake_in_layout("introduction = \"I\""), "has no \"title\""));
  CHECK(contains(mistake_in_layout("title = \"T\"\nstrange = 1"), "unknown key \"strange\""));
  CHECK(contains(table(""), "has no \"cell\""));
  CHECK(contains(chart(""), "has no \"cell\""));
  for (const char* strange :
       {"strange = 1\ncell = \"time\"", "cell = { field = \"time\", strange = 1 }",
        "cell = \"time\"\nrows = [{ by = \"size\", strange = 1 }]",
        "cell = \"time\"\nrows = [{ by = \"choice\", choices = [{ label = \"a\", strange "
        "= 1 }] }]",
        "cell = \"time\"\nnot_applicable = [{ parameter = \"B\", dimension = \"N\", "
        "strange = 1 }]"}) {
    CAPTURE(strange);
    CHECK(contains(table(strange), "unknown key \"strange\""));
  }
  CHECK(contains(chart("cell = \"time\"\nstrange = 1"), "unknown key \"strange\""));
  CHECK(contains(table("cell = \"time\"\nrows = [\"sise\"]"), "no axis goes by \"sise\""));
  CHECK(contains(table("cell = \"time\"\nrows = [3]"), "an axis must be"));
  CHECK(contains(table("cell = \"time\"\nwhere = 3"), "a selection of parameters must be"));
  CHECK(contains(table("cell = { field = \"time\", scale = \"2\" }"), "\"scale\" must be a number"));
  CHECK(contains(table("cell = \"time\"\nrow_padding = -1"), "from 0"));
  CHECK_THROWS_WITH_AS(config::load_layout({}, "mine"), doctest::Contains("'mine'"), model::UsageError);
  const TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(config::load_layout({}, (folder.path() / "no.toml").string()),
                       doctest::Contains("does not exist"), model::UsageError);
}

TEST_SUITE_END();
