#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "tuner/cli/command.hpp"
#include "tuner/cli/command_shape.hpp"
#include "tuner/cli/completion.hpp"
#include "tuner/cli/manual_page.hpp"

namespace tuner::cli {

void add_completion(CLI::App& app, Context& /*context*/, Action& action) {
  auto* command = app.add_subcommand("completion", "Print what has a shell complete tuner's command lines");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "`cmake --install` puts it where the shells look for it. By hand, for one shell or in its start file:\n"
      "Example: source <(tuner completion bash)\n"
      "         source <(tuner completion zsh)\n"
      "         tuner completion fish | source");
  command->callback([&app, &action, shell] {
    action = [&app, shell] {
      const CommandShape program = command_shape(app);
      write_out(*shell == "bash"  ? bash_completion(program)
                : *shell == "zsh" ? zsh_completion(program)
                                  : fish_completion(program));
      return 0;
    };
  });
}

void add_manual(CLI::App& app, Context& /*context*/, Action& action) {
  auto* command = app.add_subcommand("manual", "Print the manual page, tuner(1)");
  command->footer("Example: tuner manual | man -l -");
  command->callback([&app, &action] {
    action = [&app] {
      write_out(manual_page(command_shape(app), version()));
      return 0;
    };
  });
}

}  // namespace tuner::cli
