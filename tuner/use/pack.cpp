#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <new>

#include "tuner/use/library.hpp"
#include "tuner/use/sha256.hpp"

// Opening packs and finding kernels in them.
namespace tuner::use {
namespace {

template <typename Item>
Item* allocate(std::size_t count) {
  auto* const items = static_cast<Item*>(calloc(count > 0 ? count : 1, sizeof(Item)));
  for (std::size_t i = 0; items != nullptr && i < count; ++i) new (&items[i]) Item();
  return items;
}

/// A copy: a mapping would end the program where somebody writes over the file.
tuner_error read_file(const char* path, Layer& layer) {
  const auto failed = [&] { return fail(TUNER_NO_FILE, "%s: %s", path, strerror(errno)); };
  std::FILE* const file = std::fopen(path, "rbe");
  if (file == nullptr) return failed();
  struct stat status = {};
  tuner_error error = fstat(fileno(file), &status) == 0 ? TUNER_OK : failed();
  if (error == TUNER_OK && (!S_ISREG(status.st_mode) || status.st_size == 0))
    error = fail(TUNER_NOT_A_PACK, "%s: %s", path,
                 S_ISREG(status.st_mode) ? "the file is empty" : "it is no file");
  const auto all = static_cast<std::size_t>(status.st_size);
  if (error == TUNER_OK && posix_memalign(&layer.copy, binary_alignment, all) != 0)
    error = fail(TUNER_NO_MEMORY, "opening a pack");
  if (error == TUNER_OK) layer.copied_bytes = std::fread(layer.copy, 1, all, file);
  if (std::ferror(file) != 0) error = failed();
  std::fclose(file);
  return error;
}

/// False where there is no memory.
bool index_measured(Layer& layer) {
  const PackView& view = layer.view;
  std::uint64_t slots = 1;
  while (slots < 4 * std::uint64_t{view.count<MeasuredRecord>()}) slots *= 2;
  layer.slots = allocate<std::uint32_t>(slots);
  layer.slot_mask = static_cast<std::uint32_t>(slots - 1);
  for (std::uint32_t i = 0; layer.slots != nullptr && i < view.count<KernelRecord>(); ++i) {
    const KernelRecord& kernel = view.kernels()[i];
    for (std::uint32_t target = kernel.targets.first; target < kernel.targets.first + kernel.targets.count;
         ++target) {
      const Range& measured = view.targets()[target].measured;
      for (std::uint32_t k = measured.first; k < measured.first + measured.count; ++k) {
        std::uint64_t slot =
            hash_of(target, view.numbers() + view.measured()[k].first_number, kernel.sizes.count);
        while (layer.slots[slot & layer.slot_mask] != 0) ++slot;
        layer.slots[slot & layer.slot_mask] = k + 1;
      }
    }
  }
  return layer.slots != nullptr;
}

tuner_error open_layer(const tuner_layer& from, Layer& layer) {
  const void* bytes = from.bytes;
  std::size_t count = from.byte_count;
  if (from.path != nullptr) {
    const tuner_error error = read_file(from.path, layer);
    if (error != TUNER_OK) return error;
    bytes = layer.copy;
    count = layer.copied_bytes;
  }
  const tuner_error error = check_pack(bytes, count);
  if (error != TUNER_OK) {
    if (from.path == nullptr) return error;
    char detail[200];
    std::strncpy(detail, tuner_error_detail(), sizeof detail - 1);
    detail[sizeof detail - 1] = 0;
    return fail(error, "%s: %s", from.path, detail);
  }
  layer.view = PackView(bytes);
  layer.loaded = allocate<std::atomic<Loaded*>>(layer.view.count<ImageRecord>());
  return layer.loaded != nullptr && index_measured(layer) ? TUNER_OK
                                                          : fail(TUNER_NO_MEMORY, "opening a pack");
}

void set_digest(tuner_pack& pack) {
  if (pack.layer_count == 1) {
    to_hexadecimal(pack.layers[0].view.header().digest, pack.digest);
    return;
  }
  Sha256 sum;
  for (std::uint32_t i = 0; i < pack.layer_count; ++i)
    sum.add(pack.layers[i].view.header().digest, digest_bytes);
  std::uint8_t digest[digest_bytes];
  sum.finish(digest);
  to_hexadecimal(digest, pack.digest);
}

bool same_text(const PackView& a, const Text& in_a, const PackView& b, const Text& in_b) {
  return std::strcmp(a.text(in_a), b.text(in_b)) == 0;
}

/// At some sizes, on some device: two texts may mean the same.
bool same_values(const PackView& a, const Code& in_a, const PackView& b, const Code& in_b) {
  Variables variables = {};
  for (const std::int64_t first : {64, 1000, 37}) {
    for (std::int64_t& value : variables.values) value = first;
    for (std::uint32_t i = 0; i < first_limit; ++i) variables.values[i] += 5 * i;
    std::int64_t one = 0, other = 0;
    if (a.value(in_a, variables, one) != b.value(in_b, variables, other) || one != other) return false;
  }
  return true;
}

/// Whether calls that fit one fit the other.
bool alike(const PackView& a, const KernelRecord& in_a, const PackView& b, const KernelRecord& in_b) {
  if (in_a.sizes.count != in_b.sizes.count || in_a.parameters.count != in_b.parameters.count) return false;
  for (std::uint32_t i = 0; i < in_a.sizes.count; ++i) {
    if (!same_text(a, a.names()[in_a.sizes.first + i], b, b.names()[in_b.sizes.first + i])) return false;
  }
  for (std::uint32_t i = 0; i < in_a.parameters.count; ++i) {
    const ParameterRecord& one = a.parameters()[in_a.parameters.first + i];
    const ParameterRecord& other = b.parameters()[in_b.parameters.first + i];
    if (!same_text(a, one.name, b, other.name) || one.type != other.type ||
        one.is_pointer != other.is_pointer || one.is_written != other.is_written ||
        !same_values(a, one.bytes, b, other.bytes))
      return false;
  }
  return true;
}

tuner_kernel* find_kernel(const tuner_pack& pack, const char* family, const char* type, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    tuner_kernel& kernel = pack.kernels[i];
    if (std::strcmp(tuner_kernel_family(&kernel), family) == 0 &&
        std::strcmp(tuner_kernel_type(&kernel), type) == 0)
      return &kernel;
  }
  return nullptr;
}

tuner_error add_kernel(tuner_pack& pack, std::uint32_t layer, std::uint32_t index) {
  const PackView& view = pack.layers[layer].view;
  const KernelRecord& record = view.kernels()[index];
  tuner_kernel* kernel =
      find_kernel(pack, view.text(record.family), view.text(record.type), pack.kernel_count);
  if (kernel == nullptr) {
    kernel = &pack.kernels[pack.kernel_count];
    kernel->pack = &pack;
    kernel->in_layer = allocate<std::uint32_t>(pack.layer_count);
    kernel->rungs = allocate<Rungs>(std::size_t{device_places} * pack.layer_count);
    ++pack.kernel_count;
    if (kernel->in_layer == nullptr || kernel->rungs == nullptr) return TUNER_NO_MEMORY;
    for (std::uint32_t i = 0; i < pack.layer_count; ++i) kernel->in_layer[i] = no_index;
  } else if (!alike(kernel->description().view, kernel->record(), view, record)) {
    return fail(TUNER_UNLIKE_LAYERS, "%s of %s in packs %u and %u", view.text(record.family),
                view.text(record.type), kernel->described_in + 1, layer + 1);
  }
  if (kernel->in_layer[layer] != no_index)
    return fail(TUNER_DAMAGED_PACK, "it has %s of %s twice", view.text(record.family),
                view.text(record.type));
  kernel->in_layer[layer] = index;
  kernel->described_in = layer;
  kernel->size_count = record.sizes.count;
  return TUNER_OK;
}

tuner_error add_kernels(tuner_pack& pack) {
  std::size_t most = 0;
  for (std::uint32_t i = 0; i < pack.layer_count; ++i) most += pack.layers[i].view.count<KernelRecord>();
  pack.kernels = allocate<tuner_kernel>(most);
  if (pack.kernels == nullptr) return TUNER_NO_MEMORY;
  for (std::uint32_t layer = 0; layer < pack.layer_count; ++layer) {
    for (std::uint32_t i = 0; i < pack.layers[layer].view.count<KernelRecord>(); ++i) {
      const tuner_error error = add_kernel(pack, layer, i);
      if (error != TUNER_OK) return error;
    }
  }
  return TUNER_OK;
}

tuner_error fill(tuner_pack& pack, const tuner_layer* layers, std::uint32_t count) {
  pack.layers = allocate<Layer>(count);
  pack.devices = allocate<Device>(device_places);
  if (pack.layers == nullptr || pack.devices == nullptr) return TUNER_NO_MEMORY;
  for (; pack.layer_count < count; ++pack.layer_count) {
    const tuner_error error = open_layer(layers[pack.layer_count], pack.layers[pack.layer_count]);
    if (error == TUNER_OK) continue;
    ++pack.layer_count;  // for closing
    return error;
  }
  set_digest(pack);
  return add_kernels(pack);
}

}  // namespace
}  // namespace tuner::use

