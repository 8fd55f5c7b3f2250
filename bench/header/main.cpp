// How long does the header of 1,000 sizes take to compile? Its rule has a leaf for each size, which is the
// most that `tuner cover` can make of them, and 32 configurations of the shipped register_tile.
//   bench_header       prints seconds with g++ and nvcc against the limit of 5 s, and without the header
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "config/kernel_file.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/packing/build_recipe.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/util/files.hpp"

namespace {

using namespace tuner;  // NOLINT(google-build-using-namespace)

constexpr double limit_s = 5;
constexpr std::size_t sizes = 1000;
constexpr std::size_t configurations = 32;

/// The nodes of the leaves from `first` on, so many: a balanced tree that asks for M, products and
/// remainders.
std::size_t add_leaves(std::size_t first, std::size_t count, cover::Rule& rule) {
  const std::size_t place = rule.nodes.size();
  rule.nodes.emplace_back();
  if (count == 1) {
    rule.nodes[place].configuration = first % configurations;
    // In another order at each leaf, as nearness has it: `1 + first` steps on, in a field of 37.
    for (std::size_t i = 1, other = 1; i < 37; ++i, other = other * (2 + first % 35) % 37) {
      auto& otherwise = rule.nodes[place].otherwise;
      const bool is_new = std::find(otherwise.begin(), otherwise.end(), other) == otherwise.end();
      if (other < configurations && other != first % configurations && is_new) otherwise.push_back(other);
    }
    return place;
  }
  using Kind = cover::Feature::Kind;
  cover::Feature feature{Kind::size, first % 3};
  if (first % 4 == 1) feature = {Kind::product};
  if (first % 4 == 2) feature = {Kind::ratio, 0, 1};
  if (first % 4 == 3) feature = {Kind::remainder, 2, 0, 8};
  const std::size_t yes = add_leaves(first, count / 2, rule);
  const std::size_t no = add_leaves(first + count / 2, count - count / 2, rule);
  cover::RuleNode& node = rule.nodes[place];
  node.is_leaf = false;
  node.feature = feature;
  node.threshold = static_cast<double>(64 * (first + count / 2));
  node.yes = yes;
  node.no = no;
  return place;
}

std::string header_text(const model::KernelSpec& spec) {
  packing::LaunchHeader header;
  header.name_space = "tuned::matmul";
  header.dimensions = spec.sizes;
  header.device = *device::cuda::known_device("sm_90");
  const model::Problem problem = space::make_problem(spec, {4096}, std::nullopt, 0);
  space::KernelSpace(spec).enumerate(problem, header.device.limits, [&](const model::Configuration& one) {
    header.configurations.push_back({&spec, one, problem, "-DX=1", {"a remark"}});
    return header.configurations.size() < configurations;
  });
  add_leaves(0, sizes, header.rule);
  return header.text();
}

double seconds_of_children() {
  rusage used = {};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Of a processor, which others do not make longer; 0 where the compiler is not there or refuses.
double seconds_of(const std::string& command) {
  const double before = seconds_of_children();
  return std::system(command.c_str()) == 0 ? seconds_of_children() - before : 0;
}

}  // namespace

int main() {
  const auto loaded = config::load_kernel_folder(TUNER_SOURCE_DIR "/kernels/matmul");
  const util::TemporaryFolder folder;
  for (const model::KernelSpec& spec : loaded.kernels) {
    if (spec.name != "register_tile") continue;
    const std::string text = header_text(spec);
    std::ofstream(folder.path() / "tuned.hpp") << text;
    fmt::print("header: {} bytes\n", text.size());
  }
  constexpr const char* plain = "#include <cstdint>\nint main() {}\n";
  constexpr const char* use =
      "#include \"tuned.hpp\"\nint main(int n, char**) { return tuned::matmul::select(n, n, n); }\n";
  for (const auto& [compiler, suffix] : {std::pair{"g++", "cpp"}, std::pair{"nvcc", "cu"}}) {
    const auto compiled = [&, compiler = compiler, suffix = suffix](const char* text) {
      std::ofstream(folder.path() / fmt::format("use.{}", suffix)) << text;
      return seconds_of(fmt::format("cd {} && {} -std=c++17 -O2 -c use.{} -o use.o 2>/dev/null",
                                    folder.path().string(), compiler, suffix));
    };
    const double without = compiled(plain);
    const double with = compiled(use);
    if (with == 0)
      fmt::print("{}: is not here\n", compiler);
    else
      fmt::print("{}: {:.2f} s, {:.2f} of the limit of {:.0f} s; {:.2f} s without the header\n", compiler,
                 with, with / limit_s, limit_s, without);
  }
}
