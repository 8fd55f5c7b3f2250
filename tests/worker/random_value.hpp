#pragma once
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tuner/model/digest.hpp"
#include "tuner/worker/message.hpp"

namespace tuner::test {

/// An archive that gives every field a value drawn from a seed, with the extremes of its type among them.
class RandomValue {
 public:
  explicit RandomValue(unsigned seed) : m_random(seed) {}

  template <class T>
  void operator()(const char*, T& value) {
    draw(value);
  }

  template <class T>
  T make() {
    T value;
    draw(value);
    return value;
  }
  std::size_t below(std::size_t count) { return m_random() % count; }

 private:
  void draw(bool& flag) { flag = below(2) == 0; }
  void draw(double& number) {
    constexpr double odd[] = {0.0,
                              -0.0,
                              0.1,
                              5e-324,
                              std::numeric_limits<double>::max(),
                              -std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::infinity()};
    number =
        below(3) == 0 ? odd[below(std::size(odd))] : std::ldexp(static_cast<double>(m_random()) - 2e9, 7);
  }
  template <std::integral T>
  void draw(T& number) {
    const std::size_t kind = below(4);
    number = kind == 0   ? std::numeric_limits<T>::min()
             : kind == 1 ? std::numeric_limits<T>::max()
                         : static_cast<T>(std::uint64_t{m_random()} << 32U | m_random());
  }
  template <class T>
  requires std::is_enum_v<T>
  void draw(T& enumerator) {
    enumerator = static_cast<T>(below(static_cast<std::size_t>(worker::fields::last<T>) + 1));
  }
  void draw(std::string& text) {
    text.resize(below(4) == 0 ? 300 : below(30));
    for (char& c : text) c = static_cast<char>(m_random());
  }
  void draw(std::vector<std::byte>& bytes) {
    bytes.resize(below(4) == 0 ? 70'000 : below(40));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(m_random());
  }
  void draw(model::Digest& digest) {
    for (auto& byte : digest.bytes) byte = static_cast<std::uint8_t>(m_random());
  }
  /// The deeper the shorter, so that a plan with all its steps stays small.
  template <class T>
  void draw(std::vector<T>& items) {
    items.resize(below(m_depth > 2 ? 2 : 4));
    ++m_depth;
    for (T& item : items) draw(item);
    --m_depth;
  }
  template <class T>
  void draw(std::optional<T>& maybe) {
    maybe.reset();
    if (below(2) == 0) draw(maybe.emplace());
  }
  template <class T>
  requires std::is_class_v<T>
  void draw(T& structure) { describe(*this, structure); }

  std::mt19937 m_random;
  int m_depth = 0;
};

}  // namespace tuner::test
