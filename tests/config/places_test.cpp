// What a spec says of variables, kinds of memory, tensor maps, comparisons and tolerances of one output.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "config/mistakes.hpp"
#include "tests/config/spec_texts.hpp"

using tuner::model::KernelSpec;
using tuner::model::Memory;

namespace {

KernelSpec read_good(std::string_view from, std::string_view to) {
  const config::LoadedKernels loaded = spec_texts::load(spec_texts::with(from, to));
  INFO(config::diagnostics_text(loaded.mistakes, loaded.texts));
  REQUIRE(loaded.kernels.size() == 1);
  return loaded.kernels.front();
}

/// `WORD: message` of the only mistake, with the word that it points to.
std::string told_of(std::string_view from, std::string_view to) {
  const std::string text = spec_texts::with(from, to);
  const config::LoadedKernels loaded = spec_texts::load(text);
  INFO(config::diagnostics_text(loaded.mistakes, loaded.texts));
  REQUIRE(loaded.mistakes.size() == 1);
  const auto& found = loaded.mistakes.front();
  std::size_t begin = 0;
  for (int line = 1; line < found.where.line; ++line) begin = text.find('\n', begin) + 1;
  const std::size_t at = begin + static_cast<std::size_t>(found.where.column) - 1;
  return text.substr(at, text.find_first_of("\n \"", at + 1) - at) + ": " + found.message;
}

constexpr std::string_view extent_of_a = "extent = [\"total\"]";
constexpr std::string_view extent_of_c = "extent = \"total\"";
constexpr std::string_view last_argument = "name = \"N\"\ntype = \"int\"";

std::string with_map(const std::string& keys) {
  return std::string(last_argument) + "\n\n[[arguments]]\nname = \"map\"\ntype = \"CUtensorMap\"\n" + keys;
}

constexpr const char* sound_map = "tensor = \"A\"\nshape = [\"N\"]\nbox = [\"BLOCK\"]\n";

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("a buffer may be a variable of the kernel's source") {
  const auto symbol = [](const std::string& name) {
    return std::string(extent_of_a) + "\nsymbol = \"" + name + "\"";
  };
  CHECK(read_good(extent_of_a, symbol("space::values<float>")).arguments[0].symbol == "space::values<float>");
  CHECK(told_of(extent_of_a, symbol("&values")) == "&values: \"&values\" is no name of a variable");
  CHECK(told_of(extent_of_a, symbol(" ")) == " : \" \" is no name of a variable");
  CHECK(told_of(extent_of_a, std::string(extent_of_a) + "\nsymbol = 3") ==
        "3: \"symbol\" must be a string, found integer 3");
  CHECK(told_of(extent_of_a, symbol("v") + "\nmemory = \"pinned\"") ==
        "memory: A is a symbol and has no \"memory\"");
  CHECK(told_of(last_argument, std::string(last_argument) + "\nsymbol = \"v\"") ==
        "symbol: N is a number and has no \"symbol\"");
}

TEST_CASE("two buffers in one variable are a mistake") {
  const std::string twice = spec_texts::with(extent_of_a, std::string(extent_of_a) + "\nsymbol = \"v\"");
  std::string text = twice;
  const std::size_t at = text.find(extent_of_c);
  text.insert(at, "symbol = \"v\"\n");
  const config::LoadedKernels loaded = spec_texts::load(text);
  REQUIRE(loaded.mistakes.size() == 1);
  CHECK(loaded.mistakes[0].message == "A and C are the same variable");
}

TEST_CASE("a buffer lies in one of three kinds of memory") {
  const auto memory = [](const std::string& word) {
    return std::string(extent_of_a) + "\nmemory = \"" + word + "\"";
  };
  CHECK(read_good(extent_of_a, memory("pinned")).arguments[0].memory == Memory::pinned);
  CHECK(read_good(extent_of_a, memory("managed")).arguments[0].memory == Memory::managed);
  CHECK(read_good(extent_of_a, memory("device")).arguments[0].memory == Memory::device);
  CHECK(told_of(extent_of_a, memory("host")) == "host: unknown memory \"host\"");
}

TEST_CASE("a tensor map says its shape and box, and keeps the kernel off the CPU device") {
  const KernelSpec spec =
      read_good(last_argument,
                with_map("tensor = \"A\"\nshape = [\"N\", 4]\nstrides = \"4 * N\"\nbox = [\"BLOCK\", 1]\n"
                         "swizzle = 128\nl2_promotion = \"BLOCK\"\noutside = \"nan\"\n"));
  REQUIRE(spec.arguments[3].tensor);
  CHECK(spec.arguments[3].tensor->box[0].text == "BLOCK");
  CHECK(spec.arguments[3].tensor->strides[0].text == "4 * N");
  CHECK(spec.arguments[3].tensor->nan_outside);
  CHECK(spec.device_kinds == std::vector<std::string>{"cuda"});
  CHECK(told_of(last_argument, with_map("shape = [\"N\"]\nbox = [\"BLOCK\"]\n")) ==
        "[[arguments]]: [[arguments]] has no \"tensor\"");
  CHECK(told_of(last_argument, with_map("tensor = \"A\"\nshape = [\"N\"]\n")) ==
        "[[arguments]]: [[arguments]] has no \"box\"");
  CHECK(told_of(last_argument, with_map(std::string(sound_map) + "outside = \"one\"\n")) ==
        "one: unknown outside \"one\"");
  CHECK(told_of(last_argument, with_map("tensor = \"A\"\nshape = [1, 1, 1, 1, 1, 1]\nbox = [1]\n"))
            .find("shape") != std::string::npos);
  CHECK(told_of(last_argument, with_map(std::string(sound_map) + "access = \"in\"\n"))
            .find("unknown key \"access\"") != std::string::npos);
}

TEST_CASE("a tensor map on the CPU device is a mistake") {
  std::string text = spec_texts::with(last_argument, with_map(sound_map));
  text.insert(text.find("deterministic"), "devices = [\"cuda\", \"cpu\"]\n");
  const config::LoadedKernels loaded = spec_texts::load(text);
  REQUIRE(loaded.mistakes.size() == 1);
  CHECK(loaded.mistakes[0].message == "map is a tensor map, which devices of kind \"cpu\" do not have");
}

TEST_CASE("a texture says how it is read, and keeps the kernel off the CPU device") {
  const auto with_texture = [](const std::string& keys) {
    return std::string(last_argument) +
           "\n\n[[arguments]]\nname = \"image\"\ntype = \"cudaTextureObject_t\"\n" + keys;
  };
  const std::string over = "texture = \"A\"\n";
  const std::string plane = over + "shape = [\"N\", 1]\n";
  const KernelSpec spec = read_good(
      last_argument, with_texture(plane + "pitch = \"4 * N\"\nfilter = \"linear\"\noutside = \"mirror\"\n"
                                          "read = \"normalized\"\nnormalized_coordinates = true\n"));
  REQUIRE(spec.arguments[3].texture);
  const tuner::model::Texture& kind = spec.arguments[3].texture->kind;
  CHECK(kind == tuner::model::Texture{{}, 0, tuner::model::Texture::Outside::mirror, true, true, true});
  CHECK(spec.device_kinds == std::vector<std::string>{"cuda"});
  CHECK(read_good(last_argument, with_texture(over)).arguments[3].texture->shape.empty());
  CHECK(told_of(last_argument, with_texture(plane + "filter = \"cubic\"\n")) ==
        "cubic: unknown filter \"cubic\"");
  CHECK(told_of(last_argument, with_texture(plane + "outside = \"wrap\"\n")) ==
        "wrap: image repeats, and its coordinates are not normalized");
  CHECK(told_of(last_argument, with_texture(over + "filter = \"linear\"\n")) ==
        "filter: image has \"filter\" without \"shape\"");
  CHECK(told_of(last_argument, with_texture(over + "shape = [\"N\"]\n")) == "shape: image has one dimension");
  CHECK(told_of(last_argument, with_texture("shape = [\"N\", 1]\n")) ==
        "[[arguments]]: [[arguments]] has no \"texture\"");
}

TEST_CASE("a surface lies in an array, as a texture may, and keeps the kernel off the CPU device") {
  const auto with_surface = [](const std::string& keys) {
    return std::string(last_argument) +
           "\n\n[[arguments]]\nname = \"image\"\ntype = \"cudaSurfaceObject_t\"\n" + keys;
  };
  const std::string over = "surface = \"C\"\n";
  const std::string plane = over + "shape = [\"N\", 1]\n";
  const auto load = [&](std::string_view type) {
    constexpr std::string_view before = "[[arguments]]\nname = \"A\"\n";
    std::string text = spec_texts::with(last_argument, with_surface(plane + "pitch = \"4 * N\"\n"));
    text.insert(text.find(before), "arguments = [\"A\", \"N\", \"image\"]\n\n");
    if (!type.empty()) {
      constexpr std::string_view of_c = "name = \"C\"\ntype = \"ELEMENT_TYPE*\"";
      text.replace(text.find(of_c), of_c.size(), fmt::format("name = \"C\"\ntype = \"{}*\"", type));
    }
    return spec_texts::load(text);
  };
  const config::LoadedKernels bad = load("float3");
  INFO(config::diagnostics_text(bad.mistakes, bad.texts));
  REQUIRE(bad.mistakes.size() == 1);
  CHECK(bad.mistakes[0].message == "a surface over `C`, of float3");
  CHECK(bad.mistakes[0].hint == "elements of one, two or four numbers of 8, 16 or 32 bits");
  CHECK(bad.mistakes[0].where.text() == "shipped:k.toml:48:11");
  const config::LoadedKernels good = load("");
  INFO(config::diagnostics_text(good.mistakes, good.texts));
  REQUIRE(good.kernels.size() == 1);
  const KernelSpec& spec = good.kernels.front();
  REQUIRE(spec.arguments[3].texture);
  CHECK(spec.arguments[3].texture->kind.is_surface);
  CHECK(spec.arguments[3].texture->kind.in_array);
  CHECK(spec.arguments[3].texture->pitch);
  CHECK(spec.device_kinds == std::vector<std::string>{"cuda"});
  CHECK(told_of(last_argument, with_surface("shape = [\"N\", 1]\n")) ==
        "[[arguments]]: [[arguments]] has no \"surface\"");
  CHECK(told_of(last_argument, with_surface(over)) == "[[arguments]]: image has not two dimensions");
  CHECK(told_of(last_argument, with_surface(over + "shape = [\"N\"]\n")) ==
        "shape: image has not two dimensions");
  const auto with_texture = [](const std::string& keys) {
    return std::string(last_argument) +
           "\n\n[[arguments]]\nname = \"image\"\ntype = \"cudaTextureObject_t\"\ntexture = \"A\"\n" + keys;
  };
  const std::string array = "array = true\n";
  const tuner::model::Texture kind =
      read_good(last_argument, with_texture("shape = [\"N\", 1]\n" + array)).arguments[3].texture->kind;
  CHECK(kind.in_array);
  CHECK_FALSE(kind.is_surface);
  CHECK(told_of(last_argument, with_texture(array)) == "array: image has \"array\" without \"shape\"");
}

TEST_CASE("an output may have a tolerance of its own") {
  const auto tolerance = [](const std::string& value) {
    return std::string(extent_of_c) + "\ntolerance = " + value;
  };
  const KernelSpec spec = read_good(extent_of_c, tolerance("{ absolute = 0.5 }"));
  REQUIRE(spec.arguments[1].tolerance);
  CHECK(spec.arguments[1].tolerance->absolute == 0.5);
  CHECK(told_of(extent_of_c, tolerance("0.5")) == "0.5: \"tolerance\" must be a table, found number 0.5");
  CHECK(told_of(extent_of_a, std::string(extent_of_a) + "\ntolerance = { ulp = 1 }") ==
        "tolerance: A is no output, so it has no \"tolerance\"");
  // with it nothing else need say how far off a result may be
  std::string text = spec_texts::with("rounding_terms = 1\n", "");
  text.insert(text.find(extent_of_c), "tolerance = { absolute = 0.5 }\n");
  CHECK(spec_texts::load(text).kernels.size() == 1);
}

TEST_CASE("a comparison of the user's is launched like a reference") {
  constexpr std::string_view launch = "[verify.launch]\n";
  const std::string compare =
      "[verify.compare]\nentry = \"near\"\nblock = 64\ngrid = 1\narguments = [\"C\", \"C.expected\", "
      "\"C.error\"]\n\n[verify.launch]\n";
  const KernelSpec spec = read_good(launch, compare);
  REQUIRE(spec.verify->comparison.size() == 1);
  CHECK(spec.verify->comparison[0].arguments[2] == "C.error");
  CHECK(told_of(launch,
                "[verify.compare]\nblock = 64\ngrid = 1\narguments = [\"C.error\"]\n\n[verify.launch]\n") ==
        "[verify.compare]: [verify.compare] has no \"entry\"");
  CHECK(told_of(launch, "[verify.compare]\nupload = \"A\"\n\n[verify.launch]\n")
            .find("the comparison uploads or sets a buffer") != std::string::npos);
  CHECK(told_of("\"C.magnitude\", \"N\"]", "\"C.magnitude\", \"C.error\"]") ==
        "[verify.launch]: step argument `C.error` outside [verify.compare]");
}

TEST_SUITE_END();
