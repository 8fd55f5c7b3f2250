#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include "config/capture_draft.hpp"

namespace config {

using model::ElementType;

namespace {

constexpr std::int64_t most_fixed_elements = 64;  ///< of a buffer that may have as many at any size

}  // namespace

ElementType captured_element(const std::string& type) {
  return known_type(type).value_or(ElementType::uint8);
}

CapturedLaunches::CapturedLaunches(DraftSource& source, const CapturePlan& planned)
    : m_source(source), m_planned(planned), m_types(source, planned.plan) {
  choose();
}

void CapturedLaunches::choose() {
  const std::vector<const CapturedLaunch*>& kept = m_planned.launches.kept;
  std::string left_out;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto is_known = [&](std::size_t place) { return sizes_of(place) == sizes_of(i); };
    if (std::ranges::any_of(m_places, is_known)) continue;
    if (const std::string why = i == 0 ? "" : why_not(i); !why.empty()) {
      if (left_out.empty()) left_out = why;
      continue;
    }
    m_alike.push_back(kept[i]);
    m_places.push_back(i);
  }
  if (!left_out.empty())
    m_source.ask(fmt::format("launches of other sizes were kept and are not in the spec: {}", left_out));
}

std::string CapturedLaunches::why_not(std::size_t kept) const {
  const CapturedLaunch& launch = *m_planned.launches.kept[kept];
  const CapturedLaunch& reference = m_planned.launches.reference();
  for (std::size_t i = 0; i < m_source.kernel.parameters.size(); ++i) {
    const auto& parameter = m_source.kernel.parameters[i];
    if (!is_passed_alike(i, kept)) return fmt::format("{} was another value there", parameter.name);
    const CapturedRegion* const region = region_of(launch, i);
    if (region == nullptr) continue;
    const ElementType type = captured_element(m_types.resolved(parameter));
    const CapturedExtent own = extent(*region_of(reference, i), parameter.name, type);
    if (own.is_fixed && region->bytes != region_of(reference, i)->bytes)
      return fmt::format("no size explains how much memory {} has", parameter.name);
    const auto elements = expression_value(own.text, sizes_of(kept));
    if (!elements || *elements * model::size_bytes(type) > region->bytes)
      return fmt::format("{} has less memory there", parameter.name);
  }
  for (const CapturedRegion& region : reference.regions)
    if (!region.variable.empty() && same_region(launch, region, "") == nullptr)
      return fmt::format("{} was not kept there", region.variable);
  return "";
}

/// Integers are what the spec makes of the sizes; all else has the same bytes.
bool CapturedLaunches::is_passed_alike(std::size_t argument, std::size_t kept) const {
  const auto& here = m_planned.launches.kept[kept]->arguments[argument];
  const auto& there = m_planned.launches.reference().arguments[argument];
  if (here.region.has_value() != there.region.has_value()) return false;
  if (here.region) return true;
  for (std::size_t i = 0; i < m_planned.launches.integers.size(); ++i) {
    const RecordedInteger& integer = m_planned.launches.integers[i];
    if (integer.parameter == argument && integer.field.empty())
      return expression_value(m_planned.integers[i], sizes_of(kept)) == integer.values[kept];
  }
  return here.raw == there.raw;
}

std::map<std::string, std::int64_t> CapturedLaunches::sizes_of(std::size_t kept) const {
  std::map<std::string, std::int64_t> sizes;
  for (const FitName& size : m_planned.names.sizes) sizes[size.name] = size.values[kept];
  return sizes;
}

std::string CapturedLaunches::sizes_text(std::size_t launch) const {
  std::string text;
  for (const FitName& size : m_planned.names.sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size.values[m_places[launch]]);
  return text;
}

std::int64_t CapturedLaunches::largest_size(std::size_t dimension) const {
  const std::vector<std::int64_t>& values = m_planned.names.sizes[dimension].values;
  return std::ranges::max(m_places | std::views::transform([&](std::size_t place) { return values[place]; }));
}

std::string CapturedLaunches::file_part() const {
  std::vector<std::string> names;
  for (const FitName& size : m_planned.names.sizes) names.push_back('{' + size.name + '}');
  return m_alike.size() == 1 ? "" : fmt::format(".{}", fmt::join(names, "x"));
}

std::string CapturedLaunches::file_part(std::size_t launch) const {
  return m_alike.size() == 1 ? "" : '.' + sizes_text(launch);
}

std::int64_t CapturedLaunches::bytes(std::size_t launch, const CapturedExtent& extent,
                                     ElementType type) const {
  return expression_value(extent.text, sizes_of(m_places[launch])).value_or(0) * model::size_bytes(type);
}

CapturedExtent CapturedLaunches::extent(const CapturedRegion& region, const std::string& name,
                                        ElementType type) const {
  const std::int64_t own = region.bytes / model::size_bytes(type);
  if (!region.variable.empty()) return {std::to_string(own), "as it is declared"};
  std::vector<std::int64_t> elements;
  for (const CapturedLaunch* launch : m_planned.launches.kept) {
    const CapturedRegion* const same = same_region(*launch, region, name);
    if (same != nullptr) elements.push_back(same->bytes / model::size_bytes(type));
  }
  const auto from = [&](const FittedExpression& fitted) {
    return fitted.rival.empty() ? reach_of(region) : fmt::format("? {} is as many", fitted.rival);
  };
  if (elements.size() == m_planned.launches.kept.size()) {
    if (const std::string text = indexed(name); !text.empty() && gives(text, elements))
      return {text, "by the kernel's indices"};
    if (auto of_grid = of_blocks(name, elements)) return *std::move(of_grid);
    if (const auto fitted = fit_extent({m_planned.names.sizes, {}}, elements))
      return {fitted->text, from(*fitted)};
    // `float4`: a size may count its components.
    const int wide = model::components(type);
    std::vector<std::int64_t> components = elements;
    for (std::int64_t& count : components) count *= wide;
    if (const auto fitted = fit_extent({m_planned.names.sizes, {}}, components); fitted && wide > 1)
      return {fmt::format("ceil_div({}, {})", fitted->text, wide), from(*fitted)};
  }
  if (own <= most_fixed_elements && std::ranges::count(elements, own) == std::ssize(elements))
    return {std::to_string(own), "so many in every launch"};
  // Memory for the largest size, used for smaller ones as well.
  std::vector<FitName> here = m_planned.names.sizes;
  for (FitName& size : here) size.values.resize(1);
  if (const auto fitted = fit_extent({here, {}}, {own}))
    if (const auto text = largest_within(fitted->text, elements))
      return {*text, fmt::format("? {}; in other launches there was more than that", reach_of(region))};
  return {std::to_string(own), fmt::format("? {}; no size explains it", reach_of(region)), true};
}

