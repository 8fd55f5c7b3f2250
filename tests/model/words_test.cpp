// What is written down and read again: names, numbers of types, identifiers, text in JSON.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/plan.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/model/winner.hpp"
#include "tuner/util/files.hpp"

using namespace tuner;

namespace {

model::Problem problem_of(std::vector<model::Dimension> sizes, std::int64_t padding = 0) {
  return {"matmul", std::move(sizes), model::ElementType::float32, padding};
}

}  // namespace

TEST_SUITE_BEGIN("tuner::model");

TEST_CASE("an identifier is 32 hexadecimal digits, and comes back as it was") {
  const std::string text = "000102030405060708090a0b0c0d0eff";
  CHECK(model::Digest::from_hex(text).hex() == text);
  CHECK(model::Digest::from_hex(text).bytes[15] == 0xFF);
  for (const char* wrong : {"", "000102030405060708090a0b0c0d0ef", "000102030405060708090a0b0c0d0effff",
                            "000102030405060708090A0B0C0D0EFF", "000102030405060708090a0b0c0d0efg",
                            "000102030405060708090a0b0c0d0e/f", "000102030405060708090a0b0c0d0e:f"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(model::Digest::from_hex(wrong), model::UsageError);
  }
  const std::array<std::uint8_t, 17> bytes{1, 2};
  CHECK(model::Digest::from_bytes(std::span(bytes).first(16)).hex() == "01020000000000000000000000000000");
  CHECK_THROWS_AS(model::Digest::from_bytes(bytes), model::Error);
  CHECK_THROWS_AS(model::Digest::from_bytes(std::span(bytes).first(15)), model::Error);
  CHECK(model::Digest{}.empty());
  CHECK_FALSE(model::Digest::from_hex(text).empty());
}

TEST_CASE("random identifiers are unlike") {
  std::set<model::Digest> seen;
  for (int i = 0; i < 100; ++i) seen.insert(model::Digest::random());
  CHECK(seen.size() == 100);
  CHECK_FALSE(seen.contains(model::Digest{}));
}

TEST_CASE("fields that are hashed keep their borders, and each byte of a number counts") {
  const auto of = [](auto... fields) {
    model::DigestBuilder digest;
    (digest.add(fields), ...);
    return digest.finish();
  };
  // Recorded: the first 16 bytes of the SHA-256 of a length, "ab" and a number, least byte first.
  CHECK(of(std::string_view("ab"), std::int64_t{0x0102030405060708}).hex() ==
        "de8ff056e92fd1785b75c4d3896e2a0d");
  CHECK(of(std::string_view("ab"), std::string_view("c")) !=
        of(std::string_view("a"), std::string_view("bc")));
  CHECK(of(std::string_view("ab")) != of(std::string_view("ab"), std::string_view("")));
  std::set<model::Digest> seen;
  for (int bit = 0; bit < 63; ++bit) seen.insert(of(std::int64_t{1} << bit));
  seen.insert(of(std::numeric_limits<std::int64_t>::min()));
  CHECK(seen.size() == 64);
}

TEST_CASE("a file is known by all of its bytes, however long it is") {
  const util::TemporaryFolder folder;
  const auto of = [&](const std::string& text) {
    folder.write("data", text);
    return model::digest_of_file((folder.path() / "data").string());
  };
  constexpr std::size_t part_bytes = std::size_t{1} << 20U;
  const std::string long_text(part_bytes + 10, 'x');
  for (const std::size_t at : {std::size_t{0}, part_bytes - 1, part_bytes, part_bytes + 9}) {
    CAPTURE(at);
    std::string other = long_text;
    other[at] = 'y';
    CHECK(of(other) != of(long_text));
  }
  CHECK(of(long_text) == of(long_text));
  CHECK(of(long_text + "x") != of(long_text));
  CHECK(of(std::string(part_bytes, 'x')) != of(std::string(2 * part_bytes, 'x')));
  CHECK_FALSE(of("").empty());
  CHECK(model::digest_of_file((folder.path() / "nowhere").string()).empty());
}

TEST_CASE("text in JSON is escaped where it must be, and what is no UTF-8 is replaced") {
  CHECK(model::json_quote("a\"b\\c") == R"("a\"b\\c")");
  CHECK(model::json_quote("a\nb\tc") == R"("a\nb\tc")");
  CHECK(model::json_quote("\x01\x1f\x7f ") == "\"\\u0001\\u001f\x7f \"");
  for (const char* good : {"\u00e4", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000",
                           "\U0010FFFF", "\u6F22\u5B57"}) {
    CHECK(model::json_quote(good) == '"' + std::string(good) + '"');
  }
  const std::string replaced = "\xEF\xBF\xBD";
  for (const char* latin :
       {"\xC2\x80", "\xC2\xB5", "\xDF\xBF"})  // the first and the last of two bytes, and µ
    CHECK(model::json_quote(latin) == '"' + std::string(latin) + '"');
  CHECK(model::json_quote("\x80") == '"' + replaced + '"');
  CHECK(model::json_quote("\xC1\x81") == '"' + replaced + replaced + '"');                 // overlong: A
  CHECK(model::json_quote("\xE0\x9F\xBF") == '"' + replaced + replaced + replaced + '"');  // overlong: U+7FF
  CHECK(model::json_quote("\xED\xA0\x80") == '"' + replaced + replaced + replaced + '"');  // a surrogate
  CHECK(model::json_quote("\xED\xBF\xBF") == '"' + replaced + replaced + replaced + '"');
  CHECK(model::json_quote("\xF0\x8F\xBF\xBF") == '"' + replaced + replaced + replaced + replaced + '"');
  CHECK(model::json_quote("\xF4\x90\x80\x80") == '"' + replaced + replaced + replaced + replaced + '"');
  CHECK(model::json_quote("\xF5\x80\x80\x80") == '"' + replaced + replaced + replaced + replaced + '"');
  CHECK(model::json_quote("\xE6\xBC") == '"' + replaced + replaced + '"');  // cut off
  CHECK(model::json_quote("\xE6\xBCz") == '"' + replaced + replaced + "z\"");
  CHECK(model::json_quote("\xC3z") == '"' + replaced + "z\"");
}

TEST_CASE("what is stored as a word is read as what it was") {
  using Ending = model::SearchEnding;
  for (const auto ending : {Ending::exhausted, Ending::until, Ending::budget, Ending::interrupted,
                            Ending::gave_up, Ending::refused})
    CHECK(model::parse_word<model::SearchEnding>(model::to_string(ending)) == ending);
  CHECK(model::to_string(Ending::until) == "until");
  CHECK_FALSE(model::parse_word<model::SearchEnding>("Until"));
  for (int i = 0; i < 13; ++i) {
    const auto status = static_cast<model::TrialStatus>(i);
    CHECK(model::parse_word<model::TrialStatus>(model::to_string(status)) == status);
    using enum model::TrialStatus;
    CHECK(model::is_failure(status) == (status != ok && status != dropped && status != skipped));
  }
  CHECK(model::to_string(model::TrialStatus::wrong_result) == "wrong_result");
  CHECK_FALSE(model::parse_word<model::TrialStatus>("good"));
  for (const auto role : {model::Role::competitor, model::Role::baseline, model::Role::ceiling})
    CHECK(model::parse_word<model::Role>(model::to_string(role)) == role);
  CHECK_FALSE(model::parse_word<model::Role>(""));
  for (int i = 0; i < 5; ++i) {
    const auto phase = static_cast<model::TrialPhase>(i);
    CHECK(model::parse_word<model::TrialPhase>(model::to_string(phase)) == phase);
  }
  CHECK_FALSE(model::parse_word<model::TrialPhase>("idle"));
}

TEST_CASE("a type has the name, the size and the precision that CUDA gives it") {
  using Type = model::ElementType;
  for (int i = 0; i <= static_cast<int>(model::last_element_type); ++i) {
    const auto type = static_cast<Type>(i);
    CAPTURE(model::cuda_name(type));
    CHECK(model::parse_element_type(model::cuda_name(type)) == type);
    CHECK(model::size_bytes(type) ==
          model::size_bytes(model::component_type(type)) * model::components(type));
    CHECK(model::alignment_bytes(type) <= 16);
    CHECK(model::size_bytes(type) % model::alignment_bytes(type) == 0);
    CHECK(model::is_floating(type) == model::is_floating(model::component_type(type)));
  }
  for (const Type type : {Type::float64, Type::float16, Type::float8_e5m2, Type::float4})
    CHECK(model::is_floating(type));
  for (const Type type : {Type::int32, Type::int8, Type::uint64}) CHECK_FALSE(model::is_floating(type));
  CHECK(model::parse_element_type("bfloat16") == Type::bfloat16);
  CHECK(model::parse_element_type("size_t") == Type::uint64);
  CHECK_FALSE(model::parse_element_type("quad"));
  CHECK(model::alignment_bytes(Type::float3) == 4);
  CHECK(model::alignment_bytes(Type::float4) == 16);
  CHECK(model::alignment_bytes(Type::double4) == 16);
  CHECK(model::alignment_bytes(Type::double3) == 8);
  CHECK(model::element_type_names().starts_with("float, double, "));
  CHECK(model::unit_roundoff(Type::float32) == std::numeric_limits<float>::epsilon() / 2);
  CHECK(model::unit_roundoff(Type::float64) == std::numeric_limits<double>::epsilon() / 2);
  CHECK(model::unit_roundoff(Type::float4) == model::unit_roundoff(Type::float32));
  CHECK(model::unit_roundoff(Type::int32) == 0);
  CHECK(model::underflow(Type::float16) == std::ldexp(1.0, -25));  // half of the least number
  CHECK(model::underflow(Type::float32) == 0);
  CHECK(model::underflow(Type::int8) == 0);
  CHECK(model::largest(Type::float16) == 65504);
  CHECK(model::largest(Type::float8_e4m3) == 448);
  CHECK(model::largest(Type::float8_e5m2) == 57344);
  CHECK(model::largest(Type::float32) == std::numeric_limits<float>::max());
  CHECK(model::largest(Type::float64) == std::numeric_limits<double>::max());
  CHECK(model::largest(Type::int32) == 0);
  CHECK(model::most_whole(Type::float16) == 2048);
  CHECK(model::most_whole(Type::int32) == 0);
}

TEST_CASE("a word's code is a positive odd number that does not change") {
  CHECK(model::word_code("row") == 1141775739);  // recorded: codes are in sources of before
  for (const char* word : {"", "row", "column", "a", "b"}) {
    CAPTURE(word);
    CHECK(model::word_code(word) > 0);
    CHECK(model::word_code(word) <= std::numeric_limits<std::int32_t>::max());
    CHECK(model::word_code(word) % 2 == 1);
  }
  CHECK(model::Value("row").code() == model::word_code("row"));
  CHECK(model::Value("row").json() == "\"row\"");
  CHECK(model::Value(7).json() == "7");
  CHECK(model::Value(7).text() == "7");
}

TEST_CASE("a configuration is told in the order written, and known in the order of its names") {
  const model::Configuration configuration({{"B", 32}, {"A", model::Value("x y")}});
  CHECK(configuration.text() == "B=32 A=x y");
  CHECK(configuration.json() == R"({"B":32,"A":"x y"})");
  CHECK(configuration.canonical_json() == R"({"A":"x y","B":32})");
  CHECK(model::Configuration().text() == "-");
  CHECK(model::Configuration().json() == "{}");
  CHECK(configuration.find("A")->text() == "x y");
  CHECK(configuration.find("C") == nullptr);
}

TEST_CASE("a problem is told by its sizes, its type and its padding") {
  CHECK(problem_of({{"M", 8}, {"N", 8}}).text() == "8 float");
  CHECK(problem_of({{"M", 8}, {"N", 9}}, 32).text() == "8x9 float pad 32");
  CHECK(problem_of({{"M", 9}, {"N", 8}, {"K", 8}}).size_text() == "9x8x8");
  CHECK(problem_of({}).size_text() == "-");
  CHECK(problem_of({{"M", 8}, {"N", 9}}).sizes_json() == R"({"M":8,"N":9})");
  CHECK(problem_of({}).sizes_json() == "{}");
}

TEST_CASE("problems are as far apart as the logarithms of their sizes, and a padding is a quarter") {
  const model::Problem of = problem_of({{"M", 8}, {"N", 64}});
  CHECK(model::distance(of, of) == 0);
  CHECK(model::distance(of, problem_of({{"M", 64}, {"N", 1024}})) == doctest::Approx(5));
  CHECK(model::distance(of, problem_of({{"M", 1}, {"N", 64}})) == doctest::Approx(3));
  CHECK(model::distance(of, problem_of({{"M", 8}, {"N", 64}}, 1)) == doctest::Approx(0.25));
  CHECK(std::isinf(model::distance(of, problem_of({{"M", 8}}))));
  CHECK(std::isinf(model::distance(of, problem_of({{"M", 8}, {"K", 64}}))));
}

TEST_CASE("a loop's steps run in turn, as often as it says and no farther than the plan") {
  std::vector<model::Step> steps(5);
  CHECK(model::launch_order(steps) == std::vector<std::size_t>{0, 1, 2, 3, 4});
  steps[1].repeat = 2;
  steps[1].repeat_steps = 2;
  steps[4].repeat = 3;
  steps[4].repeat_steps = 2;
  CHECK(model::launch_order(steps) == std::vector<std::size_t>{0, 1, 2, 1, 2, 3, 4, 4, 4});
  CHECK(model::launch_order({}).empty());
}

TEST_CASE("a plan's memory is both draws of its buffers, and four doubles for each number that is judged") {
  model::Plan plan;
  plan.buffers.resize(3);
  plan.buffers[0] = {"x", model::ElementType::float4, 10, model::Access::in, {}, {}};
  plan.buffers[1] = {"y", model::ElementType::float2, 10, model::Access::out, {}, {}};
  plan.buffers[2] = {"scratch", model::ElementType::float32, 7, model::Access::workspace, {}, {}};
  const std::int64_t buffers = 2 * 160 + 2 * 80 + 28;
  const std::int64_t judged = 4 * 20 * 8;
  CHECK(plan.device_bytes() == buffers);
  model::Plan with_file = plan;
  with_file.buffers[1].expected.path = "y.bin";
  CHECK(with_file.device_bytes() == buffers + judged);
  model::Plan with_reference = plan;
  with_reference.verify.reference.resize(1);
  CHECK(with_reference.device_bytes() == buffers + judged);
  with_reference.buffers[1].access = model::Access::inout;
  CHECK(with_reference.device_bytes() == buffers + judged);
  with_reference.buffers[1].struct_bytes = 8;
  CHECK(with_reference.device_bytes() == buffers);
  model::Plan compared = plan;
  compared.verify.comparison.resize(1);
  compared.verify.comparison[0].operands = {{model::Operand::Kind::buffer, 0},
                                            {model::Operand::Kind::error, 1}};
  CHECK(compared.has_comparison(1));
  CHECK_FALSE(compared.has_comparison(0));
  CHECK(compared.device_bytes() == buffers + judged + 2 * 20 * 8);
}

TEST_CASE("a buffer that lies in an array takes its room once, whoever is passed it") {
  model::Plan plan;
  plan.buffers.resize(2);
  plan.buffers[0] = {"x", model::ElementType::float32, 64, model::Access::in, {}, {}};
  plan.buffers[1] = plan.buffers[0];
  plan.steps.resize(2);
  model::Operand view;
  view.kind = model::Operand::Kind::texture;
  view.buffer = 0;
  view.type = model::ElementType::float32;
  view.texture.emplace();
  view.texture->shape = {8, 4};
  plan.steps[0].operands = {view};
  const std::int64_t buffers = 4 * 64 * 4;
  CHECK(plan.device_bytes() == buffers);  // where it lies
  view.texture->in_array = true;
  plan.steps[0].operands = {view};
  plan.steps[1].operands = {view};
  CHECK(plan.device_bytes() == buffers + 2 * 32 * 4);
  view.buffer = 1;
  plan.steps[1].operands = {view};
  CHECK(plan.device_bytes() == buffers + 2 * 2 * 32 * 4);
}

TEST_CASE("a plan calls a library where a step is a call, and restores where a buffer is") {
  model::Plan plan;
  plan.steps.resize(2);
  plan.buffers.resize(2);
  CHECK_FALSE(plan.calls_library());
  CHECK_FALSE(plan.restores());
  plan.steps[1].kind = model::Step::Kind::call;
  plan.buffers[1].restored = true;
  CHECK(plan.calls_library());
  CHECK(plan.restores());
}

TEST_CASE("a place in a source is told with line and column, as far as they are known") {
  CHECK(model::SourceLocation{"k.toml", 3, 7}.text() == "k.toml:3:7");
  CHECK(model::SourceLocation{"k.toml", 0, 0}.text() == "k.toml");
}

TEST_CASE("tied with a winner is who is tied with the fastest as it is, or overlaps where it is not") {
  const auto trial = [](const char* name) { return model::DigestBuilder().add(name).finish(); };
  const auto all = [](const model::Digest&) { return true; };
  model::FinalRecord final;
  final.entries = {{trial("a"), 1, 1, 1, true},
                   {trial("b"), 1.001, 0.999, 1.002, true},
                   {trial("near b"), 1.003, 1.0015, 1.005, false},
                   {trial("c"), 1.02, 1.01, 1.03, false},
                   {trial("d"), 1.03, 1.025, 1.04, false},
                   {trial("e"), 1.2, 1.1, 1.3, false}};
  CHECK(model::tied_with(final, trial("b"), all) == std::vector{trial("a")});
  CHECK(model::tied_with(final, trial("c"), all) == std::vector{trial("d")});
  CHECK(model::tied_with(final, trial("e"), all).empty());
  CHECK(model::tied_with(final, trial("who took no part"), all).empty());
  CHECK(model::tied_with(final, trial("a"), [](const model::Digest&) { return false; }).empty());
}

TEST_CASE("a library is held against the winner by the final that both were in, else by their medians") {
  const auto took = [](const char* name, double median_ns) {
    model::TrialRecord trial;
    trial.key = model::DigestBuilder().add(name).finish();
    trial.outcome.measurement.emplace();
    trial.outcome.measurement->median_ns = median_ns;
    return trial;
  };
  const model::TrialRecord library = took("library", 300);
  const model::TrialRecord winner = took("winner", 200);
  const auto by_medians = model::baseline_ratio(library, winner, nullptr);
  CHECK(by_medians.ratio == 1.5);
  CHECK(by_medians.low == 1.5);
  CHECK_FALSE(by_medians.paired);

  model::FinalRecord final;
  final.entries = {{winner.key, 1.25, 1, 1.5, true}, {library.key, 2.5, 2.25, 3, false}};
  const auto in_turn = model::baseline_ratio(library, winner, &final);
  CHECK(in_turn.ratio == 2);
  CHECK(in_turn.low == 1.5);
  CHECK(in_turn.high == 3);
  CHECK(in_turn.paired);

  final.entries.pop_back();  // it was not there
  CHECK_FALSE(model::baseline_ratio(library, winner, &final).paired);
  CHECK(model::baseline_ratio(library, winner, &final).ratio == 1.5);
}

TEST_SUITE_END();
