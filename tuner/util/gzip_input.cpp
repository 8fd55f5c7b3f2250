#include "tuner/util/gzip_input.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <streambuf>
#include <vector>

#include "tuner/model/error.hpp"

namespace tuner::util {

/// zlib reads files that are not packed as they are.
class GzipInput::Buffer : public std::streambuf {
 public:
  explicit Buffer(const std::filesystem::path& path)
      : m_path(path),
        m_file(std::filesystem::is_directory(path) ? nullptr : gzopen(path.c_str(), "rb"), gzclose),
        m_bytes(std::size_t{1} << 18U) {}

  bool is_open() const { return m_file != nullptr; }

 protected:
  int_type underflow() override {
    const int got = gzread(m_file.get(), m_bytes.data(), static_cast<unsigned>(m_bytes.size()));
    int status = Z_OK;
    // The end of a file that ends early is told as an end, and as an error beside it.
    gzerror(m_file.get(), &status);
    if (status == Z_ERRNO) throw model::Error(fmt::format("{} cannot be read to its end", m_path.string()));
    if (got < 0 || status == Z_BUF_ERROR)
      throw model::Error(fmt::format("{} is damaged: it cannot be unpacked", m_path.string()));
    if (got == 0) return traits_type::eof();
    setg(m_bytes.data(), m_bytes.data(), m_bytes.data() + got);
    return traits_type::to_int_type(m_bytes.front());
  }

 private:
  std::filesystem::path m_path;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> m_file;
  std::vector<char> m_bytes;
};

GzipInput::GzipInput(const std::filesystem::path& path)
    : std::istream(nullptr), m_buffer(std::make_unique<Buffer>(path)) {
  rdbuf(m_buffer.get());  // clears the state
  if (!m_buffer->is_open()) {
    setstate(failbit);
  } else {
    exceptions(badbit);  // what the buffer throws is not swallowed
  }
}

GzipInput::~GzipInput() = default;

}  // namespace tuner::util
