#include "tuner/capture/replacer.hpp"

#include <algorithm>
#include <cstring>

#include "tuner/capture/parameters.hpp"

namespace tuner::capture {
namespace {

using use::OperandKind;
using use::OperandRecord;
using use::PackView;

/// The number of an operand at these sizes, as a launch passes it. False: it has none.
bool number_at(const tuner_kernel& kernel, const PackView& view,
               const use::ConfigurationRecord& configuration, const OperandRecord& operand, int place,
               const std::vector<std::int64_t>& sizes, std::int64_t& value) {
  if (use::is_floating(operand.type)) return false;
  use::Variables variables;
  use::set_variables(kernel, place, sizes.data(), variables);
  use::derive(view, configuration, configuration.derived.count, variables);
  return view.value(operand.value, variables, value) == use::Fault::none;
}

/// Which size an operand is, whatever the sizes; -1: none. Asked by values that nothing else would have.
int size_of_operand(const tuner_kernel& kernel, const PackView& view,
                    const use::ConfigurationRecord& configuration, const OperandRecord& operand,
                    std::size_t size_count) {
  constexpr std::int64_t primes[2] = {1009, 2503};
  for (std::size_t size = 0; size < size_count; ++size) {
    bool is_it = true;
    for (const std::int64_t prime : primes) {
      std::vector<std::int64_t> sizes;
      for (std::size_t i = 0; i < size_count; ++i)
        sizes.push_back(prime + static_cast<std::int64_t>(1 + i * i) * 128);
      std::int64_t value = 0;
      is_it =
          is_it && number_at(kernel, view, configuration, operand, 0, sizes, value) && value == sizes[size];
    }
    if (is_it) return static_cast<int>(size);
  }
  return -1;
}

/// An argument as an integer of its operand's type.
std::int64_t integer_of(const OperandRecord& operand, const void* place) {
  const std::uint32_t bytes = use::size_of(operand.type);
  const bool is_signed = operand.type == TUNER_INT8 || operand.type == TUNER_INT16 ||
                         operand.type == TUNER_INT32 || operand.type == TUNER_INT64;
  std::int64_t value = 0;
  integer_value(is_signed ? ParameterKind::integer : ParameterKind::unsigned_integer, place, bytes, value);
  return value;
}

/// A floating-point argument against what the pack would pass, by its bits where it is a float or double.
bool is_same_real(const tuner_kernel& kernel, const PackView& view,
                  const use::ConfigurationRecord& configuration, const OperandRecord& operand, int place,
                  const std::vector<std::int64_t>& sizes, const void* passed) {
  use::Variables variables;
  use::set_variables(kernel, place, sizes.data(), variables);
  use::derive(view, configuration, configuration.derived.count, variables);
  double value = 0;
  if (view.value(operand.value, variables, value) != use::Fault::none) return false;
  if (operand.type == TUNER_FLOAT64) return std::memcmp(&value, passed, sizeof value) == 0;
  const auto single = static_cast<float>(value);
  return operand.type == TUNER_FLOAT32 && std::memcmp(&single, passed, sizeof single) == 0;
}

/// Of a configuration that is one launch, and copies of variables around it; null where it is more.
const use::StepRecord* only_launch(const PackView& view, const use::ConfigurationRecord& configuration) {
  const use::StepRecord* launch = nullptr;
  for (std::uint32_t i = 0; i < configuration.steps.count; ++i) {
    const use::StepRecord& step = view.steps()[configuration.steps.first + i];
    if (use::is_copy(step)) continue;
    if (launch != nullptr || step.kind != use::StepKind::launch) return nullptr;
    launch = &step;
  }
  return launch;
}

tuner_value pointer_value(const void* place) {
  tuner_value value = {};
  value.type = TUNER_ANY;
  value.is_pointer = 1;
  std::memcpy(&value.value.pointer, place, sizeof value.value.pointer);
  CuAddress base = 0;
  std::size_t bytes = 0;
  const auto address = reinterpret_cast<CuAddress>(value.value.pointer);
  const Driver& ask = driver();
  if (ask.mem_get_address_range != nullptr && ask.mem_get_address_range(&base, &bytes, address) == cu_success)
    value.bytes = bytes - static_cast<std::size_t>(address - base);
  return value;
}

}  // namespace

std::string error_text(tuner_error error) {
  const std::string detail = tuner_error_detail();
  std::string text = tuner_error_text(error);
  if (text.ends_with('.')) text.pop_back();
  return detail.empty() ? text : text + ": " + detail;
}

bool Replacer::is_meant(const std::string& function, const std::string& launched) const {
  return m_replaced.empty() ? plain_name(function) == plain_name(launched)
                            : means_kernel(m_replaced, launched);
}

bool Replacer::open(const std::string& path, const std::string& replaced, std::string& why) {
  m_replaced = replaced;
  const tuner_error error = tuner_pack_open(path.c_str(), &m_pack);
  if (error != TUNER_OK) why = path + ": " + error_text(error);
  return error == TUNER_OK;
}

void Replacer::find_matches(const tuner_kernel& kernel, const Kernel& launched,
                            std::vector<Match>& matches) const {
  const PackView& view = kernel.description().view;
  const use::KernelRecord& record = kernel.record();
  const auto owner = static_cast<std::uint32_t>(&record - view.kernels());
  for (std::uint32_t i = 0; i < view.count<use::ConfigurationRecord>(); ++i) {
    const use::ConfigurationRecord& configuration = view.configurations()[i];
    if (configuration.owner != owner) continue;
    const use::StepRecord* const launch = only_launch(view, configuration);
    if (launch == nullptr || launch->operands.count != launched.parameters.size()) continue;
    const use::StepRecord& step = *launch;
    const use::ImageRecord& image = view.images()[configuration.image];
    const std::string function = view.text(view.names()[image.functions.first + step.function]);
    if (!is_meant(function, launched.name)) continue;
    Match match = {&kernel, &view, &configuration, view.operands() + step.operands.first, {}};
    bool fits = true;
    match.size_operands.assign(record.sizes.count, -1);
    for (std::uint32_t k = 0; k < step.operands.count && fits; ++k) {
      const OperandRecord& operand = match.operands[k];
      fits = use::operand_bytes_of(view, record, operand) == launched.parameters[k].bytes;
      if (operand.kind != OperandKind::number) continue;
      const int size = size_of_operand(kernel, view, configuration, operand, record.sizes.count);
      if (size >= 0) match.size_operands[static_cast<std::size_t>(size)] = static_cast<int>(k);
    }
    if (fits) matches.push_back(match);
  }
}

bool Replacer::has(const Kernel& kernel) {
  const auto [place, is_new] = m_matches.try_emplace(kernel.name);
  for (std::size_t i = 0; is_new && i < tuner_pack_kernel_count(m_pack); ++i)
    find_matches(*tuner_pack_kernel(m_pack, i), kernel, place->second);
  return !place->second.empty();
}

/// The program's numbers must be those that the pack would pass at the sizes found, or it is another problem.
bool Replacer::plan_match(const Match& match, const Kernel& kernel, const std::vector<void*>& arguments,
                          Replacement& replacement, std::string& why) {
  const tuner_kernel& packed = *match.kernel;
  replacement = {match.kernel};
  for (std::size_t size = 0; size < match.size_operands.size(); ++size) {
    const int operand = match.size_operands[size];
    if (operand < 0) {
      why = std::string("size ") + tuner_kernel_size_name(match.kernel, size) + " is none of its arguments";
      return false;
    }
    replacement.sizes.push_back(integer_of(match.operands[operand], arguments[operand]));
  }
  CuDevice device = 0;
  int place = 0;
  if (driver().ctx_get_device == nullptr || driver().ctx_get_device(&device) != cu_success) {
    why = "there is no current context";
    return false;
  }
  replacement.device = device;
  tuner_error error = use::find_device(*packed.pack, device, place);
  if (error == TUNER_OK) error = use::check_sizes(packed, replacement.sizes.data(), replacement.sizes.size());
  if (error != TUNER_OK) {
    why = error_text(error);
    return false;
  }
  replacement.arguments.assign(tuner_kernel_parameter_count(match.kernel), tuner_value{});
  std::vector<bool> is_given(replacement.arguments.size(), false);
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const OperandRecord& operand = match.operands[k];
    const std::string name = "argument " + std::to_string(k + 1);
    tuner_parameter parameter = {};
    std::int64_t expected = 0;
    switch (operand.kind) {
      case OperandKind::parameter:
        tuner_kernel_parameter(match.kernel, operand.index, &parameter);
        if (parameter.is_pointer == 0) {
          why = name + " is a number that the pack takes";
          return false;
        }
        replacement.arguments[operand.index] = pointer_value(arguments[k]);
        is_given[operand.index] = true;
        break;
      case OperandKind::number:
        if (use::is_floating(operand.type)) {
          if (is_same_real(packed, *match.view, *match.configuration, operand, place, replacement.sizes,
                           arguments[k]))
            break;
          why = name + " is not what the pack passes";
          return false;
        }
        if (number_at(packed, *match.view, *match.configuration, operand, place, replacement.sizes,
                      expected) &&
            expected == integer_of(operand, arguments[k]))
          break;
        why = name + " is " + std::to_string(integer_of(operand, arguments[k])) + ", and the pack passes " +
              std::to_string(expected) + " at these sizes";
        return false;
      default:
        why = name + " is no plain pointer or number in the pack";
        return false;
    }
  }
  if (!pass_variables(match, kernel, replacement, is_given, why)) return false;
  if (std::find(is_given.begin(), is_given.end(), false) == is_given.end()) return true;
  why = "the pack takes a pointer that the launch has not";
  return false;
}

