#include "tuner/cli/version.hpp"

namespace tuner::cli {

const char* version() {
  return TUNER_VERSION;
}

}  // namespace tuner::cli
