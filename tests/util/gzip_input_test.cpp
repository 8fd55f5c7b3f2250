#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/contains.hpp"
#include "tests/support/gzipped.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

using tuner::model::Error;
using tuner::test::write_gzipped;
using tuner::util::GzipInput;
namespace fs = std::filesystem;

TEST_SUITE("util: gzipped input") {
  namespace {

  std::string all_of(const fs::path& path) {
    GzipInput in(path);
    REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

  /// Longer than any buffer, and of all bytes.
  std::string long_text() {
    std::string text;
    for (unsigned i = 0; i < 1'000'000; ++i) text += static_cast<char>(i * 2654435761U >> 24U);
    return text;
  }

  }  // namespace

  TEST_CASE("a file is read alike, gzipped or not, byte for byte") {
    const tuner::util::TemporaryFolder folder;
    const std::string text = long_text();
    std::ofstream(folder.path() / "plain", std::ios::binary) << text;
    write_gzipped(folder.path() / "packed", text);
    CHECK(fs::file_size(folder.path() / "packed") != text.size());
    CHECK(all_of(folder.path() / "plain") == text);
    CHECK(all_of(folder.path() / "packed") == text);
    const auto write_ours = [&](const char* name, const std::string& written) {
      using tuner::util::OutputFile;
      OutputFile file((folder.path() / name).string(), "", OutputFile::Packing::gzip);
      for (std::size_t at = 0; at < written.size(); at += 300'000) file.write(written.substr(at, 300'000));
      file.finish();
    };
    write_ours("ours", text);
    CHECK(all_of(folder.path() / "ours") == text);
    std::ofstream(folder.path() / "empty");
    CHECK(all_of(folder.path() / "empty").empty());
    write_ours("none", "");
    CHECK(fs::file_size(folder.path() / "none") > 0);
    CHECK(all_of(folder.path() / "none").empty());
  }

  TEST_CASE(
      "a packed file that ends early, or has a byte changed, throws with its name and is never taken whole") {
    const tuner::util::TemporaryFolder folder;
    const fs::path path = folder.path() / "x.gz";
    write_gzipped(path, long_text());
    const auto size = fs::file_size(path);
    for (const auto kept : {size - 1, size - 20, size / 2, std::uintmax_t{30}}) {
      CAPTURE(kept);
      write_gzipped(path, long_text());
      fs::resize_file(path, kept);
      CHECK_THROWS_WITH_AS(all_of(path), doctest::Contains("x.gz is damaged"), Error);
    }
    write_gzipped(path, long_text());
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 2));
    file.put('!').put('?').put('!');
    file.close();
    CHECK_THROWS_WITH_AS(all_of(path), doctest::Contains("x.gz is damaged"), Error);
    // Formatted reading, too.
    GzipInput in(path);
    std::string line;
    CHECK_THROWS_AS(while (std::getline(in, line)){}, Error);
  }

  TEST_CASE("what is not there, and a folder, is in a failed state") {
    const tuner::util::TemporaryFolder folder;
    CHECK(GzipInput(folder.path() / "none").fail());
    CHECK(GzipInput(folder.path()).fail());
  }
}
