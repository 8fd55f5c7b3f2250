#include "tuner/worker/child_link.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace tuner::worker {

bool ChildLink::send(std::span<const std::uint8_t> payload) const {
  const Bytes frame = make_frame(payload);
  std::size_t sent = 0;
  while (sent < frame.size()) {
    const ssize_t taken = ::send(m_fd, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (taken > 0)
      sent += static_cast<std::size_t>(taken);
    else if (errno != EINTR)
      return false;
  }
  return true;
}

std::optional<Message> ChildLink::receive() {
  std::array<std::uint8_t, 65536> piece;
  for (;;) {
    if (const auto payload = m_decoder.next()) {
      auto decoded = decode(*payload, m_limits);
      if (auto* message = std::get_if<Message>(&decoded)) return std::move(*message);
      m_error = std::get<ProtocolError>(decoded).message;
      return std::nullopt;
    }
    m_error = m_decoder.error();
    if (!m_error.empty()) return std::nullopt;
    const ssize_t got = ::recv(m_fd, piece.data(), piece.size(), 0);
    if (got > 0)
      m_decoder.feed({piece.data(), static_cast<std::size_t>(got)});
    else if (got == 0 || errno != EINTR)
      return std::nullopt;
  }
}

}  // namespace tuner::worker
