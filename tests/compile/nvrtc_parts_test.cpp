// What a job, a log or a binary that is nearly as usual is taken for.
#include <doctest/doctest.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/variable.hpp"
#include "tuner/compile/nvrtc/cubin.hpp"
#include "tuner/compile/nvrtc/nvrtc_compiler.hpp"
#include "tuner/util/files.hpp"

namespace fs = std::filesystem;
using namespace tuner::compile::nvrtc;
using tuner::model::CompileJob;

namespace {

CompileJob job_of(const std::string& text) {
  CompileJob job;
  job.source = {{"main.cu", text}};
  job.architecture = "sm_90";
  return job;
}

bool has(const std::vector<std::string>& options, const std::string& option) {
  return std::find(options.begin(), options.end(), option) != options.end();
}

/// An ELF file of nothing but sections of these names and sizes.
std::vector<std::byte> elf_of(const std::vector<std::pair<std::string, std::uint64_t>>& sections) {
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> headers;
  for (const auto& [name, bytes] : sections) {
    Elf64_Shdr& header = headers.emplace_back(Elf64_Shdr{});
    header.sh_name = static_cast<Elf64_Word>(names.size());
    header.sh_size = bytes;
    names += name + '\0';
  }
  Elf64_Shdr& of_names = headers.emplace_back(Elf64_Shdr{});
  of_names.sh_size = names.size();
  of_names.sh_offset = sizeof(Elf64_Ehdr);
  Elf64_Ehdr file{};
  std::memcpy(file.e_ident, ELFMAG, SELFMAG);
  file.e_ident[EI_CLASS] = ELFCLASS64;
  file.e_shoff = sizeof file + names.size();
  file.e_shentsize = sizeof(Elf64_Shdr);
  file.e_shnum = static_cast<Elf64_Half>(headers.size());
  file.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
  std::string bytes(reinterpret_cast<const char*>(&file), sizeof file);
  bytes += names;
  bytes.append(reinterpret_cast<const char*>(headers.data()), headers.size() * sizeof(Elf64_Shdr));
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

}  // namespace

TEST_SUITE_BEGIN("tuner::compile::nvrtc counterexamples");

TEST_CASE("headers end at a line of its own that says so, not where a comment mentions it") {
  CHECK(has_header_stop(job_of("#pragma nv_hdrstop\nint x;\n")));
  CHECK(has_header_stop(job_of("#include <a>\n#pragma nv_hdrstop")));
  CHECK(has_header_stop(job_of("// no #pragma nv_hdrstop here\n#pragma nv_hdrstop\n")));
  CHECK_FALSE(has_header_stop(job_of("// no #pragma nv_hdrstop here\nint x;\n")));
  CHECK_FALSE(has_header_stop(job_of("int x;\n")));
}

TEST_CASE(
    "macros stand behind the stop, lines keep their numbers, and other headers are other text above it") {
  CompileJob job = job_of("#include <a>\n#pragma nv_hdrstop\nint x = X;\n");
  job.vocabulary = {{"ROW", "7"}};
  job.macros = {{"X", "5"}};
  const std::string text = with_macros_behind_stop(job, "main.cu");
  CHECK(text.starts_with("#include <a>\n#define TUNER_HEADERS_"));
  CHECK(text.ends_with("#pragma nv_hdrstop\n#define ROW 7\n#define X 5\n#line 3 \"main.cu\"\nint x = X;\n"));
  const auto above = [](const CompileJob& of) {
    const std::string all = with_macros_behind_stop(of, "main.cu");
    return all.substr(0, all.find("#pragma nv_hdrstop"));
  };
  CompileJob other = job;
  other.macros[0].value = "6";
  CHECK(above(other) == above(job));
  other.source.push_back({"a", "int a;\n"});
  CHECK(above(other) != above(job));
}

TEST_CASE("what a source's own messages say of registers, memory or time is no statistic") {
  const auto report = parse_ptxas_log(R"(ptxas info    : Compiling entry function 'k' for 'sm_80'
ptxas info    : Function properties for k
    24 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 40 registers, 376 bytes cmem[0], 8 bytes cumulative stack size
main.cu(3): warning: Used 9 registers, 5 bytes smem
main.cu(4): warning: 8 bytes gmem
main.cu(5): warning: Compile time = 3 days
)");
  REQUIRE(report.entries.size() == 1);
  CHECK(report.entries[0].registers == 40);
  CHECK(report.entries[0].shared_bytes == 0);
  CHECK(report.entries[0].stack_bytes == 24);  // the tree's is never less than its root's
  CHECK(std::count(report.rest.begin(), report.rest.end(), '\n') == 3);
}

TEST_CASE("static shared memory may be all that the compiler allows, and not a byte more") {
  PtxasReport report;
  report.entries.resize(2);
  report.entries[1].symbol = "k";
  report.entries[1].shared_bytes = 49152;
  CHECK_FALSE(find_shared_excess(report));
  report.entries[1].shared_bytes = 49153;
  REQUIRE(find_shared_excess(report));
  CHECK(find_shared_excess(report)->symbol == "k");
  CHECK(text_of(*find_shared_excess(report)).find("'k' declares 49153 bytes") != std::string::npos);
}

TEST_CASE(
    "a standard header of the toolkit is offered where it has it, in either place, and not the job's own") {
  const auto offered = [](const std::vector<tuner::model::SourceText>& taken, const fs::path& toolkit) {
    std::string found;
    for (const auto& header : stub_headers(taken, toolkit))
      if (header.text.find("<cuda/std/") != std::string::npos) found += header.name + " ";
    return found;
  };
  const tuner::util::TemporaryFolder folder;
  CHECK(offered({}, "").empty());
  CHECK(offered({}, folder.path()).empty());
  fs::create_directories(folder.path() / "cuda" / "std");
  std::ofstream(folder.path() / "cuda" / "std" / "tuple") << "\n";
  CHECK(offered({}, folder.path()) == "tuple ");
  fs::create_directories(folder.path() / "cccl" / "cuda" / "std");
  std::ofstream(folder.path() / "cccl" / "cuda" / "std" / "array") << "\n";
  CHECK(offered({}, folder.path()) == "array tuple ");
  CHECK(offered({{"tuple", "mine"}}, folder.path()) == "array ");
}

TEST_CASE("a job's own header of a name that the toolkit has is not replaced") {
  const auto headers = stub_headers({{"cuda.h", "mine"}, {"cuda_runtime.h", "mine"}}, "");
  for (const auto& header : headers) {
    CHECK(header.name != "cuda.h");
    CHECK(header.name != "cuda_runtime.h");
  }
}

TEST_CASE("the toolkit's headers are searched, with those that CUDA 13 keeps apart where there are any") {
  const tuner::util::TemporaryFolder folder;
  const std::string plain = "--include-path=" + folder.path().string();
  CHECK(has(options_for(job_of(""), Version{13, 0}, folder.path()), plain));
  CHECK_FALSE(has(options_for(job_of(""), Version{13, 0}, folder.path()), plain + "/cccl"));
  fs::create_directory(folder.path() / "cccl");
  CHECK(has(options_for(job_of(""), Version{13, 0}, folder.path()), plain + "/cccl"));
  for (const std::string& option : options_for(job_of(""), Version{13, 0}, ""))
    CHECK_FALSE(option.starts_with("--include-path"));
}

TEST_CASE(
    "an option that takes the next one as its value takes only that, and nothing where it has its own") {
  CompileJob job = job_of("");
  const auto tail = [&](std::vector<std::string> options) {
    const std::size_t own = options_for(job_of(""), Version{13, 0}, "").size();
    job.options = std::move(options);
    const auto all = options_for(job, Version{13, 0}, "");
    return std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(own), all.end());
  };
  using Options = std::vector<std::string>;
  CHECK(tail({"-Xcompiler", "-O3", "-w"}) == Options{"-w"});
  CHECK(tail({"-Xcompiler=-O3", "-w"}) == Options{"-w"});
  CHECK(tail({"-Xptxas", "-O3", "-O3"}) == Options{"-Xptxas", "-O3"});
  CHECK(tail({"-Xptxas=-O1", "-O3", "-w"}) == Options{"-Xptxas=-O1", "-w"});
  CHECK(tail({"-w", "-Xptxas"}) == Options{"-w", "-Xptxas"});
}

