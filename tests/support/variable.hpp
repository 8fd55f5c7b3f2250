#pragma once
#include <cstdlib>
#include <optional>
#include <string>

namespace tuner::test {

/// A variable of the environment as it is while the object lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : m_name(name) {
    if (const char* before = std::getenv(name)) m_before = before;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { m_before ? ::setenv(m_name, m_before->c_str(), 1) : ::unsetenv(m_name); }

 private:
  const char* m_name;
  std::optional<std::string> m_before;
};

}  // namespace tuner::test
