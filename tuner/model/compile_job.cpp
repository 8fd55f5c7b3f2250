#include "tuner/model/compile_job.hpp"

namespace tuner::model {

Digest CompileJob::key() const {
  DigestBuilder digest;
  digest.add("binary 1").add(static_cast<std::int64_t>(source.size()));
  for (const SourceText& file : source) digest.add(file.name).add(file.text);
  digest.add(static_cast<std::int64_t>(macros.size()));
  for (const Macro& macro : macros) digest.add(macro.name).add(macro.value);
  digest.add(static_cast<std::int64_t>(options.size()));
  for (const std::string& option : options) digest.add(option);
  digest.add(static_cast<std::int64_t>(entries.size()));
  for (const std::string& entry : entries) digest.add(entry);
  return digest.add(architecture).add(compiler).finish();
}

const KernelResources* Compilation::find(const std::string& entry) const {
  for (const KernelResources& kernel : kernels) {
    if (kernel.entry == entry) return &kernel;
  }
  return nullptr;
}

}  // namespace tuner::model
