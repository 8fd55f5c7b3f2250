#include <stdlib.h>

#include <initializer_list>
#include <new>

#include "tuner/use/library.hpp"

// Loading binaries, once for each context.
namespace tuner::use {
namespace {

/// A launch with operands of other sizes than the function's parameters would read beyond them. Whether there
/// are more parameters the sweep has seen; to ask here would be an error that compute-sanitizer tells.
tuner_error check_operands(const Driver& driver, const PackView& view, const StepRecord& step,
                           CuFunction function, const ConfigurationRecord& configuration) {
  if (driver.func_get_param_info == nullptr) return TUNER_OK;
  const KernelRecord& kernel = view.kernels()[configuration.owner];
  std::size_t offset = 0;
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < step.operands.count; ++i) {
    const OperandRecord& operand = view.operands()[step.operands.first + i];
    const bool is_there = driver.func_get_param_info(function, i, &offset, &bytes) == 0;
    if (!is_there || bytes != operand_bytes_of(view, kernel, operand))
      return fail(TUNER_CANNOT_LOAD, "%s: its parameter %u is not what the pack says",
                  view.text(configuration.kernel), i + 1);
  }
  return TUNER_OK;
}

/// All configurations that run this binary.
tuner_error check_configurations(const Driver& driver, const PackView& view, std::uint32_t image,
                                 const Loaded& loaded) {
  for (std::uint32_t i = 0; i < view.count<ConfigurationRecord>(); ++i) {
    const ConfigurationRecord& configuration = view.configurations()[i];
    if (configuration.image != image) continue;
    for (std::uint32_t k = 0; k < configuration.steps.count; ++k) {
      const StepRecord& step = view.steps()[configuration.steps.first + k];
      if (step.kind != StepKind::launch) continue;
      const CuFunction function = loaded.functions[step.function].function;
      const tuner_error error = check_operands(driver, view, step, function, configuration);
      if (error != TUNER_OK) return error;
    }
  }
  return TUNER_OK;
}

tuner_error load_module(const PackView& view, std::uint32_t index, Loaded& loaded) {
  const Driver* driver = nullptr;
  if (const tuner_error error = find_driver(driver); error != TUNER_OK) return error;
  const ImageRecord& image = view.images()[index];
  CuResult result = driver->module_load_data(&loaded.module, view.binary(image));
  if (result != 0) return driver_failed(*driver, TUNER_CANNOT_LOAD, result, "loading a binary");
  for (std::uint32_t i = 0; i < image.functions.count; ++i) {
    const char* const symbol = view.text(view.names()[image.functions.first + i]);
    Loaded::Function& function = loaded.functions[i];
    result = driver->module_get_function(&function.function, loaded.module, symbol);
    if (result != 0) return driver_failed(*driver, TUNER_CANNOT_LOAD, result, symbol);
    result = driver->func_get_attribute(&function.static_bytes, function_shared_bytes, function.function);
    if (result != 0) return driver_failed(*driver, TUNER_CANNOT_LOAD, result, symbol);
  }
  for (std::uint32_t i = 0; i < image.symbols.count; ++i) {
    const char* const name = view.text(view.names()[image.symbols.first + i]);
    CuAddress address = 0;
    std::size_t bytes = 0;
    result = driver->module_get_global(&address, &bytes, loaded.module, name);
    if (result != 0) return driver_failed(*driver, TUNER_CANNOT_LOAD, result, name);
    loaded.symbols[i] = {static_cast<std::uintptr_t>(address), bytes};
  }
  return check_configurations(*driver, view, index, loaded);
}

tuner_error load_image(const PackView& view, std::uint32_t index, Loaded& loaded) {
  const ImageRecord& image = view.images()[index];
  if (image.kind == ImageKind::cubin) return load_module(view, index, loaded);
  const tuner_error error = load_shared_object(view.binary(image), image.bytes, loaded.shared_object);
  if (error != TUNER_OK) return error;
  for (std::uint32_t i = 0; i < image.functions.count; ++i) {
    const char* const symbol = view.text(view.names()[image.functions.first + i]);
    const tuner_error missing =
        find_host_kernel(loaded.shared_object, symbol, loaded.functions[i].host_kernel);
    if (missing != TUNER_OK) return missing;
  }
  for (std::uint32_t i = 0; i < image.symbols.count; ++i) {
    const char* const name = view.text(view.names()[image.symbols.first + i]);
    const tuner_error missing = find_host_symbol(loaded.shared_object, name, loaded.symbols[i]);
    if (missing != TUNER_OK) return missing;
  }
  return TUNER_OK;
}

/// What this says has no listener. A context that is gone has taken its modules along, and another may lie
/// where it lay.
void unload_one(Loaded* loaded) {
  if (loaded->shared_object != nullptr) unload_shared_object(loaded->shared_object);
  const Driver* driver = nullptr;
  unsigned long long id_today = 0;
  if (loaded->module != nullptr && find_driver(driver) == TUNER_OK &&
      driver->ctx_get_id(loaded->context, &id_today) == 0 && id_today == loaded->context_id &&
      driver->ctx_push(loaded->context) == 0) {
    CuContext popped = nullptr;
    static_cast<void>(driver->module_unload(loaded->module));
    static_cast<void>(driver->ctx_pop(&popped));
  }
  free(loaded);
}

}  // namespace

