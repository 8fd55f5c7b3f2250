#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "reports/numbers.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/worker_setup.hpp"

namespace tuner::cli {
namespace {

int show_cache(const Context& context) {
  const auto cache = binary_cache(context.settings());
  const compile::CacheStats stats = cache->stats();
  write_out(fmt::format("{}: {} binaries, {} of at most {}\n", cache->folder().string(), stats.entries,
                        reports::bytes_text(stats.bytes), reports::bytes_text(cache->limit_bytes())));
  return 0;
}

int prune_cache(const Context& context, std::int64_t target_mib) {
  const compile::CacheRemoval removed = binary_cache(context.settings())->prune(target_mib << 20);
  write_err(fmt::format("{} binaries removed, {}", removed.entries, reports::bytes_text(removed.bytes)));
  return 0;
}

}  // namespace

void add_cache(CLI::App& app, Context& context, Action& action) {
  auto* cache = app.add_subcommand("cache", "Show or prune the compiled binaries kept between runs");
  cache->require_subcommand(0, 1);
  add_setting_flags(*cache, context, {"cache_dir", "cache_limit_mb"});
  auto target = std::make_shared<std::int64_t>(0);
  auto* prune = cache->add_subcommand("prune", "remove the binaries used longest ago");
  prune->add_option("--to", *target, "MiB to keep; 0 removes all")->check(CLI::NonNegativeNumber)->required();
  prune->callback(
      [&context, &action, target] { action = [&context, target] { return prune_cache(context, *target); }; });
  cache->callback([&context, &action] {
    if (!action) action = [&context] { return show_cache(context); };
  });
}

}  // namespace tuner::cli
