#include <fmt/format.h>

#include "config/settings.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

int show_config(const Context& context, const std::string& format) {
  const config::Settings settings = context.settings();
  reports::Table table({{"setting"},
                        {"value", reports::Align::left, true},
                        {"from", reports::Align::left, true},
                        {"variable", reports::Align::left, false, 1},
                        {"meaning", reports::Align::left, true, 2}});
  for (const config::KnownSetting& known : config::known_settings()) {
    const config::Setting* setting = settings.find(known.name);
    std::string value = setting ? setting->value : "(" + std::string(known.unset) + ")";
    if (known.name == "db") value = settings.database().string();
    if (known.name == "cache_dir") value = settings.cache_folder().string();
    table.add_row({std::string(known.name), value, setting ? setting->origin : "unset",
                   config::variable_name(known.name), std::string(known.description)});
  }
  write_table(table, "settings", format);
  return 0;
}

}  // namespace

void add_config(const CommandPlace& place) {
  Command<std::string> command(place, "config", "Show every setting, its value and where it came from",
                               show_config);
  command.table_format(command.options());
  for (const config::KnownSetting& known : config::known_settings())
    if (known.name != "color") command.settings(known.name);  // which every command has
  command->footer(
      "Strongest first: flag, environment variable, tuner.toml of the project, user's tuner.toml "
      "($XDG_CONFIG_HOME/tuner/tuner.toml), shipped default.");
}

namespace {

int show_cache(const Context& context, const NoOptions&) {
  const auto cache = binary_cache(context.settings());
  const compile::CacheStats stats = cache->stats();
  write_out(fmt::format("{}: {}, {} of at most {}\n", cache->folder().string(),
                        util::counted(stats.entries, "binary"), reports::bytes_text(stats.bytes),
                        reports::bytes_text(cache->limit_bytes())));
  return 0;
}

int prune_cache(const Context& context, std::int64_t target_mib) {
  const compile::CacheStats removed = binary_cache(context.settings())->prune(target_mib << 20);
  write_err(fmt::format("{} removed, {}", util::counted(removed.entries, "binary"),
                        reports::bytes_text(removed.bytes)));
  return 0;
}

}  // namespace

void add_cache(const CommandPlace& place) {
  Command<NoOptions> cache(place, "cache", "Show or prune the compiled binaries kept between runs",
                           show_cache);
  cache->require_subcommand(0, 1);
  cache.settings("cache_dir cache_limit_mb");
  Command<std::int64_t> prune({*cache.operator->(), place.context, place.action}, "prune",
                              "remove the binaries used longest ago", prune_cache);
  prune.option("--to", prune.options(), "N", "MiB to keep; 0 removes all")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40).description(""))
      ->required();
}

}  // namespace tuner::cli
