#pragma once
#include <functional>
#include <ios>
#include <ostream>
#include <streambuf>
#include <string_view>
#include <utility>

namespace tuner::util {

/// A stream that keeps nothing: it hands on each piece that it is given. What `take` throws is not swallowed.
class ReceivingStream final : public std::ostream {
 public:
  explicit ReceivingStream(std::function<void(std::string_view)> take)
      : std::ostream(nullptr), m_pieces(std::move(take)) {
    rdbuf(&m_pieces);
    exceptions(badbit);
  }

 private:
  class Pieces final : public std::streambuf {
   public:
    explicit Pieces(std::function<void(std::string_view)> take) : m_take(std::move(take)) {}

   protected:
    int_type overflow(int_type character) override {
      const char one = traits_type::to_char_type(character);
      m_take({&one, 1});
      return character;
    }
    std::streamsize xsputn(const char* text, std::streamsize count) override {
      m_take({text, static_cast<std::size_t>(count)});
      return count;
    }

   private:
    std::function<void(std::string_view)> m_take;
  };

  Pieces m_pieces;
};

}  // namespace tuner::util
