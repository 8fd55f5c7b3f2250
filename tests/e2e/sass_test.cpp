// What `tuner show --sass` says of a trial's machine code. A program that prints what nvdisasm once printed
// stands in for it; the last case takes the real ones, where they are.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "config/kernel_file.hpp"
#include "db/result_store.hpp"
#include "tests/db/fixture.hpp"
#include "tests/e2e/user.hpp"
#include "tuner/compile/binary_cache.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/util/text.hpp"

using nlohmann::json;
using tuner::test::has;
using tuner::test::ProgramResult;
using tuner::test::User;
namespace model = tuner::model;

TEST_SUITE("tuner command line, machine code") {
  namespace {

  /// Enough of an ELF file to say which machine it is for.
  std::vector<std::byte> elf_for(unsigned char machine) {
    constexpr std::size_t header_bytes = 64;
    constexpr std::size_t machine_at = 18;
    std::vector<std::byte> bytes(header_bytes);
    const std::string magic =
        "\x7f"
        "ELF";
    std::ranges::transform(magic, bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
    bytes[machine_at] = std::byte{machine};
    return bytes;
  }

  constexpr unsigned char cuda_machine = 190;
  constexpr unsigned char x86_machine = 62;

  struct Reader : User {
    Reader() {
      environment["TUNER_DB"] = home / "tuner.db";
      environment["TUNER_CACHE_DIR"] = home / "cache";
      stands_in("sm_90a");
    }

    /// nvdisasm prints what it did for an architecture, and a line a call to `calls`.
    void stands_in(const std::string& architecture) {
      tuner::test::write_text(home / "nvdisasm", "#!/bin/sh\necho called >>'" + (home / "calls") +
                                                     "'\ncat '" + TUNER_SOURCE_DIR "/tests/sass/recorded/" +
                                                     architecture + ".txt'\n");
      std::filesystem::permissions(home / "nvdisasm", std::filesystem::perms::owner_all);
      environment["TUNER_NVDISASM"] = home / "nvdisasm";
    }
    std::size_t calls() const {
      std::ifstream file(home / "calls");
      std::string line;
      std::size_t count = 0;
      while (std::getline(file, line)) ++count;
      return count;
    }

    model::TrialRecord trial_of(const std::string& kernel) const {
      model::TrialRecord trial = db_test::timed_trial(kernel, 512, 1000);
      trial.kernel = kernel;
      trial.resources->symbol = kernel;
      return trial;
    }
    void records(const model::TrialRecord& trial) const {
      db::ResultStore store(home / "tuner.db");
      store.begin_run(db_test::sample_run());
      store.record(trial);
    }
    void keeps_binary(const model::TrialRecord& trial, unsigned char machine = cuda_machine) const {
      model::Compilation compilation;
      compilation.binary = elf_for(machine);
      tuner::compile::BinaryCache(home / "cache").store(trial.binary_key, compilation);
    }
    /// Measured, with a binary in the cache.
    std::string has_measured(const std::string& kernel) const {
      const model::TrialRecord trial = trial_of(kernel);
      records(trial);
      keeps_binary(trial);
      return trial.key.hex();
    }
    ProgramResult shows(std::vector<std::string> more) const {
      more.insert(more.begin(), "show");
      more.emplace_back("--sass");
      return types(more);
    }
  };

  }  // namespace

  TEST_CASE("figures stand by depth of loops, and the hot loop with its marks, in 80 columns") {
    Reader reader;
    reader.environment["COLUMNS"] = "80";
    const ProgramResult said = reader.shows({reader.has_measured("to_double")});
    CHECK_MESSAGE(said.exit_code == 0, said.err);
    CHECK(has(said.out, "to_double for sm_90a: 28 instructions in 1 loop; 1 of padding"));
    const std::string words = tuner::test::words_of(said.out);
    CHECK(has(words, "instructions no loop depth 1 hot loop %"));
    CHECK(has(words, "conversion 3 3 21.4"));
    CHECK(has(said.out, "global load, 32 bits"));
    CHECK(has(said.out, "marks: 4 fp64, 1 narrow"));
    CHECK(has(words, " fp64 F2F.F64.F32 R"));
    std::istringstream lines(said.out);
    for (std::string line; std::getline(lines, line);)
      CHECK_MESSAGE(tuner::util::display_width(line) <= 80, line);
  }

  TEST_CASE("nvdisasm is asked once for a binary") {
    Reader reader;
    const std::string id = reader.has_measured("nested");
    const ProgramResult first = reader.shows({id});
    CHECK(first.out == reader.shows({id}).out);
    CHECK(reader.calls() == 1);
  }

  TEST_CASE("JSON has every kernel of the binary, and which is launched first") {
    Reader reader;
    const ProgramResult said = reader.shows({reader.has_measured("nested"), "--format", "json"});
    const json trial = json::parse(said.out)["trials"][0];
    CHECK(trial["kernels"].size() == 10);
    CHECK(trial["kernels"][trial["first"].get<std::size_t>()]["symbol"] == "nested");
    CHECK(trial["kernels"][0]["loops"][0]["instructions"] > 0);
  }

  TEST_CASE("of two trials the figures that differ stand side by side") {
    Reader reader;
    const std::string a = reader.has_measured("nested");
    const std::string b = reader.has_measured("unrolled");
    const ProgramResult said = reader.shows({a, b});
    CHECK_MESSAGE(said.exit_code == 0, said.err);
    const std::string words = tuner::test::words_of(said.out);
    CHECK(has(words, "hot loop multiply add 1 7.1 4 25.0"));
    CHECK(has(words, "kernel fp32 2 3.9"));
    CHECK(has(reader.shows({a, a}).out, "no figure differs"));
    const ProgramResult both = reader.shows({a, b, "--format", "json"});
    CHECK(json::parse(both.out)["trials"].size() == 2);
  }

  TEST_CASE("--format is of --sass alone") {
    Reader reader;
    CHECK(reader.types({"show", reader.has_measured("nested"), "--format", "json"}).exit_code == 2);
  }

  TEST_CASE("what cannot be shown is said, with the next step") {
    Reader reader;
    model::TrialRecord trial = reader.trial_of("nested");
    reader.records(trial);
    const std::string id = trial.key.hex();
    SUBCASE("no binary, and no spec to compile it from") {
      const ProgramResult said = reader.shows({id});
      CHECK(said.exit_code == 3);
      CHECK(has(said.err, "is not in the cache, and its spec is not at hand"));
    }
    SUBCASE("no nvdisasm") {
      reader.keeps_binary(trial);
      reader.environment["TUNER_NVDISASM"] = "/nowhere/nvdisasm";
      const ProgramResult said = reader.shows({id});
      CHECK(said.exit_code == 1);
      CHECK(has(said.err, "nvdisasm, which was not found. Looked for:\n  /nowhere/nvdisasm"));
    }
    SUBCASE("an architecture that nvdisasm does not know") {
      reader.keeps_binary(trial);
      tuner::test::write_text(reader.home / "nvdisasm",
                              "#!/bin/sh\necho 'fatal: unknown architecture' >&2\nexit 1\n");
      const ProgramResult said = reader.shows({id});
      CHECK(said.exit_code == 1);
      CHECK(has(said.err, "cannot read the binary: fatal: unknown architecture"));
    }
    SUBCASE("garbage instead of a listing") {
      reader.keeps_binary(trial);
      tuner::test::write_text(reader.home / "nvdisasm", "#!/bin/sh\necho garbage\n");
      const ProgramResult said = reader.shows({id});
      CHECK(said.exit_code == 1);
      CHECK(has(said.err, "shows no kernel nested in the binary"));
    }
    SUBCASE("a binary of the CPU device") {
      reader.keeps_binary(trial, x86_machine);
      const ProgramResult said = reader.shows({id});
      CHECK(said.exit_code == 3);
      CHECK(has(said.err, "machine code is read of NVIDIA GPUs alone"));
    }
    SUBCASE("a library") {
      model::TrialRecord library = reader.trial_of("cuBLAS");
      library.role = model::Role::baseline;
      library.resources.reset();
      library.binary_key = {};
      reader.records(library);
      const ProgramResult said = reader.shows({library.key.hex()});
      CHECK(said.exit_code == 3);
      CHECK(has(said.err, "has no binary: a library has its own"));
    }
  }

  TEST_CASE("a binary that is no longer cached is compiled again, by the same job alone") {
    Reader reader;
    reader.environment.erase("TUNER_NVDISASM");
    const ProgramResult compiled =
        reader.types({"compile", "--gpu", "sm_90", "--kernel", "naive", "--sizes", "64", "--budget", "1"});
    const std::size_t name = compiled.err.find("nvrtc ");
    if (name == std::string::npos) {
      MESSAGE("skipped: there is no NVRTC here");
      return;
    }
    const std::string toolkit = compiled.err.substr(name, compiled.err.find(';', name) - name);
    const auto loaded = config::load_kernel_file(TUNER_SOURCE_DIR "/kernels/matmul/naive.toml");
    REQUIRE(loaded.kernels.size() == 1);
    model::TrialRecord trial = reader.trial_of("naive");
    trial.environment.toolkit = toolkit;
    trial.configuration = model::Configuration({{"PARTITION", model::Value(std::string("row"))},
                                                {"BLOCK_X", model::Value(32)},
                                                {"BLOCK_Y", model::Value(8)},
                                                {"TILES", model::Value(1)}});
    trial.problem = db_test::cube(64);
    const tuner::space::KernelSpace space(loaded.kernels.front());
    trial.binary_key = space.compile_job(trial.problem, trial.configuration, "sm_90", toolkit).key();
    reader.records(trial);
    std::filesystem::remove_all(reader.home / "cache");
    const ProgramResult said = reader.shows({trial.key.hex(), "--format", "json"});
    if (has(said.err, "which was not found")) {
      MESSAGE("skipped: there is no nvdisasm here");
      return;
    }
    REQUIRE_MESSAGE(said.exit_code == 0, said.err);
    const json kernel = json::parse(said.out)["trials"][0]["kernels"][0];
    CHECK(kernel["symbol"] == "naive");
    const json hot = kernel["loops"][kernel["hot_loop"].get<std::size_t>()];
    CHECK(hot["multiply_add"] > 0);
    CHECK(hot["global_load"] == 2 * hot["multiply_add"].get<int>());

    model::TrialRecord other = trial;
    other.key = db_test::key("other");
    other.binary_key = db_test::key("of yesterday's source");
    reader.records(other);
    const ProgramResult refused = reader.shows({other.key.hex()});
    CHECK(refused.exit_code == 3);
    CHECK(has(refused.err, "its spec makes another one today"));
  }
}
