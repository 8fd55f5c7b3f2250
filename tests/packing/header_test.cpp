// The generated header says of every shipped kernel what the engine's own plans say, and compilers take it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <variant>

#include "config/kernel_file.hpp"
#include "tests/support/run_program.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/packing/build_recipe.hpp"
#include "tuner/space/kernel_space.hpp"

using namespace tuner;
using packing::LaunchHeader;

namespace {

const std::string root = TUNER_SOURCE_DIR;

const model::DeviceInfo& device() {
  static const model::DeviceInfo known = *device::cuda::known_device("sm_90");
  return known;
}

std::vector<std::vector<std::int64_t>> sizes_of(std::size_t dimensions) {
  std::vector<std::vector<std::int64_t>> all;
  for (const std::int64_t size : {1, 7, 64, 100, 129, 512, 1000, 1024, 1536, 4096})
    all.push_back(std::vector<std::int64_t>(dimensions, size));
  if (dimensions == 3)
    for (const auto& one :
         {std::vector<std::int64_t>{16, 4096, 4096}, {64, 8192, 2048}, {2048, 100, 8192}, {1, 512, 64}})
      all.push_back(one);
  return all;
}

/// The first and the last of some hundred at several sizes, each once.
std::vector<model::Configuration> some_of(const space::KernelSpace& space) {
  std::vector<model::Configuration> found;
  const auto add = [&](const model::Configuration& one) {
    if (std::find(found.begin(), found.end(), one) == found.end()) found.push_back(one);
  };
  for (const std::int64_t size : {64, 1024, 4096}) {
    std::optional<model::Configuration> last;
    int seen = 0;
    space.enumerate(space::make_problem(space.spec(), {size}, std::nullopt, 0), device().limits,
                    [&](const model::Configuration& one) {
                      if (!last) add(one);
                      last = one;
                      return ++seen < 300;
                    });
    if (last) add(*last);
  }
  return found;
}

/// Every spec that is shipped, and every example.
std::vector<model::KernelSpec> all_specs() {
  std::vector<model::KernelSpec> specs;
  for (const char* top : {"/kernels", "/examples"}) {
    for (const auto& folder : std::filesystem::directory_iterator(root + top)) {
      if (!folder.is_directory()) continue;
      config::LoadedKernels loaded = config::load_kernel_folder(folder.path());
      for (model::KernelSpec& spec : loaded.kernels) specs.push_back(std::move(spec));
    }
  }
  return specs;
}

LaunchHeader header_of(const model::KernelSpec& spec, const std::vector<model::Configuration>& configurations,
                       const std::string& name_space) {
  LaunchHeader header;
  header.name_space = name_space;
  header.dimensions = spec.sizes;
  header.device = device();
  cover::RuleNode leaf;
  for (const model::Configuration& one : configurations) {
    if (!header.configurations.empty()) leaf.otherwise.push_back(header.configurations.size());
    header.configurations.push_back(
        {&spec, one, space::make_problem(spec, {1024}, std::nullopt, 0), "-DX=\"a b\"", {"remark"}});
  }
  header.rule.nodes.push_back(leaf);
  return header;
}

bool is_scalar(const model::ArgumentSpec& argument) {
  return !argument.pointer && !argument.is_field() && !argument.is_view() && !argument.structure &&
         argument.components.empty();
}

/// A statement that prints what the header says of one configuration at sizes `s`.
std::string print_statement(const model::KernelSpec& spec, const std::string& name) {
  std::string text = fmt::format(
      "  {{ using C = {}; std::printf(\"%d\\n\", C::can_launch(s, d) ? 1 : 0);\n"
      "  if (C::can_launch(s, d)) {{\n"
      "    for (int i = 0; i < C::steps; ++i) print(C::step(i, s, d));\n"
      "    for (int i = 0; i < C::buffers; ++i) {{ const auto b = C::buffer(i, s, d); "
      "std::printf(\"%s %s %lld\\n\", b.name, b.access, (long long)b.bytes); }}\n",
      name);
  for (const model::ArgumentSpec& argument : spec.arguments)
    if (is_scalar(argument))
      text +=
          fmt::format("    std::printf(\"{0} %.9g\\n\", double(C::argument_{0}(s, d)));\n", argument.name);
  return text + "  } }\n";
}

std::string dims(const model::Dim3& d) {
  return fmt::format("{} {} {}", d.x, d.y, d.z);
}

bool has_views(const model::KernelSpec& spec) {
  return std::any_of(spec.arguments.begin(), spec.arguments.end(),
                     [](const model::ArgumentSpec& one) { return one.is_view(); });
}

/// The same from the engine; nothing where that knows more than a header can; empty `said` of arguments that
/// no step is passed.
std::string engine_lines(const space::KernelSpace& space, const model::Configuration& configuration,
                         const model::Problem& problem) {
  const model::KernelSpec& spec = space.spec();
  if (!space.allows(problem, configuration, device().limits)) return "0\n";
  const auto made = space.make_plan(problem, configuration, device().limits);
  const auto* plan = std::get_if<model::Plan>(&made);
  if (plan == nullptr)
    return has_views(spec) ? "" : "0\n";  // what a tensor map may be is the driver's to say
  std::string out = "1\n";
  for (const model::Step& step : plan->steps) {
    if (step.kind == model::Step::Kind::launch)
      out += fmt::format("{} grid {} block {} cluster {} shared {} carveout {} flags {} {} ", step.entry,
                         dims(step.grid), dims(step.block), dims(step.cluster), step.dynamic_shared_bytes,
                         step.shared_carveout_percent, step.cooperative ? 1 : 0, step.overlap ? 1 : 0);
    else if (step.kind == model::Step::Kind::call)
      out += fmt::format("calls {} ", step.entry);
    else
      out += fmt::format("{} {} elements from {} byte {} ",
                         plan->buffers[static_cast<std::size_t>(step.buffer)].name, step.count, step.first,
                         step.byte);
    out += fmt::format("stream {} repeat {}\n", step.stream, step.repeat);
  }
  std::size_t buffer = 0;
  std::map<std::string, std::string> scalars;
  for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
    const model::ArgumentSpec& argument = spec.arguments[i];
    if (!argument.pointer) continue;
    const model::BufferPlan& plan_buffer = plan->buffers[buffer++];
    constexpr const char* names[] = {"in", "out", "inout", "workspace"};
    if (!argument.is_field())
      out += fmt::format("{} {} {}\n", plan_buffer.name, names[static_cast<int>(plan_buffer.access)],
                         plan_buffer.bytes());
  }
  std::size_t at = 0;
  for (const model::StepSpec& step : spec.steps) {
    if (at >= plan->steps.size() || plan->steps[at].kind != model::Step::Kind::launch || !step.upload.empty())
      continue;
    if (plan->steps[at].entry != step.entry) continue;
    std::vector<std::string> passed = step.arguments;
    if (passed.empty())
      for (const model::ArgumentSpec& argument : spec.arguments)
        if (!argument.is_field() && argument.symbol.empty()) passed.push_back(argument.name);
    const auto& operands = plan->steps[at++].operands;
    for (std::size_t i = 0; i < passed.size() && i < operands.size(); ++i)
      scalars[passed[i]] = fmt::format(
          "{:.9g}", operands[i].type == model::ElementType::float64 ? operands[i].real
                    : model::is_floating(operands[i].type)          ? static_cast<float>(operands[i].real)
                                                           : static_cast<double>(operands[i].integer));
  }
  for (const model::ArgumentSpec& argument : spec.arguments)
    if (is_scalar(argument)) out += fmt::format("{} {}\n", argument.name, scalars[argument.name]);
  return out;
}

