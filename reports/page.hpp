#pragma once
#include <string>
#include <string_view>

#include "reports/summary.hpp"

namespace reports {

/// A file of the folders `reports` and `reports/page`, in the binary. Throws model::Error where there is
/// none.
std::string_view embedded_text(std::string_view path);

/// One self-contained HTML file that loads nothing: the report's JSON and the scripts that draw it. The JSON
/// is that of to_json(), on one line, with these differences: trials are columns_json(); an environment has
/// `headlines` by family; a problem has `searched_text`, `command` and `flags` (see Usage), and its final no
/// coverage.
std::string to_html(const ReportInput& input);

}  // namespace reports
