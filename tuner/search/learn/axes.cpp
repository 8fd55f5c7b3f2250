#include "tuner/search/learn/axes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "tuner/search/learn/facts.hpp"
#include "tuner/search/open_candidates.hpp"

namespace tuner::search::learn {
namespace {

constexpr std::uint16_t absent = space::ConfigurationList::inactive;

bool is_power_of_two(std::int64_t number) {
  return number > 0 && std::has_single_bit(static_cast<std::uint64_t>(number));
}

double twos_in(std::int64_t number) {
  return number > 0 ? std::countr_zero(static_cast<std::uint64_t>(number)) : 0;
}

/// To 0 … 1.
std::vector<float> scaled(const std::vector<double>& raw) {
  const auto [low, high] = std::minmax_element(raw.begin(), raw.end());
  std::vector<float> positions;
  for (const double value : raw)
    positions.push_back(*high > *low ? static_cast<float>((value - *low) / (*high - *low)) : 0.0F);
  return positions;
}

template <typename Function>
Aspect aspect_of(const std::vector<std::int64_t>& numbers, bool ordered, bool derived, const Function& of) {
  std::vector<double> raw;
  for (const std::int64_t number : numbers) raw.push_back(of(number));
  return {scaled(raw), ordered, derived};
}

bool varies(const Aspect& aspect) {
  return std::any_of(aspect.position.begin(), aspect.position.end(),
                     [&](float position) { return position != aspect.position.front(); });
}

/// The aspects of a list of different numbers, ascending.
std::vector<Aspect> aspects_of(const std::vector<std::int64_t>& numbers) {
  const bool positive = numbers.front() > 0;
  std::vector<Aspect> aspects;
  aspects.push_back(aspect_of(numbers, true, false, [&](std::int64_t number) {
    return positive ? std::log2(static_cast<double>(number)) : static_cast<double>(number);
  }));
  if (!positive || numbers.size() < 3) return aspects;
  Aspect broken = aspect_of(numbers, false, true,
                            [](std::int64_t number) { return is_power_of_two(number) ? 0.0 : 1.0; });
  if (!varies(broken)) return aspects;
  aspects.push_back(std::move(broken));
  if (numbers.size() >= 8) aspects.push_back(aspect_of(numbers, true, true, twos_in));
  return aspects;
}

/// Levels each as far from any other.
Aspect apart(std::size_t levels) {
  Aspect which{{}, false, false};
  for (std::size_t level = 0; level < levels; ++level) which.position.push_back(static_cast<float>(level));
  return which;
}

/// An additional level, as far from each of the others as these can be from each other.
void add_absent_level(Axis& axis) {
  ++axis.levels;
  for (Aspect& aspect : axis.aspects) aspect.position.push_back(0);
  Aspect there{std::vector<float>(axis.levels, 0.0F), false, false};
  there.position.back() = 1;
  axis.aspects.push_back(std::move(there));
}

/// 64 to 512 threads are usual.
float oddity_of_threads(std::int64_t threads) {
  if (threads == 0) return 0;
  const double warps = std::log2(static_cast<double>(threads) / 32);
  return static_cast<float>(std::max({0.0, 1 - warps, warps - 4}));
}

}  // namespace

Axes::Axes(const SearchSpace& space)
    : m_space(space), m_candidates(space.size()), m_oddity(space.size(), 0.0F) {
  add_kernels();
  std::vector<std::string> names;
  for (const SearchSpace::Kernel& kernel : space.kernels)
    for (const model::ParameterSpec& parameter : kernel.spec->parameters)
      if (std::find(names.begin(), names.end(), parameter.name) == names.end())
        names.push_back(parameter.name);
  for (const std::string& name : names) add_parameter(name);
  add_threads();
  m_levels.resize(m_candidates * count());
  for (std::size_t axis = 0; axis < count(); ++axis)
    for (std::size_t i = 0; i < m_candidates; ++i) m_levels[i * count() + axis] = m_columns[axis][i];
  m_columns = {};
}

void Axes::add() {
  const std::size_t candidate = m_candidates + m_added.size();
  std::vector<std::uint8_t> levels(count());
  float oddity = 0;
  for (const Column& column : m_rules) {
    const Place place = column.rule(candidate);
    oddity += place.oddity;
    oddity += place.more;
    if (column.axis)
      levels[*column.axis] =
          static_cast<std::uint8_t>(std::min<std::size_t>(place.level, m_axes[*column.axis].levels - 1));
  }
  m_added.push_back(std::move(levels));
  m_oddity.push_back(oddity);
}

float Axes::distance(std::size_t a, std::size_t b) const {
  if (m_axes.empty()) return 0;
  const std::uint8_t* left = levels(a);
  const std::uint8_t* right = levels(b);
  float sum = 0;
  for (std::size_t axis = 0; axis < count(); ++axis) {
    if (left[axis] == right[axis]) continue;
    // The last aspect says whether the parameter is there at all, where there is such a question.
    sum += std::max({0.25F, m_axes[axis].aspects.front().distance(left[axis], right[axis]),
                     m_axes[axis].aspects.back().distance(left[axis], right[axis])});
  }
  return sum / static_cast<float>(count());
}

void Axes::add_axis(Axis axis, const std::vector<std::uint16_t>& level_of_candidate, Rule rule) {
  const auto differs = [&](std::uint16_t level) { return level != level_of_candidate.front(); };
  m_rules.push_back({std::move(rule), std::nullopt});
  if (std::none_of(level_of_candidate.begin(), level_of_candidate.end(), differs)) return;
  m_columns.emplace_back(level_of_candidate.begin(), level_of_candidate.end());
  m_rules.back().axis = m_axes.size();
  m_axes.push_back(std::move(axis));
}

std::vector<std::uint16_t> Axes::levels_by(const Rule& rule) {
  std::vector<std::uint16_t> levels;
  levels.reserve(m_candidates);
  for (std::size_t i = 0; i < m_candidates; ++i) {
    const Place place = rule(i);
    levels.push_back(place.level);
    m_oddity[i] += place.oddity;
    m_oddity[i] += place.more;
  }
  return levels;
}

void Axes::add_kernels() {
  // More kernels than a level has numbers share levels; no family is near that.
  constexpr std::size_t most_kernels = 256;
  const std::size_t kernels = std::min(m_space.kernels.size(), most_kernels);
  Axis axis{"kernel", kernels, {apart(kernels)}};
  const Rule rule = [this](std::size_t candidate) {
    return Place{static_cast<std::uint16_t>(m_space.candidates[candidate].kernel % most_kernels), 0, 0};
  };
  const std::vector<std::uint16_t> levels = levels_by(rule);
  if (!levels.empty()) add_axis(std::move(axis), levels, rule);
}

void Axes::add_parameter(const std::string& name) {
  const SearchSpace& space = m_space;
  // Where each kernel has it, and the values of all of them.
  std::vector<std::optional<std::size_t>> place(space.kernels.size());
  std::vector<model::Value> values;
  for (std::size_t k = 0; k < space.kernels.size(); ++k) {
    const auto& parameters = space.kernels[k].spec->parameters;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (parameters[p].name != name) continue;
      place[k] = p;
      values.insert(values.end(), parameters[p].values.begin(), parameters[p].values.end());
    }
  }
  sort_apart(values);

