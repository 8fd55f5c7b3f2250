// What a program puts into a buffer before it launches a kernel.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/access.hpp"
#include "tuner/source/host_code.hpp"

namespace tuner::source {
namespace {

constexpr int most_copies = 4;  ///< from buffer to buffer

/// An expression without brackets and casts around all of it, those to numbers too.
Tokens without_casts(Tokens tokens) {
  while (tokens.size() > 2) {
    std::size_t open = 0;
    if (tokens[0].is("static_cast") && tokens[1].is("<")) open = behind_bracket(tokens, 1);
    if (bytes_of(tokens[0].text) > 0) open = 1;
    if (open >= tokens.size() || !tokens[open].is("(")) return tokens;
    const std::size_t end = behind_bracket(tokens, open);
    const Tokens inside = tokens.subspan(open + 1, std::max(end, open + 2) - open - 2);
    if (end == tokens.size()) {
      tokens = inside;
    } else if (open == 0 && std::ranges::all_of(inside, &Token::is_word) &&
               find_outside(tokens, end, {"*", "/", "%", "+", "-"}) == tokens.size()) {
      tokens = tokens.subspan(end);
    } else {
      return tokens;
    }
  }
  return tokens;
}

bool is_random_call(Tokens tokens) {
  if (tokens.size() > 1 && tokens[0].is("std") && tokens[1].is("::")) tokens = tokens.subspan(2);
  return tokens.size() == 3 && is_one_of(tokens[0].text, {"rand", "random"}) && tokens[1].is("(");
}

/// The loop `for (int i = 0; i < bound; ++i)`.
struct CountingLoop {
  std::string_view counter;
  Tokens bound;
};

/// What stands in the brackets of a `for`; none: it counts in another way.
std::optional<CountingLoop> counting_loop(Tokens header) {
  const std::size_t first = find_one_of(header, {";"});
  const std::size_t second = find_outside(header, std::min(first + 1, header.size()), {";"});
  if (second >= header.size() || first < 3 || second < first + 4) return std::nullopt;
  const Tokens start = header.first(first);
  const Tokens condition = header.subspan(first + 1, second - first - 1);
  const Tokens step = header.subspan(second + 1);
  const std::string_view counter = condition[0].text;
  const bool starts = start[first - 3].is(counter) && start[first - 2].is("=") && start[first - 1].is("0");
  const bool ends = condition[1].is("<") && !is_one_of(condition[2].text, {"=", "<"}) &&
                    find_one_of(condition, {"&", "|", "?"}) == condition.size();
  const std::string stepped = joined(step);
  const bool steps = stepped == "++" + std::string(counter) || stepped == std::string(counter) + "++";
  if (!starts || !ends || !steps) return std::nullopt;
  return CountingLoop{counter, condition.subspan(2)};
}

/// Reads what a function writes to a buffer, one write after the other.
class ContentsReader {
 public:
  ContentsReader(HostCode& host, const LaunchArgument& argument)
      : m_host(host),
        m_argument(argument),
        m_frame(*argument.origin.frame),
        m_body(m_frame.function->body),
        m_launch(std::min(m_frame.position - m_frame.function->begin, m_body.size())) {}

  BufferContents read() { return at(m_argument.origin.path, m_launch, 0); }

 private:
  using Kind = BufferContents::Kind;

  static BufferContents of(Kind kind) {
    BufferContents found;
    found.kind = kind;
    return found;
  }

  /// What the buffer of this name holds where the token at `end` stands.
  BufferContents at(std::string_view name, std::size_t end, int copies) {
    BufferContents now;
    for (std::size_t i = 1; i < end && i + 2 < m_body.size(); ++i) {
      const bool is_member =
          is_one_of(m_body[i - 1].text, {".", "::"}) || (m_body[i - 1].is(">") && m_body[i - 2].is("-"));
      if (!m_body[i].is(name) || is_member) continue;
      if (const auto written = write(i, copies)) now = *written;
    }
    return now;
  }

  /// None: the buffer's name at `i` writes nothing to it.
  std::optional<BufferContents> write(std::size_t i, int copies) {
    const Token& before = m_body[i - 1];
    if (m_body[i + 1].is("[") && !before.is("&")) {
      const std::size_t behind = behind_bracket(m_body, i + 1);
      if (!changes(i, behind)) return std::nullopt;
      return stored(i, behind);
    }
    if (m_body[i + 1].is("=") && !m_body[i + 2].is("="))
      return made(m_body.subspan(i + 2, find_outside(m_body, i + 2, {";", ","}) - i - 2), i);
    const bool is_first = before.is("*") && is_one_of(m_body[i - 2].text, {";", "{", "}", ")"});
    const bool only_asks =
        is_one_of(m_body[i + 2].text, {"data", "size", "begin", "end", "get", "empty", "cbegin", "cend"});
    const bool is_changed = m_body[i + 1].is(".") && !only_asks;
    if (is_first || is_changed || is_one_of(before.text, {"=", ":"})) return BufferContents();
    return given(i, copies);
  }

