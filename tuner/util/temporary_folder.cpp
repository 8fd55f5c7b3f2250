#include "tuner/util/temporary_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "tuner/model/error.hpp"

namespace tuner::util {

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::filesystem::path root = std::filesystem::temp_directory_path(error);
  if (error) root = "/tmp";
  std::string name = (root / "tuner-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw model::Error(
        fmt::format("cannot make a temporary folder in {}: {}", root.string(), std::strerror(errno)),
        "set TMPDIR to a folder that can be written");
  }
  m_path = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(m_path, ignored);
}

void TemporaryFolder::write(const std::filesystem::path& relative, std::string_view text) const {
  const std::filesystem::path path = m_path / relative;
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) throw model::Error(fmt::format("cannot write {}", path.string()), "is the disk full?");
}

}  // namespace tuner::util