  bool words = false;
  std::vector<std::int64_t> numbers;
  for (const model::Value& value : values) {
    words = words || value.is_word();
    numbers.push_back(value.code());
  }
  // Level of a value: its rank, or a share of the ranks where there are too many.
  const std::size_t count_of_levels = std::min(values.size(), most_levels);
  const auto level_of = [count_of_levels, all = values.size()](std::size_t rank) {
    return static_cast<std::uint16_t>(rank * count_of_levels / all);
  };
  std::vector<std::vector<std::uint16_t>> ranks(space.kernels.size());
  for (std::size_t k = 0; k < space.kernels.size(); ++k) {
    if (!place[k]) continue;
    for (const model::Value& value : space.kernels[k].spec->parameters[*place[k]].values)
      ranks[k].push_back(
          static_cast<std::uint16_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin()));
  }
  const std::size_t powers =
      static_cast<std::size_t>(std::count_if(numbers.begin(), numbers.end(), is_power_of_two));
  const bool powers_stand_out = !words && powers >= 2 && powers < numbers.size();
  const Rule rule = [this, place, ranks, numbers, level_of, powers_stand_out,
                     away = static_cast<std::uint16_t>(count_of_levels)](std::size_t candidate) {
    const std::size_t kernel = m_space.candidates[candidate].kernel;
    const std::uint16_t coordinate = place[kernel] ? m_space.coordinates(candidate)[*place[kernel]] : absent;
    if (coordinate == absent) return Place{away, 0, 0};
    const std::uint16_t rank = ranks[kernel][coordinate];
    return Place{level_of(rank), powers_stand_out && !is_power_of_two(numbers[rank]) ? 1.0F : 0.0F, 0};
  };
  const std::vector<std::uint16_t> levels = levels_by(rule);
  const bool any_absent = std::find(levels.begin(), levels.end(), count_of_levels) != levels.end();
  if (levels.empty()) return;
  Axis axis{name, count_of_levels, {}};
  if (words) {
    axis.aspects = {apart(count_of_levels)};
  } else {
    std::vector<std::int64_t> of_levels(count_of_levels);
    for (std::size_t rank = numbers.size(); rank-- > 0;) of_levels[level_of(rank)] = numbers[rank];
    axis.aspects = aspects_of(of_levels);
  }
  if (any_absent) add_absent_level(axis);
  add_axis(std::move(axis), levels, rule);
}

void Axes::add_threads() {
  const auto blocks = std::make_shared<BlockThreads>(m_space);
  if (!blocks->says_anything()) return;
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < m_candidates; ++i) numbers.push_back(blocks->of(i));
  sort_apart(numbers);
  if (numbers.empty()) return;
  std::vector<std::int64_t> of_levels(std::min(numbers.size(), most_levels));
  const auto level_of = [levels = of_levels.size(), all = numbers.size()](std::size_t rank) {
    return rank * levels / all;
  };
  for (std::size_t rank = numbers.size(); rank-- > 0;)
    of_levels[level_of(rank)] = std::max<std::int64_t>(1, numbers[rank]);
  const Rule rule = [blocks, numbers, level_of](std::size_t candidate) {
    const std::int64_t threads = blocks->of(candidate);
    const auto found = std::lower_bound(numbers.begin(), numbers.end() - 1, threads);
    const auto rank = static_cast<std::size_t>(found - numbers.begin());
    const bool is_broken = threads % 32 != 0;  // a warp that is not full wastes its share
    return Place{static_cast<std::uint16_t>(level_of(rank)), oddity_of_threads(threads),
                 is_broken ? 1.0F : 0.0F};
  };
  Axis axis{"threads", of_levels.size(), aspects_of(of_levels)};
  for (Aspect& aspect : axis.aspects) aspect.derived = true;
  add_axis(std::move(axis), levels_by(rule), rule);
}

}  // namespace tuner::search::learn