TEST_CASE("options of ptxas that name files are refused by each of their names, behind -Xptxas and joined") {
  for (const std::string bad :
       {"-o", "--output-file=x", "-optf=x", "--options-file=x", "--input-as-string=x"}) {
    CAPTURE(bad);
    CHECK(refused_option({"-Xptxas", bad}));
    CHECK(refused_option({"--ptxas-options=" + bad}));
  }
  CHECK_FALSE(refused_option({"-Xptxas", "-v", "-lineinfo"}));
}

TEST_CASE("a job asks for an architecture's own features once, and where its source names them") {
  using tuner::compile::asks_for_features;
  using tuner::compile::with_features;
  CHECK(with_features(job_of("")).architecture == "sm_90a");
  CHECK(with_features(with_features(job_of(""))).architecture == "sm_90a");
  CompileJob older = job_of("");
  older.architecture = "sm_89";
  CHECK(with_features(older).architecture == "sm_89");
  CHECK(asks_for_features(job_of("#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n")));
  CHECK_FALSE(asks_for_features(job_of("#ifdef __CUDA_ARCH__\n")));
  CompileJob in_header = job_of("");
  in_header.source.push_back({"a.cuh", "__CUDA_ARCH_FEAT_SM90_ALL"});
  CHECK(asks_for_features(in_header));
  CHECK(lacks_features("Instruction 'wgmma.fence' not supported on .target 'sm_90'"));
  CHECK(lacks_features("Instruction 'x' cannot be compiled for architecture 'sm_90'"));
  CHECK_FALSE(lacks_features("main.cu(3): error: not supported"));
}

