#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "db/queries.hpp"
#include "reports/text.hpp"
#include "tuner/capture/parameters.hpp"
#include "tuner/capture/recording.hpp"
#include "tuner/cli/answers/cover.hpp"
#include "tuner/cli/capture.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

using answers::CapturedUse;
using answers::CapturedUses;

namespace {

constexpr double share_that_matters = 0.95;
constexpr double least_share_told = 0.001;
constexpr std::size_t most_kernels = 3;  ///< named in a sentence

/// Where a launch of the kernel is passed a size; none: nowhere by itself.
std::optional<int> place_of(const std::string& size, const model::KernelSpec& spec) {
  int place = 0;
  for (const model::ArgumentSpec& argument : spec.arguments) {
    if (argument.is_field() || !argument.symbol.empty()) continue;
    const std::string value = argument.value ? argument.value->text : argument.name;
    if (!argument.pointer && util::trimmed(value) == size) return place;
    ++place;
  }
  return std::nullopt;
}

std::vector<int> places_of(const model::KernelSpec& spec) {
  std::vector<int> places;
  for (const std::string& size : spec.sizes) {
    const auto place = place_of(size, spec);
    if (!place)
      throw model::UsageError(
          fmt::format("{}: no argument of the kernel is the size {}, so a capture does not have it",
                      spec.name, size),
          "give sizes, as 1024 or 512x1024x256; a spec with a file for each size needs none");
    places.push_back(*place);
  }
  return places;
}

/// None where a launch was seen without one of the integers.
std::optional<cover::Sizes> sizes_in(const model::CapturedSize& seen, const std::vector<int>& places) {
  cover::Sizes sizes;
  for (const int place : places) {
    const auto found = seen.integers.find(place);
    if (found == seen.integers.end() || found->second < 1) return std::nullopt;
    sizes.push_back(found->second);
  }
  return sizes;
}

/// What the files of one argument say of sizes, a map for each file.
using SizedFile = std::vector<std::map<std::string, std::int64_t>>;

/// The sizes that are an extent by themselves of what is in a file.
std::map<std::string, std::int64_t> sizes_in(const model::InitRule& rule, const model::ArgumentSpec& argument,
                                             model::ElementType type, const std::vector<std::string>& sizes) {
  std::map<std::string, std::int64_t> known = rule.sizes;
  std::vector<std::int64_t> shape = rule.shape;
  if (shape.empty())
    shape = {rule.contents.elements * model::components(rule.contents.type) / model::components(type)};
  for (std::size_t i = 0; i < argument.extent.size() && argument.extent.size() == shape.size(); ++i)
    if (const std::string name(util::trimmed(argument.extent[i].text)); std::ranges::count(sizes, name) > 0)
      known.emplace(name, shape[i]);
  return known;
}

std::vector<SizedFile> sized_files(const model::KernelSpec& spec, model::ElementType type) {
  std::vector<SizedFile> files;
  for (const model::ArgumentSpec& argument : spec.arguments) {
    const model::ElementType own = argument.type.value_or(type);
    std::vector<const model::InitRule*> rules = {&argument.init.for_type(own)};
    if (argument.second_init) rules.push_back(&argument.second_init->for_type(own));
    if (argument.expected) rules.push_back(&*argument.expected);
    for (const model::InitRule* const rule : rules) {
      if (rule->contents.path.empty()) continue;
      SizedFile& file = files.emplace_back();
      for (const model::InitRule& one : rule->of_sizes)
        file.push_back(sizes_in(one, argument, own, spec.sizes));
      if (rule->of_sizes.empty()) file.push_back(sizes_in(*rule, argument, own, spec.sizes));
    }
  }
  return files;
}

std::optional<cover::Sizes> all_sizes(const model::KernelSpec& spec,
                                      const std::map<std::string, std::int64_t>& known) {
  cover::Sizes sizes;
  for (const std::string& name : spec.sizes) {
    const auto size = known.find(name);
    if (size == known.end()) return std::nullopt;
    sizes.push_back(size->second);
  }
  return sizes;
}

bool agrees(const model::KernelSpec& spec, const cover::Sizes& sizes,
            const std::map<std::string, std::int64_t>& known) {
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (const auto size = known.find(spec.sizes[i]); size != known.end() && size->second != sizes[i])
      return false;
  return true;
}

void add(const model::CapturedSize& seen, const cover::Sizes& sizes, bool is_timed, CapturedUses& uses) {
  const double cost = is_timed ? seen.total_ns : static_cast<double>(seen.launches);
  const auto known = std::ranges::find(uses.sizes, sizes, &CapturedUse::sizes);
  CapturedUse& use = known != uses.sizes.end() ? *known : uses.sizes.emplace_back(CapturedUse{sizes, 0, 0});
  use.cost += cost;
  use.launches += seen.launches;
}

/// Whether it names a type of other numbers. Vectors count as what they
/// are made of, and signs do not count: specs may name them otherwise.
bool differ(std::string_view seen, model::ElementType own) {
  const auto known = model::parse_element_type(seen);
  if (!known) return false;
  const model::ElementType a = model::component_type(*known);
  const model::ElementType b = model::component_type(own);
  return a != b &&
         (model::is_floating(a) || model::is_floating(b) || model::size_bytes(a) != model::size_bytes(b));
}

/// Whether a captured parameter, as `float const*`, is of another type than the argument.
bool differs(std::string_view seen, const model::ArgumentSpec& argument, model::ElementType type) {
  if (argument.is_view() || argument.structure) return false;
  const capture::ParameterKind kind = capture::parameter_kind(seen);
  if (kind == capture::ParameterKind::unknown) return false;
  if (kind != capture::ParameterKind::structure &&
      argument.pointer != (kind == capture::ParameterKind::pointer))
    return true;
  return differ(util::trimmed(seen.substr(0, seen.find_first_of("*&"))), argument.type.value_or(type));
}

/// Whether a captured kernel of the spec's plain name may be the spec's at this type, by its parameters and
/// template arguments. What either does not say is no difference.
bool is_of(const model::CapturedKernel& kernel, const model::KernelSpec& spec, model::ElementType type) {
  const model::StepSpec& step = spec.steps.front();
  const std::vector<std::string> seen = capture::template_arguments(kernel.name);
  const std::vector<std::string> own = capture::template_arguments(step.entry);
  for (std::size_t i = 0; i < std::min(seen.size(), own.size()); ++i) {
    const auto named = own[i] == "ELEMENT_TYPE" ? type : model::parse_element_type(own[i]);
    if (named && differ(seen[i], *named)) return false;
  }
  const std::vector<std::string> types = capture::parameter_types(kernel.name);
  if (types.empty() || !step.arguments.empty()) return true;
  std::vector<const model::ArgumentSpec*> passed;
  for (const model::ArgumentSpec& argument : spec.arguments)
    if (!argument.is_field() && argument.symbol.empty()) passed.push_back(&argument);
  if (passed.size() != types.size()) return false;
  for (std::size_t i = 0; i < types.size(); ++i)
    if (differs(types[i], *passed[i], type)) return false;
  return true;
}

/// `512, 1024x64`; of many the first ones and how many more there are.
std::string text_of(const std::vector<cover::Sizes>& all) {
  std::vector<std::string> texts;
  for (const cover::Sizes& sizes : all) texts.push_back(fmt::format("{}", fmt::join(sizes, "x")));
  return reports::first_of(texts, 10);
}

}  // namespace