using namespace tuner::use;  // NOLINT(google-build-using-namespace): the C interface is of no namespace

tuner_error tuner_pack_open_layers(const tuner_layer* layers, size_t count, tuner_pack** pack) {
  if (pack == nullptr) return fail(TUNER_BAD_CALL, "no place for the pack");
  *pack = nullptr;
  if (layers == nullptr || count == 0 || count > 1000) return fail(TUNER_BAD_CALL, "no layers, or over 1000");
  tuner_pack* const made = allocate<tuner_pack>(1);
  if (made == nullptr) return fail(TUNER_NO_MEMORY, "opening a pack");
  pthread_mutex_init(&made->changing, nullptr);
  const tuner_error error = fill(*made, layers, static_cast<std::uint32_t>(count));
  if (error == TUNER_OK) {
    *pack = made;
  } else {
    tuner_pack_close(made);
  }
  return error;
}

tuner_error tuner_pack_open(const char* path, tuner_pack** pack) {
  if (path == nullptr) return fail(TUNER_BAD_CALL, "no path");
  const tuner_layer layer = {path, nullptr, 0};
  return tuner_pack_open_layers(&layer, 1, pack);
}

tuner_error tuner_pack_view(const void* bytes, size_t byte_count, tuner_pack** pack) {
  const tuner_layer layer = {nullptr, bytes, byte_count};
  return tuner_pack_open_layers(&layer, 1, pack);
}

