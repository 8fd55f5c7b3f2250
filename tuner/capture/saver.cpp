#include "tuner/capture/saver.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tuner/capture/parameters.hpp"

namespace tuner::capture {
namespace {

constexpr std::size_t piece_bytes = std::size_t{8} << 20U;
constexpr std::size_t most_sizes = 64;  ///< of a kernel, that are saved one of each

std::string bytes_text(std::uint64_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

CuAddress address_in(const void* place) {
  CuAddress address = 0;
  std::memcpy(&address, place, sizeof address);
  return address;
}

/// The memory from `address` to the end of its allocation; false where there is none.
bool find_region(CuAddress address, Region& region) {
  const Driver& ask = driver();
  CuAddress base = 0;
  if (address == 0 || ask.mem_get_address_range == nullptr ||
      ask.mem_get_address_range(&base, &region.allocation_bytes, address) != cu_success)
    return false;
  region.address = address;
  region.bytes = region.allocation_bytes - static_cast<std::size_t>(address - base);
  return true;
}

/// Each ends where the next one begins: arguments that lie in one allocation share nothing.
void part(std::vector<Region>& regions) {
  std::sort(regions.begin(), regions.end(),
            [](const Region& a, const Region& b) { return a.address < b.address; });
  regions.erase(std::unique(regions.begin(), regions.end(),
                            [](const Region& a, const Region& b) { return a.address == b.address; }),
                regions.end());
  for (std::size_t i = 0; i + 1 < regions.size(); ++i)
    regions[i].bytes = std::min<std::size_t>(regions[i].bytes, regions[i + 1].address - regions[i].address);
}

std::vector<Region> regions_of(const WantedLaunch& wanted) {
  std::vector<Region> regions;
  for (std::size_t i = 0; i < wanted.arguments.size(); ++i) {
    Region region;
    if (may_be_pointer(wanted.kernel.parameters[i]) && find_region(address_in(wanted.arguments[i]), region))
      regions.push_back(region);
  }
  part(regions);
  for (const std::string& name : wanted.variables) {
    Region region;
    if (!find_variable(wanted.kernel, name.c_str(), region.address, region.bytes)) continue;
    region.allocation_bytes = region.bytes;
    region.variable = name;
    regions.push_back(region);
  }
  return regions;
}

bool copy_to_file(const Region& region, const std::string& path, std::string& why) {
  OutputFile file(path);
  std::vector<char> piece(std::min(region.bytes, piece_bytes));
  for (std::size_t at = 0; at < region.bytes; at += piece.size()) {
    const std::size_t count = std::min(piece.size(), region.bytes - at);
    const CuResult result = driver().memcpy_to_host(piece.data(), region.address + at, count);
    if (result != cu_success) {
      why = "the driver says error " + std::to_string(result) + " while memory is copied";
      return false;
    }
    if (!file.write(piece.data(), count)) break;
  }
  if (file.close()) return true;
  why = path + ": " + std::strerror(errno);
  return false;
}

bool copy_all(const std::vector<Region>& regions, const std::string& folder, const char* when,
              std::string& why) {
  for (std::size_t i = 0; i < regions.size(); ++i)
    if (!copy_to_file(regions[i], folder + '/' + std::to_string(i) + '.' + when, why)) return false;
  return true;
}

/// Makes memory what it was before the launch.
bool restore(const std::vector<Region>& regions, const std::string& folder) {
  for (std::size_t i = 0; i < regions.size(); ++i) {
    std::FILE* const file = std::fopen((folder + '/' + std::to_string(i) + ".before").c_str(), "rbe");
    if (file == nullptr) return false;
    std::vector<char> piece(std::min(regions[i].bytes, piece_bytes));
    std::size_t at = 0;
    while (at < regions[i].bytes) {
      const std::size_t count =
          std::fread(piece.data(), 1, std::min(piece.size(), regions[i].bytes - at), file);
      if (count == 0 || driver().memcpy_to_device(regions[i].address + at, piece.data(), count) != cu_success)
        break;
      at += count;
    }
    std::fclose(file);
    if (at < regions[i].bytes) return false;
  }
  return true;
}

/// Launches it again with the memory as it was. What it leaves then is as much the launch's as before.
CuResult run_again(const LaunchQueue& queue, const std::vector<Region>& regions, const std::string& folder,
                   std::string& why) {
  if (!restore(regions, folder)) {
    why = "its memory could not be made what it was before";
    return cu_success;
  }
  const CuResult result = queue.queue();
  const CuResult ended = driver().ctx_synchronize();
  if (result != cu_success || ended != cu_success)
    why = "its second run ended with error " + std::to_string(result != cu_success ? result : ended);
  else
    copy_all(regions, folder, "again", why);
  return result;
}

/// Whether all that the launch may change is in its regions, as far as its arguments show.
bool is_whole(const WantedLaunch& wanted) {
  for (std::size_t i = 0; i < wanted.arguments.size(); ++i) {
    const KernelParameter& parameter = wanted.kernel.parameters[i];
    if (parameter.type.ends_with("**") || parameter.type.ends_with("* const*")) return false;
    if (may_hold_pointers(parameter) &&
        !pointers_inside(static_cast<const char*>(wanted.arguments[i]), parameter.bytes).empty())
      return false;
  }
  return driver().memcpy_to_device != nullptr;
}

/// The module, and what NVRTC made it of.
bool write_origin(const Image& image, const std::string& folder, std::string& why) {
  const auto write = [&](const std::string& name, std::string_view text) {
    OutputFile file(folder + '/' + name);
    file.write(text.data(), text.size());
    if (file.close()) return true;
    why = folder + '/' + name + ": " + std::strerror(errno);
    return false;
  };
  if (image.bytes != nullptr && !write("module", {image.bytes, image.count})) return false;
  if (image.source == nullptr) return true;
  bool is_good = write(source_file, image.source->text);
  for (std::size_t i = 0; is_good && i < image.source->headers.size(); ++i)
    is_good = write(header_prefix + std::to_string(i), image.source->headers[i].second);
  return is_good;
}

/// A launch that is not whole is no launch.
void remove_folder(const std::string& folder) {
  if (DIR* const opened = opendir(folder.c_str())) {
    while (const dirent* const entry = readdir(opened)) unlinkat(dirfd(opened), entry->d_name, 0);
    closedir(opened);
  }
  rmdir(folder.c_str());
}

}  // namespace

Saver::Saver(const Request& request, std::string folder, Notes& notes)
    : m_saves(request.saves),
      m_at_most_bytes(request.at_most_bytes),
      m_twice(request.twice),
      m_folder(std::move(folder)),
      m_notes(notes) {}

bool Saver::wants(const Kernel& kernel, const Launch& launch, const Integers& integers,
                  std::uint64_t& number) {
  number = 0;
  bool is_wanted = false;
  for (const SaveRequest& save : m_saves) {
    if (!kernel.has_parameters || !means_kernel(save.kernel, kernel.name)) continue;
    Counted& counted = m_counted[kernel.name];
    if (number == 0) number = ++counted.launches;
    const bool is_its = save.which == SaveRequest::Which::sizes   ? counted.is_of_new_size(launch, integers)
                        : save.which == SaveRequest::Which::every ? (number - 1) % save.every == 0
                                                                  : number == 1;
    is_wanted = is_wanted || is_its;
  }
  return is_wanted;
}

bool Saver::Counted::is_of_new_size(const Launch& launch, const Integers& integers) {
  std::string size(reinterpret_cast<const char*>(launch.grid.data()), sizeof launch.grid);
  size.append(reinterpret_cast<const char*>(launch.block.data()), sizeof launch.block);
  size.append(reinterpret_cast<const char*>(integers.values.data()), sizeof integers.values);
  return sizes.size() < most_sizes && sizes.insert(size).second;
}

bool Saver::fit(const WantedLaunch& wanted, const std::vector<Region>& regions) {
  std::uint64_t needed = wanted.image.bytes == nullptr ? 0 : wanted.image.count;
  for (const Region& region : regions) needed += (m_twice ? 3 : 2) * region.bytes;
  if (needed <= m_at_most_bytes - std::min(m_at_most_bytes, m_used_bytes)) {
    m_used_bytes += needed;
    return true;
  }
  say(wanted, "not saved",
      " needs " + bytes_text(needed) + ", with what is saved already " + bytes_text(m_used_bytes + needed) +
          "; --at-most allows " + bytes_text(m_at_most_bytes));
  return false;
}

void Saver::say(const WantedLaunch& wanted, const char* what, const std::string& more) const {
  m_notes.add(std::string(what) + ": launch " + std::to_string(wanted.number) + " of " +
              demangled(wanted.kernel.name) + more);
}

CuResult Saver::save(const WantedLaunch& wanted, const LaunchQueue& queue, const LaunchQueue& repeat) {
  const Driver& ask = driver();
  if (ask.ctx_synchronize == nullptr || ask.memcpy_to_host == nullptr || ask.ctx_synchronize() != cu_success)
    return queue.queue();
  const Image& image = wanted.image;
  const std::vector<Region> regions = regions_of(wanted);
  if (!fit(wanted, regions)) return queue.queue();
  const std::string folder = m_folder + '/' + launch_prefix + std::to_string(++m_saved);
  std::string why;
  if (mkdir(folder.c_str(), 0755) != 0) why = folder + ": " + std::strerror(errno);
  const bool is_begun =
      why.empty() && write_origin(image, folder, why) && copy_all(regions, folder, "before", why);
  const bool is_twice = m_twice && is_whole(wanted);
  if (m_twice && !is_twice) say(wanted, "not run twice", ": it may change memory that was not saved");
  // The draft has the arguments as they were: the kernel may write where they lie.
  const std::string draft = draft_of(wanted, regions, is_twice);
  CuResult result = queue.queue();
  const CuResult ended = ask.ctx_synchronize();
  if (is_begun && (result != cu_success || ended != cu_success))
    why = "it ended with error " + std::to_string(result != cu_success ? result : ended);
  if (why.empty() && copy_all(regions, folder, "after", why) && is_twice)
    result = run_again(repeat, regions, folder, why);
  if (why.empty() && !write_text(folder + '/' + draft_file, draft, O_EXCL))
    why = folder + ": " + std::strerror(errno);
  if (why.empty()) return result;
  remove_folder(folder);
  say(wanted, "not saved", ": " + why);
  return result;
}

}  // namespace tuner::capture