TEST_CASE("a folder that was asked for is looked through as one of wheels, a file is taken as it is") {
  const tuner::util::TemporaryFolder folder;
  const auto candidates = library_candidates(folder.path().string());
  const auto offers = [&](const std::string& file) {
    return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
      return candidate.file == (folder.path() / file).string() && candidate.origin == "as asked for";
    });
  };
  CHECK(candidates.size() == 9);
  CHECK(offers("libnvrtc.so.13"));
  CHECK(offers("libnvrtc.so"));
  CHECK(offers("nvidia/cu13/lib/libnvrtc.so.13"));
  CHECK(offers("nvidia/cuda_nvrtc/lib/libnvrtc.so.12"));
}

TEST_CASE("of a toolkit the folders that are there are searched, and its usual one where none is") {
  const auto files = [](const fs::path& toolkit) {
    const tuner::test::Variable variable("CUDA_PATH", toolkit);
    std::vector<std::string> found;
    for (const Candidate& candidate : library_candidates(""))
      if (candidate.file.starts_with(toolkit.string() + "/") && candidate.file.ends_with(".so"))
        found.push_back(fs::path(candidate.file).parent_path().lexically_relative(toolkit).string());
    return found;
  };
  const tuner::util::TemporaryFolder folder;
  CHECK(files(folder.path()) == std::vector<std::string>{"lib64"});
  fs::create_directories(folder.path() / "targets/x86_64-linux/lib");
  CHECK(files(folder.path()) == std::vector<std::string>{"targets/x86_64-linux/lib"});
  fs::create_directory(folder.path() / "lib");
  CHECK(files(folder.path()) == std::vector<std::string>{"lib", "targets/x86_64-linux/lib"});
}

TEST_CASE("constants that a kernel reaches are the module's and its own, its arguments apart") {
  const auto cubin = elf_of({{".nv.constant0.k", 1000},
                             {".nv.constant2.k", 200},
                             {".nv.constant2.other", 5000},
                             {".nv.constant3", 30},

                             {".text.k", 640},
                             {".text.kk", 100}});
  CHECK(constant_bytes(cubin, "k") == 230);
  CHECK(constant_bytes(cubin, "other") == 5030);
  CHECK(code_bytes(cubin, "k") == 640);
  CHECK(code_bytes(cubin, "absent") == 0);
  auto small = cubin;
  small[EI_CLASS] = std::byte{ELFCLASS32};
  CHECK(code_bytes(small, "k") == 0);
}

TEST_CASE("a kernel's facts are those of its own entry, with the spills of what may have been called") {
  PtxasReport report;
  report.entries = {{"other", 1, 1, 1, 1, 1}, {"k", 40, 24, 16, 20, 1024}};
  report.called_spill_store_bytes = 100;
  report.called_spill_load_bytes = 200;
  const auto kernel = resources_of("tile<4>", "k", report, elf_of({{".nv.constant3", 30}}),
                                   ".visible .entry k(\n)\n.maxntid 32, 8\n{\n");
  CHECK(kernel.entry == "tile<4>");
  CHECK(kernel.symbol == "k");
  CHECK(kernel.registers == 40);
  CHECK(kernel.stack_bytes == 24);
  CHECK(kernel.spill_store_bytes == 116);
  CHECK(kernel.spill_load_bytes == 220);
  CHECK(kernel.static_shared_bytes == 1024);
  CHECK(kernel.constant_bytes == 30);
  CHECK(kernel.max_threads_per_block == 256);
}

TEST_SUITE_END();
