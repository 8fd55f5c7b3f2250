#include <cstring>

#include "tuner/use/arithmetic.hpp"
#include "tuner/use/library.hpp"

// From what a caller passes to what the kernel function is given, and launches as programs ask for them.
namespace tuner::use {
namespace {

class Operands {
 public:
  explicit Operands(const Scene& scene)
      : m_scene(scene),
        m_call(scene.call),
        m_pack(scene.pack),
        m_kernel(scene.kernel),
        m_variables(scene.variables) {}

  tuner_error check_arguments() const {
    for (std::uint32_t i = 0; i < m_kernel.parameters.count; ++i) {
      const ParameterRecord& parameter = m_pack.parameters()[m_kernel.parameters.first + i];
      const tuner_error error = check_argument(parameter, m_call.arguments[i], i);
      if (error != TUNER_OK) return error;
    }
    return TUNER_OK;
  }

  tuner_error set_operand(const OperandRecord& operand, std::uint8_t* to) const {
    switch (operand.kind) {
      case OperandKind::parameter:
        return set_argument(operand.index, to);
      case OperandKind::workspace: {
        const std::uintptr_t address = m_scene.address_of(true, operand.index);
        std::memcpy(to, &address, sizeof address);
        return TUNER_OK;
      }
      case OperandKind::number:
        return set_number(operand.type, operand.value, to);
      case OperandKind::structure:
        return set_structure(operand, to);
      default:
        return set_map(m_pack.maps()[operand.index], to);
    }
  }

 private:
  /// Numbers are converted within their kind.
  static bool is_alike(const ParameterRecord& parameter, const tuner_value& argument) {
    if (parameter.is_pointer == 0)
      return size_of(argument.type) != 0 && is_floating(argument.type) == is_floating(parameter.type);
    return argument.type == parameter.type || argument.type == TUNER_ANY || parameter.type == TUNER_ANY;
  }

  tuner_error check_argument(const ParameterRecord& parameter, const tuner_value& argument,
                             std::uint32_t place) const {
    const char* const name = m_pack.text(parameter.name);
    if ((argument.is_pointer != 0) != (parameter.is_pointer != 0) || !is_alike(parameter, argument))
      return fail(TUNER_ARGUMENT_TYPE, "argument %u, %s, is %s", place + 1, name,
                  m_pack.text(parameter.type_name));
    if (parameter.is_pointer == 0) {
      if (is_floating(parameter.type) || holds(parameter.type, argument.value.integer)) return TUNER_OK;
      return fail(TUNER_ARGUMENT_TYPE, "argument %u, %s, is %lld", place + 1, name,
                  static_cast<long long>(argument.value.integer));
    }
    std::int64_t needed = 0;
    const Fault fault = m_pack.value(parameter.bytes, m_variables, needed);
    if (fault != Fault::none) return undefined(fault, name);
    if (needed <= 0) return TUNER_OK;
    if (argument.value.pointer == nullptr)
      return fail(TUNER_NULL_POINTER, "argument %u, %s", place + 1, name);
    if (argument.bytes != 0 && argument.bytes < static_cast<std::uint64_t>(needed))
      return fail(TUNER_ARGUMENT_BYTES, "argument %u, %s, has %llu bytes; %lld are needed", place + 1, name,
                  static_cast<unsigned long long>(argument.bytes), static_cast<long long>(needed));
    if (reinterpret_cast<std::uintptr_t>(argument.value.pointer) % parameter.alignment == 0) return TUNER_OK;
    return fail(TUNER_MISALIGNED, "argument %u, %s, must lie at a multiple of %u bytes", place + 1, name,
                parameter.alignment);
  }

  tuner_error set_argument(std::uint32_t index, std::uint8_t* to) const {
    const ParameterRecord& parameter = m_pack.parameters()[m_kernel.parameters.first + index];
    const tuner_value& argument = m_call.arguments[index];
    if (parameter.is_pointer != 0) {
      std::memcpy(to, &argument.value.pointer, sizeof argument.value.pointer);
      return TUNER_OK;
    }
    if (is_floating(parameter.type)) return set_real(parameter.type, argument.value.real, to);
    std::memcpy(to, &argument.value.integer, size_of(parameter.type));
    return TUNER_OK;
  }

  static tuner_error set_real(std::uint32_t type, double value, std::uint8_t* to) {
    std::uint64_t bits = 0;
    if (!real_bits(type, value, bits)) return fail(TUNER_ARGUMENT_TYPE, "a number of 8 bits by value");
    std::memcpy(to, &bits, size_of(type));
    return TUNER_OK;
  }

  tuner_error set_number(std::uint32_t type, const Code& code, std::uint8_t* to) const {
    constexpr const char* what = "a number that the kernel is passed";
    if (is_floating(type)) {
      double value = 0;
      const Fault fault = m_pack.value(code, m_variables, value);
      return fault == Fault::none ? set_real(type, value, to) : undefined(fault, what);
    }
    std::int64_t value = 0;
    if (const Fault fault = m_pack.value(code, m_variables, value); fault != Fault::none)
      return undefined(fault, what);
    if (!holds(type, value))
      return fail(TUNER_BEYOND_LIMITS, "%s is %lld, more than its type holds", what,
                  static_cast<long long>(value));
    std::memcpy(to, &value, size_of(type));
    return TUNER_OK;
  }

