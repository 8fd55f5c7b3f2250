// Energy of kernels on the CPU, whose counter is a file that this test writes.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/small_kernel.hpp"
#include "tests/e2e/user.hpp"

using tuner::test::has;
using tuner::test::User;
using tuner::test::write_text;

TEST_SUITE("tuner, energy") {
  namespace {

  /// A machine that draws 100 W, whatever it does.
  class Machine {
   public:
    Machine() {
      std::filesystem::create_directories(package());
      write();
      m_writer = std::thread([this] {
        for (; !m_stop; std::this_thread::sleep_for(std::chrono::milliseconds(5))) write();
      });
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;
    ~Machine() {
      m_stop = true;
      m_writer.join();
    }
    std::string powercap() const { return m_folder.path(); }

   private:
    std::string package() const { return m_folder / "intel-rapl:0"; }
    void write() const {
      constexpr double watts = 100;
      const std::chrono::duration<double, std::micro> now =
          std::chrono::steady_clock::now().time_since_epoch();
      write_text(package() + "/new", std::to_string(static_cast<std::int64_t>(now.count() * watts)));
      std::filesystem::rename(package() + "/new", package() + "/energy_uj");
    }

    tuner::test::TemporaryFolder m_folder;
    std::atomic<bool> m_stop{false};
    std::thread m_writer;
  };

  /// Two blocks, of which the larger wastes time.
  struct Tuner : User {
    Tuner() {
      tuner::test::SmallKernel{.name = "count", .block = "BLOCK", .loops = "BLOCK == 64 ? 64000 : 0"}.write(
          home);
      environment["TUNER_POWERCAP"] = machine.powercap();
    }
    tuner::test::ProgramResult run(std::vector<std::string> more, const std::string& device = "cpu") const {
      std::vector<std::string> arguments = {"run",  "--kernel",   "count.toml", "--sizes",
                                            "4096", "--measure",  "quick",      "--device",
                                            device, "--progress", "never"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      return types(arguments);
    }
    nlohmann::json best(const std::string& objective) const {
      const auto answer =
          types({"best", "4096", "--kernel", "count", "--objective", objective, "--format", "json"});
      REQUIRE(answer.exit_code == 0);
      return nlohmann::json::parse(answer.out)["answers"][0];
    }

    Machine machine;
  };

  }  // namespace

  TEST_CASE_FIXTURE(Tuner, "energy is measured where it is asked for, answers, and travels") {
    const auto plain = run({});
    REQUIRE_MESSAGE(plain.exit_code == 0, plain.err);
    CHECK_FALSE(has(plain.out, "energy"));
    const auto without = types({"best", "4096", "--objective", "energy"});
    CHECK(without.exit_code == 3);
    CHECK(has(without.err, "the energy of no trial is known"));
    CHECK(has(without.err, " --sizes 4096 --device cpu --objective energy"));
    CHECK(types({"best", "--common", "--objective", "energy"}).exit_code == 2);
    const auto unmeasured = types({"best", "--kernel", "naive", "--measure", "quick", "--l2", "cold"});
    CHECK(has(unmeasured.err,
              "tuner run --kernel naive --sizes 512..4096 --measure quick --l2 cold --device cpu"));

    const auto measured = run({"--energy"});
    REQUIRE_MESSAGE(measured.exit_code == 0, measured.err);
    CHECK(has(measured.out, "energy"));
    CHECK(has(measured.out, "Gelements/s/W"));
    const auto answer = best("energy");
    CHECK(answer["objective"] == "energy");
    const auto& energy = answer["winner"]["energy"];
    const double watts = energy["mean_j"].get<double>() / energy["mean_ns"].get<double>() * 1e9;
    CHECK(watts > 80);  // the machine does other things between launches
    CHECK(energy["idle_w"].get<double>() == doctest::Approx(100).epsilon(0.1));
    CHECK(energy["low_j"].get<double>() < energy["high_j"].get<double>());
    CHECK(has(types({"show", answer["winner"]["trial"].get<std::string>()}).out, "are drawn idle"));
    CHECK(has(types({"best", "4096", "--top", "2", "--where", "energy_uj > 0"}).out, "energy"));
    CHECK(types({"report", "-o", "report.md"}).exit_code == 0);
    CHECK(has(tuner::test::read_text(home / "report.md"), "what saving energy costs"));
    CHECK(has(run({"--energy"}).err, "all of them known already"));

    REQUIRE(types({"export", "-o", "all.jsonl"}).exit_code == 0);
    const std::string recording = "replay:" + (home / "all.jsonl");
    const auto replayed = run({"--objective", "edp", "--db", "replayed.db"}, recording);
    CHECK_MESSAGE(replayed.exit_code == 0, replayed.err);
    CHECK(types({"best", "4096", "--objective", "edp", "--db", "replayed.db"}).exit_code == 0);
    REQUIRE(types({"import", "all.jsonl", "--db", "imported.db"}).exit_code == 0);
    CHECK(has(types({"best", "4096", "--objective", "energy", "--db", "imported.db"}).out, "energy"));
  }

  TEST_CASE_FIXTURE(Tuner, "a search by energy measures that of each trial that is not hopeless") {
    const auto searched = run({"--objective", "energy", "--events", "events.jsonl"});
    REQUIRE_MESSAGE(searched.exit_code == 0, searched.err);
    CHECK(has(searched.out, "energy"));
    CHECK(has(searched.err, " · best by energy "));
    CHECK(best("energy")["winner"]["configuration"]["BLOCK"] == 32);
    CHECK(has(run({"--objective", "energy"}).err, "all of them known already"));
    CHECK(has(types({"top", "--events", "events.jsonl"}).out, "\n4096: best by energy "));
  }

  TEST_CASE_FIXTURE(Tuner, "a run names its objective, also where a file or the environment says it") {
    environment["TUNER_OBJECTIVE"] = "edp";
    REQUIRE(run({}).exit_code == 0);
    CHECK(has(types({"list", "runs"}).out, " --objective edp"));
  }

  TEST_CASE_FIXTURE(Tuner, "where energy cannot be had, the message says why and what to do") {
    environment["TUNER_POWERCAP"] = home.path();
    const auto beside = run({"--energy"});
    CHECK(beside.exit_code == 0);
    CHECK(has(beside.err, "intel-rapl:*/energy_uj cannot be read"));
    const auto by_energy = run({"--objective", "energy"});
    CHECK(by_energy.exit_code == 4);
    CHECK(has(by_energy.err, "--objective energy: "));
    const auto cold = run({"--energy", "--l2", "cold"});
    CHECK(cold.exit_code == 2);
    CHECK(has(cold.err, "the energy of flushing would be counted too"));
    const auto locked = run({"--clock", "1200"});
    CHECK(locked.exit_code == 2);
    CHECK(has(locked.err, "the clock of cpu cannot be locked"));
    const auto reported = run({"--clock", "1200,1500", "--report", "clocks.md"});
    CHECK(reported.exit_code == 2);
    CHECK(has(reported.err, "--report would be of the last clock alone"));
    REQUIRE(types({"export", "-o", "none.jsonl"}).exit_code == 0);
    const auto replayed =
        run({"--objective", "energy", "--db", "other.db"}, "replay:" + (home / "none.jsonl"));
    CHECK(replayed.exit_code == 4);
    CHECK(has(replayed.err, "the recording has no energy"));
  }
}
