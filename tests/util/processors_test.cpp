#include "tuner/util/processors.hpp"

#include <doctest/doctest.h>
#include <sched.h>

#include <algorithm>
#include <fstream>

#include "tuner/util/files.hpp"

using namespace tuner;

TEST_SUITE("tuner::util, processors") {
  namespace {

  void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }

  }  // namespace

  TEST_CASE("the tightest limit from the own group upwards counts, in both versions of control groups") {
    const util::TemporaryFolder folder;
    const std::filesystem::path own = folder.path() / "own";
    const std::filesystem::path all = folder.path() / "all";
    SUBCASE("version 2") {
      write(own, "0::/system/job/step");
      write(all / "system/job/step/cpu.max", "max 100000");
      write(all / "system/job/cpu.max", "250000 100000");
      write(all / "system/cpu.max", "800000 100000");
      write(all / "system/job/step/memory.max", "max");
      write(all / "system/job/memory.max", "2147483648");
    }
    SUBCASE("version 1") {
      write(own, "4:memory:/job\n3:cpu,cpuacct:/job");
      write(all / "cpu,cpuacct/job/cpu.cfs_quota_us", "250000");
      write(all / "cpu,cpuacct/job/cpu.cfs_period_us", "100000");
      write(all / "cpu,cpuacct/cpu.cfs_quota_us", "-1");
      write(all / "cpu,cpuacct/cpu.cfs_period_us", "100000");
      write(all / "memory/job/memory.limit_in_bytes", "2147483648");
      write(all / "memory/memory.limit_in_bytes", "9223372036854771712");
    }
    const util::GroupLimits limits = util::group_limits(own.c_str(), all.c_str());
    CHECK(limits.processors == 2.5);
    CHECK(limits.memory_bytes == 2147483648.0);
  }

  TEST_CASE("where groups set no limit, or are not there, nothing is limited") {
    const util::TemporaryFolder folder;
    SUBCASE("no limit") {
      write(folder.path() / "own", "0::/");
      write(folder.path() / "all/cpu.max", "max 100000");
    }
    SUBCASE("not there") {}
    const util::GroupLimits limits =
        util::group_limits((folder.path() / "own").c_str(), (folder.path() / "all").c_str());
    CHECK(limits.processors == 0);
    CHECK(limits.memory_bytes == 0);
  }

  TEST_CASE("as many processors are usable as a quota begins, of those that there are") {
    const int all = util::usable_processors({});
    REQUIRE(all >= 1);
    const auto usable = [](double processors) { return util::usable_processors({processors, 0}); };
    CHECK(usable(0.1) == 1);
    CHECK(usable(1) == 1);
    CHECK(usable(1.2) == std::min(2, all));
    CHECK(usable(all) == all);
    CHECK(usable(all + 3.0) == all);
    CHECK(usable(1e30) == all);
  }

  TEST_CASE("of the machine's processors those of the affinity mask are usable") {
    cpu_set_t before;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    int first = 0;
    while (!CPU_ISSET(first, &before)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(util::usable_processors() == 1);
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
    CHECK(util::usable_memory_bytes() > std::int64_t{1} << 20);
  }
}