  tuner_error set_structure(const OperandRecord& operand, std::uint8_t* to) const {
    for (std::uint32_t i = 0; i < operand.fields.count; ++i) {
      const FieldRecord& field = m_pack.fields()[operand.fields.first + i];
      const tuner_error error = field.parameter == no_index
                                    ? set_number(field.type, field.value, to + field.offset)
                                    : set_argument(field.parameter, to + field.offset);
      if (error != TUNER_OK) return error;
    }
    return TUNER_OK;
  }

  tuner_error set_map(const MapRecord& map, std::uint8_t* to) const {
    if (m_call.driver == nullptr || m_call.driver->tensor_map_encode == nullptr)
      return fail(TUNER_CANNOT_LAUNCH, "the device or its driver has no tensor maps");
    std::int64_t values[4 * most_rank + 2];
    for (std::uint32_t i = 0; i < map.codes.count; ++i) {
      const Fault fault = m_pack.value(m_pack.codes()[map.codes.first + i], m_variables, values[i]);
      if (fault != Fault::none) return undefined(fault, "a tensor map");
    }
    const std::uint32_t rank = map.rank;
    std::uint64_t shape[most_rank];
    std::uint64_t strides[most_rank] = {};
    std::uint32_t box[most_rank];
    std::uint32_t element_strides[most_rank];
    for (std::uint32_t i = 0; i < rank; ++i) {
      shape[i] = static_cast<std::uint64_t>(values[i]);
      if (i + 1 < rank) strides[i] = static_cast<std::uint64_t>(values[rank + i]);
      box[i] = static_cast<std::uint32_t>(values[2 * rank - 1 + i]);
      element_strides[i] = static_cast<std::uint32_t>(values[3 * rank - 1 + i]);
    }
    // The driver refuses a null pointer, also where there is no stride to read.
    if (rank == 1) strides[0] = (shape[0] * size_of(map.type) + 15) / 16 * 16;
    const std::int64_t* const widths = values + 4 * rank - 1;
    CuTensorMap encoded;
    const CuResult result = m_call.driver->tensor_map_encode(
        &encoded, tensor_type(map.type), rank,
        reinterpret_cast<void*>(m_scene.address_of(map.is_workspace != 0, map.index)), shape, strides, box,
        element_strides, static_cast<int>(widths[0] / 16), swizzle(widths[1]), promotion(widths[2]),
        map.nan_outside);
    if (result != 0) return driver_failed(*m_call.driver, TUNER_CANNOT_LAUNCH, result, "making a tensor map");
    std::memcpy(to, &encoded, sizeof encoded);
    return TUNER_OK;
  }

  // CUtensorMapDataType, CUtensorMapSwizzle, CUtensorMapL2promotion.
  static int tensor_type(std::uint32_t type) {
    // By tuner_type; numbers that the driver knows no type of are copied as they are, as bytes or pairs of
    // them.
    constexpr std::uint8_t types[] = {1, 0, 0, 0, 1, 1, 3, 2, 5, 4, 6, 9, 7, 8, 0, 0};
    return type < sizeof types ? types[type] : 1;
  }
  static int swizzle(std::int64_t bytes) { return bytes == 0 ? 0 : bytes == 32 ? 1 : bytes == 64 ? 2 : 3; }
  static int promotion(std::int64_t bytes) { return bytes == 0 ? 0 : bytes == 64 ? 1 : bytes == 128 ? 2 : 3; }

  const Scene& m_scene;
  const Call& m_call;
  const PackView& m_pack;
  const KernelRecord& m_kernel;
  const Variables& m_variables;
};

}  // namespace

tuner_error check_arguments(const Scene& scene) {
  return Operands(scene).check_arguments();
}

tuner_error set_operand(const Scene& scene, const OperandRecord& operand, std::uint8_t* to) {
  return Operands(scene).set_operand(operand, to);
}

namespace {

/// The current context and its device, which `stream` must be of.
tuner_error find_context(CuStream stream, CuContext& context, unsigned long long& context_id, int& device,
                         const Driver*& driver) {
  if (const tuner_error error = find_driver(driver); error != TUNER_OK) return error;
  if (const tuner_error error = current_context(context, context_id, device); error != TUNER_OK) return error;
  constexpr std::uintptr_t last_special = 2;  // the default streams are of whichever context is current
  if (reinterpret_cast<std::uintptr_t>(stream) <= last_special) return TUNER_OK;
  CuContext of_stream = nullptr;
  const CuResult result = driver->stream_get_ctx(stream, &of_stream);
  if (result != 0)
    return driver_failed(*driver, TUNER_CANNOT_LAUNCH, result, "asking a stream for its context");
  return of_stream == context ? TUNER_OK : fail(TUNER_OTHER_CONTEXT, "make the stream's context current");
}

tuner_error check_capture(const Driver& driver, CuStream stream, const char* kernel) {
  int capturing = 0;
  const CuResult result = driver.stream_is_capturing(stream, &capturing);
  if (result != 0)
    return driver_failed(driver, TUNER_CANNOT_LAUNCH, result, "asking whether a stream is captured");
  return capturing == 0 ? TUNER_OK : fail(TUNER_NOT_PREPARED, "%s", kernel);
}

}  // namespace
}  // namespace tuner::use

