#include "tuner/model/compile_job.hpp"

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
  return digest.finish();
}

const KernelResources* Compilation::find(const std::string& entry) const {
  for (const KernelResources& kernel : kernels) {
    if (kernel.entry == entry) return &kernel;
  }
  return nullptr;
}

}  // namespace tuner::model