void tuner_pack_close(tuner_pack* pack) {
  if (pack == nullptr) return;
  for (std::uint32_t i = 0; i < pack->kernel_count; ++i) {
    free(pack->kernels[i].in_layer);
    free(pack->kernels[i].rungs);
  }
  for (std::uint32_t i = 0; i < pack->layer_count; ++i) {
    Layer& layer = pack->layers[i];
    for (std::uint32_t k = 0; layer.loaded != nullptr && k < layer.view.count<ImageRecord>(); ++k)
      unload(layer.loaded[k]);
    free(layer.loaded);
    free(layer.slots);
    free(layer.copy);
  }
  free(pack->kernels);
  free(pack->layers);
  free(pack->devices);
  pthread_mutex_destroy(&pack->changing);
  free(pack);
}

const char* tuner_pack_digest(const tuner_pack* pack) {
  return pack == nullptr ? "" : pack->digest;
}

size_t tuner_pack_kernel_count(const tuner_pack* pack) {
  return pack == nullptr ? 0 : pack->kernel_count;
}

const tuner_kernel* tuner_pack_kernel(const tuner_pack* pack, size_t index) {
  return index < tuner_pack_kernel_count(pack) ? &pack->kernels[index] : nullptr;
}

tuner_error tuner_kernel_find(const tuner_pack* pack, const char* family, const char* type,
                              const tuner_kernel** kernel) {
  if (pack == nullptr || family == nullptr || kernel == nullptr)
    return fail(TUNER_BAD_CALL, "pack, family and kernel are needed");
  *kernel = nullptr;
  int found = 0;
  char types[160] = "";  // that the family has
  for (std::uint32_t i = 0; i < pack->kernel_count; ++i) {
    const tuner_kernel& one = pack->kernels[i];
    if (std::strcmp(tuner_kernel_family(&one), family) != 0) continue;
    const std::size_t said = std::strlen(types);
    std::snprintf(types + said, sizeof types - said, "%s%s", said == 0 ? "" : ", ", tuner_kernel_type(&one));
    if (type != nullptr && std::strcmp(tuner_kernel_type(&one), type) != 0) continue;
    *kernel = &one;
    ++found;
  }
  if (found == 1) return TUNER_OK;
  *kernel = nullptr;
  return fail(found == 0 ? TUNER_NO_KERNEL : TUNER_SEVERAL_TYPES, "%s%s%s%s%s", family,
              type == nullptr ? "" : " of ", type == nullptr ? "" : type, types[0] == 0 ? "" : "; it has ",
              types);
}

const char* tuner_kernel_family(const tuner_kernel* kernel) {
  return kernel == nullptr ? "" : kernel->description().view.text(kernel->record().family);
}

const char* tuner_kernel_type(const tuner_kernel* kernel) {
  return kernel == nullptr ? "" : kernel->description().view.text(kernel->record().type);
}

size_t tuner_kernel_size_count(const tuner_kernel* kernel) {
  return kernel == nullptr ? 0 : kernel->size_count;
}

const char* tuner_kernel_size_name(const tuner_kernel* kernel, size_t index) {
  if (index >= tuner_kernel_size_count(kernel)) return nullptr;
  const PackView& view = kernel->description().view;
  return view.text(view.names()[kernel->record().sizes.first + index]);
}

size_t tuner_kernel_parameter_count(const tuner_kernel* kernel) {
  return kernel == nullptr ? 0 : kernel->record().parameters.count;
}

tuner_error tuner_kernel_parameter(const tuner_kernel* kernel, size_t index, tuner_parameter* parameter) {
  if (parameter == nullptr || index >= tuner_kernel_parameter_count(kernel))
    return fail(TUNER_BAD_CALL, "parameter %zu of %zu", index, tuner_kernel_parameter_count(kernel));
  const PackView& view = kernel->description().view;
  const ParameterRecord& record = view.parameters()[kernel->record().parameters.first + index];
  *parameter = {view.text(record.name), view.text(record.type_name), static_cast<tuner_type>(record.type),
                record.is_pointer,      record.is_written,           record.is_read,
                record.alignment};
  return TUNER_OK;
}
