// Structs, from a spec's text to a plan.
#include <doctest/doctest.h>

#include <string>

#include "config/mistakes.hpp"
#include "tests/config/spec_texts.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/space/space.hpp"

using namespace tuner;

namespace {

/// The good spec with C an array of structs, and one more argument that is a struct.
std::string with_structs(std::string_view from = "", std::string_view to = "") {
  std::string text = spec_texts::with("[launch]", R"toml([structs.Cell]
fields = ["char tag", "float4 value", "short ids[3]"]

[structs.Range]
fields = ["int first", "double2 scale", "int ends[2]"]

[launch])toml");
  const auto put = [&](std::string_view what, std::string_view with) {
    const std::size_t at = text.find(what);
    REQUIRE_MESSAGE(at != std::string::npos, std::string(what));
    text.replace(at, what.size(), with);
  };
  put("type = \"ELEMENT_TYPE*\"\naccess = \"out\"", "type = \"Cell*\"\naccess = \"inout\"\nINIT");
  put("INIT", "init = { tag = \"integers(0, N)\", value = \"uniform(0, 1)\", ids = \"constant(3)\" }");
  put("name = \"N\"\ntype = \"int\"",
      "name = \"N\"\ntype = \"int\"\n\n[[arguments]]\nname = \"range\"\ntype = \"Range\"\n"
      "value = { first = \"N / 2\", scale = [0.5, \"N\"], ends = [1, 2] }");
  put("\"C.expected\", \"C.magnitude\"",
      "\"C.tag.expected\", \"C.value.expected\", \"C.value.magnitude\", \"C.ids.expected\"");
  if (!from.empty()) put(from, to);
  return text;
}

model::KernelSpec good(std::string_view from = "", std::string_view to = "") {
  const config::LoadedKernels loaded = spec_texts::load(with_structs(from, to));
  INFO(config::diagnostics_text(loaded.mistakes, loaded.texts));
  REQUIRE(loaded.kernels.size() == 1);
  return loaded.kernels.front();
}

/// `THE FIRST LETTERS AT ITS PLACE: message` of the first mistake.
std::string mistake(std::string_view from, std::string_view to) {
  const std::string text = with_structs(from, to);
  const config::LoadedKernels loaded = spec_texts::load(text);
  REQUIRE(!loaded.mistakes.empty());
  const model::Diagnostic& first = loaded.mistakes.front();
  std::size_t begin = 0;
  for (int line = 1; line < first.where.line; ++line) begin = text.find('\n', begin) + 1;
  CHECK(first.where.column > 0);
  return text.substr(begin + static_cast<std::size_t>(first.where.column) - 1, 4) + ": " + first.message;
}

model::Plan plan_of(const model::KernelSpec& spec, std::int64_t n = 100) {
  const auto problem = space::make_problem(spec, {n}, model::ElementType::float32, 0);
  const model::Configuration one(
      {{"BLOCK", model::Value(std::int64_t{64})}, {"ORDER", model::Value(std::string("up"))}});
  const auto made = space::KernelSpace(spec).make_plan(problem, one, {});
  if (const auto* rejection = std::get_if<space::Rejection>(&made)) FAIL(rejection->reason);
  return std::get<model::Plan>(made);
}

}  // namespace

TEST_SUITE_BEGIN("config structs");

TEST_CASE("a struct is laid out as C++ does it, and its fields are buffers of their own") {
  struct alignas(16) Float4 {
    float x[4];
  };
  struct Cell {
    char tag;
    Float4 value;
    short ids[3];
  };
  const model::Plan plan = plan_of(good());
  REQUIRE(plan.buffers.size() == 5);
  const model::BufferPlan& cells = plan.buffers[1];
  CHECK(cells.name == "C");
  CHECK(cells.struct_bytes == sizeof(Cell));
  CHECK(cells.bytes() == 100 * sizeof(Cell));
  CHECK(cells.fields ==
        std::vector<model::FieldPlan>{{2, 0}, {3, offsetof(Cell, value)}, {4, offsetof(Cell, ids)}});
  CHECK(plan.buffers[3].name == "C.value");
  CHECK(plan.buffers[3].elements == 100);
  CHECK(plan.buffers[3].init.kind == model::Init::Kind::uniform);
  CHECK(plan.buffers[4].elements == 300);
  CHECK(plan.buffers[2].init.b == 100);
  CHECK(plan.steps[0].operands.size() == 4);  // A, C, N, range: no kernel is passed a field

  const auto layout = [](const std::string& more) {
    return *good("\"short ids[3]\"]\n", "\"short ids[3]\"]\n" + more).arguments[1].structure;
  };
  CHECK(layout("align = 64\n").bytes == 64);
  CHECK(layout("size = 80\n").bytes == 80);
}

