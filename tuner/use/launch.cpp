#include "tuner/use/run.hpp"

// Launches as programs ask for them.
namespace tuner::use {

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
