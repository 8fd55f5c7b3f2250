// The compiler of the host as users have it: their options, their headers, its deaths and its time.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "tests/e2e/author.hpp"

using tuner::test::Author;
using tuner::test::filling;
using tuner::test::has;
using tuner::test::SmallKernel;
using tuner::test::write_text;

TEST_SUITE("tuner command line, the host's compiler") {
  TEST_CASE("a compiler that was killed, or found a disk full, leaves nothing that is believed later") {
    Author author;
    const std::string compiler = author.home / "c++";
    const std::string failure = author.home / "failure";
    write_text(compiler, "#!/bin/sh\n[ ! -e unit.cpp ] || [ ! -e '" + failure + "' ] || { cat '" + failure +
                             "'; exit 1; }\nexec /usr/bin/c++ \"$@\"\n");
    chmod(compiler.c_str(), 0755);
    author.environment["TUNER_HOST_CXX"] = compiler;
    write_text(failure, "/usr/bin/ld: final link failed: No space left on device\n");
    const auto full = author.runs();
    CHECK(full.exit_code == 1);
    CHECK(has(full.err, "a compiler cannot write its files: No space left on device"));
    write_text(failure, "g++: fatal error: Killed signal terminated program cc1plus\n");
    CHECK(author.runs().exit_code == 1);
    unlink(failure.c_str());
    const auto sound = author.runs();
    CHECK(sound.exit_code == 0);
    CHECK(has(sound.err, "2 trials in"));
  }

  TEST_CASE("threads that meet at different barriers are one finding of the sanitizers") {
    SmallKernel kernel = filling("", "meet(i)");
    kernel.begin =
        "__device__ int meet(int i) {\n  if (i % 32 < 16)\n    __syncthreads();\n  else\n"
        "    __syncthreads();\n  return i;\n}\n";
    const Author author(kernel);
    const auto found =
        author.types({"check", "fill.toml", "--device", "cpu", "--sanitize", "--sizes", "100"});
    INFO(found.out << found.err);
    CHECK(found.exit_code == 1);
    CHECK(has(found.out, "divergence at fill.cu:3: not all threads of a block reached the same"));
    CHECK_FALSE(has(found.out, "crash"));
  }

  TEST_CASE("an edit of a header that -I leads to makes other binaries") {
    SmallKernel kernel = filling("options = [\"-Iinclude\"]\n", "VALUE");
    kernel.begin = "#include <value.h>\n";
    const Author author(kernel);
    mkdir((author.home / "include").c_str(), 0777);
    write_text(author.home / "include/value.h", "#define VALUE 3\n");
    const auto first = author.runs();
    CHECK(first.exit_code == 0);
    CHECK(has(first.err, "2 trials in"));
    CHECK_FALSE(has(author.runs().err, "trials in"));
    write_text(author.home / "include/value.h", "#define VALUE 4\n");
    const auto edited = author.runs();
    CHECK(has(edited.err, "2 trials failed"));
    CHECK(has(author.types({"list", "failures"}).out, "wrong_result"));
  }

  TEST_CASE("CXX that is nvcc is meant for others") {
    Author author;
    const std::string nvcc = author.home / "nvcc";
    write_text(nvcc, "#!/bin/sh\nexit 1\n");
    chmod(nvcc.c_str(), 0755);
    author.environment["CXX"] = nvcc;
    CHECK(author.runs().exit_code == 0);
  }

  TEST_CASE("a file that options of the host compiler name counts with what is in it") {
    Author author(filling("", "VALUE"));
    const std::string file = author.home / "conf.h";
    author.environment["TUNER_HOST_CXX"] = "g++ -include " + file;
    write_text(file, "#define VALUE 3\n");
    CHECK(has(author.runs().err, "2 trials in"));
    CHECK_FALSE(has(author.runs().err, "trials in"));
    write_text(file, "#define VALUE 4\n");
    CHECK(has(author.runs().err, "2 trials failed"));
  }

  TEST_CASE("options of the host compiler are part of its name, and headers of CPATH none of a kernel's") {
    Author author(filling("", "VALUE"));
    author.environment["TUNER_HOST_CXX"] = "g++ -DVALUE=4";
    CHECK(has(author.runs().err, "2 trials failed"));
    author.environment["TUNER_HOST_CXX"] = "g++ -DVALUE=3";
    const auto other = author.runs();
    CHECK(has(other.err, "2 trials in"));
    CHECK(other.exit_code == 0);

    SmallKernel outside = filling("", "VALUE");
    outside.begin = "#include <value.h>\n";
    Author user(outside);
    write_text(user.home / "elsewhere/value.h", "#define VALUE 3\n");
    for (const char* variable : {"CPATH", "CPLUS_INCLUDE_PATH"})
      user.environment[variable] = user.home / "elsewhere";
    CHECK(has(user.runs().err, "2 trials failed"));
  }

  TEST_CASE("a budget of time is kept where compilations are long: those under way are ended") {
    Author author;
    const std::string compiler = author.home / "slow-c++";
    write_text(compiler, "#!/bin/sh\ngrep -qs BLOCK unit.cpp && sleep 30\nexec c++ \"$@\"\n");
    chmod(compiler.c_str(), 0755);
    author.environment["TUNER_HOST_CXX"] = compiler;
    const auto start = std::chrono::steady_clock::now();
    const auto run = author.runs({"--budget", "2s"});
    const auto spent = std::chrono::steady_clock::now() - start;
    CHECK(run.exit_code == 1);  // no trial gave a result
    CHECK(has(run.err, "the budget is spent"));
    CHECK(spent < std::chrono::seconds(8));  // of which two are the budget, and starting takes some
  }
}
