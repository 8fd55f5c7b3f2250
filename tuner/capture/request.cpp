#include "tuner/capture/request.hpp"

#include <algorithm>
#include <cstdlib>

namespace tuner::capture {
namespace {

constexpr const char* words[] = {"first", "every", "sizes"};

std::string first_word(std::string& text) {
  const std::size_t blank = std::min(text.find(' '), text.size());
  const std::string word = text.substr(0, blank);
  text.erase(0, blank + 1);
  return word;
}

/// `every 10 NAME`
SaveRequest read_save(std::string text) {
  SaveRequest save;
  const std::string which = first_word(text);
  for (int i = 0; i < 3; ++i)
    if (which == words[i]) save.which = static_cast<SaveRequest::Which>(i);
  save.every = std::max<std::uint64_t>(1, std::strtoull(first_word(text).c_str(), nullptr, 10));
  save.kernel = text;
  return save;
}

}  // namespace

std::string written(const Request& request) {
  std::string text;
  if (request.children) text += "children 1\n";
  if (request.events) text += "events 1\n";
  if (request.twice) text += "twice 1\n";
  for (const SaveRequest& save : request.saves)
    text += std::string("save ") + words[static_cast<int>(save.which)] + ' ' + std::to_string(save.every) +
            ' ' + save.kernel + '\n';
  if (!request.pack.empty()) text += "use " + request.pack + '\n';
  if (!request.replaced.empty()) text += "replaced " + request.replaced + '\n';
  text += "verify " + std::to_string(request.verify) + '\n';
  return text + "at_most " + std::to_string(request.at_most_bytes) + '\n';
}

Request read_request(const std::string& text) {
  Request request;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::string key = first_word(line);
    if (key == "children") request.children = true;
    if (key == "events") request.events = true;
    if (key == "twice") request.twice = true;
    if (key == "save") request.saves.push_back(read_save(line));
    if (key == "use") request.pack = line;
    if (key == "replaced") request.replaced = line;
    if (key == "verify") request.verify = std::strtoull(line.c_str(), nullptr, 10);
    if (key == "at_most") request.at_most_bytes = std::strtoull(line.c_str(), nullptr, 10);
  }
  return request;
}

}  // namespace tuner::capture
