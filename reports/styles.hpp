#pragma once
#include <string_view>

namespace reports {

/// Style sheets, in the binary: that of every chart, and that of an HTML report.
std::string_view chart_style();
std::string_view page_style();

}  // namespace reports
