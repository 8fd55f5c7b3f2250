#include <CLI/CLI.hpp>
#include <memory>

#include "config/sizes.hpp"
#include "db/database.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/report_writer.hpp"

namespace tuner::cli {

void add_report(CLI::App& app, Context& context, Action& action) {
  auto* command = app.add_subcommand("report", "Write what is known as a document");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("-o,--output", options->path, "file to write; without it, or with -, stdout")
      ->type_name("FILE");
  command->add_option("--format", options->format, "default: by the file's extension, else md")
      ->check(CLI::IsMember({"md", "html", "csv", "json"}));
  command->add_option("--layout", options->layout, "a layout shipped with the kernels, such as `notes`")
      ->type_name("NAME");
  command->add_option("--pivot", options->pivot, "parameter whose values are the tables' columns")
      ->type_name("NAME");
  auto sizes = std::make_shared<std::string>();
  command->add_option("--size,-s", *sizes, "only these sizes: 1024, 512..2048, 512x1024x256")
      ->type_name("SIZES");
  command->add_option("--family", options->filter.family, "only this family of kernels")->type_name("NAME");
  command->add_option("--kernel", options->filter.kernel, "only this kernel")->type_name("NAME");
  command->add_option("--gpu", options->filter.device, "only devices with this in their name")
      ->type_name("NAME");
  command->add_option("--run", options->run, "only what this run measured (`tuner list runs`)")
      ->type_name("ID");
  add_setting_flags(*command, context, {"db"});
  command->footer("Example: tuner report -o report.html\n         tuner report --layout notes -o notes.md");
  command->callback([&context, &action, options, sizes] {
    action = [&context, options, sizes] {
      if (!sizes->empty()) options->sizes = config::parse_sizes(*sizes);
      options->command = context.command_line();
      require_deliverable(options->path);
      write_report(db::open_for_reading(context.settings().database()), *options);
      if (!is_stdout(options->path)) write_err("report: " + options->path);
      return 0;
    };
  });
}

}  // namespace tuner::cli