Loaded* find_loaded(const Layer& layer, std::uint32_t image, CuContext context,
                    unsigned long long context_id) {
  Loaded* one = layer.loaded[image].load(std::memory_order_acquire);
  while (one != nullptr && (one->context != context || one->context_id != context_id)) one = one->next;
  return one;
}

tuner_error load(tuner_pack& pack, std::uint32_t layer, std::uint32_t image, CuContext context,
                 unsigned long long context_id, Loaded*& loaded) {
  const Layer& from = pack.layers[layer];
  pthread_mutex_lock(&pack.changing);
  loaded = find_loaded(from, image, context, context_id);
  tuner_error error = TUNER_OK;
  if (loaded == nullptr) {
    const std::size_t functions = from.view.images()[image].functions.count;
    const std::size_t symbols = from.view.images()[image].symbols.count;
    auto* const made = static_cast<Loaded*>(
        calloc(1, sizeof(Loaded) + functions * sizeof(Loaded::Function) + symbols * sizeof(Symbol)));
    error = made == nullptr ? fail(TUNER_NO_MEMORY, "loading a binary") : TUNER_OK;
    if (made != nullptr) {
      made->context = context;
      made->context_id = context_id;
      made->symbols = reinterpret_cast<Symbol*>(made->functions + functions);
      for (std::size_t i = 0; i < functions; ++i)
        new (&made->functions[i]) Loaded::Function{{}, {}, {0}, {-1}, 0};
      error = load_image(from.view, image, *made);
    }
    if (error == TUNER_OK) {
      made->next = from.loaded[image].load(std::memory_order_relaxed);
      from.loaded[image].store(made, std::memory_order_release);
      loaded = made;
    } else if (made != nullptr) {
      unload_one(made);
    }
  }
  pthread_mutex_unlock(&pack.changing);
  return error;
}

void unload(Loaded* loaded) {
  while (loaded != nullptr) {
    Loaded* const next = loaded->next;
    unload_one(loaded);
    loaded = next;
  }
}