/// Compared line by line; what the engine leaves open (`NAME ` without a value) may be anything.
void compare(const std::string& engine, const std::string& header) {
  if (engine.empty()) return;
  std::istringstream a(engine), b(header);
  std::string ours, theirs;
  while (std::getline(a, ours)) {
    REQUIRE(std::getline(b, theirs));
    if (ours.ends_with(' '))
      CHECK(theirs.starts_with(ours));
    else
      CHECK(theirs == ours);
  }
  CHECK_FALSE(std::getline(b, theirs));
}

constexpr const char* print_function = R"(
template <class Step>
void print(const Step& x) {
  if (!x.applies) return;
  const auto n = [](std::int64_t v) { return (long long)v; };
  if (x.kind == Step::Kind::launch)
    std::printf("%s grid %lld %lld %lld block %lld %lld %lld cluster %lld %lld %lld shared %lld carveout %lld flags %d %d ",
                x.entry, n(x.grid.x), n(x.grid.y), n(x.grid.z), n(x.block.x), n(x.block.y), n(x.block.z), n(x.cluster.x),
                n(x.cluster.y), n(x.cluster.z), n(x.dynamic_shared_bytes), n(x.shared_carveout_percent),
                x.cooperative ? 1 : 0, x.overlap ? 1 : 0);
  else if (x.kind == Step::Kind::call)
    std::printf("calls %s ", x.entry);
  else
    std::printf("%s %lld elements from %lld byte %lld ", x.entry, n(x.count), n(x.first), n(x.byte));
  std::printf("stream %d repeat %lld\n", x.stream, n(x.repeat));
}
)";

