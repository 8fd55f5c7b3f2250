#include "tuner/capture/request.hpp"

#include <algorithm>

namespace tuner::capture {

std::string written(const Request& request) {
  return request.children ? "children 1\n" : "";
}

Request read_request(const std::string& text) {
  Request request;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t blank = std::min(line.find(' '), line.size());
    if (line.substr(0, blank) == "children") request.children = true;
  }
  return request;
}

}  // namespace tuner::capture
