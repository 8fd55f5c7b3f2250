#include "tuner/capture/ledger.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tuner::capture {
namespace {

std::size_t mixed(std::size_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29U;
}

}  // namespace

std::size_t LedgerWriter::Hash::operator()(const Shape& shape) const {
  std::size_t hash = mixed(mixed(shape.kernel, shape.gpu), shape.graph);
  for (int i = 0; i < 3; ++i) hash = mixed(hash, std::uint64_t{shape.grid[i]} << 32U | shape.block[i]);
  return mixed(hash, shape.dynamic_shared_bytes);
}

std::size_t LedgerWriter::Hash::operator()(const std::pair<std::uint32_t, Integers>& values) const {
  std::size_t hash = values.first;
  for (std::uint32_t i = 0; i < values.second.count; ++i)
    hash = mixed(hash, static_cast<std::uint64_t>(values.second.values[i]));
  return hash;
}

bool LedgerWriter::create(const std::string& path, std::string& why) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) {
    why = path + ": " + std::strerror(errno);
    return false;
  }
  const int full = posix_fallocate(file, 0, sizeof(Ledger));
  void* const mapped =
      full != 0 ? MAP_FAILED : mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int failure = full != 0 ? full : errno;
  close(file);
  if (mapped == MAP_FAILED) {
    unlink(path.c_str());
    why = path + ": " + std::strerror(failure);
    return false;
  }
  m_ledger = static_cast<Ledger*>(mapped);
  m_ledger->bytes = sizeof(Ledger);
  m_ledger->magic = ledger_magic;
  return true;
}

std::uint32_t LedgerWriter::text(std::string_view text) {
  Ledger& ledger = *m_ledger;
  if (text.size() + 1 > most_name_bytes - ledger.name_bytes) return no_place;
  const std::uint32_t at = ledger.name_bytes;
  std::memcpy(ledger.names + at, text.data(), text.size());
  ledger.name_bytes += static_cast<std::uint32_t>(text.size()) + 1;
  return at;
}

std::uint32_t LedgerWriter::kernel(std::string_view name) {
  const auto [place, is_new] = m_kernels.try_emplace(std::string(name), no_place);
  if (!is_new) return place->second;
  Ledger& ledger = *m_ledger;
  const std::uint32_t name_at = ledger.kernel_count == most_kernels ? no_place : text(name);
  if (name_at == no_place) return no_place;
  ledger.kernels[ledger.kernel_count].name_at = name_at;
  return place->second = ledger.kernel_count++;
}

std::uint32_t LedgerWriter::shape(Shape shape) {
  Ledger& ledger = *m_ledger;
  auto found = m_shapes.find(shape);
  if (found == m_shapes.end() && shape.graph != 0 && ledger.shape_count >= most_shapes_by_graph) {
    shape.graph = other_graphs;
    found = m_shapes.find(shape);
  }
  if (found != m_shapes.end()) return found->second;
  if (shape.kernel == no_place || ledger.shape_count == most_shapes) return no_place;
  ShapeEntry& entry = ledger.shapes[ledger.shape_count];
  entry.kernel = shape.kernel;
  entry.gpu = shape.gpu;
  entry.graph = shape.graph;
  for (int i = 0; i < 3; ++i) {
    entry.grid[i] = shape.grid[i];
    entry.block[i] = shape.block[i];
  }
  entry.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  m_shapes.emplace(shape, ledger.shape_count);
  return ledger.shape_count++;
}

void LedgerWriter::count_values(std::uint32_t shape, const Integers& integers) {
  if (integers.count == 0) return;
  Ledger& ledger = *m_ledger;
  const auto found = m_values.find({shape, integers});
  if (found != m_values.end()) {
    ++ledger.values[found->second].launches;
    return;
  }
  if (ledger.values_count == most_values || ledger.shapes[shape].values_count == most_values_of_shape) {
    ++ledger.without_integers;
    return;
  }
  ValuesEntry& entry = ledger.values[ledger.values_count];
  entry.shape = shape;
  entry.count = integers.count;
  entry.launches = 1;
  std::memcpy(entry.values, integers.values.data(), sizeof entry.values);
  std::memcpy(entry.parameters, integers.parameters.data(), sizeof entry.parameters);
  ++ledger.shapes[shape].values_count;
  m_values.emplace(std::pair(shape, integers), ledger.values_count++);
}

/// What finds no room is counted with the last one.
void LedgerWriter::count_replacement(std::uint32_t kernel, bool is_replaced, const std::string& text) {
  Ledger& ledger = *m_ledger;
  const auto [place, is_new] =
      m_replacements.try_emplace({kernel, is_replaced, text}, ledger.replacement_count);
  if (is_new && ledger.replacement_count < most_replacements) {
    ReplacementEntry& entry = ledger.replacements[ledger.replacement_count];
    entry.kernel = kernel;
    entry.is_replaced = is_replaced ? 1 : 0;
    entry.text_at = this->text(text);
    ++ledger.replacement_count;
  }
  ++ledger.replacements[std::min(place->second, most_replacements - 1)].launches;
}

/// The samples are a random choice of all times (reservoir sampling).
void LedgerWriter::add_time(std::uint32_t shape, std::uint64_t ns) {
  ShapeEntry& entry = m_ledger->shapes[shape];
  const auto sample = static_cast<std::uint32_t>(ns < ~std::uint32_t{0} ? ns : ~std::uint32_t{0});
  std::uint64_t place = entry.timed;
  if (place >= most_samples) {
    m_random ^= m_random << 13U;
    m_random ^= m_random >> 7U;
    m_random ^= m_random << 17U;
    place = m_random % (entry.timed + 1);
  }
  if (place < most_samples) entry.samples_ns[place] = sample;
  ++entry.timed;
  entry.timed_ns += ns;
}

}  // namespace tuner::capture
