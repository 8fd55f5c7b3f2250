#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/capture/driver.hpp"
#include "tuner/capture/folder.hpp"
#include "tuner/capture/images.hpp"
#include "tuner/capture/kernels.hpp"
#include "tuner/capture/ledger.hpp"
#include "tuner/capture/replacer.hpp"
#include "tuner/capture/saver.hpp"
#include "tuner/capture/times.hpp"

namespace tuner::capture {

/// What this process does with CUDA. There is one from the process's first call of cuInit() on, where the
/// process is captured.
class Observer final : KernelRuns {
 public:
  /// Null: the process is not captured, or has not begun yet.
  static Observer* running();
  /// The process begins to use CUDA. Null where it is not captured.
  static Observer* begin();

  CuResult launch(const Launch& launch, const LaunchQueue& queue);
  void graph_launched();
  void capture_begun() { ++m_captures; }
  void capture_ended() { --m_captures; }
  /// `note(kernels, images)` while no other thread does.
  template <typename Note>
  void note(const Note& note) {
    const std::lock_guard lock(m_changing);
    note(m_kernels, m_images);
  }

  /// The process ends in order.
  void finish(End end);
  bool is_of_this_process() const;

 private:
  explicit Observer(const std::string& folder);
  bool open(std::string& why);
  /// What is told of a launch before it, and what is to be done with it.
  struct Seen {
    std::optional<EventTimes::Pair> pair;
    std::optional<WantedLaunch> wanted;
    std::optional<Replacement> replacement;
    bool is_verified = false;           ///< with the program's own
    std::uint32_t shape = no_place;     ///< in the ledger
    std::uint32_t kernel = no_place;    ///< in the ledger
    std::uint64_t* launches = nullptr;  ///< where it is counted, unless it is replaced
    std::string readable = {};
  };
  Seen see(const Launch& launch);
  /// What of a pack takes its place.
  void see_replacement(const Kernel& kernel, const std::vector<void*>& arguments, Seen& seen);
  CuResult launch_replacement(const Launch& launch, const LaunchQueue& queue, const Seen& seen);
  bool is_put_into_graph(const Launch& launch) const;
  void start_timing();
  void open_pack(const Request& request);
  /// The GPU of the current context.
  std::uint32_t see_context();
  /// A launch of this shape follows that is not the program's.
  void expect_own(std::uint32_t shape);
  void take(const KernelRun& run) override;
  void lost(std::uint64_t records) override;

  const std::string m_folder;  ///< of the capture
  std::string m_own_folder;    ///< of this process
  std::recursive_mutex m_changing;
  LedgerWriter m_ledger;
  Kernels m_kernels{m_ledger};
  bool m_wants_events = false;  ///< rather than CUPTI
  std::unique_ptr<EventTimes> m_events;
  Notes m_notes;
  Images m_images;
  std::unique_ptr<Saver> m_saver;        ///< null: nothing is to be saved
  std::unique_ptr<Replacer> m_replacer;  ///< null: nothing is to be replaced
  std::uint64_t m_verify = 0;
  std::unordered_map<std::uint32_t, std::uint64_t> m_verified;  ///< of each kernel so many launches
  std::unordered_map<std::uint32_t, std::uint64_t>
      m_own;                                      ///< of each shape so many launches, without record yet
  std::shared_mutex m_quiet;                      ///< held by who saves a launch alone, else by each launch
  std::map<CuContext, std::uint32_t> m_contexts;  ///< with their GPUs
  std::atomic<int> m_captures{0};
  bool m_is_finished = false;
};

}  // namespace tuner::capture
