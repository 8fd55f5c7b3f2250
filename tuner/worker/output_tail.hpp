#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tuner::worker {

/// The end of what a child printed; the rest is dropped and counted, so that a flood costs no memory.
class OutputTail {
 public:
  explicit OutputTail(std::size_t keep_bytes = 16384) : m_keep(keep_bytes) {}

  void add(std::string_view text);
  /// All that was printed since the last clear().
  std::int64_t printed_bytes() const { return m_printed; }
  /// Its end, at most keep_bytes, led by `[…]` where something is missing.
  std::string text() const;
  void clear();

 private:
  std::size_t m_keep;
  std::string m_tail;
  std::int64_t m_printed = 0;
};

}  // namespace tuner::worker
