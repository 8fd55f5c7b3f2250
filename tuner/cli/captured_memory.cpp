
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "tuner/capture/recording.hpp"
#include "tuner/cli/capture.hpp"
#include "tuner/device/compare_function.h"
#include "tuner/model/error.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

double value_at(std::string_view bytes, std::size_t place, model::ElementType type) {
  const auto size = static_cast<std::size_t>(model::size_bytes(type));
  device::Word word = 0;
  std::memcpy(&word, bytes.data() + place * size, size);
  return device::value_of(static_cast<int>(type), word);
}

/// Two files piece by piece, as long as both go on.
template <class Use>
void read_both(const std::string& a, const std::string& b, std::int64_t bytes, const Use& use) {
  capture::PackedNumbers one(a);
  capture::PackedNumbers two(b);
  for (std::int64_t left = bytes; left > 0;) {
    const std::string_view of_one = one.next(left);
    const std::string_view of_two = two.next(left);
    use(of_one, of_two);
    left -= static_cast<std::int64_t>(of_one.size());
  }
}

}  // namespace

config::CapturedMemory::Contents CapturedFiles::contents(const model::CapturedRegion& region,
                                                         model::ElementType type, std::int64_t bytes) {
  const model::ElementType component = model::component_type(type);
  const auto size = static_cast<std::size_t>(model::size_bytes(component));
  Contents found;
  found.was_zero = true;
  read_both(region.before, region.after.empty() ? region.before : region.after, bytes,
            [&](std::string_view before, std::string_view after) {
              found.was_zero = found.was_zero && before.find_first_not_of('\0') == std::string_view::npos;
              for (std::size_t i = 0; i < after.size() / size; ++i) {
                ++found.numbers;
                if (before.substr(i * size, size) != after.substr(i * size, size)) ++found.changed;
                const double value = value_at(after, i, component);
                if (std::isnan(value)) ++found.nans;
                if (std::isfinite(value)) found.largest = std::max(found.largest, std::fabs(value));
              }
            });
  return found;
}

bool CapturedFiles::same_before(const model::CapturedRegion& a, const model::CapturedRegion& b) {
  bool is_same = a.bytes == b.bytes;
  if (is_same)
    read_both(a.before, b.before, a.bytes,
              [&](std::string_view one, std::string_view two) { is_same = is_same && one == two; });
  return is_same;
}

double CapturedFiles::difference(const model::CapturedRegion& a, const model::CapturedRegion& b,
                                 model::ElementType type) {
  const model::ElementType component = model::component_type(type);
  const auto after = [](const model::CapturedRegion& region) {
    return region.after.empty() ? region.before : region.after;
  };
  double largest = 0;
  read_both(after(a), after(b), std::min(a.bytes, b.bytes), [&](std::string_view one, std::string_view two) {
    const std::size_t count =
        one == two ? 0 : one.size() / static_cast<std::size_t>(model::size_bytes(component));
    for (std::size_t i = 0; i < count; ++i) {
      const double apart = std::fabs(value_at(one, i, component) - value_at(two, i, component));
      if (std::isfinite(apart)) largest = std::max(largest, apart);
    }
  });
  return largest;
}

double CapturedFiles::number(model::ElementType type, const std::string& bytes) {
  return value_at(bytes, 0, type);
}

void make_files(const std::vector<config::DraftFile>& files, const fs::path& folder) {
  for (const config::DraftFile& file : files) {
    const fs::path to = folder / file.name;
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    try {
      capture::unpack(file.packed, to, file.is_raw, file.bytes);
    } catch (const model::Error&) {
      for (const config::DraftFile& made : files) fs::remove(folder / made.name, error);
      fs::remove(to.parent_path(), error);
      throw;
    }
  }
}

}  // namespace tuner::cli
