#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "tuner/source/access.hpp"
#include "tuner/source/host_code.hpp"

namespace tuner::source {
namespace {

using Shape = std::vector<std::string>;

std::string written(Tokens tokens) {
  std::string text;
  for (const Token& token : tokens) text += token.text;
  return text;
}

bool is_cast(Tokens inside) {
  return !inside.empty() && std::ranges::all_of(inside, [](const Token& token) {
    return token.text.ends_with("_t") ||
           is_one_of(token.text, {"int", "unsigned", "long", "short", "signed", "const", "std", "::"});
  });
}

/// Without parentheses and casts around all of it.
Tokens bare(Tokens tokens) {
  while (!tokens.empty()) {
    std::size_t begin = 0;
    if (tokens[0].is("static_cast") && tokens.size() > 2) begin = 1 + find_one_of(tokens.subspan(1), {"("});
    if (begin >= tokens.size() || !tokens[begin].is("(")) break;
    const std::size_t behind = behind_bracket(tokens, begin);
    const Tokens inside = tokens.subspan(begin + 1, behind - begin - 2);
    if (behind == tokens.size() && behind > begin + 1)
      tokens = inside;
    else if (begin == 0 && is_cast(inside))
      tokens = tokens.subspan(behind);
    else
      break;
  }
  return tokens;
}

/// The parts between `sign`s outside brackets; behind a `-` a part only moves the index.
std::vector<Tokens> split(Tokens tokens, std::string_view sign) {
  std::vector<Tokens> all;
  std::size_t begin = 0;
  bool is_kept = true;
  const auto end_part = [&](std::size_t at) {
    if (is_kept && at > begin) all.push_back(tokens.subspan(begin, at - begin));
    begin = at + 1;
  };
  for (std::size_t at = 0; at < tokens.size();) {
    if (is_one_of(tokens[at].text, {"(", "[", "{"})) {
      at = behind_bracket(tokens, at);
      continue;
    }
    if (tokens[at].is(sign) || (sign == "+" && tokens[at].is("-"))) {
      end_part(at);
      is_kept = tokens[at].is(sign);
    }
    ++at;
  }
  end_part(tokens.size());
  return all;
}

class Indexing {
 public:
  Indexing(const Program& program, const ProgramFunction& kernel)
      : m_program(program), m_kernel(kernel), m_body(kernel.body) {
    for (const SourceParameter& parameter : kernel.parameters)
      if (!parameter.pointer) m_integers.insert(parameter.name);
    for (const TemplateParameter& parameter : kernel.template_parameters)
      if (parameter.type != "typename") m_integers.insert(parameter.name);
    for (std::size_t at = 0; at + 2 < m_body.size(); ++at) {
      read_definition(at);
      read_bound(at);
    }
  }

