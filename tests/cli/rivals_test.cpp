// Who competes with the kernels of a sweep without being tuned in it.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "config/kernel_file.hpp"
#include "tests/support/memory_results.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/util/files.hpp"

using namespace tuner;

namespace {

/// Results that know which kernels were tuned before.
struct Past : test::MemoryResults {
  std::vector<model::KernelDeclaration> declared(const std::string&) override { return kernels; }
  std::vector<model::KernelDeclaration> kernels;
};

std::string spec_text(const std::string& name, const std::string& more = "") {
  return "[kernel]\nname = \"" + name +
         "\"\nfamily = \"filling\"\nsource = \"fill.cu\"\nentry = \"fill\"\nsizes = [\"N\"]\ndeterministic = "
         "true\n" +
         more +
         R"text(
[parameters]
BLOCK = [64, 128]

[launch]
block = ["BLOCK"]
grid = ["ceil_div(N, BLOCK)"]

[[arguments]]
name = "x"
type = "float*"
access = "out"
extent = ["N"]

[verify]
reference = "fill.cu"
rounding_terms = 0

[verify.launch]
entry = "reference"
block = 64
grid = 1
arguments = ["x.expected", "N"]
)text";
}

class Folder {
 public:
  Folder() { m_folder.write("fill.cu", "__global__ void fill(float* x) { x[0] = 1; }\n"); }
  std::string write(const std::string& name, const std::string& text) const {
    m_folder.write(name, text);
    return (m_folder.path() / name).string();
  }

 private:
  util::TemporaryFolder m_folder;
};

model::KernelSpec loaded(const std::string& path) {
  config::LoadedKernels kernels = config::load_kernel_file(path);
  for (const model::Diagnostic& mistake : kernels.mistakes) FAIL_CHECK(mistake.message);
  REQUIRE(kernels.kernels.size() == 1);
  return kernels.kernels.front();
}

std::vector<std::string> rivals_of(const model::KernelSpec& selected, Past& past) {
  std::vector<std::string> names;
  cli::SpecFiles files;
  const auto read = [&](const model::KernelDeclaration& declared) { return files.find(declared); };
  for (const sweep::Work& rival : sweep::find_rivals({selected}, {selected}, past, read))
    names.push_back(rival.kernel.spec().name);
  return names;
}

}  // namespace

TEST_SUITE("tuner command line, rivals") {
  TEST_CASE("who was tuned before competes by its spec of today, wherever that is") {
    const Folder folder;
    const model::KernelSpec tuned = loaded(folder.write("tuned.toml", spec_text("tuned")));
    Past past;
    past.kernels = {{"filling", "tuned", {}, {}, {}, tuned.path},
                    {"filling", "other", {}, {}, {}, folder.write("other.toml", spec_text("other"))}};
    CHECK(rivals_of(tuned, past) == std::vector<std::string>{"other"});
  }

  TEST_CASE("who is not at hand any more, or is not sound, competes with nobody") {
    const Folder folder;
    const model::KernelSpec tuned = loaded(folder.write("tuned.toml", spec_text("tuned")));
    const std::string renamed = folder.write("renamed.toml", spec_text("now_called_otherwise"));
    const std::string broken = folder.write("broken.toml", spec_text("broken", "unknown = 3\n"));
    Past past;
    past.kernels = {{"filling", "gone", {}, {}, {}, "/nowhere/gone.toml"},
                    {"filling", "of_another_build", {}, {}, {}, "shipped:of_another_build.toml"},
                    {"filling", "renamed", {}, {}, {}, renamed},
                    {"filling", "broken", {}, {}, {}, broken},
                    {"filling", "nameless", {}, {}, {}, ""}};
    CHECK(rivals_of(tuned, past).empty());
  }
}
