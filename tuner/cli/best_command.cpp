#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <set>

#include "config/sizes.hpp"
#include "db/best.hpp"
#include "db/database.hpp"
#include "tuner/cli/best_formats.hpp"
#include "tuner/cli/best_table.hpp"
#include "tuner/cli/best_why.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {
namespace {

struct BestOptions {
  std::string size;
  std::string family;
  std::string kernel;
  std::string gpu;
  std::string format = "table";
};

db::BestQuery make_query(const config::Settings& settings, const BestOptions& options) {
  const auto sizes = config::parse_sizes(options.size);
  if (sizes.size() != 1) {
    throw model::UsageError(fmt::format("--size takes one size, '{}' is {}", options.size, sizes.size()),
                            "give 1024 or 512x1024x256; `tuner report` shows many sizes");
  }
  db::BestQuery query;
  query.sizes = sizes.front();
  query.family = options.family;
  query.kernel = options.kernel;
  query.device = options.gpu;
  query.type = settings.type();
  query.row_padding = settings.paddings().front();
  return query;
}

/// Formats meant for a build take one answer: the first, of the class measured last.
void write_answers(const std::vector<db::BestAnswer>& answers, const BestOptions& options) {
  if (options.format == "json") return write_out(best_json(answers, options.size));
  if (options.format == "header") return write_out(best_header(answers.front()));
  if (options.format == "flags") return write_out(best_flags(answers.front()) + "\n");
  write_out(best_text(answers));
}

int best(const Context& context, const BestOptions& options) {
  const config::Settings settings = context.settings();
  const db::BestQuery query = make_query(settings, options);
  const db::Connection connection = db::open_for_reading(settings.database());
  const std::vector<db::BestAnswer> answers = db::best(connection, query);
  if (answers.empty()) {
    throw model::Error(
        fmt::format("nothing in {} answers for size {}", settings.database().string(), options.size),
        fmt::format("measure it first: tuner run --sizes {}", options.size), model::ExitCode::nothing_found);
  }
  write_answers(answers, options);
  for (const db::BestAnswer& answer : answers) write_err(why(answer, options.size, options.gpu));
  return 0;
}

}  // namespace

void add_best(CLI::App& app, Context& context, Action& action) {
  auto* command =
      app.add_subcommand("best", "Say which configuration is best for a size, how sure that is, and why");
  auto options = std::make_shared<BestOptions>();
  command->add_option("--size,-s", options->size, "one size: 1024, or 512x1024x256")
      ->required()
      ->type_name("SIZE");
  command->add_option("--family", options->family, "only this family of kernels")->type_name("NAME");
  command->add_option("--kernel,-k", options->kernel, "only this kernel")->type_name("NAME");
  command->add_option("--gpu", options->gpu, "devices with this in their name first")->type_name("NAME");
  command
      ->add_option("--format", options->format,
                   "table; json; header: a C header of the macros; flags: -D options for a compiler")
      ->check(CLI::IsMember({"table", "json", "header", "flags"}));
  add_setting_flags(*command, context, {"db", "type", "pad"});
  command->footer(
      "The best of a size are sampled in turn once all have raced; among those tied with the fastest and "
      "surely within 1 % of it\n"
      "the one with the fewest registers, then the smallest block, then by name is chosen.\n"
      "A size that was never measured is answered by the nearest one, and that is said. Times are only ever "
      "compared\n"
      "within one class: device, driver, toolkit, type, L2 policy, method. Exit code 3: nothing known.\n"
      "Example: nvcc $(tuner best --size 1024 --format flags) kernel.cu");
  command->callback(
      [&context, &action, options] { action = [&context, options] { return best(context, *options); }; });
}

}  // namespace tuner::cli
