// Which results are kept, and the compiler that asks for them first.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "tuner/compile/binary_cache.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::compile {
namespace {

/// Whether an error is of a line of a source: `k.cu(12): error: `, `k.cu:12:3: error: `, `line 12; error   :
/// `. Without one it is the compiler that did not work.
bool names_a_line(std::string_view log) {
  while (!log.empty()) {
    std::string_view place = util::split_first(log, "\n");
    const std::size_t error = place.find("error");
    if (error == std::string_view::npos) continue;
    place = place.substr(0, error);
    for (std::size_t at = 0; (at = place.find_first_of("(: ", at)) != std::string_view::npos; ++at) {
      const std::size_t end = place.find_first_not_of("0123456789", at + 1);
      if (end != std::string_view::npos && end > at + 1 &&
          std::string_view("):;").find(place[end]) != std::string_view::npos)
        return true;
    }
  }
  return false;
}

/// That a file could not be read is no word about the source: NVRTC's words, clang's and the system's.
bool says_unreadable(std::string_view log) {
  constexpr std::string_view words[] = {
      "open source file",   "file not found",    "No such file or directory", "Permission denied",
      "Input/output error", "Stale file handle", "Too many open files"};
  return std::ranges::any_of(words, [log](std::string_view text) { return log.find(text) != log.npos; });
}

}  // namespace

bool is_cacheable(const model::Compilation& compilation) {
  switch (compilation.status) {
    case model::TrialStatus::ok:
    case model::TrialStatus::unlaunchable:
      return true;
    case model::TrialStatus::compile_error:
      return names_a_line(compilation.log) && !says_unreadable(compilation.log);
    default:
      return false;
  }
}

namespace {

/// An entry may be well-formed and still not answer the job it claims to be of.
bool answers(const model::Compilation& compilation, const model::CompileJob& job) {
  if (compilation.status != model::TrialStatus::ok) return true;
  return !compilation.binary.empty() && std::ranges::all_of(job.entries, [&](const std::string& entry) {
    return compilation.find(entry) != nullptr;
  });
}

/// Another build of this program may put another unit around the same kernel.
const std::string& this_build() {
  static const std::string known = [] {
    struct stat file {};
    if (::stat("/proc/self/exe", &file) != 0) return std::string();
    return fmt::format("{} {}.{}", file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
  }();
  return known;
}

/// Where a failure of the job is kept. A binary does not depend on the codes of words that its configuration
/// does not have, so they are no part of the job's key. A source that names a missing one fails, and compiles
/// once the spec has the word.
model::Digest key_of_failure(const model::CompileJob& job, const model::Digest& key) {
  model::DigestBuilder digest;
  digest.add("failure").add(this_build()).add(key);
  for (const model::Macro& macro : job.vocabulary) digest.add(macro.name).add(macro.value);
  return digest.finish();
}

bool is_failure(const model::Compilation& compilation) {
  return compilation.status == model::TrialStatus::compile_error;
}

}  // namespace

CachingCompiler::CachingCompiler(std::unique_ptr<Compiler> inner, std::shared_ptr<BinaryCache> cache)
    : m_inner(std::move(inner)), m_cache(std::move(cache)) {}

model::Compilation CachingCompiler::compile(const model::CompileJob& job) {
  return compile_unless(job, false);
}

model::Compilation CachingCompiler::compile_unless(const model::CompileJob& job,
                                                   const std::atomic<bool>& abandoned) {
  if (job.compiler != name()) {
    throw model::Error(
        fmt::format("a compile job for '{}' was given to the compiler '{}'", job.compiler, name()));
  }
  model::Compilation kernels = compile_one(job, abandoned);
  if (job.library.empty() || kernels.status != model::TrialStatus::ok) return kernels;
  model::Compilation library = compile_one(job.library.front(), abandoned);
  if (library.status != model::TrialStatus::ok) return library;
  kernels.library = std::move(library.binary);
  kernels.from_cache = kernels.from_cache && library.from_cache;
  return kernels;
}

model::Compilation CachingCompiler::compile_one(const model::CompileJob& job,
                                                const std::atomic<bool>& abandoned) {
  const model::Digest key = job.key();
  const model::Digest failure_key = key_of_failure(job, key);
  std::optional<model::Compilation> known = m_cache->load(key);
  if (!known || is_failure(*known)) known = m_cache->load(failure_key);
  if (known && answers(*known, job)) return *std::move(known);
  model::Compilation compilation = m_inner->compile_unless(job, abandoned);
  if (!abandoned) m_cache->store(is_failure(compilation) ? failure_key : key, compilation);
  return compilation;
}

}  // namespace tuner::compile
