#include <doctest/doctest.h>

#include <array>
#include <string>

#include "config/kernel_file.hpp"
#include "config/mistakes.hpp"
#include "tests/config/spec_texts.hpp"
#include "tests/config/temporary_folder.hpp"

using config::LoadedKernels;
using tuner::model::EmbeddedFile;

namespace {

std::string minimal(std::string_view name, std::string_view more = "") {
  return "verify = \"none\"\n[kernel]\nname = \"" + std::string(name) +
         "\"\nsource = \"k.cu\"\nentry = \"k\"\nsizes = [\"N\"]\n" + std::string(more) +
         "[launch]\nblock = 32\ngrid = 1\n";
}

std::string source_names(const LoadedKernels& loaded) {
  INFO(config::diagnostics_text(loaded.mistakes, loaded.texts));
  REQUIRE(loaded.kernels.size() == 1);
  std::string all;
  for (const auto& source : loaded.kernels[0].source)
    all += source.name + "=" + source.text.substr(0, 2) + " ";
  return all;
}

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("a spec on disk is read with its sources, relative to itself") {
  const TemporaryFolder folder;
  const auto path = folder.write("deep/spec.toml", spec_texts::with("\"k.cu\"", "\"src/k.cu\""));
  folder.write("deep/src/k.cu", "void");
  folder.write("deep/reference.cu", "void");
  const LoadedKernels loaded = config::load_kernel_file(path);
  CHECK(source_names(loaded) == "src/k.cu=vo ");
  CHECK(loaded.kernels[0].path == path.string());
  CHECK(loaded.places[0].line == 4);
}

TEST_CASE("what cannot be read is a mistake, never an exception") {
  const TemporaryFolder folder;
  const auto message = [](const LoadedKernels& loaded) {
    REQUIRE(loaded.mistakes.size() == 1);
    return loaded.mistakes[0].message;
  };
  CHECK(message(config::load_kernel_file(folder.path() / "none.toml")) == "does not exist");
  CHECK(message(config::load_kernel_file(folder.path())) == "is a folder");
  CHECK(message(config::load_kernel_file("/dev/zero")) == "is not a regular file");
  CHECK(message(config::load_kernel_file(folder.write("nul.toml", std::string_view("a\0b", 3)))) ==
        "is not a text file");
  CHECK(message(config::load_kernel_folder(folder.path() / "none")).find("cannot be read") == 0);
}

TEST_CASE("included files are collected recursively, each once, under the name it is included by") {
  const TemporaryFolder folder;
  const auto path = folder.write("k.toml", minimal("k", "include = [\"shared\"]\n"));
  folder.write(
      "k.cu", "#include \"lib/a.cuh\"\n#include \"common.cuh\"\n#include \"cuda_fp16.h\"\n#include <none>\n");
  folder.write("lib/a.cuh", "// a\n#include \"b.cuh\"\n");
  folder.write("lib/b.cuh", "// b\n#include \"../lib/a.cuh\"\n");
  folder.write("shared/common.cuh", "//c\n");
  CHECK(source_names(config::load_kernel_file(path)) ==
        "k.cu=#i lib/a.cuh=// common.cuh=// b.cuh=// ../lib/a.cuh=// ");
}

TEST_CASE("headers in angle brackets, and those that -I leads to, are sources too") {
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  elsewhere.write("far.cuh", "//far\n#include <near.cuh>\n");
  folder.write("include/near.cuh", "//near\n#include <beside.cuh>\n");
  folder.write("include/deep/beside.cuh", "");
  folder.write("beside.cuh", "// not meant by angle brackets\n");
  folder.write("k.cu", "#include <near.cuh>\n#include \"far.cuh\"\n#include <cstdint>\n");
  const auto path = folder.write(
      "k.toml", minimal("k", "options = [\"-Iinclude\", \"-I" + elsewhere.path().string() + "\"]\n"));
  CHECK(source_names(config::load_kernel_file(path)) == "k.cu=#i near.cuh=// far.cuh=// ");
  folder.write("k.toml", minimal("k", "options = [\"-I include\", \"--include-path " +
                                          elsewhere.path().string() + "\"]\n"));
  CHECK(source_names(config::load_kernel_file(path)) == "k.cu=#i near.cuh=// far.cuh=// ");
  // The toolkit's are the compiler's business.
  elsewhere.write("cuda_fp16.h", "");
  CHECK(source_names(config::load_kernel_file(path)) == "k.cu=#i near.cuh=// ");
}

TEST_CASE("two files under one include name are a mistake that names both") {
  const TemporaryFolder folder;
  const auto path = folder.write("k.toml", minimal("k"));
  folder.write("k.cu", "#include \"x.cuh\"\n#include \"sub/y.cuh\"\n");
  folder.write("x.cuh", "");
  folder.write("sub/y.cuh", "\n #include \"x.cuh\"\n");
  folder.write("sub/x.cuh", "");
  const LoadedKernels loaded = config::load_kernel_file(path);
  REQUIRE(loaded.mistakes.size() == 1);
  CHECK(loaded.mistakes[0].where.file == (folder.path() / "sub/y.cuh").string());
  CHECK(loaded.mistakes[0].where.line == 2);
  CHECK(loaded.mistakes[0].message.find((folder.path() / "x.cuh").string()) != std::string::npos);
  CHECK(loaded.mistakes[0].message.find((folder.path() / "sub/x.cuh").string()) != std::string::npos);
}

TEST_CASE("includes are bounded, and stay relative") {
  const TemporaryFolder folder;
  const auto path = folder.write("k.toml", minimal("k"));
  std::string many;
  for (int i = 0; i < 16385; ++i) {
    const std::string name = "h" + std::to_string(i) + ".cuh";
    folder.write(name, "");
    many += "#include \"" + name + "\"\n";
  }
  folder.write("k.cu", many);
  CHECK(config::load_kernel_file(path).mistakes.at(0).message.find("includes too much") != std::string::npos);
  folder.write("k.cu", "#include \"/etc/hostname\"\n");
  CHECK(config::load_kernel_file(path).mistakes.at(0).message.find("absolute path") != std::string::npos);
  folder.write("k.cu", "");
  folder.write("k.toml", minimal("k", "include = [\"/usr/include\"]\n"));
  CHECK(config::load_kernel_file(path).mistakes.at(0).message.find("no relative path") != std::string::npos);
}

TEST_CASE("embedded specs find sources and headers among the embedded files alone") {
  const std::string spec = minimal("k");
  const std::array files = {EmbeddedFile{"family/k.toml", spec},
                            EmbeddedFile{"family/k.cu", "#include \"../c.cuh\"\n"},
                            EmbeddedFile{"c.cuh", "//"}};
  const LoadedKernels loaded = config::load_embedded(files);
  CHECK(source_names(loaded) == "k.cu=#i ../c.cuh=// ");
  CHECK(loaded.kernels[0].path == "shipped:family/k.toml");
}

TEST_CASE("a name that is taken is a mistake naming both places, across files and folders") {
  const TemporaryFolder folder;
  folder.write("a/k.toml", minimal("twin"));
  folder.write("a/k.cu", "");
  folder.write("b/k.toml", "\n\n" + minimal("twin"));
  folder.write("b/k.cu", "");
  folder.write("b/tuner.toml", "not = a spec");
  folder.write(".hidden/k.toml", "not a spec");
  const LoadedKernels loaded = config::load_kernel_folder(folder.path());
  CHECK(loaded.kernels.size() == 1);
  REQUIRE(loaded.mistakes.size() == 1);
  CHECK(loaded.mistakes[0].where.text() == (folder.path() / "b/k.toml").string() + ":5:8");
  CHECK(loaded.mistakes[0].hint.find((folder.path() / "a/k.toml").string() + ":3:8") != std::string::npos);

  LoadedKernels more = config::load_kernel_file(folder.path() / "a/k.toml");
  more.add(config::load_kernel_file(folder.path() / "b/k.toml"));
  CHECK(more.kernels.size() == 1);
  CHECK(more.mistakes.size() == 1);
}

TEST_CASE("every mistake of every file in a folder is told, and good files are still read") {
  const TemporaryFolder folder;
  folder.write("good.toml", minimal("good"));
  folder.write("k.cu", "");
  folder.write("bad.toml", "x = ");
  folder.write("worse.toml", minimal("worse", "sorce = 1\n"));
  const LoadedKernels loaded = config::load_kernel_folder(folder.path());
  CHECK(loaded.kernels.size() == 1);
  CHECK(loaded.mistakes.size() == 2);
}

TEST_CASE("a spec may end its lines as Windows does, begin with a mark of UTF-8, and lie anywhere") {
  std::string windows = "\xEF\xBB\xBF";
  for (const char c : minimal("k")) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const TemporaryFolder folder;
  folder.write("a folder é/k.cu", "void");
  const LoadedKernels loaded = config::load_kernel_file(folder.write("a folder é/k.toml", windows));
  CHECK(source_names(loaded) == "k.cu=vo ");
  CHECK(loaded.kernels[0].name == "k");
  const LoadedKernels wrong =
      config::load_kernel_file(folder.write("a folder é/k.toml", windows + "\tgird = 1\r\n"));
  REQUIRE(wrong.mistakes.size() == 1);
  CHECK(wrong.mistakes[0].where.line == 10);
  CHECK(wrong.mistakes[0].where.column == 2);
}

TEST_SUITE_END();
