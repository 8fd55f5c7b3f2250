#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/model/plan.hpp"
#include "tuner/util/text.hpp"

namespace reports {

/// Text from outside (names, logs, commands) made harmless in one format each. All of them accept any bytes;
/// what is not UTF-8 becomes U+FFFD.

/// Inline Markdown (GitHub flavour), fit for a table cell: one line, markup characters escaped. Underscores
/// inside a word stay as they are, since they mean nothing there.
std::string markdown_text(std::string_view text);

/// A fenced block whose fence is longer than any run of backticks inside.
std::string markdown_code_block(std::string_view text);

/// Text or attribute value of HTML and SVG.
std::string html_text(std::string_view text);

/// One RFC 4180 field holding text. A leading `=`, `+`, `-`, `@`, tab or return gets a `'` before it unless
/// it is a number, so that no spreadsheet takes the field for a formula.
std::string csv_text(std::string_view text);
/// A line of them, with its end.
std::string csv_line(const std::vector<std::string>& texts);

/// The first `lines` lines, and a line that says how many were left out.
std::string first_lines(std::string_view text, int lines);

/// The first `most` of these, and how many there are besides: `a, b and 3 more`.
std::string first_of(const std::vector<std::string>& texts, std::size_t most);

/// Texts, each behind the labels that it is said of: `512, 1024`, `TILE_K=8`.
using LabelledTexts = std::vector<std::pair<std::string, std::string>>;
/// Adds a label to its text, which is added where it is new.
void add_labelled(LabelledTexts& texts, const std::string& label, const std::string& text);

/// Lower-case letters, digits and hyphens only: a file name or an anchor. `chart` where nothing is left.
std::string slug(std::string_view text);

/// `value` with `digits` significant digits, never fewer than its integer part has and never in exponent form
/// between 1e-6 and 1e15: 20913, 876.1, 38.25, 0.5030. Not a number: `nan`; infinite: `inf`.
std::string significant(double value, int digits = 4);

/// A time with the unit that suits it: `6.524 µs`, `2.663 ms`, `1.250 s`.
std::string time_text(double ns);

/// Two times in one unit, chosen by the first: `2.655–2.671 ms`.
std::string interval_text(double low_ns, double high_ns);

/// `75 %`, `12.5 %`, `6.25 %`: three significant digits at most.
std::string percent_text(double fraction);

/// A time of the database (UTC, ISO 8601) without its fraction of a second: `2026-11-22T11:01:48Z`.
std::string second_text(const std::string& time);

/// `3.21×`.
std::string ratio_text(double ratio);

/// A ratio close to 1 with its interval: `1.002 (0.999–1.006)`.
std::string ratio_interval_text(double ratio, double low, double high);

/// `512 B`, `48 KiB`, `1.5 MiB`.
std::string bytes_text(std::int64_t bytes);

/// A grid or block: `256`, `32×4`, `16×8×2`; `–` where it is not known, as of a configuration without a plan.
std::string dim_text(const tuner::model::Dim3& extents);

/// The colour of a cell by what stands above it: a status or a verdict (ok, faster: good; failed, slower:
/// bad; dropped, tied, unverified: doubtful), a library or the default against the answer (`× cuBLAS`). All
/// else is plain: a colour that means nothing is noise.
tuner::util::Tone tone_of(std::string_view heading, std::string_view cell);

}  // namespace reports