bool Replacer::pass_variables(const Match& match, const Kernel& kernel, Replacement& replacement,
                              std::vector<bool>& is_given, std::string& why) {
  const PackView& view = *match.view;
  const use::ImageRecord& image = view.images()[match.configuration->image];
  for (std::uint32_t i = 0; i < match.configuration->steps.count; ++i) {
    const use::StepRecord& step = view.steps()[match.configuration->steps.first + i];
    if (!use::is_copy(step)) continue;
    const char* const name = view.text(view.names()[image.symbols.first + step.function]);
    CuAddress address = 0;
    std::size_t bytes = 0;
    if (!find_variable(kernel, name, address, bytes)) {
      why = std::string("its module has no variable ") + name;
      return false;
    }
    tuner_value value = {};
    value.type = TUNER_ANY;
    value.is_pointer = 1;
    value.value.pointer = reinterpret_cast<void*>(address);
    value.bytes = bytes;
    replacement.arguments[step.target] = value;
    is_given[step.target] = true;
  }
  return true;
}

bool Replacer::plan(const Kernel& kernel, const std::vector<void*>& arguments, Replacement& replacement,
                    std::string& why) {
  if (arguments.size() != kernel.parameters.size()) {
    why = "its arguments cannot be seen";
    return false;
  }
  std::string first;
  for (const Match& match : m_matches[kernel.name]) {
    if (plan_match(match, kernel, arguments, replacement, why)) return true;
    if (first.empty()) first = why;
  }
  why = first;
  return false;
}

tuner_error Replacer::launch(const Replacement& replacement, const Launch& launch) {
  constexpr std::uintptr_t threads_own_stream = 2;  // CU_STREAM_PER_THREAD
  void* stream = launch.stream;
  if (stream == nullptr && launch.per_thread) stream = reinterpret_cast<void*>(threads_own_stream);
  return tuner_kernel_launch(replacement.kernel, stream, replacement.sizes.data(), replacement.sizes.size(),
                             replacement.arguments.data(), replacement.arguments.size(), nullptr, 0);
}

std::string Replacer::choice_text(const Replacement& replacement) {
  tuner_choice choice = {};
  if (tuner_kernel_pick(replacement.kernel, replacement.device, replacement.sizes.data(),
                        replacement.sizes.size(), &choice) != TUNER_OK)
    return tuner_kernel_family(replacement.kernel);
  return std::string(choice.kernel) + ' ' + choice.configuration;
}

}  // namespace tuner::capture
