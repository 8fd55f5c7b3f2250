#pragma once
#include <string_view>

#include "tuner/util/tone.hpp"

namespace reports {

/// The colour of a cell by what stands above it: a status or a verdict (ok, faster: good; failed, slower:
/// bad; dropped, tied, unverified: doubtful), a library or the default against the answer (`× cuBLAS`). All
/// else is plain: a colour that means nothing is noise.
tuner::util::Tone tone_of(std::string_view heading, std::string_view cell);

}  // namespace reports
