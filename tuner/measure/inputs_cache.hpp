#pragma once
#include <cstdint>
#include <list>

#include "tuner/measure/draws.hpp"
#include "tuner/model/digest.hpp"

namespace tuner::measure {

/// Inputs of the problems measured lately, as many as fit beside a problem's own memory; the least lately
/// used go first.
class InputsCache {
 public:
  explicit InputsCache(device::Device& device) : m_device(device) {}
  InputsCache(const InputsCache&) = delete;
  InputsCache& operator=(const InputsCache&) = delete;

  /// Both draws of the inputs of `job`, made if they are not there. Another trial may have written anywhere:
  /// unless the last one had the same inputs and did not distrust() them, they are checked, and made again if
  /// they have changed. When memory does not suffice everything else is freed before trying again. Throws
  /// device::DeviceFault.
  const Draws& get(const model::TrialJob& job);
  /// Whether the inputs of `job`, got before, are still there.
  bool holds(const model::TrialJob& job) const;
  /// The workspaces of a trial whose inputs were got last; frees other problems' inputs when memory does not
  /// suffice. Throws device::DeviceFault.
  BufferTable workspaces(const model::Plan& plan);
  /// The last trial failed in a way that may have damaged any memory of the device.
  void distrust() { m_trusted = false; }

 private:
  struct Entry {
    model::Digest key;
    Draws draws;
  };

  const Draws& make(const model::Digest& key, const model::TrialJob& job);
  /// Frees until `plan` fits into the budget; throws where the device could not hold it even alone.
  void make_room(const model::Plan& plan);

  device::Device& m_device;
  std::list<Entry> m_entries;  ///< the last one used is the first
  bool m_trusted = true;
};

/// Identity of what a Draws holds.
model::Digest inputs_key(const model::TrialJob& job);

}  // namespace tuner::measure