  /// The element between `i` and `behind` is assigned, or changed in another way.
  bool changes(std::size_t i, std::size_t behind) const {
    while (behind + 2 < m_body.size() && is_one_of(m_body[behind].text, {".", "["}))
      behind = m_body[behind].is("[") ? behind_bracket(m_body, behind) : behind + 2;
    if (behind + 2 >= m_body.size()) return false;
    const std::string_view one = m_body[behind].text;
    const std::string_view next = m_body[behind + 1].text;
    const bool steps = is_one_of(one, {"+", "-"}) && next == one;
    const bool updates = is_one_of(one, {"+", "-", "*", "/", "%", "&", "|", "^"}) && next == "=";
    const bool shifts = is_one_of(one, {"<", ">"}) && next == one && m_body[behind + 2].is("=");
    const bool is_read_into = m_body[i - 1].is(">") && m_body[i - 2].is(">");
    const bool is_stepped = is_one_of(m_body[i - 1].text, {"+", "-"}) && m_body[i - 2].is(m_body[i - 1].text);
    return (one == "=" && next != "=") || steps || updates || shifts || is_read_into || is_stepped;
  }

  /// `h[i] = rand() % below`, where the brackets end at `behind`.
  BufferContents stored(std::size_t i, std::size_t behind) {
    if (!m_body[behind].is("=")) return {};
    const std::size_t end = behind + find_one_of(m_body.subspan(behind), {";"});
    BufferContents found = value(m_body.subspan(behind + 1, end - behind - 1), i);
    return fills_all(i, behind) ? found : doubtful(found);
  }

  BufferContents value(Tokens tokens, std::size_t i) {
    tokens = without_casts(tokens);
    if (tokens.size() == 1 && tokens[0].kind == Token::Kind::number) {
      const double number = std::strtod(std::string(tokens[0].text).c_str(), nullptr);
      return of(number == 0 ? Kind::zero : number == 1 ? Kind::one : Kind::unknown);
    }
    const std::size_t split = find_outside(tokens, 0, {"%", "/"});
    if (split + 1 >= tokens.size() || !is_random_call(without_casts(tokens.first(split)))) return {};
    const Tokens right = tokens.subspan(split + 1);
    if (tokens[split].is("%")) {
      if (find_outside(right, 0, {"%", "/", "*", "+", "-", "?", "<", ">", "&", "|"}) < right.size())
        return {};
      return whole(right, i);
    }
    const Tokens largest = without_casts(right);
    const bool is_real = std::ranges::any_of(tokens, [](const Token& token) {
      return token.is_word() && !is_integer_type(token.text) &&
             !is_one_of(token.text, {"std", "rand", "random", "RAND_MAX", "static_cast"});
    });
    return of(is_real && largest.size() == 1 && largest[0].is("RAND_MAX") ? Kind::unit : Kind::unknown);
  }

  BufferContents whole(Tokens below, std::size_t i) {
    BufferContents found;
    found.below = m_host.evaluate(below, *frame_at(i));
    if (found.below.is_known()) found.kind = Kind::whole;
    return found;
  }

  const Frame* frame_at(std::size_t i) {
    Frame here = m_frame;
    here.position = here.function->begin + i;
    return m_host.keep(here);
  }

  /// What may be so in part: a number would stand for more than one is sure of.
  static BufferContents doubtful(BufferContents contents) {
    if (contents.kind == Kind::zero || contents.kind == Kind::one) return {};
    contents.is_guess = true;
    return contents;
  }

  /// The store at `i` is the statement of a loop over all elements, or one of its statements.
  bool fills_all(std::size_t i, std::size_t behind) {
    const std::vector<std::size_t> around = statements_around(m_body, i);
    if (around.empty() || !m_body[around.front()].is("for")) return false;
    const std::size_t begin = around.front();
    const Tokens statement = m_body.subspan(begin, behind_statement(m_body, begin) - begin);
    if (find_one_of(statement, {"continue", "break", "return", "goto"}) < statement.size()) return false;
    const auto loop = counting_loop(inside_bracket(m_body, begin + 1));
    const bool is_element = behind == i + 4 && loop && m_body[i + 2].is(loop->counter);
    return is_element && is_sure(begin) &&
           is_whole(
               multiply(m_host.evaluate(loop->bound, *frame_at(i)), m_host.size_of(m_argument.origin.type)));
  }

  bool is_whole(const Value& bytes) const {
    return !m_argument.bytes.is_known() || same(bytes, m_argument.bytes);
  }

  /// What stands at `i` runs whenever the launch does.
  bool is_sure(std::size_t i) const {
    return std::ranges::all_of(statements_around(m_body, i), [&](std::size_t begin) {
      return behind_statement(m_body, m_body[begin].is("else") ? begin + 1 : begin) > m_launch;
    });
  }