namespace {

/// Loads what may be picked for `target` into the current context.
tuner_error prepare_target(tuner_pack& pack, std::uint32_t layer, const TargetRecord& target,
                           CuContext context, unsigned long long context_id) {
  const PackView& view = pack.layers[layer].view;
  const auto prepare_one = [&](std::uint32_t configuration) {
    Loaded* loaded = nullptr;
    return load(pack, layer, view.configurations()[configuration].image, context, context_id, loaded);
  };
  const auto prepare_each = [&](const Range& range) {
    tuner_error error = TUNER_OK;
    for (std::uint32_t i = 0; i < range.count && error == TUNER_OK; ++i)
      error = prepare_one(static_cast<std::uint32_t>(view.numbers()[range.first + i]));
    return error;
  };
  tuner_error error = TUNER_OK;
  for (std::uint32_t i = 0; i < target.measured.count && error == TUNER_OK; ++i)
    error = prepare_one(view.measured()[target.measured.first + i].configuration);
  for (std::uint32_t i = 0; i < target.nodes.count && error == TUNER_OK; ++i) {
    const NodeRecord& node = view.nodes()[target.nodes.first + i];
    if (node.condition.bytes != 0) continue;
    error = prepare_one(node.configuration);
    if (error == TUNER_OK) error = prepare_each(node.otherwise);
  }
  return error == TUNER_OK ? prepare_each(target.defaults) : error;
}

/// With the context current; null on the CPU.
tuner_error prepare(const tuner_kernel& kernel, int place, CuContext context, unsigned long long context_id,
                    const std::int64_t* sizes, std::size_t count) {
  tuner_pack& pack = *kernel.pack;
  for (std::uint32_t layer = 0; count == 0 && layer < pack.layer_count; ++layer) {
    const Rungs& rungs = kernel.rungs[static_cast<std::uint32_t>(place) * pack.layer_count + layer];
    for (const std::uint32_t target : {rungs.own, rungs.architecture}) {
      if (target == no_index) continue;
      const tuner_error error =
          prepare_target(pack, layer, pack.layers[layer].view.targets()[target], context, context_id);
      if (error != TUNER_OK) return error;
    }
  }
  const std::uint32_t width = kernel.record().sizes.count;
  for (std::size_t i = 0; i < count; ++i, sizes += width) {
    Answer answer;
    tuner_error error = check_sizes(kernel, sizes, width);
    if (error == TUNER_OK) error = choose(kernel, place, sizes, answer);
    if (error != TUNER_OK) return error;
    const PackView& view = pack.layers[answer.layer].view;
    Loaded* loaded = nullptr;
    error = load(pack, answer.layer, view.configurations()[answer.configuration].image, context, context_id,
                 loaded);
    if (error != TUNER_OK) return error;
  }
  return TUNER_OK;
}

}  // namespace

tuner_error current_context(CuContext& context, unsigned long long& context_id, int& device) {
  const Driver* driver = nullptr;
  if (const tuner_error error = find_driver(driver); error != TUNER_OK) return error;
  CuResult result = driver->ctx_get_current(&context);
  if (result == 0 && context == nullptr) return fail(TUNER_NO_CONTEXT, "of this thread");
  if (result == 0) result = driver->ctx_get_id(context, &context_id);
  if (result == 0) result = driver->ctx_get_device(&device);
  return result == 0 ? TUNER_OK : driver_failed(*driver, TUNER_NO_CONTEXT, result, "asking for the context");
}

}  // namespace tuner::use

using namespace tuner::use;  // NOLINT(google-build-using-namespace)

tuner_error tuner_kernel_prepare(const tuner_kernel* kernel, void* context, const int64_t* sizes,
                                 size_t count) {
  if (kernel == nullptr) return fail(TUNER_BAD_CALL, "no kernel");
  if (count > 0 && sizes == nullptr) return fail(TUNER_BAD_CALL, "no sizes");
  int place = 0;
  if (context == TUNER_CPU_STREAM) {
    const tuner_error error = find_device(*kernel->pack, TUNER_CPU, place);
    return error != TUNER_OK ? error : prepare(*kernel, place, nullptr, 0, sizes, count);
  }
  const Driver* driver = nullptr;
  if (const tuner_error error = find_driver(driver); error != TUNER_OK) return error;
  if (context != nullptr) {
    const CuResult result = driver->ctx_push(static_cast<CuContext>(context));
    if (result != 0) return driver_failed(*driver, TUNER_NO_CONTEXT, result, "making a context current");
  }
  CuContext current = nullptr;
  unsigned long long context_id = 0;
  int device = 0;
  tuner_error error = current_context(current, context_id, device);
  if (error == TUNER_OK) error = find_device(*kernel->pack, device, place);
  if (error == TUNER_OK) error = prepare(*kernel, place, current, context_id, sizes, count);
  CuContext popped = nullptr;
  if (context != nullptr) static_cast<void>(driver->ctx_pop(&popped));
  return error;
}
