#pragma once
#include <doctest/doctest.h>
#include <zlib.h>

#include <filesystem>
#include <memory>
#include <string_view>

namespace tuner::test {

/// Writes a gzipped file; its test links zlib_static.
inline void write_gzipped(const std::filesystem::path& path, std::string_view text) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "wb"), gzclose);
  REQUIRE(file);
  REQUIRE(gzwrite(file.get(), text.data(), static_cast<unsigned>(text.size())) ==
          static_cast<int>(text.size()));
}

}  // namespace tuner::test