TEST_CASE("how structs are judged is how each of their fields is, and their own bytes are not judged") {
  const std::string_view at = "extent = \"total\"\n\n[[arguments]]\nname = \"N\"";
  const model::KernelSpec spec =
      good(at, "unwritten = \"ignored\"\ntolerance = { absolute = 0.5 }\n" + std::string(at));
  CHECK(spec.arguments[1].structure);
  CHECK_FALSE(spec.arguments[1].ignores_unwritten);
  CHECK_FALSE(spec.arguments[1].tolerance);
  for (const std::size_t field : {std::size_t{2}, std::size_t{3}, std::size_t{4}}) {
    CAPTURE(spec.arguments[field].name);
    CHECK(spec.arguments[field].ignores_unwritten);
    REQUIRE(spec.arguments[field].tolerance);
    CHECK(spec.arguments[field].tolerance->absolute == 0.5);
  }
  CHECK_FALSE(good().arguments[2].ignores_unwritten);
}

TEST_CASE("a struct by value has its numbers where C++ has them") {
  const model::Plan plan = plan_of(good(), 64);
  const model::Operand& range = plan.steps[0].operands.back();
  CHECK(range.struct_bytes == 48);
  using model::ElementType;
  CHECK(range.numbers == std::vector<model::StructNumber>{{ElementType::int32, 0, 32, 0},
                                                          {ElementType::float64, 16, 0, 0.5},
                                                          {ElementType::float64, 24, 0, 64},
                                                          {ElementType::int32, 32, 1, 0},
                                                          {ElementType::int32, 36, 2, 0}});
}

TEST_CASE("where fields lie and what they are filled with is part of a definition") {
  const model::Digest before = space::definition_of(good());
  CHECK(before == space::definition_of(good()));
  CHECK(before == space::definition_of(good("char tag", "signed char tag")));  // other words for the same
  CHECK(before == space::definition_of(good("\"short ids[3]\"]", "\"short ids[3]\"]\nalign = 16")));
  CHECK(before != space::definition_of(good("\"short ids[3]\"]", "\"short ids[3]\"]\nsize = 64")));
  CHECK(before != space::definition_of(good("short ids[3]", "short ids[4]")));
  CHECK(before != space::definition_of(good("uniform(0, 1)", "uniform(0, 2)")));
  CHECK(before != space::definition_of(good("ends = [1, 2]", "ends = [1, 3]")));
}

TEST_CASE("what is wrong with structs is told where it stands") {
  CHECK(mistake("char tag", "string tag") == "stri: unknown type \"string\" of a field");
  CHECK(mistake("char tag", "tag") == "tag\": \"tag\" is no field");
  CHECK(mistake("short ids[3]", "short ids[0]") == "shor: \"short ids[0]\" is no field");
  CHECK(mistake("short ids[3]", "short tag") == "shor: the field \"tag\" stands twice");
  CHECK(mistake("\"short ids[3]\"]", "\"short ids[3]\"]\nalign = 8") == "8\n\n[: align = 8");
  CHECK(mistake("\"short ids[3]\"]", "\"short ids[3]\"]\nsize = 40") == "40\n\n: size = 40");
  CHECK(mistake("\"short ids[3]\"]", "\"short ids[3]\"]\npack = 1").find("pack") == 0);
  CHECK(mistake("tag = \"integers(0, N)\", ", "") == "{ va: C has no init for tag");
  CHECK(mistake("ids = \"constant(3)\"", "id = \"constant(3)\"") == "{ ta: C has no init for ids");
  CHECK(mistake("\"integers(0, N)\"", "\"integers(0, 300)\"").find("cannot hold") != std::string::npos);
  CHECK(mistake("ends = [1, 2]", "ends = [1]") == "[1] : 1 values for range.ends, which has 2");
  CHECK(mistake("first = \"N / 2\", ", "") == "rang: unknown name `first` in `first`");
  CHECK(mistake("\"double2 scale\"", "\"double2 scale[9]\"") == "Rang: Range by value has 176 bytes");
  CHECK(mistake("\"C.tag.expected\"", "\"C.tag.expected\", \"C.expected\"").find("where `C` is a struct") !=
        std::string::npos);
  CHECK(mistake("\"C.tag.expected\", ", "").find("output `C.tag` is not verified") != std::string::npos);
  CHECK(mistake("block = [\"BLOCK\"]", "block = [\"BLOCK\"]\narguments = [\"A\", \"C.tag\", \"N\"]")
            .find("is passed to a kernel, and is a field") != std::string::npos);
  CHECK(mistake("access = \"inout\"", "access = \"inout\"\nunordered = \"N\"") ==
        "unor: C has structs and no \"unordered\"");
}

TEST_SUITE_END();
