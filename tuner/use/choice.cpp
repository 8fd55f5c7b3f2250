#include <cstdio>
#include <cstring>

#include "tuner/use/library.hpp"

// What is known of devices, and the ladder from a size to a configuration.
namespace tuner::use {
namespace {

tuner_error ask_gpu(int number, Device& device) {
  const Driver* driver = nullptr;
  if (const tuner_error error = find_driver(driver); error != TUNER_OK) return error;
  int count = 0;
  CuDevice handle = 0;
  if (driver->device_get_count(&count) != 0 || number >= count || driver->device_get(&handle, number) != 0)
    return fail(TUNER_NO_DEVICE, "device %d of %d", number, count);
  int major = 0;
  int minor = 0;
  const auto ask = [&](int& value, int attribute) {
    return driver->device_get_attribute(&value, attribute, handle);
  };
  CuResult result = driver->device_get_name(device.name, sizeof device.name, handle);
  if (result == 0) result = ask(major, device_compute_major);
  if (result == 0) result = ask(minor, device_compute_minor);
  for (std::uint32_t i = 0; i < limit_count && result == 0; ++i) {
    int value = 0;
    result = ask(value, limit_attributes[i]);
    device.limits[i] = value;
  }
  if (result != 0) return driver_failed(*driver, TUNER_NO_DEVICE, result, "asking a device for its limits");
  std::snprintf(device.architecture, sizeof device.architecture, "sm_%d%d", major, minor);
  return TUNER_OK;
}

/// `sm_90a` is of `sm_90`: its binaries run on no other.
bool is_architecture(const char* of_pack, const char* of_device) {
  const std::size_t length = std::strlen(of_device);
  if (std::strncmp(of_pack, of_device, length) != 0) return false;
  const char* const rest = of_pack + length;
  return *rest == 0 || ((*rest == 'a' || *rest == 'f') && rest[1] == 0);
}

Rungs rungs_of(const PackView& view, const KernelRecord& kernel, const Device& device) {
  Rungs rungs = {no_index, no_index};
  bool is_of_any = false;
  for (std::uint32_t i = kernel.targets.first; i < kernel.targets.first + kernel.targets.count; ++i) {
    const TargetRecord& target = view.targets()[i];
    if (!is_architecture(view.text(target.architecture), device.architecture)) continue;
    const bool has_gpu = target.gpu.bytes != 0;
    if (has_gpu && std::strcmp(view.text(target.gpu), device.name) == 0) {
      if (rungs.own == no_index) rungs.own = i;
    } else if (rungs.architecture == no_index || (!has_gpu && !is_of_any)) {
      rungs.architecture = i;
      is_of_any = !has_gpu;
    }
  }
  return rungs;
}

void set_rungs(tuner_pack& pack, int place) {
  for (std::uint32_t i = 0; i < pack.kernel_count; ++i) {
    const tuner_kernel& kernel = pack.kernels[i];
    for (std::uint32_t layer = 0; layer < pack.layer_count; ++layer) {
      const PackView& view = pack.layers[layer].view;
      Rungs& rungs = kernel.rungs[static_cast<std::uint32_t>(place) * pack.layer_count + layer];
      const std::uint32_t index = kernel.in_layer[layer];
      rungs = index == no_index ? Rungs{no_index, no_index}
                                : rungs_of(view, view.kernels()[index], pack.devices[place]);
    }
  }
}

/// The ladder over one kernel on one device at some sizes. Layers are asked from the last to the first.
class Ladder {
 public:
  Ladder(const tuner_kernel& kernel, int place, const std::int64_t* sizes, Answer& answer)
      : m_pack(*kernel.pack),
        m_kernel(kernel),
        m_rungs(kernel.rungs + static_cast<std::uint32_t>(place) * m_pack.layer_count),
        m_place(place),
        m_sizes(sizes),
        m_count(kernel.size_count),
        m_answer(answer) {}

  bool measured(std::uint32_t Rungs::*rung, tuner_known known) {
    return each(rung, [&](const Layer& layer, std::uint32_t target) {
      const MeasuredRecord* const size = find(layer, target);
      if (size == nullptr) return false;
      const bool was_there = known == TUNER_MEASURED;  // another GPU's limits are others
      return (was_there || applies(layer.view, size->configuration)) &&
             set(size->configuration, known, size->expected_ns, size->loss, 1);
    });
  }

  bool by_rule(std::uint32_t Rungs::*rung, tuner_known known) {
    return each(rung, [&](const Layer& layer, std::uint32_t target) {
      const PackView& view = layer.view;
      const NodeRecord* const leaf = find_leaf(view, view.targets()[target]);
      if (leaf == nullptr) return false;
      if (applies(view, leaf->configuration))
        return set(leaf->configuration, known, 0, leaf->loss_bound, leaf->confidence);
      for (std::uint32_t i = 0; i < leaf->otherwise.count; ++i) {
        const auto other = static_cast<std::uint32_t>(view.numbers()[leaf->otherwise.first + i]);
        if (!applies(view, other)) continue;
        return is_same(view, leaf->configuration, other)
                   ? set(other, known, 0, leaf->loss_bound, leaf->confidence)
                   : set(other, known, 0, -1, 0);
      }
      return false;
    });
  }

