#pragma once
#include <optional>
#include <span>
#include <string>

#include "tuner/worker/message.hpp"

namespace tuner::worker {

/// A worker's end of the socket: simple blocking calls, since the parent does the watching.
class ChildLink {
 public:
  ChildLink(int fd, const FrameLimits& limits) : m_fd(fd), m_limits(limits), m_decoder(limits.max_bytes) {}

  /// False when the parent is gone.
  bool send(std::span<const std::uint8_t> payload) const;
  /// The next message; absent when the parent closed its end, or with error() set when it sent nonsense.
  std::optional<Message> receive();
  const std::string& error() const { return m_error; }

 private:
  int m_fd;
  FrameLimits m_limits;
  FrameDecoder m_decoder;
  std::string m_error;
};

}  // namespace tuner::worker
