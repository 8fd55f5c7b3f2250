// Kernels of the host's compiler, launched without the engine.
#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "tests/use/cpu_pack.hpp"
#include "tests/use/sample_pack.hpp"
#include "tuner/use/tuner.hpp"

using namespace tuner::use;

namespace {

/// Made once: it is compiled.
const tests::Aligned& made() {
  static const tests::Aligned bytes(written(tests::cpu_pack()));
  return bytes;
}

}  // namespace

TEST_SUITE("use") {
  TEST_CASE("a kernel with barriers and shared memory runs on the CPU, at every size") {
    tuner::pack pack;
    tuner::kernel kernel;
    REQUIRE(!pack.view(made().get(), made().count()));
    REQUIRE(!tuner::kernel::find(pack, "matmul", &kernel));
    CHECK(kernel.pick(TUNER_CPU, {64, 64, 64}).known == TUNER_SAME_ARCHITECTURE);
    CHECK(kernel.pick(TUNER_CPU, {5, 7, 9}).known == TUNER_BY_DEFAULT);
    for (const auto& [m, n, k] : {std::array{64, 64, 64}, std::array{33, 17, 5}, std::array{1, 1, 1}}) {
      std::vector<float> a(m * k), b(k * n), c(m * n, -1);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7);
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5);
      const auto error =
          kernel.launch(TUNER_CPU_STREAM, {m, n, k}, a.data(), b.data(), tuner::array{c.data(), c.size()});
      REQUIRE_MESSAGE(!error, error.text(), " ", error.detail());
      for (int row = 0; row < m; ++row) {
        for (int column = 0; column < n; ++column) {
          float sum = 0;
          for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
          REQUIRE(c[row * n + column] == sum);
        }
      }
    }
  }

  TEST_CASE("threads of a warp exchange values on the CPU, and let the others go on while they poll") {
    tuner::pack pack;
    tuner::kernel kernel;
    REQUIRE(!pack.view(made().get(), made().count()));
    REQUIRE(!tuner::kernel::find(pack, "row_sums", &kernel));
    std::vector<float> x(10 * 100), y(10);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 11);
    REQUIRE(!kernel.prepare(TUNER_CPU_STREAM));
    const auto error = kernel.launch(TUNER_CPU_STREAM, {10, 100}, x.data(), y.data());
    REQUIRE_MESSAGE(!error, error.text(), " ", error.detail());
    for (std::size_t row = 0; row < 10; ++row) {
      float sum = 0;
      for (std::size_t i = 0; i < 100; ++i) sum += x[row * 100 + i];
      CHECK(y[row] == sum);
    }
  }

  TEST_CASE("variables have the caller's values during a launch, and the caller has theirs after it") {
    tuner::pack pack;
    tuner::kernel kernel;
    REQUIRE(!pack.view(made().get(), made().count()));
    REQUIRE(!tuner::kernel::find(pack, "weighted", &kernel));
    alignas(16) int calls[] = {10, 0};
    for (const float first : {1.0F, 5.0F}) {
      alignas(16) const std::array weights = {first, first + 1, first + 2, first + 3};
      std::vector<float> y(8);
      const auto error = kernel.launch(TUNER_CPU_STREAM, {8}, weights.data(), &calls[0], y.data());
      REQUIRE_MESSAGE(!error, std::string(error.text()), " ", std::string(error.detail()));
      for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == weights[i % 4]);
    }
    CHECK(calls[0] == 12);
  }

  TEST_CASE("variables of a layer are those of its own binary") {
    Pack measured = tests::cpu_pack();
    measured.kernels[2].targets[0].measured = {{{4}, 3, 1000, 0}};
    const tests::Aligned below(written(measured));
    tuner::pack pack;
    tuner::kernel kernel;
    REQUIRE(!pack.open({{nullptr, below.get(), below.count()}, {nullptr, made().get(), made().count()}}));
    REQUIRE(!tuner::kernel::find(pack, "weighted", &kernel));
    alignas(16) int calls[] = {10, 0};
    alignas(16) const std::array weights = {1.0F, 2.0F, 3.0F, 4.0F};
    for (const std::int64_t n : {4, 8, 4}) {
      const tuner::choice choice = kernel.pick(TUNER_CPU, {n});
      CHECK(choice.layer == (n == 4 ? 0 : 1));
      std::vector<float> y(8);
      const auto error = kernel.launch(TUNER_CPU_STREAM, {n}, weights.data(), &calls[0], y.data());
      REQUIRE_MESSAGE(!error, std::string(error.text()), " ", std::string(error.detail()));
      for (std::int64_t i = 0; i < n; ++i) CHECK(y[static_cast<std::size_t>(i)] == weights[i % 4]);
    }
    CHECK(calls[0] == 13);
  }

  TEST_CASE("a binary is its own, whatever descriptors the program closes") {
    tuner::pack pack;
    tuner::kernel kernel;
    REQUIRE(!pack.view(made().get(), made().count()));
    REQUIRE(!tuner::kernel::find(pack, "matmul", &kernel));
    REQUIRE(!kernel.prepare(TUNER_CPU_STREAM, {64, 64, 64}));
    for (int file = 3; file < 100; ++file) {  // as daemons do, but for what is the test's
      std::array<char, 64> name = {};
      const std::string path = "/proc/self/fd/" + std::to_string(file);
      const bool is_open = readlink(path.c_str(), name.data(), name.size() - 1) > 0;
      if (is_open && std::string(name.data()).find("tuner-binary") != std::string::npos) close(file);
    }
    REQUIRE(!tuner::kernel::find(pack, "row_sums", &kernel));
    std::vector<float> x(1000, 1), y(10);
    const auto error = kernel.launch(TUNER_CPU_STREAM, {10, 100}, x.data(), y.data());
    REQUIRE_MESSAGE(!error, error.text(), " ", error.detail());
    CHECK(y[0] == 100);
  }

  TEST_CASE("what the CPU cannot run is refused") {
    const auto code = [](const auto& change) {
      Pack changed = tests::cpu_pack();
      change(changed);
      const tests::Aligned bytes(written(changed));
      tuner::pack pack;
      tuner::kernel kernel;
      REQUIRE(!pack.view(bytes.get(), bytes.count()));
      REQUIRE(!tuner::kernel::find(pack, "row_sums", &kernel));
      std::vector<float> x(100), y(10);
      return kernel.launch(TUNER_CPU_STREAM, {10, 10}, x.data(), y.data()).code();
    };
    CHECK(code([](Pack& pack) { pack.images[2].bytes = "no shared object"; }) == TUNER_CANNOT_LOAD);
    CHECK(code([](Pack& pack) { pack.configurations[2].steps[0].function = "other"; }) == TUNER_CANNOT_LOAD);
    CHECK(code([](Pack& pack) { pack.configurations[2].steps[0].operands.pop_back(); }) ==
          TUNER_CANNOT_LAUNCH);
    CHECK(code([](Pack& pack) { pack.configurations[2].steps[0].cooperative = constant(1); }) ==
          TUNER_CANNOT_LAUNCH);
    CHECK(code([](Pack&) {}) == TUNER_OK);
  }
}
