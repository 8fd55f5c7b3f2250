#include "tuner/cli/question.hpp"

#include "tuner/cli/kernel_catalog.hpp"

namespace tuner::cli {

void name_kernel(Question& question) {
  if (!question.kernel.ends_with(".toml")) return;
  question.spec = question.kernel;
  const KernelCatalog catalog = KernelCatalog::load({question.spec});
  question.kernel = catalog.selected().front().name;
  if (question.family.empty()) question.family = catalog.selected().front().family;
}

db::BestQuery query_of(const Context& context, const config::Settings& settings, const Question& question) {
  db::BestQuery query;
  query.family = question.family;
  query.kernel = question.kernel;
  query.device = question.gpu;
  query.part_of_environment = question.part_of_environment;
  if (context.flags.contains("measure")) query.method = settings.text("measure");
  if (context.flags.contains("l2")) query.l2 = settings.text("l2");
  query.type = settings.type();
  query.row_padding.reset();
  if (context.flags.contains("pad")) query.row_padding = settings.paddings().front();
  return query;
}

std::string asked_text(const Question& question) {
  std::string what;
  if (!question.family.empty()) what += " of family " + question.family;
  if (!question.kernel.empty()) what += " of kernel " + question.kernel;
  if (!question.part_of_environment.empty()) what += " in environment " + question.part_of_environment;
  return what;
}

}  // namespace tuner::cli
