#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

using namespace tuner;
namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

TEST_SUITE_BEGIN("util");

TEST_CASE("a file appears whole, keeps its permissions, and leaves nothing beside it") {
  const util::TemporaryFolder folder;
  const fs::path path = folder.path() / "report.md";
  util::write_file(path.string(), "first");
  CHECK(contents(path) == "first");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  util::write_file(path.string(), "second");
  CHECK(contents(path) == "second");
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a file that is not finished leaves what was there, and nothing beside it") {
  const util::TemporaryFolder folder;
  const std::string path = (folder.path() / "export.jsonl").string();
  util::write_file(path, "first");
  {
    util::OutputFile file(path);
    file.write(std::string(1'000'000, 'x'));
    CHECK(contents(path) == "first");
  }
  CHECK(contents(path) == "first");
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a file that is where the new one would be made is left alone, and another name is taken") {
  const util::TemporaryFolder folder;
  const fs::path path = folder.path() / "report.md";
  const fs::path there = path.string() + ".new-" + std::to_string(::getpid());
  util::write_file(path.string(), "first");
  std::ofstream(there) << "somebody's";
  util::write_file(path.string(), "second");
  CHECK(contents(there) == "somebody's");
  CHECK(contents(path) == "second");
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("a writer that is killed leaves nothing beside what was there") {
  const util::TemporaryFolder folder;
  const int unnamed = ::open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (unnamed < 0) return;  // this file system has no files without a name
  ::close(unnamed);
  const fs::path path = folder.path() / "export.jsonl";
  util::write_file(path.string(), "first");
  const pid_t writer = ::fork();
  REQUIRE(writer >= 0);
  if (writer == 0) {
    util::OutputFile file(path.string());
    file.write(std::string(1'000'000, 'x'));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(writer, &status, 0) == writer);
  CHECK(WIFSIGNALED(status));
  CHECK(contents(path) == "first");
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a symbolic link is followed and stays a link, also to what is not there yet") {
  const util::TemporaryFolder folder;
  fs::create_directory(folder.path() / "elsewhere");
  for (const char* name : {"there.md", "new.md"}) {
    const fs::path target = folder.path() / "elsewhere" / name;
    const fs::path link = folder.path() / (std::string("link-to-") + name);
    if (std::string(name) == "there.md") std::ofstream(target) << "old";
    fs::create_symlink(fs::path("elsewhere") / name, link);
    util::write_file(link.string(), "text");
    CHECK(fs::is_symlink(link));
    CHECK(contents(target) == "text");
  }
}

TEST_CASE("a device is written to and stays a device, whoever writes") {
  const util::TemporaryFolder folder;
  const fs::path link = folder.path() / "null";
  fs::create_symlink("/dev/null", link);
  for (const std::string& path : {std::string("/dev/null"), link.string()}) {
    util::require_writable(path);
    CHECK_FALSE(util::leads_to_file(path));
    util::write_file(path, "text");
    CHECK(fs::is_character_file("/dev/null"));
  }
  CHECK(fs::is_symlink(link));
}

TEST_CASE("a pipe gets the text and stays a pipe") {
  const util::TemporaryFolder folder;
  const fs::path path = folder.path() / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] { got = contents(path); });
  util::write_file(path.string(), "through the pipe");
  reader.join();
  CHECK(got == "through the pipe");
  CHECK(fs::is_fifo(path));
}

TEST_CASE("what a process has open is written to in place") {
  const util::TemporaryFolder folder;
  const fs::path path = folder.path() / "open";
  const util::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const std::string name = "/dev/fd/" + std::to_string(file.get());
  struct stat before {
  }, after{};
  ::fstat(file.get(), &before);
  CHECK_FALSE(util::leads_to_file(name));
  util::write_file(name, "text");
  ::stat(path.c_str(), &after);
  CHECK(before.st_ino == after.st_ino);
  CHECK(contents(path) == "text");
}

TEST_CASE("a place that takes no file is named, with the reason, before and while writing") {
  const util::TemporaryFolder folder;
  const std::string missing = (folder.path() / "no" / "report.md").string();
  CHECK_THROWS_WITH_AS(util::require_writable(missing),
                       doctest::Contains((missing + " cannot be written: there is no folder").c_str()),
                       model::Error);
  CHECK_THROWS_AS(util::write_file(missing, "text"), model::Error);
  CHECK_THROWS_WITH_AS(util::require_writable(folder.path().string()), doctest::Contains("it is a directory"),
                       model::Error);
  const fs::path loop = folder.path() / "loop";
  fs::create_symlink(loop, loop);
  CHECK_THROWS_AS(util::write_file(loop.string(), "text"), model::Error);
}

TEST_CASE("a full disk is an error, and the file before it is kept") {
  CHECK_THROWS_WITH_AS(util::write_file("/dev/full", "text"), doctest::Contains("No space left"),
                       model::Error);
}

TEST_SUITE_END();