test::ProgramResult in_shell(const test::TemporaryFolder& folder, const std::string& command) {
  return test::run_program({"/bin/sh", "-c", command}, {{"PATH", std::getenv("PATH")}}, folder.path());
}

}  // namespace

TEST_SUITE("generated header") {
  TEST_CASE("it says of every shipped kernel and example what the engine's own plans say") {
    const std::vector<model::KernelSpec> specs = all_specs();
    REQUIRE(specs.size() > 30);
    const test::TemporaryFolder folder;
    std::string includes, body;
    struct Case {
      std::string where, expected;
    };
    std::vector<Case> cases;
    int number = 0;
    for (const model::KernelSpec& spec : specs) {
      const space::KernelSpace space(spec);
      const std::vector<model::Configuration> configurations = some_of(space);
      if (configurations.empty()) continue;
      const std::string name_space = fmt::format("tuned::k{}", number);
      const std::string file = fmt::format("k{}.hpp", number++);
      const LaunchHeader header = header_of(spec, configurations, name_space);
      std::ofstream(folder / file) << header.text();
      includes += fmt::format("#include \"{}\"\n", file);
      body += fmt::format("void run{}() {{\n  using namespace {};\n", number, name_space);
      for (const auto& sizes : sizes_of(spec.sizes.size())) {
        body += fmt::format("  {{ const Sizes s{{{}}}; const Device d;\n", fmt::join(sizes, ", "));
        const model::Problem problem = space::make_problem(spec, sizes, std::nullopt, 0);
        for (std::size_t i = 0; i < configurations.size(); ++i) {
          body +=
              "  std::printf(\"@\\n\");\n" + print_statement(spec, fmt::format("configuration<{}>::type", i));
          cases.push_back({fmt::format("{} {} {}", spec.name, problem.text(), configurations[i].text()),
                           engine_lines(space, configurations[i], problem)});
        }
        body += "  }\n";
      }
      body += "}\n";
    }
    std::string main = "int main() {\n";
    for (int i = 1; i <= number; ++i) main += fmt::format("  run{}();\n", i);
    std::ofstream(folder / "all.cpp") << includes << "#include <cstdio>\n"
                                      << print_function << body << main << "}\n";
    const test::ProgramResult built =
        in_shell(folder, "c++ -std=c++17 -O0 -Wall -Wextra -Werror all.cpp -o all");
    INFO(built.err.substr(0, 4000));
    REQUIRE(built.exit_code == 0);
    const std::string out = in_shell(folder, "./all").out;
    std::vector<std::string> said;
    for (std::size_t at = out.find("@\n"); at != std::string::npos;) {
      const std::size_t next = out.find("@\n", at + 2);
      said.push_back(out.substr(at + 2, next == std::string::npos ? next : next - at - 2));
      at = next;
    }
    REQUIRE(said.size() == cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      CAPTURE(cases[i].where);
      compare(cases[i].expected, said[i]);
    }
  }

  TEST_CASE("what cannot run there, or was compiled for another size, is not selected") {
    model::KernelSpec spec =
        config::load_kernel_file(root + "/examples/tiled_copy/tiled_copy.toml").kernels.front();
    spec.derived.push_back({"BIG", {spec.sizes.front() + " > 5000", {}}});
    spec.macros.push_back({"BIG", {}});
    spec.conditional_options = {{"-DHUGE", {spec.sizes.front() + " > 8000", {}}}};
    spec.steps.front().dynamic_shared_bytes = model::Expression{"50 * " + spec.sizes.front(), {}};
    const space::KernelSpace space(spec);
    const test::TemporaryFolder folder;
    std::ofstream(folder / "tuned.hpp") << header_of(spec, {some_of(space).front()}, "tuned::copy").text();
    std::ofstream(folder / "use.cpp")
        << "#include \"tuned.hpp\"\n#include <cstdio>\n#include <initializer_list>\nint main() {\n"
           "  for (int n : std::initializer_list<int>{1024, 1001, 4096, 4864, 6000, 9000}) std::printf(\"%d "
           "\", "
           "tuned::copy::select({n, n}, {}));\n}\n";
    const test::ProgramResult out =
        in_shell(folder, "c++ -std=c++17 -Wall -Wextra -Werror use.cpp -o use && ./use");
    CHECK_MESSAGE(out.out == "0 -1 0 -1 -1 -1 ", out.err);
  }

  TEST_CASE("a program may have two headers of one family, linked in any order") {
    const model::KernelSpec spec = all_specs().front();
    const std::vector<model::Configuration> configurations = some_of(space::KernelSpace(spec));
    REQUIRE(configurations.size() > 1);
    const test::TemporaryFolder folder;
    for (const std::string name : {"one", "other"}) {
      LaunchHeader header = header_of(spec, configurations, "tuned::family");
      header.configurations.front().options = "of " + name;
      std::ofstream(folder / (name + ".hpp")) << header.text();
      std::ofstream(folder / (name + ".cpp"))
          << "#include \"" << name << ".hpp\"\nconst char* of_" << name
          << "() { return tuned::family::visit(0, [](auto c) { return decltype(c)::options; }); }\n";
    }
    std::ofstream(folder / "main.cpp")
        << "#include <cstdio>\nconst char* of_one();\nconst char* of_other();\n"
           "int main() { std::printf(\"%s, %s\", of_one(), of_other()); }\n";
    for (const std::string files : {"one.cpp other.cpp", "other.cpp one.cpp"}) {
      const auto built = in_shell(folder, "c++ -std=c++17 main.cpp " + files + " -o both && ./both");
      INFO(built.err);
      CHECK(built.out == "of one, of other");
    }
  }

  TEST_CASE("compilers take it alone without a warning, as template arguments and in constant expressions") {
    const config::LoadedKernels loaded = config::load_kernel_folder(root + "/kernels/matmul");
    const auto spec = std::find_if(loaded.kernels.begin(), loaded.kernels.end(),
                                   [](const model::KernelSpec& one) { return one.name == "register_tile"; });
    REQUIRE(spec != loaded.kernels.end());
    const space::KernelSpace space(*spec);
    LaunchHeader header = header_of(*spec, some_of(space), "tuned::matmul");
    REQUIRE(header.configurations.size() > 1);
    header.rule.nodes.clear();
    cover::RuleNode question, a, b;
    question.is_leaf = false;
    question.feature = {cover::Feature::Kind::product};
    question.threshold = 2e9;
    question.yes = 1;
    question.no = 2;
    b.configuration = 1;
    header.rule.nodes = {question, a, b};
    const test::TemporaryFolder folder;
    std::ofstream(folder / "tuned.hpp") << header.text();
    for (const char* file : {"use.cpp", "use.cu"}) {
      std::ofstream(folder / file) << R"(#include "tuned.hpp"
template <class Configuration>
struct Kernel {
  static constexpr std::int64_t threads = Configuration::step(0, {1024, 1024, 1024}, {}).block.x;
};
namespace m = tuned::matmul;
static_assert(m::select(512, 512, 512) == 0, "");
static_assert(m::select(2048, 2048, 2048) == 1, "");
static_assert(Kernel<m::A>::threads > 0, "");
static_assert(Kernel<m::configuration<1>::type>::threads > 0, "");
static_assert(sizeof(m::A) == 1, "");
long long blocks(long long n) {
  const m::Sizes s{n, n, n};
  return m::visit(m::select(s), [&](auto c) { return decltype(c)::step(0, s, {}).grid.x; });
}
)";
    }
    for (const std::string compiler :
         {"g++ -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -c use.cpp -o use.o",
          "clang++ -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -c use.cpp -o use.o",
          "nvcc -std=c++17 -Werror all-warnings -c use.cu -o use.o"}) {
      const std::string program = compiler.substr(0, compiler.find(' '));
      if (in_shell(folder, "command -v " + program).exit_code != 0) {
        MESSAGE("there is no " << program << " here");
        continue;
      }
      const test::ProgramResult built = in_shell(folder, compiler);
      CAPTURE(compiler);
      CAPTURE(built.err);
      CHECK(built.exit_code == 0);
      CHECK(built.err.empty());
    }
  }

  TEST_CASE("whatever its names and however large its numbers, a spec has its own launches") {
    model::KernelSpec spec;
    spec.name = "k";
    spec.sizes = {"select", "d"};
    spec.types = {model::ElementType::float32};
    for (const char* name : {"A", "A_", "B", "i", "out", "fits", "least", "s", "s_", "step", "argument_n"}) {
      model::ParameterSpec& parameter = spec.parameters.emplace_back();
      parameter.name = name;
      parameter.values = {model::Value(2)};
    }
    spec.derived = {{"most", {"max(select, d)", {}}}, {"select_", {"2 * most", {}}}};
    spec.constraints = {{"d <= 2 * 1024 * 1024 * 1024", {}}};
    model::ArgumentSpec& argument = spec.arguments.emplace_back();
    argument.name = "n";
    argument.type = model::ElementType::int32;
    argument.value = model::Expression{"argument_n + 1", {}};
    model::ArgumentSpec& big = spec.arguments.emplace_back(argument);
    big.name = "big";
    big.value = model::Expression{"d <= 11 ? 214748364 * d : 0", {}};
    model::StepSpec& step = spec.steps.emplace_back();
    step.entry = "k";
    step.block = {{"64", {}}};
    step.grid = {{"ceil_div(select_, i * out) + A + A_ + B + fits + min(least, s) + s_ + step", {}}};
    const space::KernelSpace space(spec);
    const model::Configuration configuration = some_of(space).front();
    const LaunchHeader header = header_of(spec, {configuration, configuration}, "tuned::names");
    const test::TemporaryFolder folder;
    std::ofstream(folder / "tuned.hpp") << header.text();
    std::ofstream(folder / "use.cpp") << R"(#include "tuned.hpp"
namespace m = tuned::names;
static_assert(m::select(100, 6400) == 0, "");
static_assert(m::B::step(0, {10, 100}, {}).grid.x == 64, "");
static_assert(m::A::A == 2 && m::B::B == 2 && m::A::argument_n({}, {}) == 3, "");
static_assert(m::A::argument_big({10, 10}, {}) == 2147483640, "and at the next size it is no int");
static_assert(m::select(10, 11) == -1, "");
)";
    const test::ProgramResult built =
        in_shell(folder, "c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only use.cpp");
    CHECK_MESSAGE(built.exit_code == 0, built.err);
  }
}