/// A region ends with its allocation, or where another argument leads to.
std::string CapturedLaunches::reach_of(const CapturedRegion& region) const {
  const CapturedLaunch& launch = m_planned.launches.reference();
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const CapturedRegion* const next = region_of(launch, i);
    if (next != nullptr && next->address == region.address + static_cast<std::uint64_t>(region.bytes))
      return fmt::format("up to where {} begins", m_source.kernel.parameters[i].name);
  }
  return "all that the pointer reached";
}

/// Of `fitted` and the products of sizes that are as many in the first launch: where sizes are alike there,
/// the one that asks for most in the others, and for no more than they had.
std::optional<std::string> CapturedLaunches::largest_within(const std::string& fitted,
                                                            const std::vector<std::int64_t>& elements) const {
  std::vector<std::string> texts = {fitted};
  std::vector<std::string> products = {""};
  constexpr int most_factors = 3;
  for (int factors = 1; factors <= most_factors; ++factors) {
    std::vector<std::string> longer;
    for (const std::string& product : products)
      for (const FitName& size : m_planned.names.sizes)
        longer.push_back(product.empty() ? size.name : product + " * " + size.name);
    texts.insert(texts.end(), longer.begin(), longer.end());
    products = std::move(longer);
  }
  const std::int64_t first = expression_value(fitted, sizes_of(0)).value_or(0);
  std::optional<std::string> best;
  double most = 0;
  for (const std::string& text : texts) {
    if (expression_value(text, sizes_of(0)) != first || !holds(text, elements)) continue;
    double sum = 0;
    for (std::size_t i = 0; i < elements.size(); ++i)
      sum += static_cast<double>(expression_value(text, sizes_of(i)).value_or(0));
    if (sum > most) best = text;
    most = std::max(most, sum);
  }
  return best;
}

std::optional<std::size_t> CapturedLaunches::place_of(const std::string& name) const {
  const auto& parameters = m_source.kernel.parameters;
  const auto at = std::ranges::find(parameters, name, &SourceParameter::name);
  return at == parameters.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(at - parameters.begin()));
}

std::string CapturedLaunches::indexed(const std::string& name) const {
  const auto place = place_of(name);
  return place ? product_text(indexed_extent(m_source, m_planned.plan, *place)) : "";
}

std::optional<CapturedExtent> CapturedLaunches::of_blocks(const std::string& name,
                                                          const std::vector<std::int64_t>& elements) const {
  const auto place = place_of(name);
  const DraftPlan& plan = m_planned.plan;
  if (!place || m_source.shapes[*place].empty()) return std::nullopt;
  CapturedExtent found{"", "one for each block"};
  for (const std::string& dimension : m_source.shapes[*place]) {
    const auto axis = static_cast<std::size_t>(dimension.back() - 'x');
    if (!dimension.starts_with("gridDim.") || axis >= plan.grid.size()) return std::nullopt;
    std::string text;
    for (const Token& token : source::tokens_of(plan.grid[axis])) {
      const DraftParameter* const parameter = plan.parameter(token.text);
      if (parameter == nullptr) {
        text += token.is(",") ? ", " : std::string(token.text);
        continue;
      }
      text += parameter->usual;
      found.by.insert(parameter->name);
    }
    found.text += (found.text.empty() ? "" : " * ") + text;
  }
  return gives(found.text, elements) ? std::optional(found) : std::nullopt;
}

bool CapturedLaunches::gives(const std::string& extent, const std::vector<std::int64_t>& elements) const {
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (expression_value(extent, sizes_of(i)) != elements[i]) return false;
  return true;
}

/// Each kept launch had at least as much.
bool CapturedLaunches::holds(const std::string& extent, const std::vector<std::int64_t>& elements) const {
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (expression_value(extent, sizes_of(i)).value_or(elements[i] + 1) > elements[i]) return false;
  return elements.size() == m_planned.launches.kept.size();
}

const CapturedRegion* CapturedLaunches::region_of(const CapturedLaunch& launch, std::size_t argument) {
  const auto region = launch.arguments[argument].region;
  return region ? &launch.regions[static_cast<std::size_t>(*region)] : nullptr;
}

const CapturedRegion* CapturedLaunches::same_region(const CapturedLaunch& launch, const CapturedRegion& like,
                                                    const std::string& name) const {
  if (!like.variable.empty()) {
    const auto found = std::ranges::find(launch.regions, like.variable, &CapturedRegion::variable);
    return found == launch.regions.end() ? nullptr : &*found;
  }
  const auto& parameters = m_source.kernel.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name == name && launch.arguments[i].region) return region_of(launch, i);
  return nullptr;
}

}  // namespace config
