#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>

#include "reports/json.hpp"
#include "reports/table.hpp"
#include "tuner/cli/answers/show.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

using reports::Align;
using sass::KernelCode;
using sass::Mix;

/// A figure of instructions, as their description has it.
struct MixFigure {
  std::string name;
  bool counts_instructions = false;
  double value = 0;
};

/// The archive that lists the figures of a Mix.
class MixFigures {
 public:
  template <class T>
  void operator()(const model::Figure& figure, const T& value) {
    m_list.push_back(
        {figure.name, std::string_view(figure.unit) == "instructions", static_cast<double>(value)});
    std::ranges::replace(m_list.back().name, '_', ' ');
  }
  std::vector<MixFigure> take() { return std::move(m_list); }

 private:
  std::vector<MixFigure> m_list;
};

std::vector<MixFigure> figures_of(const Mix& mix) {
  MixFigures figures;
  describe(figures, mix);
  return figures.take();
}

std::string count_text(double count) {
  return count == 0 ? "" : fmt::format("{:.0f}", std::ceil(count));
}

std::string share_text(double count, const Mix& of) {
  return count == 0 || of.instructions == 0 ? "" : fmt::format("{:.1f}", 100 * count / of.instructions);
}

/// Columns for the depths of loops. Where there is no room, the outermost go first, then those of the
/// hot loop.
reports::Table depth_table(const KernelCode& kernel, const std::string& heading) {
  reports::Table table({{heading}});
  for (const sass::DepthMix& at : kernel.depths)
    table.add_column(at.depth == 0 ? "no loop" : fmt::format("depth {}", at.depth), Align::right, false,
                     at.depth + 1);
  if (kernel.hot_loop >= 0) table.add_column("hot loop", Align::right);
  return table;
}

reports::Table mix_table(const KernelCode& kernel) {
  reports::Table table = depth_table(kernel, "instructions");
  table.add_column("%", Align::right);
  std::vector<std::vector<MixFigure>> columns;
  for (const sass::DepthMix& at : kernel.depths) columns.push_back(figures_of(at.mix));
  if (kernel.hot_loop >= 0) columns.push_back(figures_of(kernel.hot_mix()));
  if (columns.empty()) return table;
  for (std::size_t row = 0; row < columns.front().size(); ++row) {
    std::vector<std::string> cells = {columns.front()[row].name};
    for (const auto& column : columns) cells.push_back(count_text(column[row].value));
    const MixFigure& last = columns.back()[row];
    cells.push_back(last.counts_instructions ? share_text(last.value, kernel.hot_mix()) : "");
    const bool is_empty =
        std::all_of(cells.begin() + 1, cells.end(), [](const auto& cell) { return cell.empty(); });
    if (!is_empty) table.add_row(std::move(cells));
  }
  return table;
}

std::string access_text(const sass::Access& access) {
  if (access.space == sass::Space::global_to_shared)
    return fmt::format("global to shared, {} bits", access.bits);
  return fmt::format("{} {}, {} bits", word_of(access.space), access.writes ? "store" : "load", access.bits);
}

reports::Table access_table(const KernelCode& kernel) {
  reports::Table table = depth_table(kernel, "of each lane");
  std::map<sass::Access, std::map<int, int>> rows;
  for (const sass::AccessCount& each : kernel.accesses) rows[each.access][each.depth] += each.count;
  for (auto& [access, by_depth] : rows) {
    std::vector<std::string> cells = {access_text(access)};
    for (const sass::DepthMix& at : kernel.depths) cells.push_back(count_text(by_depth[at.depth]));
    int hot = 0;
    for (const sass::AccessCount& each : kernel.hot_accesses) hot += each.access == access ? each.count : 0;
    if (kernel.hot_loop >= 0) cells.push_back(count_text(hot));
    table.add_row(std::move(cells));
  }
  return table;
}

std::string kernel_sentence(const TrialCode& code) {
  const KernelCode& kernel = code.kernel();
  std::string text =
      fmt::format("{} for {}: {}{}", kernel.symbol, kernel.architecture,
                  util::counted(kernel.mix.instructions, "instruction"),
                  kernel.loops.empty() ? ", no loop" : " in " + util::counted(kernel.loops.size(), "loop"));
  if (kernel.left_out > 0)
    text += fmt::format("; {} of padding or for diverged warps left out", kernel.left_out);
  if (kernel.irreducible) text += "; a loop is entered at several places";
  for (std::size_t i = 0; i < code.kernels.size(); ++i) {
    if (i != code.first) text += fmt::format("; the binary also has {}", code.kernels[i].symbol);
  }
  return text;
}

