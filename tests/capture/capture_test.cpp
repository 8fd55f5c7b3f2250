// `tuner capture` around programs, on a driver that needs no GPU.
#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/capture/fixture.hpp"
#include "tests/support/contains.hpp"
#include "tuner/capture/recording.hpp"
#include "tuner/util/files.hpp"

using nlohmann::json;
using tests::Capture;
using tuner::test::ProgramResult;
using tuner::test::read_text;

namespace {

const json& kernel(const json& found, const std::string& name, std::size_t process = 0) {
  for (const json& one : found.at("processes").at(process).at("kernels"))
    if (one.at("name") == name) return one;
  FAIL("no kernel ", name);
  return found;
}

/// What is behind the header of 128 bytes of a packed `.npy`.
std::vector<float> floats_of(const std::string& path) {
  tuner::util::GzipInput in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(contains(text.substr(0, 128), "'<f4'"));
  std::vector<float> values((text.size() - 128) / sizeof(float));
  std::memcpy(values.data(), text.data() + 128, values.size() * sizeof(float));
  return values;
}

constexpr const char* scale = "_Z5scalePfPKfif";
constexpr const char* add = "_Z3addPfPKfi";

}  // namespace

TEST_SUITE("capture") {
  TEST_CASE("a program's launches are counted, timed and told with their integers") {
    Capture capture;
    SUBCASE("one that comes to the driver as the CUDA runtime does") {}
    SUBCASE("one that is linked to the driver") {
      capture.program = CAPTURE_LINKED_PROGRAM;
    }
    SUBCASE("one whose streams are the thread's own") {
      capture.environment["PER_THREAD"] = "1";
    }
    const json found = capture.found({"init", "scale", "small", "add", "print"});
    REQUIRE(found.at("processes").size() == 1);
    const json& process = found.at("processes").at(0);
    CHECK(process.at("device") == "Stand-in");
    CHECK(process.at("architecture") == "sm_90");
    CHECK(process.at("timing") == "cupti");
    CHECK(process.at("end") == "exit");
    CHECK(process.at("launches") == 10);
    const json& first = process.at("kernels").at(0);
    CHECK(first.at("name") == scale);
    CHECK(first.at("readable") == "scale(float*, float const*, int, float)");
    CHECK(first.at("launches") == 7);
    CHECK(first.at("total_ns") == 5 * 10000 + 2 * 3000);
    CHECK(first.at("registers") == 32);
    CHECK(first.at("parameters").at(0).at("kind") == "pointer");
    CHECK(first.at("parameters").at(3).at("kind") == "real");
    REQUIRE(first.at("shapes").size() == 2);
    CHECK(first.at("shapes").at(0).at("grid") == json({10, 1, 1}));
    CHECK(first.at("shapes").at(0).at("block") == json({100, 1, 1}));
    CHECK(first.at("shapes").at(0).at("median_ns") == 10000);
    CHECK(first.at("shapes").at(0).at("integers") ==
          json::parse(R"([{"launches": 5, "values": {"2": 1000}}])"));
    CHECK(kernel(found, add).at("launches") == 3);
    CHECK(kernel(found, add).at("share").get<double>() == doctest::Approx(30000.0 / 86000));
  }

  TEST_CASE("launches on two GPUs are told apart") {
    Capture capture;
    const json found = capture.found({"init", "scale", "second_gpu", "scale", "small"});
    const json& shapes = kernel(found, scale).at("shapes");
    REQUIRE(shapes.size() == 3);
    std::map<int, int> launches;
    std::map<int, double> ns;
    for (const json& shape : shapes) {
      launches[shape.at("gpu")] += shape.at("launches").get<int>();
      ns[shape.at("gpu")] += shape.at("total_ns").get<double>();
    }
    CHECK(launches == std::map<int, int>{{0, 5}, {1, 7}});
    CHECK(ns == std::map<int, double>{{0, 50000}, {1, 56000}});
    capture.run({}, {"init", "scale", "second_gpu", "scale", "small"});
    const std::string table = read_text(capture.folder / "table");
    CHECK(contains(table, "GPU"));
    CHECK(contains(table, "47.2 %"));
    CHECK(contains(table, "52.8 %"));
  }

  TEST_CASE("the program's output, exit code and signal are its own") {
    const Capture capture;
    const ProgramResult printed = capture.run({}, {"init", "scale", "print", "exit"});
    CHECK(printed.out == "2 2\n");
    CHECK(printed.exit_code == 4);
    CHECK(printed.err == "");
    const ProgramResult crashed = capture.run({"--format", "json"}, {"init", "scale", "crash"});
    CHECK(crashed.exit_code == 128 + 6);
    CHECK(contains(crashed.err, "did not exit normally"));
    const json found = json::parse(read_text(capture.folder / "table"));
    CHECK(found.at("signal") == 6);
    CHECK(kernel(found, scale).at("launches") == 5);
  }

  TEST_CASE("a program that calls _exit leaves all of its times") {
    const Capture capture;
    const json found = capture.found({"init", "scale", "_exit"});
    CHECK(found.at("exit_code") == 3);
    CHECK(found.at("processes").at(0).at("end") == "_exit");
    CHECK(kernel(found, scale).at("shapes").at(0).at("timed") == 5);
  }

  TEST_CASE("without CUPTI, launches are timed by events, and that is said") {
    Capture capture;
    capture.environment["TUNER_LIBCUPTI"] = "/none";
    const ProgramResult result = capture.run({"--format", "json"}, {"init", "scale", "graph"});
    const json found = json::parse(read_text(capture.folder / "table"));
    CHECK(found.at("processes").at(0).at("timing") == "events");
    CHECK(kernel(found, scale).at("shapes").at(0).at("median_ns") == 10000);
    CHECK(kernel(found, scale).at("shapes").at(0).at("launches") == 5);
    CHECK(kernel(found, scale).at("shapes").at(0).at("put_into_graphs") == 1);
    CHECK(contains(result.err, "timed by events"));
    CHECK(contains(result.err, "4 launches of graphs"));
    const ProgramResult asked = Capture().run({"--times", "events"}, {"init", "scale"});
    CHECK_FALSE(contains(asked.err, "timed by events"));
  }

  TEST_CASE("kernels that ran in a graph are told with the graph") {
    const json found = Capture().found({"init", "graph"});
    const json& shapes = kernel(found, scale).at("shapes");
    REQUIRE(shapes.size() == 2);
    CHECK(shapes.at(0).at("graph") == 7);
    CHECK(shapes.at(0).at("launches") == 4);
    CHECK(shapes.at(1).at("graph").is_null());
    CHECK(shapes.at(1).at("launches") == 0);
  }

  TEST_CASE("launches beyond the shapes that are kept are named with their time") {
    const Capture capture;
    const ProgramResult result = capture.run({"--format", "json"}, {"init", "grids"});
    const json process = json::parse(read_text(capture.folder / "table")).at("processes").at(0);
    CHECK(kernel({{"processes", {process}}}, scale).at("launches") == 8192);
    CHECK(process.at("untold") == 8);
    CHECK(process.at("untold_runs") == 8);
    CHECK(process.at("untold_ns") > 0);
    CHECK(contains(result.err, "8 runs, 8.000 µs in all, have none of the 8192 shapes"));
  }

  TEST_CASE("launches beyond the integers that are kept of a shape are counted") {
    const Capture capture;
    const ProgramResult result = capture.run({"--format", "json"}, {"init", "lengths"});
    const json process = json::parse(read_text(capture.folder / "table")).at("processes").at(0);
    const json shape = kernel({{"processes", {process}}}, scale).at("shapes").at(0);
    CHECK(shape.at("launches") == 100);
    CHECK(shape.at("integers").size() == 64);
    CHECK(process.at("without_integers") == 36);
    CHECK(contains(result.err, "the integers of 36 launches are not kept"));
  }

  TEST_CASE("child processes are captured on request, and said to be there otherwise") {
    const Capture capture;
    const ProgramResult alone = capture.run({"--format", "json"}, {"fork", "init", "scale"});
    CHECK(json::parse(read_text(capture.folder / "table")).at("processes").size() == 1);
    CHECK(contains(alone.err, "1 process used CUDA too; --children"));
    const json both = capture.found({"fork", "init", "scale"}, {"--children"});
    REQUIRE(both.at("processes").size() == 2);
    for (std::size_t i = 0; i < 2; ++i) CHECK(kernel(both, scale, i).at("launches") == 5);
  }

  TEST_CASE("programs that a process executes one after the other do not overwrite each other") {
    const json found = Capture().found({"init", "scale", "again", "init", "add"});
    REQUIRE(found.at("processes").size() == 2);
    CHECK(found.at("processes").at(0).at("process") == found.at("processes").at(1).at("process"));
    CHECK(kernel(found, scale, 0).at("launches") == 5);
    CHECK(kernel(found, add, 1).at("launches") == 3);
  }

  TEST_CASE("a capture is kept in a folder, which no other capture is written to") {
    const Capture capture;
    CHECK(capture.run({"--folder", "kept"}, {"init", "scale"}).exit_code == 0);
    const json kept = json::parse(read_text(capture.folder / "kept/capture.json"));
    CHECK(kernel(kept, scale).at("launches") == 5);
    CHECK(kept.at("command").at(1) == "init");
    const ProgramResult again = capture.run({"--folder", "kept"}, {"init", "print"});
    CHECK(again.exit_code == 1);
    CHECK(again.out == "");
    CHECK(contains(again.err, "kept is there already"));
  }

  TEST_CASE("a program that runs no kernel, has no CUDA or cannot be started is said to be so") {
    Capture capture;
    CHECK(contains(capture.run({}, {"exit"}).err, "the program did not use CUDA"));
    CHECK(capture.run({}, {"init", "exit"}).exit_code == 4);
    capture.program = "/no/such/program";
    const ProgramResult missing = capture.run({}, {});
    CHECK(missing.exit_code == 1);
    CHECK(contains(missing.err, "/no/such/program cannot be started"));
  }

  TEST_CASE("a saved launch has its arguments, its memory before and after, its variables and its module") {
    const Capture capture;
    const ProgramResult result =
        capture.run({"--folder", "kept", "--save", "scale"}, {"init", "variable", "scale", "print"});
    CHECK(result.out == "2 2\n");
    CHECK(contains(result.err, "saved: launch 1 of scale(float*, float const*, int, float)"));
    const json kept = json::parse(read_text(capture.folder / "kept/capture.json"));
    REQUIRE(kept.at("saved").size() == 1);
    const std::string folder =
        capture.folder / ("kept/" + kept.at("saved").at(0).at("folder").get<std::string>());
    const json launch = json::parse(read_text(folder + "/launch.json"));
    CHECK(launch.at("kernel") == scale);
    CHECK(launch.at("grid") == json({10, 1, 1}));
    CHECK(launch.at("architecture") == "sm_90");
    CHECK(contains(read_text(folder + "/module"), "image sm_90"));
    const json& arguments = launch.at("arguments");
    REQUIRE(arguments.size() == 4);
    CHECK(arguments.at(2).at("value") == 1000);
    CHECK(arguments.at(3).at("value") == 2.0);
    const json& y = launch.at("regions").at(arguments.at(0).at("region").get<std::size_t>());
    const json& x = launch.at("regions").at(arguments.at(1).at("region").get<std::size_t>());
    CHECK(y.at("role") == "output");
    CHECK(y.at("sure") == false);
    CHECK(y.at("last_changed_byte") == 3999);
    CHECK(x.at("role") == "input");
    CHECK(x.at("sure") == true);
    CHECK(x.at("after").is_null());
    CHECK(x.at("element") == "float");
    CHECK(floats_of(folder + '/' + x.at("before").get<std::string>()) == std::vector<float>(1000, 1.0F));
    CHECK(floats_of(folder + '/' + y.at("before").get<std::string>()) == std::vector<float>(1000, 0.0F));
    CHECK(floats_of(folder + '/' + y.at("after").get<std::string>()) == std::vector<float>(1000, 2.0F));
    const json& variable = launch.at("regions").back();
    CHECK(variable.at("variable") == "factor");
    CHECK(variable.at("bytes") == 4);
    CHECK_FALSE(std::filesystem::exists(folder + "/draft.json"));
  }

  TEST_CASE("addresses in a struct are found, also where the kernel's name does not say that it is one") {
    const Capture capture;
    capture.run({"--folder", "kept", "--save", "packed"}, {"init", "packed"});
    const json kept = json::parse(read_text(capture.folder / "kept/capture.json"));
    REQUIRE(kept.at("saved").size() == 1);
    const json launch = json::parse(
        read_text(capture.folder /
                  ("kept/" + kept.at("saved").at(0).at("folder").get<std::string>() + "/launch.json")));
    CHECK(launch.at("arguments").at(0).at("pointers_inside") == json({0}));
  }

  TEST_CASE("what is saved twice is run from the same memory, and the program goes on with what it leaves") {
    Capture capture;
    const auto y_of = [&](const std::string& kernel, const std::string& does, const std::string& prints) {
      const ProgramResult result =
          capture.run({"--folder", kernel, "--save", kernel, "--twice"}, {"init", does, "print"});
      CHECK(result.out == prints);
      const json kept = json::parse(read_text(capture.folder / (kernel + "/capture.json")));
      const std::string launch = kernel + '/' + kept.at("saved").at(0).at("folder").get<std::string>();
      const json saved = json::parse(read_text(capture.folder / (launch + "/launch.json")));
      CHECK(saved.at("twice") == (kernel != "fill"));
      CHECK(contains(result.err, "not run twice: launch 1 of fill(float**, int): it may change memory") ==
            (kernel == "fill"));
      json y = saved.at("regions").at(saved.at("arguments").at(0).at("region").get<std::size_t>());
      if (!y.at("again").is_null())
        y["first"] = floats_of(capture.folder / (launch + '/' + y.at("again").get<std::string>())).front();
      return y;
    };
    // It reads what it writes: from other memory it would leave something else.
    CHECK(y_of("add", "add", "3 3\n").at("again").is_null());
    CHECK(y_of("fill", "fill", "0 0\n").at("again").is_null());
    capture.environment["STAND_IN_VARIES"] = "1";
    CHECK(y_of("scale", "scale", "3.25 3.25\n").at("first") == 2.25);
    CHECK(contains(capture.run({"--twice"}, {"print"}).err, "--twice repeats what --save keeps"));
  }

  TEST_CASE("what the capture runs once more is none of the program's launches and takes none of its time") {
    for (const std::string times : {"cupti", "events"}) {
      CAPTURE(times);
      const json found = Capture().found(
          {"init", "scale", "small", "add"},
          {"--folder", "kept", "--save", "scale:1", "--save", "add", "--twice", "--times", times});
      const json scaled = kernel(found, scale);
      CHECK(scaled.at("launches") == 7);
      for (const json& shape : scaled.at("shapes"))
        CHECK(shape.at("launches") == shape.at("integers").at(0).at("launches"));
      CHECK(found.at("saved").size() == 8);
      if (times == "cupti")
        CHECK(scaled.at("total_ns") ==
              kernel(Capture().found({"init", "scale", "small"}), scale).at("total_ns"));
    }
  }

  TEST_CASE("every n-th launch is saved, or one of each size") {
    const Capture capture;
    const auto saved = [&](const std::string& what, const std::string& to) {
      capture.run({"--folder", to, "--save", what}, {"init", "scale", "small", "scale"});
      std::vector<int> numbers;
      const json kept = json::parse(read_text(capture.folder / (to + "/capture.json")));
      for (const json& one : kept.at("saved")) numbers.push_back(one.at("launch"));
      return numbers;
    };
    CHECK(saved("scale:5", "every") == std::vector<int>{1, 6, 11});
    CHECK(saved("_Z5scalePfPKfif:sizes", "sizes") == std::vector<int>{1, 6});
    CHECK(saved("scal", "none").empty());
    capture.run({"--folder", "both", "--save", "scale:5", "--save", "scale:sizes"},
                {"init", "small", "scale", "small"});
    const json both = json::parse(read_text(capture.folder / "both/capture.json"));
    std::vector<int> numbers;
    for (const json& one : both.at("saved")) numbers.push_back(one.at("launch"));
    CHECK(numbers == std::vector<int>{1, 3, 6});
  }

  TEST_CASE("why nothing was saved is said once") {
    const Capture capture;
    const auto said = [&](const tests::Words& flags, const tests::Words& does) {
      tests::Words all = {"--folder", std::to_string(does.size() + 10 * flags.size())};
      all.insert(all.end(), flags.begin(), flags.end());
      return capture.run(all, does).err;
    };
    CHECK(contains(said({"--save", "scal"}, {"init", "scale"}),
                   "nothing was saved of scal: the program launched no kernel of that name"));
    CHECK(contains(said({"--save", "scale"}, {"init", "graph", "print"}),
                   "nothing was saved of scale: launches in graphs are not"));
    CHECK_FALSE(
        contains(said({"--save", "scale", "--at-most", "1KiB"}, {"init", "scale"}), "nothing was saved"));
    CHECK(contains(said({"--save", ":sizes"}, {"init"}), "--save ':sizes' names no kernel"));
  }

  TEST_CASE("what is larger than allowed is not saved, and the sum needed is said") {
    const Capture capture;
    const ProgramResult result = capture.run({"--folder", "kept", "--save", "scale", "--at-most", "10KiB"},
                                             {"init", "scale", "print"});
    CHECK(result.out == "2 2\n");
    CHECK(contains(result.err, "not saved: launch 1 of scale(float*, float const*, int, float) needs 15."));
    CHECK(contains(result.err, "allows 10.0 KiB"));
    CHECK(capture.run({"--save", "scale"}, {"print"}).exit_code == 2);
    CHECK(capture.run({"--folder", "b", "--save", "scale", "--at-most", "much"}, {"print"}).exit_code == 2);
  }

  TEST_CASE("a driver that does not say a kernel's parameters is named, and no launch is saved") {
    Capture capture;
    capture.environment["LD_LIBRARY_PATH"] = CAPTURE_OLD_DRIVER_FOLDER;
    const ProgramResult result =
        capture.run({"--folder", "kept", "--save", "scale"}, {"init", "scale", "print"});
    CHECK(result.out == "2 2\n");
    CHECK(contains(result.err, "the driver is of CUDA 12.2"));
    const json kept = json::parse(read_text(capture.folder / "kept/capture.json"));
    CHECK(kernel(kept, scale).at("launches") == 5);
    CHECK(kernel(kept, scale).at("parameters").is_null());
    CHECK(kept.at("saved").empty());
  }

  TEST_CASE("a launch that was left half written is said and not shown") {
    const Capture capture;
    capture.run({"--folder", "kept", "--save", "scale"}, {"init", "scale"});
    const std::filesystem::path folder = capture.folder / "kept";
    const json kept = json::parse(read_text(folder / "capture.json"));
    const std::filesystem::path launch = folder / kept.at("saved").at(0).at("folder").get<std::string>();
    std::filesystem::remove(launch / "launch.json");
    const auto half = tuner::capture::read_folder(folder);
    CHECK(half.saved.empty());
    REQUIRE(half.failures.size() == 1);
    CHECK(contains(half.failures.front(), "was left half written"));
    std::filesystem::resize_file(launch.parent_path() / "ledger", 1000);
    const auto damaged = tuner::capture::read_folder(folder);
    CHECK(damaged.processes.empty());
    CHECK(contains(damaged.failures.front(), "ledger is damaged"));
  }

  TEST_CASE("the table names the kernel, its share and its integers") {
    Capture capture;
    capture.run({}, {"init", "scale", "add"});
    const std::string table = read_text(capture.folder / "table");
    CHECK(contains(table, "scale(float*, float const*, int, float)"));
    CHECK(contains(table, "62.5 %"));
    capture.run({"--format", "csv"}, {"init", "scale", "small"});
    CHECK(contains(read_text(capture.folder / "table"), ",0,_Z5scalePfPKfif,"));
    CHECK(contains(read_text(capture.folder / "table"), "10x1x1,100x1x1,1024,0,32,,5,5,50000,10000,1000: 5"));
  }
}