  bool by_default(std::uint32_t Rungs::*rung) {
    return each(rung, [&](const Layer& layer, std::uint32_t target) {
      const Range& defaults = layer.view.targets()[target].defaults;
      for (std::uint32_t i = 0; i < defaults.count; ++i) {
        const auto one = static_cast<std::uint32_t>(layer.view.numbers()[defaults.first + i]);
        if (applies(layer.view, one)) return set(one, TUNER_BY_DEFAULT, 0, -1, 0);
      }
      return false;
    });
  }

  bool has_architecture() const {
    for (std::uint32_t layer = 0; layer < m_pack.layer_count; ++layer) {
      if (m_rungs[layer].own != no_index || m_rungs[layer].architecture != no_index) return true;
    }
    return false;
  }

 private:
  template <typename Try>
  bool each(std::uint32_t Rungs::*rung, const Try& attempt) {
    for (std::uint32_t layer = m_pack.layer_count; layer-- > 0;) {
      const std::uint32_t target = m_rungs[layer].*rung;
      if (target == no_index) continue;
      m_answer.layer = layer;
      if (attempt(m_pack.layers[layer], target)) return true;
    }
    return false;
  }

  bool set(std::uint32_t configuration, tuner_known known, double expected_ns, double loss,
           double confidence) {
    m_answer.configuration = configuration;
    m_answer.known = known;
    m_answer.expected_ns = expected_ns;
    m_answer.loss_bound = loss;
    m_answer.confidence = confidence;
    if (known != TUNER_SAME_ARCHITECTURE) return true;
    m_answer.expected_ns = 0;  // a time and a loss are of the GPU they were measured on
    m_answer.loss_bound = -1;
    m_answer.confidence = 0;
    return true;
  }

  /// Of two binaries; equal texts are one in a pack.
  static bool is_same(const PackView& view, std::uint32_t a, std::uint32_t b) {
    const ConfigurationRecord& one = view.configurations()[a];
    const ConfigurationRecord& other = view.configurations()[b];
    return one.kernel.at == other.kernel.at && one.name.at == other.name.at;
  }

  const MeasuredRecord* find(const Layer& layer, std::uint32_t target) const {
    const Range& range = layer.view.targets()[target].measured;
    for (std::uint64_t slot = hash_of(target, m_sizes, m_count);; ++slot) {
      const std::uint32_t taken = layer.slots[slot & layer.slot_mask];
      if (taken == 0) return nullptr;
      if (taken - 1 - range.first >= range.count) continue;
      const MeasuredRecord& size = layer.view.measured()[taken - 1];
      const std::int64_t* const numbers = layer.view.numbers() + size.first_number;
      std::uint32_t same = 0;
      while (same < m_count && numbers[same] == m_sizes[same]) ++same;
      if (same == m_count) return &size;
    }
  }

  const NodeRecord* find_leaf(const PackView& view, const TargetRecord& target) {
    if (target.nodes.count == 0) return nullptr;
    const NodeRecord* const nodes = view.nodes() + target.nodes.first;
    const NodeRecord* node = nodes;
    while (node->condition.bytes != 0) {
      bool holds = false;
      if (ask(view, node->condition, holds) != Fault::none) return nullptr;
      node = nodes + (holds ? node->yes : node->no);
    }
    return node;
  }

  Fault ask(const PackView& view, const Code& condition, bool& holds) {
    if ((condition.bytes & real_code) != 0) {
      const std::uint8_t* const code = view.bytes(ByteSection::code) + condition.at;
      if (ask_sizes(code, condition.bytes & ~real_code, m_sizes, holds)) return Fault::none;
      double value = 0;
      const Fault fault = view.value(condition, variables(), value);
      holds = value != 0;
      return fault;
    }
    std::int64_t value = 0;
    const Fault fault = view.value(condition, variables(), value);
    holds = value != 0;
    return fault;
  }

  bool applies(const PackView& view, std::uint32_t index) {
    const ConfigurationRecord& configuration = view.configurations()[index];
    if (configuration.applies.bytes == 0) return true;
    derive(view, configuration, configuration.applies_derived, variables());
    std::int64_t value = 0;
    return view.value(configuration.applies, variables(), value) == Fault::none && value != 0;
  }

  Variables& variables() {
    if (!m_has_variables) set_variables(m_kernel, m_place, m_sizes, m_variables);
    m_has_variables = true;
    return m_variables;
  }

