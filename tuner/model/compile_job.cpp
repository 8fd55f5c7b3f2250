#include "tuner/model/compile_job.hpp"

#include <fmt/format.h>

namespace tuner::model {

Digest source_key(const std::vector<SourceText>& source) {
  DigestBuilder digest;
  for (const SourceText& file : source) digest.add(file.name).add(file.text);
  return digest.finish();
}

Digest CompileJob::key() const {
  DigestBuilder digest;
  digest.add("binary 2").add(source_key.empty() ? model::source_key(source) : source_key);
  digest.add(static_cast<std::int64_t>(macros.size()));
  for (const Macro& macro : macros) digest.add(macro.name).add(macro.value);
  digest.add(static_cast<std::int64_t>(options.size()));
  for (const std::string& option : options) digest.add(option);
  digest.add(static_cast<std::int64_t>(entries.size()));
  for (const std::string& entry : entries) digest.add(entry);
  digest.add(architecture).add(compiler);
  if (host_library) digest.add("host library");  // other keys are as they were before there were any
  if (by_nvcc) digest.add("nvcc");
  for (const CompileJob& called : library) digest.add("library").add(called.key());
  return digest.finish();
}

bool CompileJob::is_library_of_nvcc() const {
  return host_library && !source.empty() && source.front().name.ends_with(".cu");
}

std::size_t parameters_of(std::string_view entry) {
  const std::size_t end = entry.find_last_not_of(' ');
  if (end == std::string_view::npos || entry[end] != ')') return entry.size();
  int open = 0;
  for (std::size_t i = end + 1; i-- > 1;) {
    open += entry[i] == ')' ? 1 : 0;
    open -= entry[i] == '(' ? 1 : 0;
    if (open == 0) return i;
  }
  return entry.size();
}

std::string address_of(const std::string& entry) {
  if (is_variable(entry)) return entry;
  const std::size_t parameters = parameters_of(entry);
  const std::string name = fmt::format("&{}", entry.substr(0, parameters));
  if (parameters == entry.size()) return name;
  return fmt::format("static_cast<void (*){}>({})", entry.substr(parameters), name);
}

const KernelResources* Compilation::find(const std::string& entry) const {
  for (const KernelResources& kernel : kernels) {
    if (kernel.entry == entry) return &kernel;
  }
  return nullptr;
}

}  // namespace tuner::model
