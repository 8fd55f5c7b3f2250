#include <doctest/doctest.h>

#include <array>
#include <filesystem>

#include "tests/support/contains.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sass/listing.hpp"
#include "tuner/util/files.hpp"

using namespace tuner;

namespace {

/// A program in place of nvdisasm.
class Stub {
 public:
  explicit Stub(const std::string& commands) {
    m_folder.write("nvdisasm", "#!/bin/sh\n" + commands + "\n");
    std::filesystem::permissions(m_folder.path() / "nvdisasm", std::filesystem::perms::owner_all);
  }
  std::string path() const { return (m_folder.path() / "nvdisasm").string(); }

 private:
  util::TemporaryFolder m_folder;
};

std::string what_of(const Stub& stub, std::chrono::milliseconds limit = std::chrono::seconds(20)) {
  constexpr std::array cubin{std::byte{1}, std::byte{2}};
  try {
    return "printed " + sass::Disassembler({stub.path()}, limit).listing(cubin);
  } catch (const model::Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_SUITE_BEGIN("tuner::sass disassembler");

TEST_CASE("nvdisasm is given the binary as a file, and what it prints is the listing") {
  CHECK(what_of(Stub("echo \"$1 $2\"; wc -c <\"$3\"")) == "printed -c -g\n2\n");
}

TEST_CASE("a listing may be longer than what other programs print") {
  const std::string text = what_of(Stub("yes 123456789012345 | head -c 3000000"));
  CHECK(text.size() == std::string("printed ").size() + 3'000'000);
}

TEST_CASE("an nvdisasm that refuses, dies or hangs is an error that says so") {
  CHECK(contains(what_of(Stub("echo 'fatal : no SM12 here' >&2; exit 1")),
                 "cannot read the binary: fatal : no SM12 here"));
  CHECK(contains(what_of(Stub("kill -9 $$")), "it ended with signal 9"));
  CHECK(contains(what_of(Stub("sleep 60"), std::chrono::milliseconds(200)), "did not finish within 0.2 s"));
}

TEST_SUITE_END();