CapturedUses captured_uses(const std::string& path, const model::KernelSpec& spec,
                           std::optional<model::ElementType> type) {
  const model::Capture capture = capture::read_capture(path);
  const std::string plain = capture::plain_name(spec.steps.front().entry);
  const std::vector<int> places = places_of(spec);
  const auto types = type ? std::vector{*type} : spec.types;
  CapturedUses uses{path, {}, 0, capture.total_ns, {}};
  std::vector<std::string> others;
  for (const model::CapturedKernel& kernel : capture.kernels) {
    if (kernel.plain != plain) continue;
    const bool is_own = std::ranges::any_of(types, [&](const auto own) { return is_of(kernel, spec, own); });
    (is_own ? uses.kernels : others).push_back(kernel.readable);
    if (!is_own) continue;
    for (const model::CapturedSize& seen : kernel.sizes) {
      if (const auto sizes = sizes_in(seen, places)) add(seen, *sizes, capture.total_ns > 0, uses);
      uses.cost += capture.total_ns > 0 ? seen.total_ns : static_cast<double>(seen.launches);
    }
  }
  if (uses.sizes.empty())
    throw model::UsageError(
        fmt::format(
            "{} has no launch of {} with its types and sizes{}", path, plain,
            others.empty() ? "" : fmt::format("; it has {}", reports::first_of(others, most_kernels))),
        "`tuner capture` says which kernels the program has");
  std::ranges::stable_sort(uses.sizes, std::greater<>(), &CapturedUse::cost);
  return uses;
}

bool is_capture(const std::string& sizes) {
  try {
    config::parse_sizes(sizes);
  } catch (const model::Error&) {
    return std::filesystem::exists(sizes);
  }
  return false;
}

