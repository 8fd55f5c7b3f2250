#include "kernels/shipped.hpp"

namespace kernels {

std::span<const tuner::model::EmbeddedFile> embedded_files();  // generated

std::span<const tuner::model::EmbeddedFile> shipped() {
  return embedded_files();
}

}  // namespace kernels
