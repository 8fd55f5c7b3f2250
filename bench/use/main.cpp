// How long does a program wait for an answer? Writes a pack of 1,000 measured sizes with a rule of 15 nodes
// and 8 binaries, opens it, and picks for measured and for other sizes. The device is the CPU, so that no GPU
// is needed; the ladder is the same.
//   bench_use       prints ns against the limit of 100, and the bytes of the pack
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "tuner/use/pack_writer.hpp"
#include "tuner/use/tuner.h"

namespace {

using namespace tuner::use;  // NOLINT(google-build-using-namespace)
using Clock = std::chrono::steady_clock;

constexpr double limit_ns = 100;
constexpr int measured_sizes = 1000;
constexpr int configurations = 8;
constexpr std::size_t binary_bytes = 60'000;  // of a matmul's cubin
constexpr int batches = 2000;
constexpr int picks = 500;

Expression real_size(std::uint32_t dimension) {
  Expression load = size(dimension);
  load.is_real = true;
  return load;
}

/// A balanced tree of the questions that `tuner cover` asks, in code as `tuner pack` writes it.
std::vector<RuleNode> rule() {
  std::vector<RuleNode> nodes(15);
  const auto at_most = [](const Expression& feature, double threshold) {
    return binary(Op::less_equal, feature, constant_real(threshold));
  };
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (2 * i + 2 >= nodes.size()) {
      nodes[i].configuration = i % configurations;
      continue;
    }
    const Expression product = binary(Op::multiply, real_size(0), real_size(1));
    const Expression remainder = binary(Op::remainder, real_size(1), constant_real(128));
    nodes[i].condition = i % 4 == 3   ? at_most(remainder, 64)
                         : i % 4 == 2 ? at_most(product, 150'000)
                                      : at_most(real_size(i % 3), 200 + 30.5 * i);
    nodes[i].yes = 2 * i + 1;
    nodes[i].no = 2 * i + 2;
  }
  return nodes;
}

Pack large_pack() {
  Pack pack;
  for (int i = 0; i < configurations; ++i) {
    Configuration one;
    one.kernel = "sgemm";
    one.name = fmt::format("TILE={}", i);
    one.applies = binary(Op::greater, binary(Op::multiply, size(0), size(1)), constant(0));
    one.image = static_cast<std::uint32_t>(i);
    one.steps.resize(1);
    one.steps[0].function = "sgemm";
    pack.configurations.push_back(one);
    pack.images.push_back(
        {"host", ImageKind::shared_object, std::string(binary_bytes, static_cast<char>('a' + i))});
  }
  Target target;
  target.architecture = "host";
  for (int i = 0; i < measured_sizes; ++i)
    target.measured.push_back({{64 + 64 * (i % 10), 64 + 64 * (i / 10 % 10), 64 + 64 * (i / 100)},
                               static_cast<std::uint32_t>(i % configurations),
                               1000,
                               0});
  target.rule = rule();
  target.defaults = {0};
  Kernel kernel;
  kernel.family = "matmul";
  kernel.type = "float";
  kernel.sizes = {"M", "N", "K"};
  kernel.targets = {target};
  pack.kernels = {kernel};
  return pack;
}

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// Of one pick, over sizes that come in no order: the best of many batches, since other programs only make it
/// longer.
double pick_ns(const tuner_kernel* kernel, std::int64_t offset) {
  std::uint64_t random = 1;
  std::uint64_t sum = 0;
  double best = 1e9;
  for (int batch = 0; batch < batches; ++batch) {
    const auto start = Clock::now();
    for (int i = 0; i < picks; ++i) {
      random = random * 6364136223846793005 + 1442695040888963407;
      const auto side = [&](int shift) {
        return 64 + 64 * static_cast<std::int64_t>((random >> shift) % 10) + offset;
      };
      const std::int64_t sizes[] = {side(33), side(43), side(53)};
      tuner_choice choice;
      if (tuner_kernel_pick(kernel, TUNER_CPU, sizes, 3, &choice) != TUNER_OK) return 0;
      sum += choice.index;
    }
    best = std::min(best, nanoseconds_since(start) / picks);
  }
  return sum == 0 ? 0 : best;
}

}  // namespace

int main() {
  const std::string bytes = written(large_pack());
  std::vector<std::uint64_t> aligned(bytes.size() / 8 + 1);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  tuner_pack* pack = nullptr;
  const auto start = Clock::now();
  if (tuner_pack_view(aligned.data(), bytes.size(), &pack) != TUNER_OK) return 1;
  const double open_ms = nanoseconds_since(start) / 1e6;
  const tuner_kernel* const kernel = tuner_pack_kernel(pack, 0);
  for (const auto& [what, offset] : {std::pair{"measured size", 0}, std::pair{"by the rule", 1}}) {
    const double ns = pick_ns(kernel, offset);
    fmt::print("pick, {}: {:.0f} ns, {:.2f} of the limit of {:.0f} ns\n", what, ns, ns / limit_ns, limit_ns);
  }
  fmt::print("pack: {} bytes, {} of them binaries; {:.1f} bytes a measured size\n", bytes.size(),
             configurations * binary_bytes,
             static_cast<double>(bytes.size() - configurations * binary_bytes) / measured_sizes);
  fmt::print("open, checksum included: {:.2f} ms\n", open_ms);
  tuner_pack_close(pack);
}
