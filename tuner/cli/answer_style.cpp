#include "tuner/cli/answer_style.hpp"

#include <unistd.h>

#include "tuner/cli/context.hpp"
#include "tuner/cli/same_database.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/util/wrap.hpp"

namespace tuner::cli {

answers::Style AnswerStyle::style(int descriptor) {
  return {[this](const model::Digest& trial) { return m_ids.of(trial); }, terminal::columns_of(descriptor)};
}

answers::Style AnswerStyle::for_stdout() {
  return style(STDOUT_FILENO);
}

answers::Style AnswerStyle::for_stderr() {
  return style(STDERR_FILENO);
}

std::size_t stdout_columns() {
  return terminal::columns_of(STDOUT_FILENO);
}

void write_prose(const std::string& text, std::size_t hanging) {
  write_out(util::wrapped_text(in_same_database(text), stdout_columns(), hanging));
}

}  // namespace tuner::cli
