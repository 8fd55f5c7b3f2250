#include "tests/mutants/text_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "tuner/model/error.hpp"

namespace mutants {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in.good()) throw tuner::model::Error(fmt::format("cannot read {}", path.string()));
  return text.str();
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  if (std::filesystem::is_regular_file(path) && std::filesystem::file_size(path) == text.size() &&
      read_file(path) == text) {
    return;
  }
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw tuner::model::Error(fmt::format("cannot write {}", path.string()));
}

}  // namespace mutants
