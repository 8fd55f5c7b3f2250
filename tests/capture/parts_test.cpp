// Parts of the library that is loaded into programs.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/contains.hpp"
#include "tests/support/run_program.hpp"
#include "tuner/capture/folder.hpp"
#include "tuner/capture/ledger.hpp"
#include "tuner/capture/parameters.hpp"
#include "tuner/capture/times.hpp"
#if __has_include(<cupti.h>)
#include <cupti.h>
#endif

using namespace tuner::capture;

TEST_SUITE("parts of the capture") {
  TEST_CASE("a mangled name says the types of its parameters, templates and functions among them too") {
    const std::vector<std::string> plain = {"float const*", "float const*", "float*", "int"};
    CHECK(parameter_types("_Z6matmulPKfS0_Pfi") == plain);
    CHECK(parameter_types("_ZN2ns5scaleIfLi4EEEvPT_l") == std::vector<std::string>{"float*", "long"});
    CHECK(parameter_types("_Z5applyPFvSt4pairIiiEEi") ==
          std::vector<std::string>{"void (*)(std::pair<int, int>)", "int"});
    CHECK(parameter_types("plain").empty());
    CHECK(plain_name("_ZN2ns5scaleIfLi4EEEvPT_l") == "scale");
    CHECK(plain_name("plain") == "plain");
    CHECK(template_arguments("_ZN2ns5scaleIfLi4EEEvPT_l") == std::vector<std::string>{"float", "4"});
    CHECK(template_arguments("tile<std::pair<int, int>, N>") ==
          std::vector<std::string>{"std::pair<int, int>", "N"});
    CHECK(template_arguments("_Z6matmulPKfS0_Pfi").empty());
    CHECK(parameter_kind("float const*") == ParameterKind::pointer);
    CHECK(parameter_kind("unsigned long const") == ParameterKind::unsigned_integer);
    CHECK(parameter_kind("ns::Shape") == ParameterKind::structure);
  }

  TEST_CASE("without a type, a number is an integer unless it may be an address or a real number") {
    std::int64_t integer = 0;
    const int small = -5;
    const float one = 1;
    const double two = 2;
    const void* const address = &small;
    const std::uint32_t large = 4'000'000'000;
    CHECK(integer_value(ParameterKind::unknown, &small, 4, integer));
    CHECK(integer == -5);
    CHECK_FALSE(integer_value(ParameterKind::unknown, &one, 4, integer));
    CHECK_FALSE(integer_value(ParameterKind::unknown, &two, 8, integer));
    CHECK_FALSE(integer_value(ParameterKind::unknown, &address, 8, integer));
    CHECK_FALSE(integer_value(ParameterKind::real, &small, 4, integer));
    CHECK(integer_value(ParameterKind::unsigned_integer, &large, 4, integer));
    CHECK(integer == 4'000'000'000);
  }

  TEST_CASE("what is asked of the library reaches it") {
    Request request;
    request.children = true;
    request.saves = {{"ns::a b", SaveRequest::Which::every, 7}, {"c", SaveRequest::Which::sizes}};
    request.at_most_bytes = 5'000'000'000;
    request.pack = "/a folder/x.tuned";
    request.verify = 3;
    const Request read = read_request(written(request));
    CHECK(read.children);
    CHECK_FALSE(read.events);
    REQUIRE(read.saves.size() == 2);
    CHECK(read.saves[0].kernel == "ns::a b");
    CHECK(read.saves[0].every == 7);
    CHECK(read.saves[1].which == SaveRequest::Which::sizes);
    CHECK(read.at_most_bytes == 5'000'000'000);
    CHECK(read.pack == "/a folder/x.tuned");
    CHECK(read.verify == 3);
  }

  TEST_CASE("a ledger that is full goes on with what it knows") {
    const tuner::test::TemporaryFolder folder;
    std::string why;
    auto& ledger = *new LedgerWriter;
    CHECK_FALSE(ledger.create(folder / "none/ledger", why));
    CHECK(contains(why, "No such file"));
    REQUIRE(ledger.create(folder / "ledger", why));
    const std::uint32_t kernel = ledger.kernel("k");
    std::uint32_t shape = 0;
    for (std::uint32_t i = 0; i < most_shapes; ++i)
      shape = ledger.shape({kernel, 0, 0, {i, 1, 1}, {1, 1, 1}, 0});
    CHECK(shape == most_shapes - 1);
    CHECK(ledger.shape({kernel, 0, 0, {most_shapes, 1, 1}, {1, 1, 1}, 0}) == no_place);
    CHECK(ledger.shape({kernel, 0, 0, {3, 1, 1}, {1, 1, 1}, 0}) == 3);
    for (std::uint64_t ns = 1; ns <= 10 * most_samples; ++ns) ledger.add_time(3, ns);
    CHECK(ledger.ledger().shapes[3].timed == 10 * most_samples);
    for (int i = 0; i < 1000; ++i) ledger.count_replacement(kernel, false, std::to_string(i));
    CHECK(ledger.ledger().replacement_count == most_replacements);
    CHECK(ledger.ledger().replacements[most_replacements - 1].launches == 1000 - most_replacements + 1);
  }

  TEST_CASE("many graphs of the same launches leave room for other shapes") {
    const tuner::test::TemporaryFolder folder;
    std::string why;
    auto& ledger = *new LedgerWriter;
    REQUIRE(ledger.create(folder / "ledger", why));
    const std::uint32_t kernel = ledger.kernel("k");
    for (std::uint32_t graph = 1; graph <= 500; ++graph)
      for (std::uint32_t grid = 1; grid <= 50; ++grid) {
        const std::uint32_t shape = ledger.shape({kernel, 0, graph, {grid, 1, 1}, {1, 1, 1}, 0});
        REQUIRE(shape != no_place);
        ledger.add_time(shape, grid);
      }
    CHECK(ledger.ledger().shape_count == most_shapes_by_graph + 50);
    CHECK(ledger.shape({kernel, 0, 0, {7, 1, 1}, {1, 1, 1}, 0}) != no_place);
    std::uint64_t ns = 0;
    for (std::uint32_t i = 0; i < ledger.ledger().shape_count; ++i) ns += ledger.ledger().shapes[i].timed_ns;
    CHECK(ns == 500 * 50 * 51 / 2);
  }

#if __has_include(<cupti.h>)
  TEST_CASE("the record of a kernel is CUPTI's") {
    using Theirs = CUpti_ActivityKernel10;
    CHECK(offsetof(CuptiRecord, registers) == offsetof(Theirs, registersPerThread));
    CHECK(offsetof(CuptiRecord, start_ns) == offsetof(Theirs, start));
    CHECK(offsetof(CuptiRecord, end_ns) == offsetof(Theirs, end));
    CHECK(offsetof(CuptiRecord, grid) == offsetof(Theirs, gridX));
    CHECK(offsetof(CuptiRecord, block) == offsetof(Theirs, blockX));
    CHECK(offsetof(CuptiRecord, dynamic_shared_bytes) == offsetof(Theirs, dynamicSharedMemory));
    CHECK(offsetof(CuptiRecord, local_bytes_of_thread) == offsetof(Theirs, localMemoryPerThread));
    CHECK(offsetof(CuptiRecord, name) == offsetof(Theirs, name));
    CHECK(offsetof(CuptiRecord, graph_node) == offsetof(Theirs, graphNodeId));
    CHECK(offsetof(CuptiRecord, graph) == offsetof(Theirs, graphId));
  }
#endif
}
