#include <fmt/format.h>

#include <algorithm>

#include "config/spec_context.hpp"
#include "config/table_reader.hpp"
#include "tuner/model/ceiling_unit.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace model = tuner::model;
namespace util = tuner::util;

void read_ceiling(TableReader& reader, SpecContext& context) {
  const std::vector<model::Expression> sizes = reader.expressions("ceiling_sizes");
  const auto kind = reader.text("ceiling");
  if (!kind) {
    const Member* alone = reader.table().find("ceiling_sizes");
    if (alone != nullptr && reader.table().find("ceiling") == nullptr) {
      context.mistakes.add(alone->where, "\"ceiling_sizes\" without \"ceiling\"",
                           "it is for kernels that measure what their device can do at most");
    }
    return;
  }
  context.ceiling_place = reader.table().find("ceiling")->value.where;
  const auto kinds = model::ceiling_kinds();
  if (std::find(kinds.begin(), kinds.end(), *kind) == kinds.end()) {
    std::string hint = util::did_you_mean(*kind, kinds, '\"');
    if (hint.empty()) hint = "choose " + util::listed(kinds);
    context.mistakes.add(context.ceiling_place,
                         fmt::format("unknown kind of ceiling \"{}\"", util::one_line(*kind, 40)),
                         std::move(hint));
    return;
  }
  reader.require("ceiling_sizes", "the problem it is measured on, a size each: [\"multiprocessors * 4096\"]");
  context.spec.ceiling = *kind;
  context.spec.ceiling_sizes = sizes;
}

void check_ceiling(const SpecContext& context) {
  const model::KernelSpec& spec = context.spec;
  if (spec.ceiling.empty()) return;
  const std::string unit = spec.metrics.empty() ? "" : spec.metrics.front().name;
  if (model::ceiling_unit(spec.ceiling, unit)) return;
  const std::string found =
      unit.empty() ? "there is no metric" : fmt::format("the first metric is \"{}\"", unit);
  context.mistakes.add(context.ceiling_place, fmt::format("ceiling \"{}\", but {}", spec.ceiling, found),
                       fmt::format("its first metric is kept as the ceiling: name it {}",
                                   model::ceiling_unit_examples(spec.ceiling)));
}

}  // namespace config
