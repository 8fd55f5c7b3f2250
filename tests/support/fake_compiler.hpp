#pragma once
#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "tuner/compile/compiler.hpp"

namespace tuner::test {

/// What all FakeCompilers of a test share: the calls they got, and a gate that can hold them.
struct FakeCompilerLog {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<model::CompileJob> calls;
  int running = 0;
  int most_running = 0;
  bool held = false;  ///< calls wait while this is set

  void hold(bool on) {
    {
      const std::lock_guard lock(mutex);
      held = on;
    }
    changed.notify_all();
  }
  std::size_t call_count() {
    const std::lock_guard lock(mutex);
    return calls.size();
  }
  /// Waits until `count` calls have begun.
  void wait_for_calls(std::size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return calls.size() >= count; });
  }
};

/// A compiler whose answer is a function of the job: by default a binary that holds the main file's text, and
/// one kernel per entry with the entry as its symbol.
class FakeCompiler final : public compile::Compiler {
 public:
  using Answer = std::function<model::Compilation(const model::CompileJob&)>;

  explicit FakeCompiler(FakeCompilerLog& log, Answer answer = usual_answer, std::string name = "fake 1.0")
      : m_log(log), m_answer(std::move(answer)), m_name(std::move(name)) {}

  std::string name() const override { return m_name; }

  model::Compilation compile(const model::CompileJob& job) override {
    {
      std::unique_lock lock(m_log.mutex);
      m_log.calls.push_back(job);
      m_log.most_running = std::max(m_log.most_running, ++m_log.running);
      m_log.changed.notify_all();
      m_log.changed.wait(lock, [&] { return !m_log.held; });
    }
    struct Leave {
      FakeCompilerLog& log;
      ~Leave() {
        const std::lock_guard lock(log.mutex);
        --log.running;
      }
    } const leave{m_log};
    return m_answer(job);
  }

  static model::Compilation usual_answer(const model::CompileJob& job) {
    model::Compilation compilation;
    for (const char c : job.source.empty() ? std::string() : job.source[0].text) {
      compilation.binary.push_back(static_cast<std::byte>(c));
    }
    for (const std::string& entry : job.entries) {
      model::KernelResources& kernel = compilation.kernels.emplace_back();
      kernel.entry = entry;
      kernel.symbol = entry;
      kernel.registers = 32;
    }
    compilation.compile_ms = 1.5;
    return compilation;
  }

 private:
  FakeCompilerLog& m_log;
  Answer m_answer;
  std::string m_name;
};

/// A job whose key depends on `text`.
inline model::CompileJob fake_job(const std::string& text) {
  model::CompileJob job;
  job.source = {{"main.cu", text}};
  job.entries = {"kernel"};
  job.architecture = "sm_90";
  job.compiler = "fake 1.0";
  return job;
}

}  // namespace tuner::test