  std::vector<Shape> shapes() {
    std::vector<Shape> all(m_kernel.parameters.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      if (m_kernel.parameters[i].pointer && !m_kernel.parameters[i].name.empty())
        all[i] = shape_of(m_kernel.parameters[i]);
    return all;
  }

  std::vector<RowEnd> row_ends(const SourceParameter& parameter) {
    std::vector<RowEnd> found;
    for (std::size_t at = 0; at + 2 < m_body.size(); ++at) {
      if (!m_body[at].is(parameter.name) || !m_body[at + 1].is("[")) continue;
      m_use = at;
      Tokens index = bare(index_behind(at + 1));
      if (const Tokens known = definition(index); !known.empty()) index = known;
      RowEnd row;
      for (const Tokens part : split(index, "+")) {
        const Tokens term = bare(part);
        if (const Factors all = factors(term); all.sizes.size() == 1 && !all.others.empty())
          row.length = all.sizes.front();
        else if (const std::string end = bound(written(term)); !end.empty())
          row.end = end;
      }
      const auto is_integer = [&](const std::string& name) { return m_integers.contains(name); };
      const auto is_row = [&](const RowEnd& one) { return one.length == row.length && one.end == row.end; };
      if (is_integer(row.length) && is_integer(row.end) && row.length != row.end &&
          std::ranges::none_of(found, is_row))
        found.push_back(std::move(row));
    }
    return found;
  }

  IndexBounds bounds() const {
    IndexBounds all;
    std::array<std::set<std::string>, 3> found;
    for (const auto& [index, bounds] : m_bounds) {
      const std::string text = origin(tokens_of(index), 0);
      for (const Bound& one : bounds) {
        if (one.size.empty() || is_number(one.size) || is_changed(index, one.at)) continue;
        for (std::size_t axis = 0; axis < found.size(); ++axis)
          if (text.find(std::string("blockIdx.") + "xyz"[axis]) != std::string::npos)
            found[axis].insert(one.size);
        if (one.is_of_loop && text.find("blockIdx.") == std::string::npos) all.of_loops.push_back(one.size);
      }
    }
    for (std::size_t axis = 0; axis < found.size(); ++axis)
      if (found[axis].size() == 1) all.along[axis] = *found[axis].begin();
    return all;
  }

 private:
  /// A pointer, or what a cast makes of it, as far as it is written.
  struct Pointer {
    std::size_t begin;
    std::size_t end;
    std::int64_t width = 1;  ///< elements of the parameter in one of its
  };

  /// `(float4*)x`, `reinterpret_cast<float4*>(x)`, and brackets about it. What has an index of its own is
  /// none.
  Pointer pointer_at(std::size_t at, const std::string& type) const {
    Pointer found{at, at + 1};
    const auto is = [&](std::size_t i, std::string_view text) {
      return i < m_body.size() && m_body[i].is(text);
    };
    const auto cast = [&](std::size_t open, std::size_t end) {
      const Tokens inside = m_body.subspan(open, end - open);
      const std::int64_t bytes = bytes_of(type_text(inside));
      const std::int64_t each = bytes_of(type);
      if (find_one_of(inside, {"*"}) == inside.size() || each == 0 || bytes <= each) return false;
      found.width = bytes / each;
      return true;
    };
    while (found.width == 1 && found.begin > 2 && !is(found.end, "[")) {
      std::size_t open = found.begin - 1;
      const bool in_brackets = is(open, "(") && is(found.end, ")");
      const std::string_view closing = in_brackets && is(open - 1, ">") ? ">" : ")";
      std::size_t close = in_brackets ? open - 1 : open;
      if (!is(close, closing)) break;
      open = close;
      while (open > 0 && !is_one_of(m_body[open].text, {"(", "<", ";", "{"})) --open;
      if (!cast(open + 1, close)) break;
      found.begin = closing == ">" ? open - 1 : open;
      if (in_brackets) ++found.end;
    }
    while (found.width > 1 && is(found.begin - 1, "(") && is(found.end, ")")) {
      --found.begin;
      ++found.end;
    }
    return found;
  }

  /// With the elements of a vector as the last dimension: `{"n / 4", "4"}` are `n`.
  static Shape of_vectors(Shape shape, std::int64_t width) {
    if (shape.empty() || width == 1) return shape;
    const std::string each = std::to_string(width);
    const std::size_t rest = shape.back().find(" / ");
    if (rest != std::string::npos && shape.back().substr(rest + 3) == each)
      shape.back().resize(rest);
    else
      shape.push_back(each);
    return shape;
  }

  /// What all indices agree on that say something. Numbers count where no index has a name.
  Shape shape_of(const SourceParameter& parameter) {
    Shape agreed;
    std::map<std::string_view, std::int64_t> names = {{parameter.name, 1}};
    for (std::size_t at = 0; at + 2 < m_body.size(); ++at) {
      const auto name = names.find(m_body[at].text);
      if (name == names.end() || (at > 0 && is_one_of(m_body[at - 1].text, {".", ">"}))) continue;
      if (m_body[at + 1].is("=") || m_body[at + 2].is("=")) return {};  // from there on it points elsewhere
      Pointer pointer = pointer_at(at, m_program.resolved_type(parameter.type));
      if (pointer.width > 1 && pointer.begin > 1 && m_body[pointer.begin - 1].is("=") &&
          m_body[pointer.end].is(";")) {
        names[m_body[pointer.begin - 2].text] = pointer.width;
        continue;
      }
      if (name->second > 1) pointer.width = name->second;
      m_use = at;
      const Shape shape = of_vectors(dimensions(index_behind(pointer.end), 0), pointer.width);
      // `x = A + i` says where another pointer begins, not how far it goes.
      const bool is_offset = at > 0 && m_body[at - 1].is("=") && m_body[at + 1].is("+");
      if (shape.empty() || (is_offset && shape.size() == 1)) continue;
      if (is_number(shape.front()) && !agreed.empty()) continue;
      if (!agreed.empty() && !is_number(agreed.front()) && shape != agreed) {
        // `A[i]` and `A[i + 1]`
        const auto most = [](const std::string& one) { return one.substr(0, one.find(" + ")); };
        if (shape.size() != 1 || agreed.size() != 1 || most(shape[0]) != most(agreed[0])) return {};
        if (shape[0].size() < agreed[0].size()) continue;
      }
      agreed = shape;
    }
    return agreed;
  }

  /// Of `A[index]` and `A + index`, behind `A`.
  Tokens index_behind(std::size_t at) const {
    if (m_body[at].is("[")) return m_body.subspan(at + 1, behind_bracket(m_body, at) - at - 2);
    return m_body[at].is("+") ? up_to_end(at + 1) : Tokens();
  }

  /// From there to what ends an expression.
  Tokens up_to_end(std::size_t begin) const {
    return m_body.subspan(begin, find_outside(m_body, begin, {",", ";", ")", "]", "}"}) - begin);
  }

  /// `row` of `int row = …` and `…, row = …`.
  void read_definition(std::size_t at) {
    if (at == 0 || !m_body[at].is_word() || !m_body[at + 1].is("=") || m_body[at + 2].is("=")) return;
    if (is_one_of(m_body[at - 1].text, {";", "{", "}"}))
      m_changes.try_emplace(std::string(m_body[at].text), at);
    if (!m_body[at - 1].is_word() && !m_body[at - 1].is(",")) return;
    const auto [known, is_new] = m_definitions.try_emplace(std::string(m_body[at].text), up_to_end(at + 2));
    if (!is_new) known->second = {};
  }

  /// `row < m`, `row < m / 4`, `row < m * n` or `row < m - 1`, and `row >= m` that leaves. `i < 256` and what
  /// else a loop has are bounds inside of it.
  void read_bound(std::size_t at) {
    const bool is_less = m_body[at].is("<");
    const bool is_not_less = m_body[at].is(">") && m_body[at + 1].is("=");
    if ((!is_less && !is_not_less) || at == 0) return;
    if (is_one_of(m_body[at - 1].text, {"<", ">", "-"})) return;
    const std::size_t right = at + (is_less ? 1 : 2);
    std::size_t behind = right;
    while (behind < m_body.size() &&
           !is_one_of(m_body[behind].text, {")", "&", "|", ";", "?", ",", "]", "}"}))
      behind = m_body[behind].is("(") ? behind_bracket(m_body, behind) : behind + 1;
    const std::string size = limit(m_body.subspan(right, behind - right), 0);
    std::size_t begin = at;
    for (int depth = 0; begin > 0; --begin) {
      const std::string_view before = m_body[begin - 1].text;
      if (is_one_of(before, {")", "]"})) ++depth;
      if (depth == 0 &&
          is_one_of(before, {"(", "[", "&", "|", ",", ";", "?", ":", "=", "{", "}", "!", "return"}))
        break;
      if (is_one_of(before, {"(", "["})) --depth;
    }
    Bound bound = where_it_holds(begin);
    bound.at = at;
    bound.is_exact = behind == right + 1;
    const bool is_named = !size.empty() && !is_number(size);
    if (!is_named && !bound.is_of_loop) return;
    const bool counts_down = bound.is_of_loop && is_not_less;
    if (!counts_down) bound.size = size;
    m_bounds[written(bare(m_body.subspan(begin, at - begin)))].push_back(std::move(bound));
  }

  /// `n`, `64`, `n * m` or `n / 4` of what an index is compared with; empty: it is none of them.
  std::string limit(Tokens tokens, int depth) const {
    tokens = bare(tokens);
    if (tokens.empty() || depth > most_steps) return {};
    if (tokens.size() == 1) {
      if (m_integers.contains(tokens[0].text) || is_number(tokens[0].text))
        return std::string(tokens[0].text);
      return limit(definition(tokens), depth + 1);
    }
    const std::size_t size = tokens.size();
    const bool ends_in_number = size > 2 && is_number(tokens.back().text);
    const bool shifts = ends_in_number && size > 3 && tokens[size - 2].is(">") && tokens[size - 3].is(">");
    if (ends_in_number && (shifts || is_one_of(tokens[size - 2].text, {"/", "-"}))) {
      const std::string left = limit(tokens.first(size - (shifts ? 3 : 2)), depth + 1);
      if (left.empty() || is_number(left) || tokens[size - 2].is("-")) return is_number(left) ? "" : left;
      const std::string number(tokens.back().text);
      if (left.find(" / ") != std::string::npos) return {};
      return left + " / " + (shifts ? std::to_string(1 << (std::stoi(number) % 16)) : number);
    }
    std::string product;
    for (const Tokens factor : split(tokens, "*")) {
      const std::string one = factor.size() == size ? "" : limit(factor, depth + 1);
      if (one.empty() || one.find(" / ") != std::string::npos) return {};
      product += (product.empty() ? "" : " * ") + one;
    }
    return product;
  }

  struct Bound {
    std::string size;  ///< empty: not known
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_of_loop = false;
    std::size_t at = 0;     ///< where it stands
    bool is_exact = false;  ///< the size itself, and not one less
  };

  /// Whether the index has another value there than at first.
  bool is_changed(const std::string& index, std::size_t at) const {
    return std::ranges::any_of(m_changes, [&](const auto& one) {
      const auto words = tokens_of(index);
      return one.second < at && std::ranges::count(words, std::string_view(one.first), &Token::text) > 0;
    });
  }

  /// A condition of a loop or a branch holds in it, any other in the whole body.
  Bound where_it_holds(std::size_t condition) const {
    std::size_t open = condition;
    for (int depth = 1; open > 0 && depth > 0; --open) {
      const std::string_view before = m_body[open - 1].text;
      if (is_one_of(before, {")", "}"})) ++depth;
      if (is_one_of(before, {"(", "{"})) --depth;
    }
    const bool is_condition =
        open > 0 && m_body[open].is("(") && is_one_of(m_body[open - 1].text, {"for", "while", "if"});
    const bool leaves = is_condition && m_body[open - 1].is("if") && leaves_at(behind_bracket(m_body, open));
    if (!is_condition || leaves) return {"", 0, m_body.size(), false};
    return {"", open, behind_statement(m_body, behind_bracket(m_body, open)), !m_body[open - 1].is("if")};
  }

  bool leaves_at(std::size_t at) const {
    if (at < m_body.size() && m_body[at].is("{")) ++at;
    return at < m_body.size() && is_one_of(m_body[at].text, {"return", "continue", "break"});
  }

  static bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  }

