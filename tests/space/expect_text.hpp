#pragma once
#include <doctest/doctest.h>

#include <string>

/// Fails the running case, showing `text`, unless `part` stands in it.
inline void expect_text(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CHECK(text.find(part) != std::string::npos);
}
