#include "tuner/model/compile_job.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>

using tuner::model::CompileJob;
using tuner::model::Digest;

TEST_SUITE("tuner::model::CompileJob") {
  namespace {

  CompileJob full_job() {
    CompileJob job;
    job.source = {{"main.cu", "kernel"}, {"tile.cuh", "tile"}};
    job.macros = {{"TILE", "32"}, {"UNROLL", "4"}};
    job.vocabulary = {{"PARTITION_row", "77"}};
    job.options = {"-lineinfo", "--use_fast_math"};
    job.entries = {"add<4>", "&d_filter"};
    job.architecture = "sm_90";
    job.compiler = "nvrtc 13.0";
    return job;
  }

  using Edit = std::function<void(CompileJob&)>;

  }  // namespace

  TEST_CASE(
      "file names, options, the architecture and all else that decides a binary belong to its job's key") {
    const std::map<std::string, Edit> edits = {
        {"a file's name", [](CompileJob& job) { job.source[1].name = "tiles.cuh"; }},
        {"a file's text", [](CompileJob& job) { job.source[1].text += " "; }},
        {"the main file's name", [](CompileJob& job) { job.source[0].name = "other.cu"; }},
        {"order of files", [](CompileJob& job) { std::swap(job.source[0], job.source[1]); }},
        {"one file less", [](CompileJob& job) { job.source.pop_back(); }},
        {"where a name ends",
         [](CompileJob& job) {
           job.source[1] = {"tile.cuht", "ile"};
         }},
        {"a macro's name", [](CompileJob& job) { job.macros[0].name = "TILES"; }},
        {"a macro's value", [](CompileJob& job) { job.macros[0].value = "64"; }},
        {"one macro less", [](CompileJob& job) { job.macros.pop_back(); }},
        {"an option", [](CompileJob& job) { job.options[0] = "-G"; }},
        {"order of options", [](CompileJob& job) { std::swap(job.options[0], job.options[1]); }},
        {"one option less", [](CompileJob& job) { job.options.pop_back(); }},
        {"an option as an entry",
         [](CompileJob& job) {
           job.entries.insert(job.entries.begin(), job.options.back());
           job.options.pop_back();
         }},
        {"a macro as two options",
         [](CompileJob& job) {
           job.options.insert(job.options.begin(), {job.macros.back().name, job.macros.back().value});
           job.macros.pop_back();
         }},
        {"an entry", [](CompileJob& job) { job.entries[0] = "add<8>"; }},
        {"one entry less", [](CompileJob& job) { job.entries.pop_back(); }},
        {"the architecture", [](CompileJob& job) { job.architecture = "sm_90a"; }},
        {"the compiler", [](CompileJob& job) { job.compiler = "nvrtc 13.1"; }},
        {"a library of the host", [](CompileJob& job) { job.host_library = true; }},
        {"nvcc", [](CompileJob& job) { job.by_nvcc = true; }},
    };
    std::map<Digest, std::string> keys = {{full_job().key(), "nothing"}};
    for (const auto& [what, edit] : edits) {
      CAPTURE(what);
      CompileJob job = full_job();
      edit(job);
      const auto [place, is_new] = keys.emplace(job.key(), what);
      CHECK_MESSAGE(is_new, "the same as with another: " << place->second);
    }
  }

  TEST_CASE("codes of words are no part of a job's key, and a source's key stands for its texts") {
    CompileJob job = full_job();
    job.vocabulary = {{"PARTITION_row", "1"}, {"PARTITION_column", "2"}};
    CHECK(job.key() == full_job().key());
    job.source_key = tuner::model::source_key(job.source);
    CHECK(job.key() == full_job().key());
    job.source_key = tuner::model::source_key({{"another.cu", ""}});
    CHECK(job.key() != full_job().key());
  }
}
