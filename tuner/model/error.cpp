#include "tuner/model/error.hpp"

namespace tuner::model {

Error Error::in_context(const std::string& context) const {
  return Error(context + ": " + what(), m_hint, m_code);
}

}  // namespace tuner::model
