// Opening packs: whole ones, layers, and everything that is none.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/use/sample_pack.hpp"
#include "tests/use/stand_in.hpp"
#include "tuner/use/sha256.hpp"

using namespace tuner::use;
using tests::Aligned;
using tests::Opened;
using tests::sample_pack;

namespace {

tuner_error opening(const Aligned& bytes) {
  tuner_pack* pack = nullptr;
  const tuner_error error = tuner_pack_view(bytes.get(), bytes.count(), &pack);
  CHECK((pack != nullptr) == (error == TUNER_OK));
  tuner_pack_close(pack);
  return error;
}

/// With a checksum that is right for the changed bytes.
Aligned resealed(std::string bytes) {
  Header header;
  REQUIRE(bytes.size() >= sizeof header);
  std::memcpy(&header, bytes.data(), sizeof header);
  header.file_bytes = bytes.size();
  std::memset(header.digest, 0, sizeof header.digest);
  std::memcpy(bytes.data(), &header, sizeof header);
  Sha256 sum;
  sum.add(bytes.data(), bytes.size());
  sum.finish(header.digest);
  std::memcpy(bytes.data(), &header, sizeof header);
  return Aligned(bytes);
}

/// Asks a damaged pack everything: whatever it answers, it reads and writes nothing that is not its own.
void use_all(const Aligned& bytes) {
  tests::StandIn& driver = tests::fresh_stand_in();
  tests::StandIn::Context context;
  driver.current = &context;
  tuner_pack* pack = nullptr;
  if (tuner_pack_view(bytes.get(), bytes.count(), &pack) != TUNER_OK) return;
  for (std::size_t i = 0; i < tuner_pack_kernel_count(pack); ++i) {
    const tuner_kernel* const kernel = tuner_pack_kernel(pack, i);
    const std::int64_t sizes[16] = {2048, 2048, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const std::size_t count = tuner_kernel_size_count(kernel);
    tuner_value values[8] = {};
    for (tuner_value& value : values) value = {TUNER_ANY, 1, {reinterpret_cast<void*>(4096)}, 0};
    values[2] = {TUNER_FLOAT32, 0, {nullptr}, 0};
    tuner_choice choice;
    static_cast<void>(tuner_kernel_pick(kernel, 0, sizes, count, &choice));
    const std::size_t arguments = std::min<std::size_t>(tuner_kernel_parameter_count(kernel), 8);
    static_cast<void>(tuner_kernel_launch(kernel, nullptr, sizes, count, values, arguments,
                                          reinterpret_cast<void*>(4096), std::size_t{1} << 40));
  }
  tuner_pack_close(pack);
}

}  // namespace

TEST_SUITE("use") {
  TEST_CASE("a pack says what it was written with") {
    const Opened opened;
    CHECK(tuner_pack_kernel_count(opened.pack()) == 1);
    CHECK(tuner_pack_kernel(opened.pack(), 1) == nullptr);
    CHECK(std::string(tuner_kernel_family(opened.kernel())) == "scale");
    CHECK(std::string(tuner_kernel_type(opened.kernel())) == "float");
    REQUIRE(tuner_kernel_size_count(opened.kernel()) == 2);
    CHECK(std::string(tuner_kernel_size_name(opened.kernel(), 1)) == "N");
    CHECK(tuner_kernel_size_name(opened.kernel(), 2) == nullptr);
    REQUIRE(tuner_kernel_parameter_count(opened.kernel()) == 3);
    tuner_parameter parameter;
    REQUIRE(tuner_kernel_parameter(opened.kernel(), 1, &parameter) == TUNER_OK);
    CHECK(std::string(parameter.name) == "Y");
    CHECK(std::string(parameter.type_name) == "float*");
    CHECK(parameter.is_written == 1);
    CHECK(parameter.is_read == 0);
    CHECK(tuner_kernel_parameter(opened.kernel(), 3, &parameter) == TUNER_BAD_CALL);
  }

  TEST_CASE("a kernel is found by its name, and by its type where there are several") {
    Pack both = sample_pack();
    for (const Configuration& one : sample_pack().configurations) both.configurations.push_back(one);
    both.kernels.push_back(both.kernels.front());
    Kernel& second = both.kernels.back();
    second.type = "int";
    second.targets.resize(1);
    second.targets[0].measured.clear();
    second.targets[0].rule.clear();
    second.targets[0].defaults = {4};
    both.configurations.resize(5);
    const Opened opened(both);
    const tuner_kernel* kernel = nullptr;
    CHECK(tuner_kernel_find(opened.pack(), "scale", nullptr, &kernel) == TUNER_SEVERAL_TYPES);
    CHECK(std::string(tuner_error_detail()) == "scale; it has float, int");
    CHECK(kernel == nullptr);
    REQUIRE(tuner_kernel_find(opened.pack(), "scale", "int", &kernel) == TUNER_OK);
    CHECK(std::string(tuner_kernel_type(kernel)) == "int");
    CHECK(tuner_kernel_find(opened.pack(), "scale", "double", &kernel) == TUNER_NO_KERNEL);
    CHECK(std::string(tuner_error_detail()) == "scale of double; it has float, int");
    CHECK(tuner_kernel_find(opened.pack(), "matmul", nullptr, &kernel) == TUNER_NO_KERNEL);
    CHECK(std::string(tuner_error_detail()) == "matmul");
    CHECK(tuner_kernel_find(nullptr, "scale", nullptr, &kernel) == TUNER_BAD_CALL);
  }

  TEST_CASE("equal packs have equal bytes, and their digest is in them") {
    const std::string bytes = written(sample_pack());
    CHECK(bytes == written(sample_pack()));
    const Opened one;
    CHECK(std::string(tuner_pack_digest(one.pack())).size() == 64);
    Pack other = sample_pack();
    other.images[0].bytes += "\n";
    CHECK(std::string(tuner_pack_digest(one.pack())) != tuner_pack_digest(Opened(other).pack()));
    const Opened layers({sample_pack(), other});
    const Opened turned({other, sample_pack()});
    CHECK(std::string(tuner_pack_digest(layers.pack())) != tuner_pack_digest(turned.pack()));
  }

  TEST_CASE("SHA-256 is that of FIPS 180-4") {
    const auto digest = [](const std::string& text, std::size_t piece) {
      Sha256 sum;
      for (std::size_t i = 0; i < text.size(); i += piece)
        sum.add(text.data() + i, std::min(piece, text.size() - i));
      std::uint8_t bytes[32];
      sum.finish(bytes);
      char hexadecimal[65];
      to_hexadecimal(bytes, hexadecimal);
      return std::string(hexadecimal);
    };
    CHECK(digest("", 1) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(digest("abc", 2) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const std::string million(1000000, 'a');
    for (const std::size_t piece : {1U, 63U, 64U, 65U, 1000000U})
      CHECK(digest(million, piece) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    for (std::size_t length = 50; length < 70; ++length)
      CHECK(digest(million.substr(0, length), 7).size() == 64);
  }

  TEST_CASE("a pack that ends anywhere is refused") {
    const std::string bytes = written(sample_pack());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const tuner_error error = opening(Aligned(bytes.substr(0, length)));
      CHECK((error == TUNER_DAMAGED_PACK || (error == TUNER_NOT_A_PACK && length < sizeof magic)));
    }
    CHECK(opening(Aligned(bytes + "x")) == TUNER_DAMAGED_PACK);
    CHECK(opening(Aligned(bytes)) == TUNER_OK);
  }

  TEST_CASE("a pack with any byte changed is refused") {
    Aligned bytes(written(sample_pack()));
    for (std::size_t i = 0; i < bytes.count(); ++i) {
      bytes.data()[i] ^= 0x41;
      const tuner_error error = opening(bytes);
      CHECK(error != TUNER_OK);
      bytes.data()[i] ^= 0x41;
    }
  }

  TEST_CASE("a pack that was changed and sealed again is refused, or works within its own bytes") {
    const std::string bytes = written(sample_pack());
    int refused = 0;
    for (const int change : {0x01, 0x80, 0xff}) {
      for (std::size_t i = sizeof magic; i < bytes.size(); ++i) {
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ change);
        const Aligned sealed = resealed(changed);
        refused += opening(sealed) != TUNER_OK ? 1 : 0;
        use_all(sealed);
      }
    }
    CHECK(refused > 1000);
  }

  TEST_CASE("a pack of another version is named as such") {
    std::string bytes = written(sample_pack());
    ++bytes[8];
    CHECK(opening(resealed(bytes)) == TUNER_NEWER_PACK);
    CHECK(std::string(tuner_error_detail()) == "version 5; this library reads version 4");
  }

  TEST_CASE("what cannot be opened is named") {
    tuner_pack* pack = nullptr;
    CHECK(tuner_pack_open("/nowhere/a.tuned", &pack) == TUNER_NO_FILE);
    CHECK(std::string(tuner_error_detail()) == "/nowhere/a.tuned: No such file or directory");
    CHECK(tuner_pack_open("/", &pack) == TUNER_NOT_A_PACK);
    CHECK(tuner_pack_open(nullptr, &pack) == TUNER_BAD_CALL);
    CHECK(tuner_pack_view(nullptr, 10, &pack) == TUNER_BAD_CALL);
    CHECK(tuner_pack_open_layers(nullptr, 0, &pack) == TUNER_BAD_CALL);
    CHECK(opening(Aligned("#!/bin/sh\nexit 1\n")) == TUNER_NOT_A_PACK);
    tuner_pack_close(nullptr);
    const Aligned bytes(written(sample_pack()));
    const char* const shifted = static_cast<const char*>(bytes.get()) + 1;
    CHECK(tuner_pack_view(shifted, bytes.count() - 1, &pack) == TUNER_BAD_CALL);
  }

  TEST_CASE("a file that was opened may be written over") {
    const auto path =
        std::filesystem::temp_directory_path() / ("sample-" + std::to_string(getpid()) + ".tuned");
    std::ofstream(path) << written(sample_pack());
    tuner_pack* pack = nullptr;
    REQUIRE(tuner_pack_open(path.c_str(), &pack) == TUNER_OK);
    CHECK(std::string(tuner_pack_digest(pack)) == tuner_pack_digest(Opened().pack()));
    tuner::pack layers;
    CHECK(!layers.open({{path.c_str()}, {path.c_str()}}));
    std::ofstream(path) << "a";
    CHECK(std::string(tuner_kernel_family(tuner_pack_kernel(pack, 0))) ==
          tuner_kernel_family(tuner_pack_kernel(Opened().pack(), 0)));
    tuner_pack_close(pack);
    CHECK(layers.open(path.c_str()).code() == TUNER_NOT_A_PACK);
    std::filesystem::remove(path);
  }

  TEST_CASE("layers whose kernels are called differently are refused") {
    Pack renamed = sample_pack();
    renamed.kernels[0].parameters[0].name = "Z";
    Pack padded = sample_pack();
    padded.kernels[0].parameters[0].bytes = size(0);
    Pack written_to = sample_pack();
    written_to.kernels[0].parameters[0].is_written = true;
    for (const Pack& other : {renamed, padded, written_to}) {
      const Aligned first(written(sample_pack()));
      const Aligned second(written(other));
      const tuner_layer layers[] = {{nullptr, first.get(), first.count()},
                                    {nullptr, second.get(), second.count()}};
      tuner_pack* pack = nullptr;
      CHECK(tuner_pack_open_layers(layers, 2, &pack) == TUNER_UNLIKE_LAYERS);
      CHECK(std::string(tuner_error_detail()) == "scale of float in packs 1 and 2");
    }
  }

  TEST_CASE("layers may write the same extent in two ways") {
    Pack turned = sample_pack();
    Expression& bytes = turned.kernels[0].parameters[0].bytes;
    bytes = binary(Op::multiply, constant(1), bytes);
    const Aligned first(written(sample_pack()));
    const Aligned second(written(turned));
    const tuner_layer layers[] = {{nullptr, first.get(), first.count()},
                                  {nullptr, second.get(), second.count()}};
    tuner_pack* pack = nullptr;
    CHECK(tuner_pack_open_layers(layers, 2, &pack) == TUNER_OK);
    tuner_pack_close(pack);
  }

  TEST_CASE("the writer refuses what makes no sense") {
    const auto refused = [](const auto& change) {
      Pack pack = sample_pack();
      change(pack);
      CHECK_THROWS_AS(static_cast<void>(written(pack)), std::invalid_argument);
    };
    refused([](Pack& pack) { pack.images[0].architecture = "sm_80"; });
    refused([](Pack& pack) { pack.configurations[1].image = 9; });
    refused([](Pack& pack) { pack.kernels[0].targets[0].defaults = {9}; });
    refused([](Pack& pack) { pack.kernels[0].targets[0].measured[0].sizes = {1}; });
    refused([](Pack& pack) { pack.kernels[0].targets[0].measured[0].sizes = {1024, 1024}; });
    refused([](Pack& pack) { pack.kernels[0].targets[0].rule[0].yes = 0; });
    refused([](Pack& pack) { pack.kernels[0].parameters[0].bytes = size(2); });
    refused([](Pack& pack) { pack.kernels[0].parameters[0].bytes = {}; });
    refused([](Pack& pack) { pack.configurations[0].steps[0].grid[0] = {{{Op::add}}}; });
    refused([](Pack& pack) { pack.configurations[0].steps[0].grid[0] = constant_real(1); });
    refused([](Pack& pack) { pack.configurations[0].steps[0].operands[0].index = 3; });
    refused([](Pack& pack) { pack.configurations[0].steps.clear(); });
    refused([](Pack& pack) { pack.configurations[1].steps[0].target = 2; });
    refused([](Pack& pack) { pack.configurations[1].steps[0].byte_count = {}; });
    refused([](Pack& pack) { pack.configurations[0].steps[0].kind = StepKind::memset_symbol; });
    refused([](Pack& pack) { pack.configurations.push_back(pack.configurations[0]); });
  }

  TEST_CASE("every error has a sentence") {
    for (int i = 0; i < 60; ++i) {
      const std::string text = tuner_error_text(static_cast<tuner_error>(i));
      CHECK(text.size() > 10);
      CHECK(text.back() == '.');
    }
  }
}
