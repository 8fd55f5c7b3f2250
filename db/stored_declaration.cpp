#include "db/stored_declaration.hpp"

namespace db {

using tuner::model::Digest;

Digest StoredDeclaration::id() const {
  if (generation == 0) return kernel.spec.empty() ? kernel.definition : kernel.spec;
  tuner::model::DigestBuilder digest;
  digest.add("declaration 1").add(kernel.family).add(kernel.kernel).add(to_string(kernel.role));
  digest.add(kernel.definition).add(kernel.spec).add(kernel.path).add(generation);
  for (const Digest& older : followed) digest.add(older);
  return digest.finish();
}

}  // namespace db