  const tuner_pack& m_pack;
  const tuner_kernel& m_kernel;
  const Rungs* m_rungs;
  int m_place;
  const std::int64_t* m_sizes;
  std::uint32_t m_count;
  Answer& m_answer;
  bool m_has_variables = false;
  Variables m_variables;  // not cleared: a pick takes tens of nanoseconds
};

}  // namespace

tuner_error find_device(tuner_pack& pack, int device, int& place) {
  place = device == TUNER_CPU ? cpu_place : device;
  if (place < 0 || place >= device_places || (place == cpu_place && device != TUNER_CPU))
    return fail(TUNER_NO_DEVICE, "device %d", device);
  Device& known = pack.devices[place];
  if (known.is_known.load(std::memory_order_acquire)) return TUNER_OK;
  pthread_mutex_lock(&pack.changing);
  tuner_error error = TUNER_OK;
  if (!known.is_known.load(std::memory_order_relaxed)) {
    error = device == TUNER_CPU ? ask_cpu(known) : ask_gpu(device, known);
    if (error == TUNER_OK) {
      set_rungs(pack, place);
      known.is_known.store(true, std::memory_order_release);
    }
  }
  pthread_mutex_unlock(&pack.changing);
  return error;
}

tuner_error check_sizes(const tuner_kernel& kernel, const std::int64_t* sizes, std::size_t count) {
  if (count != kernel.size_count || (sizes == nullptr && count > 0))
    return fail(TUNER_SIZE_COUNT, "%s has %u, and %zu were given", tuner_kernel_family(&kernel),
                kernel.size_count, sizes == nullptr ? 0 : count);
  for (std::size_t i = 0; i < count; ++i) {
    if (sizes[i] < 1)
      return fail(TUNER_BAD_SIZE, "%s is %lld", tuner_kernel_size_name(&kernel, i),
                  static_cast<long long>(sizes[i]));
  }
  return TUNER_OK;
}

tuner_error choose(const tuner_kernel& kernel, int place, const std::int64_t* sizes, Answer& answer) {
  Ladder ladder(kernel, place, sizes, answer);
  const bool is_found = ladder.measured(&Rungs::own, TUNER_MEASURED) ||
                        ladder.by_rule(&Rungs::own, TUNER_BY_RULE) ||
                        ladder.measured(&Rungs::architecture, TUNER_SAME_ARCHITECTURE) ||
                        ladder.by_rule(&Rungs::architecture, TUNER_SAME_ARCHITECTURE) ||
                        ladder.by_default(&Rungs::own) || ladder.by_default(&Rungs::architecture);
  if (is_found) return TUNER_OK;
  const Device& device = kernel.pack->devices[place];
  if (!ladder.has_architecture())
    return fail(TUNER_OTHER_ARCHITECTURE, "%s has nothing for %s (%s)", tuner_kernel_family(&kernel),
                device.architecture, device.name);
  return fail(TUNER_NO_CONFIGURATION, "%s on %s", tuner_kernel_family(&kernel), device.name);
}

void set_variables(const tuner_kernel& kernel, int place, const std::int64_t* sizes, Variables& variables) {
  for (std::uint32_t i = 0; i < kernel.size_count; ++i) variables.values[i] = sizes[i];
  const Device& device = kernel.pack->devices[place];
  std::memcpy(variables.values + first_limit, device.limits, sizeof device.limits);
}

void derive(const PackView& pack, const ConfigurationRecord& configuration, std::uint32_t count,
            Variables& variables) {
  const Code* const codes = pack.codes() + configuration.derived.first;
  for (std::uint32_t i = 0; i < count; ++i)
    variables.faults[first_derived + i] =
        pack.value(codes[i], variables, variables.values[first_derived + i]);
}

tuner_error undefined(Fault fault, const char* what) {
  return fail(TUNER_UNDEFINED, "%s: %s", what, describe(fault));
}

}  // namespace tuner::use

using namespace tuner::use;  // NOLINT(google-build-using-namespace)

tuner_error tuner_kernel_pick(const tuner_kernel* kernel, int device, const int64_t* sizes, size_t size_count,
                              tuner_choice* choice) {
  if (kernel == nullptr || choice == nullptr) return fail(TUNER_BAD_CALL, "kernel and choice are needed");
  if (const tuner_error error = check_sizes(*kernel, sizes, size_count); error != TUNER_OK) return error;
  int place = 0;
  if (const tuner_error error = find_device(*kernel->pack, device, place); error != TUNER_OK) return error;
  Answer answer;
  if (const tuner_error error = choose(*kernel, place, sizes, answer); error != TUNER_OK) return error;
  const PackView& view = kernel->pack->layers[answer.layer].view;
  const ConfigurationRecord& configuration = view.configurations()[answer.configuration];
  *choice = {answer.known,
             view.text(configuration.kernel),
             view.text(configuration.name),
             answer.expected_ns,
             answer.loss_bound,
             answer.confidence,
             answer.layer,
             answer.configuration};
  return TUNER_OK;
}