using namespace tuner::use;  // NOLINT(google-build-using-namespace)

tuner_error tuner_kernel_launch(const tuner_kernel* kernel, void* stream, const int64_t* sizes,
                                size_t size_count, const tuner_value* arguments, size_t argument_count,
                                void* workspace, size_t workspace_bytes) {
  if (kernel == nullptr) return fail(TUNER_BAD_CALL, "no kernel");
  if (const tuner_error error = check_sizes(*kernel, sizes, size_count); error != TUNER_OK) return error;
  const std::uint32_t parameters = kernel->record().parameters.count;
  if (argument_count != parameters || (arguments == nullptr && parameters > 0))
    return fail(TUNER_ARGUMENT_COUNT, "%s takes %u, and %zu were given", tuner_kernel_family(kernel),
                parameters, arguments == nullptr ? 0 : argument_count);
  Call call = {*kernel, 0, arguments, reinterpret_cast<std::uintptr_t>(workspace), workspace_bytes};
  CuContext context = nullptr;
  unsigned long long context_id = 0;
  int device = TUNER_CPU;
  if (stream != TUNER_CPU_STREAM) {
    call.stream = static_cast<CuStream>(stream);
    const tuner_error error = find_context(call.stream, context, context_id, device, call.driver);
    if (error != TUNER_OK) return error;
  }
  if (const tuner_error error = find_device(*kernel->pack, device, call.place); error != TUNER_OK)
    return error;
  Answer answer;
  if (const tuner_error error = choose(*kernel, call.place, sizes, answer); error != TUNER_OK) return error;
  const Layer& layer = kernel->pack->layers[answer.layer];
  const ConfigurationRecord& configuration = layer.view.configurations()[answer.configuration];
  Loaded* loaded = find_loaded(layer, configuration.image, context, context_id);
  if (loaded == nullptr) {
    tuner_error error = call.driver == nullptr
                            ? TUNER_OK
                            : check_capture(*call.driver, call.stream, tuner_kernel_family(kernel));
    if (error == TUNER_OK)
      error = load(*kernel->pack, answer.layer, configuration.image, context, context_id, loaded);
    if (error != TUNER_OK) return error;
  }
  return run(call, layer.view, configuration, *loaded, sizes);
}

tuner_error tuner_kernel_workspace(const tuner_kernel* kernel, int device, const int64_t* sizes,
                                   size_t size_count, tuner_workspace* workspace) {
  if (kernel == nullptr || workspace == nullptr)
    return fail(TUNER_BAD_CALL, "kernel and workspace are needed");
  int place = 0;
  Answer answer;
  tuner_error error = check_sizes(*kernel, sizes, size_count);
  if (error == TUNER_OK) error = find_device(*kernel->pack, device, place);
  if (error == TUNER_OK) error = choose(*kernel, place, sizes, answer);
  if (error != TUNER_OK) return error;
  const PackView& view = kernel->pack->layers[answer.layer].view;
  const ConfigurationRecord& configuration = view.configurations()[answer.configuration];
  Variables variables;
  set_variables(*kernel, place, sizes, variables);
  derive(view, configuration, configuration.derived.count, variables);
  WorkspacePlan plan;
  error = plan_workspaces(view, configuration, variables, plan);
  if (error == TUNER_OK) *workspace = {plan.all, plan.zero_first ? 1 : 0};
  return error;
}

tuner_error tuner_kernel_parameter_bytes(const tuner_kernel* kernel, int device, const int64_t* sizes,
                                         size_t size_count, size_t index, uint64_t* bytes) {
  if (kernel == nullptr || bytes == nullptr || index >= tuner_kernel_parameter_count(kernel))
    return fail(TUNER_BAD_CALL, "kernel, parameter and bytes are needed");
  if (const tuner_error error = check_sizes(*kernel, sizes, size_count); error != TUNER_OK) return error;
  int place = 0;
  if (const tuner_error error = find_device(*kernel->pack, device, place); error != TUNER_OK) return error;
  const PackView& view = kernel->description().view;
  const ParameterRecord& parameter = view.parameters()[kernel->record().parameters.first + index];
  Variables variables;
  set_variables(*kernel, place, sizes, variables);
  std::int64_t value = 0;
  const Fault fault = view.value_or(0, parameter.bytes, variables, value);
  if (fault != Fault::none) return undefined(fault, view.text(parameter.name));
  *bytes = value > 0 ? static_cast<std::uint64_t>(value) : 0;
  return TUNER_OK;
}
