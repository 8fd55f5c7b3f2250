#include <algorithm>
#include <functional>

#include "config/capture_draft.hpp"
#include "config/source_guesses.hpp"

namespace config {
namespace {

constexpr std::size_t most_recorded_sizes = 8;
constexpr std::int64_t least_product = 64;  ///< of two sizes, that is taken for no accident

class SizeSearch {
 public:
  SizeSearch(const DraftSource& source, const DraftTypes& types, const DraftPlan& plan,
             RecordedLaunches& launches)
      : m_source(source), m_types(types), m_plan(plan), m_launches(launches) {}

  RecordedSizes find() {
    m_found.integers.resize(m_launches.integers.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < m_found.integers.size(); ++i) {
      if (std::ranges::min(values_of(i)) < 1 || name_of(i).empty())
        fix(i);
      else
        open.push_back(i);
    }
    // Those that say how data lies come last: they are often equal to a size.
    std::ranges::stable_partition(open, [&](std::size_t i) { return !is_no_size(name_of(i)); });
    std::vector<std::size_t> products;
    for (const std::size_t i : open) {
      if (is_product(i, open))
        products.push_back(i);
      else
        take(i);
    }
    for (const std::size_t i : products) {
      const auto fitted = fit_extent({m_found.sizes, {}}, values_of(i));
      if (fitted)
        m_found.integers[i] = fitted->text;
      else
        add(i);
    }
    if (m_found.sizes.empty()) size_of_a_buffer();
    return std::move(m_found);
  }

 private:
  const std::string& name_of(std::size_t integer) const { return m_launches.integers[integer].name; }
  const std::vector<std::int64_t>& values_of(std::size_t integer) const {
    return m_launches.integers[integer].values;
  }

  void fix(std::size_t integer) { m_found.integers[integer] = std::to_string(values_of(integer).front()); }

  void take(std::size_t integer) {
    const bool is_same_always =
        std::ranges::adjacent_find(values_of(integer), std::not_equal_to<>()) == values_of(integer).end();
    const auto equal = std::ranges::find(m_found.sizes, values_of(integer), &FitName::values);
    if (is_no_size(name_of(integer)) && equal != m_found.sizes.end())
      m_found.integers[integer] = equal->name;
    else if ((is_no_size(name_of(integer)) && is_same_always) || m_found.sizes.size() == most_recorded_sizes)
      fix(integer);
    else
      add(integer);
  }

  void add(std::size_t integer) {
    const std::string name = free_name(upper(name_of(integer)));
    m_found.sizes.push_back({name, values_of(integer)});
    m_found.integers[integer] = name;
  }

  std::string free_name(const std::string& wanted) const {
    const auto is_taken = [&](const std::string& one) {
      return std::ranges::count(m_plan.parameters, one, &DraftParameter::name) > 0 ||
             std::ranges::count(m_found.sizes, one, &FitName::name) > 0 || one.starts_with("ELEMENT_") ||
             one.starts_with("__");
    };
    std::string free = wanted;
    for (int number = 2; is_taken(free); ++number) free = wanted + '_' + std::to_string(number);
    return free;
  }

  /// `n` of `n`, `rows`, `columns` where it is their product in all launches.
  bool is_product(std::size_t integer, const std::vector<std::size_t>& all) const {
    const std::vector<std::int64_t>& wanted = values_of(integer);
    if (std::ranges::min(wanted) < least_product) return false;
    for (const std::size_t a : all) {
      for (const std::size_t b : all) {
        if (a >= b || a == integer || b == integer) continue;
        bool fits = true;
        for (std::size_t i = 0; i < wanted.size(); ++i)
          fits &=
              values_of(a)[i] > 1 && values_of(b)[i] > 1 && values_of(a)[i] * values_of(b)[i] == wanted[i];
        if (fits) return true;
      }
    }
    return false;
  }

  void size_of_a_buffer() {
    m_launches.forget_others();
    for (const bool of_output : {true, false}) {
      for (std::size_t i = 0; i < m_source.kernel.parameters.size() && m_found.sizes.empty(); ++i) {
        const auto& declared = m_source.kernel.parameters[i];
        const auto type = known_type(m_types.resolved(declared));
        if (!declared.pointer || !type || (of_output && !m_source.uses[i].written)) continue;
        const auto elements = m_launches.elements(i, *type);
        if (!elements.empty() && std::ranges::min(elements) > 0)
          m_found.sizes.push_back({free_name("N"), elements});
      }
    }
    if (m_found.sizes.empty())
      m_found.sizes.push_back({free_name("N"), std::vector<std::int64_t>(m_launches.launches.size(), 1)});
  }

  const DraftSource& m_source;
  const DraftTypes& m_types;
  const DraftPlan& m_plan;
  RecordedLaunches& m_launches;
  RecordedSizes m_found;
};

}  // namespace

RecordedSizes find_recorded_sizes(const DraftSource& source, const DraftTypes& types, const DraftPlan& plan,
                                  RecordedLaunches& launches) {
  return SizeSearch(source, types, plan, launches).find();
}

}  // namespace config
