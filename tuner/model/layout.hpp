#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/model/configuration.hpp"

/// How someone wants tables and charts of trials laid out: plain values, read from a file by config and
/// rendered by reports.
namespace tuner::model::layout {

/// What a cell shows of a trial: `time_ms`, `time`, `interval`, `occupancy`, `registers`, `limiter`,
/// `shared_bytes`, `spill_bytes`, `blocks_per_multiprocessor`, `block`, `grid`, `configuration`, `kernel`, or
/// the name of a metric.
struct Field {
  std::string name;
  std::string heading;  ///< empty: the name in words, with its unit
  double scale = 1;     ///< metrics and time_ms: 0.001 turns GFLOP/s into TFLOP/s
};

/// Which trials a table is about.
struct Filter {
  std::string family;                ///< empty: any
  std::vector<std::string> kernels;  ///< empty: any
  std::vector<Assignment> fixed;     ///< a kernel without such a parameter passes
  std::vector<std::string> sizes;    ///< as Problem::size_text(): `1024`, `512x1024x256`; empty: any
  std::int64_t row_padding = 0;
};

/// One way along which a table varies. Its entries are listed in `choices`, or found in the trials.
struct Axis {
  enum class Kind {
    size,       ///< problem sizes, smallest first; choices: `label` is the size's text
    parameter,  ///< values of `parameters` (joined by ×), in numerical order
    kernel,     ///< kernel names, as Filter::kernels orders them
    choice,     ///< the choices below and nothing else
  };
  /// An entry of its own: matches a trial of `kernel` (empty: of any) whose configuration agrees with every
  /// assignment it has a parameter for. Without `kernel` it must have at least one of them. So `16²` may say
  /// BLOCK_SIZE=16, BLOCK_X=16, BLOCK_Y=16 and fit kernels of both kinds.
  struct Choice {
    std::string label;
    std::string kernel;
    std::vector<Assignment> where;
  };

  Kind kind = Kind::size;
  std::string heading;                  ///< of the leading column for a row axis; empty: chosen from the kind
  std::vector<std::string> parameters;  ///< Kind::parameter
  std::vector<Choice>
      choices;  ///< Kind::choice; for Kind::size and Kind::kernel labels that select and order
};

/// A cell is `NA` where a parameter exceeds a dimension of the problem: a 32×32 block and an 8×8 matrix.
struct NotApplicable {
  std::string parameter;
  std::string dimension;
};

/// A table in someone's own layout. A cell stands for the trials that match the filter, its row and its
/// column, and shows `cell` of the fastest. Without one it says why: `NA` (a NotApplicable rule, or the spec
/// excludes it), `✗ status` (all failed), `-` (never tried).
struct TableLayout {
  std::string title;
  std::string caption;  ///< paragraph under the table; may be empty
  Filter filter;
  std::vector<Axis> rows;     ///< the first varies slowest
  std::vector<Axis> columns;  ///< empty: one column, headed by the cell
  Field cell;
  std::vector<Field> extra;  ///< further columns, of the fastest trial of the row
  std::vector<NotApplicable> not_applicable;
};

/// A chart of `cell` against the problem's size, one line an entry of `series`.
struct ChartLayout {
  std::string title;
  Filter filter;
  Axis series{.kind = Axis::Kind::kernel, .heading = {}, .parameters = {}, .choices = {}};
  Field cell;
};

/// A document in a layout of its own, as a file of `kernels/` describes it.
struct Layout {
  std::string name;
  std::string title;
  std::string introduction;
  std::vector<TableLayout> tables;
  std::vector<ChartLayout> charts;
};

}  // namespace tuner::model::layout