  /// The innermost that holds at m_use; empty where several disagree.
  std::string bound(const std::string& index) const {
    const Bound* innermost = nullptr;
    bool is_sure = true;
    static const std::vector<Bound> none;
    const auto known = m_bounds.find(index);
    for (const Bound& one : known == m_bounds.end() ? none : known->second) {
      if (m_use < one.begin || m_use >= one.end) continue;
      const std::size_t length = one.end - one.begin;
      const std::size_t best = innermost == nullptr ? m_body.size() + 1 : innermost->end - innermost->begin;
      if (length > best) continue;
      is_sure = length < best || one.size.empty() || innermost->size.empty() || one.size == innermost->size;
      if (length < best || innermost->size.empty()) innermost = &one;
    }
    if (innermost != nullptr) return is_sure ? innermost->size : "";
    const bool is_block = index.size() == 10 && index.starts_with("blockIdx.");
    return is_block ? "gridDim" + index.substr(8) : "";
  }

  /// An index with what its variables are made of.
  std::string origin(Tokens index, int depth) const {
    std::string text = written(index);
    for (const Token& token : index)
      if (const auto known = m_definitions.find(token.text);
          known != m_definitions.end() && depth < most_steps)
        text += origin(known->second, depth + 1);
    return text;
  }

  /// What a variable is, where it is said once.
  Tokens definition(Tokens tokens) const {
    if (tokens.size() != 1) return {};
    const auto known = m_definitions.find(std::string(tokens[0].text));
    return known == m_definitions.end() ? Tokens() : known->second;
  }

