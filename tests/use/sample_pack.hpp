#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/use/pack_writer.hpp"
#include "tuner/use/tuner.h"

namespace tests {

/// `scale` of float over M and N: Y = alpha X. In order its configurations are: one launch, which is the
/// H100's rule where N is a multiple of 4; several steps with workspaces, a variable, a tensor map and a
/// loop, measured at 2048x2048; the default of sm_90; the default of sm_80.
tuner::use::Pack sample_pack();

/// Of the H100.
inline constexpr double measured_ns = 5000;

/// Bytes at a multiple of 8, as packs must lie.
class Aligned {
 public:
  explicit Aligned(const std::string& bytes) : m_words((bytes.size() + 7) / 8 + 1), m_count(bytes.size()) {
    bytes.copy(data(), bytes.size());
  }
  char* data() { return reinterpret_cast<char*>(m_words.data()); }
  const void* get() const { return m_words.data(); }
  std::size_t count() const { return m_count; }

 private:
  std::vector<std::uint64_t> m_words;
  std::size_t m_count;
};

/// An opened pack with its one kernel.
class Opened {
 public:
  explicit Opened(const tuner::use::Pack& pack = sample_pack());
  /// Layers, the last one first to answer.
  explicit Opened(const std::vector<tuner::use::Pack>& packs);
  ~Opened() { tuner_pack_close(m_pack); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  const tuner_pack* pack() const { return m_pack; }
  const tuner_kernel* kernel() const { return m_kernel; }
  tuner_error pick(const std::vector<std::int64_t>& sizes, tuner_choice& choice, int device = 0) const {
    return tuner_kernel_pick(m_kernel, device, sizes.data(), sizes.size(), &choice);
  }

 private:
  std::vector<Aligned> m_bytes;
  tuner_pack* m_pack = nullptr;
  const tuner_kernel* m_kernel = nullptr;
};

}  // namespace tests