std::string hot_sentence(const KernelCode& kernel) {
  const sass::Loop* const loop = kernel.hottest();
  if (loop == nullptr) return "the kernel, which has no loop";
  std::string text = fmt::format("hot loop: from {:x}, depth {}, {}", loop->first, loop->depth,
                                 util::counted(loop->mix.instructions, "instruction"));
  if (loop->every_turn >= 0 && loop->every_turn < loop->mix.instructions)
    text += fmt::format(", {} of them in every turn (the others are marked ?)", loop->every_turn);
  if (loop->line > 0) text += fmt::format(", from {}:{}", loop->file, loop->line);
  std::map<std::string_view, int> marks;
  for (const sass::MarkedInstruction& each : kernel.hot)
    if (each.mark != sass::Mark::none) ++marks[word_of(each.mark)];
  std::string separator = "; marks: ";
  for (const auto& [mark, count] : marks) {
    text += fmt::format("{}{} {}", separator, count, mark);
    separator = ", ";
  }
  return text;
}

std::string hot_text(const KernelCode& kernel, std::size_t columns) {
  constexpr std::size_t hanging = 20;
  std::string text;
  for (const sass::MarkedInstruction& each : kernel.hot)
    text += util::wrapped_text(fmt::format("{:6x} {} {:<8} {}", each.address, each.every_turn ? ' ' : '?',
                                           word_of(each.mark), each.text),
                               columns, hanging);
  return text;
}

/// Figures of two parts of code that differ by more than a little.
void add_differences(const std::string& where, const Mix& a, const Mix& b, reports::Table& table) {
  constexpr double little = 0.05;
  constexpr double little_share = 0.005;
  const std::vector<MixFigure> of_a = figures_of(a);
  const std::vector<MixFigure> of_b = figures_of(b);
  const auto share = [](double count, const Mix& of) {
    return of.instructions == 0 ? 0 : count / of.instructions;
  };
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const double x = of_a[i].value;
    const double y = of_b[i].value;
    const bool differs = std::abs(x - y) > little * std::max(x, y);
    const bool matters = std::abs(x - y) > little_share * std::max(a.instructions, b.instructions);
    const bool counts = of_a[i].counts_instructions;
    const bool is_total = i == 0;
    if (!differs || !(matters || std::abs(share(x, a) - share(y, b)) > little_share)) continue;
    const bool has_share = counts && !is_total;
    table.add_row({where, of_a[i].name, count_text(x), has_share ? share_text(x, a) : "", count_text(y),
                   has_share ? share_text(y, b) : ""});
  }
}

}  // namespace

std::string code_text(const TrialCode& code, const Style& style) {
  const KernelCode& kernel = code.kernel();
  std::string text = style.wrapped(kernel_sentence(code)) + '\n';
  text += mix_table(kernel).fitted(style.columns, "--format json");
  const reports::Table accesses = access_table(kernel);
  if (!accesses.empty()) text += '\n' + accesses.fitted(style.columns, "--format json");
  return text + '\n' + style.wrapped(hot_sentence(kernel)) + hot_text(kernel, style.columns);
}

std::string codes_text(const TrialCode& a, const TrialCode& b, const Style& style) {
  std::string text;
  for (const auto& [name, code] : {std::pair("A ", &a), std::pair("B ", &b)}) {
    text += style.wrapped(name + style.id(code->trial.key) + ' ' + kernel_sentence(*code));
    text += style.wrapped("  " + hot_sentence(code->kernel()));
  }
  reports::Table table({{""},
                        {"differs"},
                        {"A", Align::right},
                        {"A %", Align::right},
                        {"B", Align::right},
                        {"B %", Align::right}});
  add_differences("hot loop", a.kernel().hot_mix(), b.kernel().hot_mix(), table);
  add_differences("kernel", a.kernel().mix, b.kernel().mix, table);
  if (table.empty()) return text + "\nno figure differs by more than a little\n";
  return text + '\n' + table.fitted(style.columns, "--format json");
}

std::string code_json(const std::vector<TrialCode>& codes) {
  reports::Json all = reports::Json::array();
  for (const TrialCode& code : codes) {
    all.push_back({{"trial", db::json_of(code.trial.key)},
                   {"kernel", code.trial.kernel},
                   {"configuration", db::json_of(code.trial.configuration)},
                   {"binary", db::json_of(code.trial.binary_key)},
                   {"first", code.first},
                   {"note", ""},  // programs read it
                   {"kernels", db::json_of(code.kernels)}});
  }
  return reports::json_text({{"schema_version", 1}, {"trials", std::move(all)}});
}

}  // namespace tuner::cli::answers