  struct Factors {
    Shape sizes;
    std::vector<Tokens> others;
  };

  Factors factors(Tokens term) const {
    Factors found;
    for (const Tokens one : split(term, "*")) {
      const Tokens factor = bare(one);
      const std::string size = limit(factor, 0);
      if (!size.empty() && !is_number(size))
        found.sizes.push_back(size);
      else
        found.others.push_back(factor);
    }
    return found;
  }

  /// The terms of a sum, with those of its parentheses and variables.
  std::vector<Tokens> terms(Tokens index, int depth) const {
    std::vector<Tokens> all;
    for (const Tokens part : split(index, "+")) {
      const Tokens term = bare(part);
      const Tokens known = bound(written(term)).empty() ? definition(term) : Tokens();
      const Tokens inner = known.empty() && term.size() < part.size() ? term : known;
      if (inner.empty() || depth == most_steps) {
        all.push_back(term);
        continue;
      }
      const std::vector<Tokens> more = terms(inner, depth + 1);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

  Shape dimensions(Tokens index, int depth) const {
    index = bare(index);
    if (index.empty() || depth > most_steps) return {};
    if (const std::string one = bound(written(index)); !one.empty()) return {one};
    const std::vector<Tokens> all = terms(index, 0);
    std::optional<Factors> rows;
    for (const Tokens term : all) {
      Factors found = factors(term);
      if (found.others.empty() || found.sizes.empty()) continue;
      if (!rows || rows->sizes.size() < found.sizes.size()) rows = std::move(found);
    }
    if (!rows) {
      const bool has_products = std::ranges::any_of(all, [&](const Tokens term) {
        const std::vector<Tokens> factors = split(term, "*");
        return factors.size() > 1 &&
               std::ranges::none_of(factors, [](const Tokens one) { return is_number(written(bare(one))); });
      });
      if (has_products) return {};
      for (const Tokens term : all)
        if (const std::string one = bound(written(term)); !one.empty() && !is_number(one))
          return {one + beyond(all, written(term), one)};
      return {};
    }
    Shape shape = outer(rows->others, depth);
    if (!shape.empty()) shape.insert(shape.end(), rows->sizes.begin(), rows->sizes.end());
    return shape;
  }

  /// ` + 1` of `A[i + 1]` behind `i < n`; of `i < n - 1` nothing.
  std::string beyond(const std::vector<Tokens>& terms, const std::string& index,
                     const std::string& size) const {
    std::int64_t more = 0;
    for (const Tokens term : terms)
      if (term.size() == 1 && is_number(term[0].text) && term[0].text.size() < 6)
        more += std::stoi(std::string(term[0].text));
    const auto known = m_bounds.find(index);
    const bool is_exact = known != m_bounds.end() && size.find(' ') == std::string::npos &&
                          std::ranges::all_of(known->second, &Bound::is_exact);
    return more > 0 && is_exact ? " + " + std::to_string(more) : "";
  }

  Shape outer(const std::vector<Tokens>& factors, int depth) const {
    if (factors.size() == 1) return dimensions(factors[0], depth + 1);
    std::string product;
    for (const Tokens factor : factors) product += (product.empty() ? "" : "*") + written(factor);
    const std::string one = bound(product);
    return one.empty() ? Shape() : Shape{one};
  }

  static constexpr int most_steps = 4;

  const Program& m_program;
  const ProgramFunction& m_kernel;
  Tokens m_body;
  std::set<std::string, std::less<>> m_integers;
  std::map<std::string, Tokens, std::less<>> m_definitions;  ///< empty: there are several
  std::map<std::string, std::size_t> m_changes;        ///< of variables: where they first get another value
  std::map<std::string, std::vector<Bound>> m_bounds;  ///< of indices, as they are written
  std::size_t m_use = 0;                               ///< where the pointer stands that is looked at
};

}  // namespace

std::vector<std::vector<std::string>> indexed_shapes(const Program& program, const ProgramFunction& kernel) {
  return Indexing(program, kernel).shapes();
}

IndexBounds index_bounds(const Program& program, const ProgramFunction& kernel) {
  return Indexing(program, kernel).bounds();
}

std::vector<RowEnd> row_ends(const Program& program, const ProgramFunction& kernel, std::size_t parameter) {
  return Indexing(program, kernel).row_ends(kernel.parameters[parameter]);
}

}  // namespace tuner::source