  /// `int* h = make_random_int(n, below)`: its name alone tells.
  BufferContents made(Tokens init, std::size_t i) {
    const std::size_t open = find_one_of(init, {"("});
    if (open == 0 || open == init.size() || !init[open - 1].is_word()) return {};
    const std::string_view maker = init[open - 1].text;
    const auto has = [&](std::string_view part) { return maker.find(part) != std::string_view::npos; };
    const std::vector<Tokens> given = expression_parts(inside_bracket(init, open));
    BufferContents found;
    if (has("zero")) found.kind = Kind::zero;
    if (has("ones")) found.kind = Kind::one;
    if (has("rand") && has("01")) found.kind = Kind::unit;
    if (has("rand") && has("int") && given.size() == 2) found = whole(given[1], i);
    found.is_guess = true;
    return found;
  }

  /// The buffer is handed on at `i`, to a call or a launch.
  std::optional<BufferContents> given(std::size_t i, int copies) {
    std::size_t index = 0;
    for (std::size_t at = i; at-- > 1;) {
      const Token& token = m_body[at];
      if (token.is(";")) return std::nullopt;
      if (token.is("{")) {
        const bool begins_block = is_one_of(m_body[at - 1].text, {")", "{", "}", ";", "else", "do", "try"});
        return begins_block ? std::nullopt : std::optional(BufferContents());
      }
      if (is_one_of(token.text, {")", "]", "}"})) at = opening_bracket(m_body, at);
      if (token.is(",")) ++index;
      if (!token.is("(")) continue;
      const std::size_t name = called(at);
      if (m_body[name].is_word() && !m_body[name].text.ends_with("_cast"))
        return passed(name, at, index, copies);
      index = 0;
    }
    return std::nullopt;
  }

  /// The name of what the bracket at `open` calls or launches, before its template arguments and its launch.
  std::size_t called(std::size_t open) const {
    std::size_t name = open - 1;
    if (!m_body[name].is(">")) return name;
    int depth = 0;
    while (name > 0) {
      depth += m_body[name].is(">") ? 1 : m_body[name].is("<") ? -1 : 0;
      if (m_body[name].is(";")) return 0;
      --name;
      if (depth == 0 && !m_body[name].is(">") && !m_body[name].is("<")) break;
    }
    return name;
  }

  std::optional<BufferContents> passed(std::size_t name, std::size_t open, std::size_t index, int copies) {
    const std::string_view callee = m_body[name].text;
    const std::vector<Tokens> given = expression_parts(inside_bracket(m_body, open));
    if (is_allocation(callee) || callee.starts_with("cudaMemPrefetch") ||
        callee.starts_with("cudaMemAdvise") ||
        is_one_of(callee, {"malloc", "free", "cudaFree", "sizeof", "printf", "assert", "if", "while", "for"}))
      return std::nullopt;
    const bool sets = callee == "memset" || callee.starts_with("cudaMemset");
    const bool has_bytes = (sets || is_copy(callee)) && given.size() > 2;
    const bool is_sure_here =
        has_bytes && is_sure(name) && is_whole(m_host.evaluate(given[2], *frame_at(name)));
    if (sets) {
      if (index > 0 || given.size() < 2) return std::nullopt;
      const BufferContents zero =
          of(given[1].size() == 1 && given[1][0].is("0") ? Kind::zero : Kind::unknown);
      return is_sure_here ? zero : doubtful(zero);
    }
    if (callee.find("emcpy") != std::string_view::npos && index > 0) return std::nullopt;
    if (has_bytes) {
      const std::string_view source = buffer_in(given[1]);
      if (source.empty() || copies == most_copies) return BufferContents();
      const BufferContents copied = at(source, name, copies + 1);
      return is_sure_here ? copied : doubtful(copied);
    }
    for (const ProgramFunction& function : m_host.program().functions()) {
      if (function.name != callee || index >= function.parameters.size()) continue;
      if (!pointer_uses(m_host.program(), function)[index].written) return std::nullopt;
    }
    return BufferContents();
  }

  static bool is_copy(std::string_view callee) {
    return is_one_of(callee, {"memcpy", "cudaMemcpy", "cudaMemcpyAsync"});
  }

  /// `h`, `h.data()` and `&h[0]`; empty: it begins elsewhere.
  static std::string_view buffer_in(Tokens tokens) {
    tokens = uncast(tokens);
    const bool is_address = tokens.size() == 5 && tokens[0].is("&") && tokens[3].is("0");
    if (is_address) return tokens[1].text;
    const bool is_vector = tokens.size() == 5 && tokens[2].is("data");
    const bool is_name = tokens.size() == 1 && tokens[0].is_word();
    return is_name || is_vector ? tokens[0].text : std::string_view();
  }

  HostCode& m_host;
  const LaunchArgument& m_argument;
  const Frame& m_frame;
  Tokens m_body;
  std::size_t m_launch;  ///< where in the body the way to the launch leaves it
};

}  // namespace

bool is_allocation(std::string_view name) {
  return is_one_of(name, {"cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", "cudaMallocHost",
                          "cudaHostAlloc", "cudaMallocPitch"});
}

BufferContents contents_of(HostCode& host, const LaunchArgument& argument) {
  const Frame* const frame = argument.origin.frame;
  if (frame == nullptr || frame->function == nullptr || frame->position < frame->function->begin) return {};
  return ContentsReader(host, argument).read();
}

}  // namespace tuner::source