std::vector<cover::Sizes> sizes_for(const model::KernelSpec& spec, const config::Settings& settings,
                                    std::vector<std::string>& notices) {
  if (settings.find("sizes")->layer != config::Layer::command_line) {
    if (auto recorded = recorded_sizes(spec, settings.type().value_or(spec.types.front()))) {
      if (recorded->empty())
        throw model::UsageError(fmt::format("{}: there is no size that all of its files are of", spec.name),
                                "each file(name.{N}) of the spec needs a file of the same sizes");
      notices.push_back(fmt::format("{}: {} that its files are of: {}", spec.name,
                                    util::counted(recorded->size(), "size"), text_of(*recorded)));
      return *recorded;
    }
  }
  const std::string text(settings.text("sizes"));
  if (!is_capture(text)) return settings.sizes();
  const CapturedUses uses = captured_uses(text, spec, settings.type().value_or(spec.types.front()));
  std::vector<cover::Sizes> sizes;
  double known = 0;
  for (const CapturedUse& use : uses.sizes) known += use.cost;
  double taken = 0;
  for (const CapturedUse& use : uses.sizes) {
    if (taken >= share_that_matters * known) break;
    sizes.push_back(use.sizes);
    taken += use.cost;
  }
  std::string notice =
      fmt::format("{}: {} of {} with {} of its time", spec.name, util::counted(sizes.size(), "size"), text,
                  reports::percent_text(taken / std::max(uses.cost, 1.0)));
  if (sizes.size() < uses.sizes.size())
    notice += fmt::format("; {} that cost less are left out", uses.sizes.size() - sizes.size());
  if (const double unknown = 1 - known / uses.cost; unknown > least_share_told)
    notice += fmt::format("; the sizes of {} are not known", reports::percent_text(unknown));
  if (uses.program_ns > 0)
    notice += fmt::format("; the kernel takes {} of the program's GPU time",
                          reports::percent_text(uses.cost / uses.program_ns));
  notices.push_back(std::move(notice));
  if (const std::string several = answers::several_kernels(uses); !several.empty())
    notices.push_back(several);
  return sizes;
}

std::optional<std::vector<cover::Sizes>> recorded_sizes(const model::KernelSpec& spec,
                                                        model::ElementType type) {
  const std::vector<SizedFile> files = sized_files(spec, type);
  std::set<cover::Sizes> all;
  for (const SizedFile& file : files)
    for (const auto& known : file)
      if (const auto sizes = all_sizes(spec, known)) all.insert(*sizes);
  if (all.empty()) return std::nullopt;
  std::erase_if(all, [&](const cover::Sizes& sizes) {
    return !std::ranges::all_of(files, [&](const SizedFile& file) {
      return std::ranges::any_of(file, [&](const auto& known) { return agrees(spec, sizes, known); });
    });
  });
  return std::vector<cover::Sizes>(all.begin(), all.end());
}

std::vector<model::Problem> problems_to_check(const model::KernelSpec& spec,
                                              const config::Settings& settings) {
  std::vector<model::Problem> problems;
  const auto add = [&](const std::vector<std::int64_t>& sizes) {
    for (const std::int64_t padding : settings.paddings())
      problems.push_back(space::make_problem(spec, sizes, settings.type(), padding));
  };
  std::vector<std::string> notices;
  std::vector<cover::Sizes> sizes = sizes_for(spec, settings, notices);
  if (is_capture(settings.text("sizes"))) std::ranges::reverse(sizes);  // the first weighs most
  for (const cover::Sizes& asked : sizes)
    if (asked.size() == 1 || asked.size() == spec.sizes.size()) add(asked);
  if (problems.empty()) add({1024});
  const auto recorded = recorded_sizes(spec, settings.type().value_or(spec.types.front()));
  if (!recorded) return problems;
  std::vector<cover::Sizes> without;
  std::erase_if(problems, [&](const model::Problem& problem) {
    cover::Sizes own = answers::sizes_of(problem);
    if (std::ranges::count(*recorded, own) > 0) return false;
    without.push_back(std::move(own));
    return true;
  });
  if (!without.empty())
    write_err(fmt::format("{}: not looked at {}: its files are of {}", spec.name, text_of(without),
                          recorded->empty() ? "no size together" : text_of(*recorded)));
  return problems;
}

model::KernelSpec spec_named(const db::Connection& connection, const std::string& family,
                             const std::string& kernel, const std::string& file) {
  if (file.empty() && kernel.empty())
    throw model::UsageError("a capture has sizes for each of its kernels, and none was named",
                            "name it with --kernel");
  std::string path = file;
  if (file.empty()) {
    const std::vector<std::string> declared = db::declared_paths(connection, family, kernel);
    if (declared.size() == 1 && std::filesystem::exists(declared.front())) path = declared.front();
  }
  const auto kernels = KernelCatalog::load({path.empty() ? kernel : path}).selected();
  const auto own = std::ranges::find(kernels, kernel, &model::KernelSpec::name);
  return own == kernels.end() ? kernels.front() : *own;
}

}  // namespace tuner::cli
