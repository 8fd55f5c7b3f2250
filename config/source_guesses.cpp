#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "config/draft_plan.hpp"
#include "config/spec_reader.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/util/text.hpp"

namespace config {

using model::ElementType;
using tuner::source::SourceField;
using tuner::source::SourceStruct;

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

bool contains_any(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts,
                             [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

bool is_integer(const std::string& type) {
  const auto known = model::parse_element_type(type);
  if (!known) return type == "size_t" || type == "ptrdiff_t" || type == "unsigned" || type == "uint";
  return *known == ElementType::int32 || *known == ElementType::uint32 || *known == ElementType::int64 ||
         *known == ElementType::uint64;
}

bool is_no_size(const std::string& name) {
  const std::string caps = upper(name);
  return caps.starts_with("LD") || caps.starts_with("INC") ||
         contains_any(caps,
                      {"STRIDE", "PITCH", "OFFSET", "SEED", "ITER", "STEPS", "RADIUS", "SHIFT", "FLAG"});
}

bool is_scalar_size(const SourceField& field) {
  return field.length == 0 && !field.is_choice && is_integer(field.type) && !is_no_size(field.name);
}

bool is_row_length(const std::string& name) {
  const std::string caps = upper(name);
  return caps.starts_with("LD") || contains_any(caps, {"STRIDE", "PITCH"});
}

std::size_t axis_of(const std::string& name) {
  const std::string caps = upper(name);
  if (caps == "N" || caps == "NX" || contains_any(caps, {"WIDTH", "COL"})) return 0;
  if (caps == "M" || caps == "NY" || contains_any(caps, {"HEIGHT", "ROW"})) return 1;
  if (caps == "NZ" || contains_any(caps, {"DEPTH", "BATCH"})) return 2;
  return 3;
}

namespace {

/// Words of a name, in lower case and without digits, but those that say where or how a function runs.
std::vector<std::string> telling_words(const std::string& name) {
  constexpr std::string_view of_way =
      "cpu gpu host device dev cuda kernel krnl ker ref reference gold golden naive simple seq sequential "
      "serial "
      "verify check expected compute calc on";
  const auto is = [&](std::size_t i, auto test) {
    return i < name.size() && test(static_cast<unsigned char>(name[i])) != 0;
  };
  const auto is_upper = [](int c) { return std::isupper(c); };
  const auto is_lower = [](int c) { return std::islower(c); };
  const auto is_letter = [](int c) { return std::isalpha(c); };
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins = is(i, is_upper) && i > 0 && (is(i - 1, is_lower) || is(i + 1, is_lower));
    if (!is(i, is_letter) || begins) words.emplace_back();
    if (is(i, is_letter))
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  std::erase_if(words,
                [&](const std::string& word) { return word.empty() || tuner::util::has_word(of_way, word); });
  return words;
}

}  // namespace

int likeness(const std::string& one, const std::string& other) {
  const std::vector<std::string> words = telling_words(one);
  const std::vector<std::string> others = telling_words(other);
  if (words.empty() || others.empty()) return 0;
  if (fmt::format("{}", fmt::join(words, "")) == fmt::format("{}", fmt::join(others, ""))) return 100;
  const auto shared = std::ranges::count_if(
      words, [&](const std::string& word) { return std::ranges::count(others, word) > 0; });
  return static_cast<int>(100 * shared /
                          std::max<std::ptrdiff_t>(1, std::ssize(words) + std::ssize(others) - shared));
}

bool names_block(const std::string& name) {
  return contains_any(upper(name), {"BLOCK", "THREADS", "BDIM", "BSIZE"});
}

bool is_of_block(const std::string& name) {
  return contains_any(upper(name), {"BLOCK", "THREAD", "BDIM", "TPB", "WORKGROUP"});
}

std::string macro_of(const tuner::source::TemplateParameter& parameter) {
  return "TUNED_" + upper(parameter.name);
}

const char* likely_type(const std::string& parameter) {
  return contains_any(upper(parameter), {"INDEX", "IDX", "INT", "OFFSET"}) ? "int" : "float";
}

std::vector<StructField> typed_fields(const SourceStruct& one) {
  std::vector<StructField> fields;
  for (const SourceField& field : one.fields)
    fields.push_back(
        {field.name, *model::parse_element_type(field.type), std::max<std::int64_t>(1, field.length), {}});
  return fields;
}

std::int64_t struct_bytes(const SourceStruct& one) {
  const NaturalLayout layout = natural_layout(typed_fields(one));
  return round_up(layout.end, std::max(layout.align, one.align));
}

std::string no_plain_struct(const SourceStruct& one, bool by_value) {
  if (!one.beyond_fields.empty()) return one.beyond_fields;
  if (one.fields.empty() || one.fields.size() > 64) return fmt::format("{} fields", one.fields.size());
  for (const SourceField& field : one.fields) {
    if (!model::parse_element_type(field.type)) return fmt::format("a field of type `{}`", field.type);
    if (field.length > 4096) return fmt::format("an array of {}", field.length);
  }
  const std::int64_t bytes = struct_bytes(one);
  return bytes > (by_value ? 128 : 65536) ? fmt::format("{} bytes", bytes) : "";
}

const char* usual_init(const std::string& type) {
  const auto known = model::parse_element_type(type);
  if (!known || model::is_floating(*known)) return "uniform(-1, 1)";
  return *known == ElementType::boolean ? "integers(0, 1)" : "integers(0, 100)";
}

std::string numbered_name(const std::string& name, const std::function<bool(const std::string&)>& is_taken) {
  std::string free = name;
  for (int number = 2; is_taken(free); ++number) free = fmt::format("{}_{}", name, number);
  return free;
}

std::optional<std::int64_t> number(const std::string& text) {
  if (text.empty() || text.size() > 9) return std::nullopt;
  if (!std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; })) return std::nullopt;
  return std::stoll(text);
}

namespace {

enum class Use { other, count, test };

/// What `NAME` at `i` is for. A count: `[NAME`, `k < NAME;`, a factor or a divisor; a test: `if (NAME)`,
/// `NAME == 1 ?`, `!NAME`, `a && NAME`.
Use use_at(Tokens body, std::size_t i) {
  using source::is_one_of;
  std::size_t begin = i;
  std::size_t end = i + 1;
  const auto before = [&](std::size_t by) { return begin < by ? std::string_view() : body[begin - by].text; };
  const auto behind = [&](std::size_t by) {
    return end + by < body.size() ? body[end + by].text : std::string_view();
  };
  const auto is_asked = [&] { return is_one_of(before(2), {"if", "constexpr", "switch"}); };
  const auto widen = [&] {
    for (; before(1) == "(" && behind(0) == ")" && !is_asked(); ++end) --begin;
  };
  widen();
  const bool is_end = (before(1) == "<" || (before(2) == "<" && before(1) == "=")) &&
                      is_one_of(behind(0), {";", "&", ")", "?"});
  const bool is_step = before(1) == "=" && is_one_of(before(2), {"+", "-"});
  if (is_end || is_step || is_one_of(before(1), {"*", "/", "%", "["}) || behind(0) == "*") return Use::count;
  if (is_one_of(behind(0), {"<", ">"}) || (is_one_of(behind(0), {"=", "!"}) && behind(1) == "=")) {
    const std::size_t number = end + (behind(1) == "=" ? 2 : 1);
    if (number >= body.size() || body[number].kind != Token::Kind::number) return Use::other;
    end = number + 1;
    widen();
  }
  const auto joins = [](std::string_view one, std::string_view other) {
    return is_one_of(one, {"&", "|"}) && one == other;
  };
  const bool is_test = behind(0) == "?" || before(1) == "!" || joins(before(1), before(2)) ||
                       joins(behind(0), behind(1)) || (before(1) == "(" && behind(0) == ")" && is_asked());
  return is_test ? Use::test : Use::other;
}

}  // namespace

bool DraftSource::is_switch(const std::string& name) const {
  const std::string caps = upper(name);
  if (caps.starts_with("USE_")) return true;
  bool is_tested = contains_any(caps, {"PAD"});
  const auto counts = [&](Tokens text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const Use use = text[i].is(name) ? use_at(text, i) : Use::other;
      if (use == Use::count) return true;
      is_tested |= use == Use::test;
    }
    return false;
  };
  for (const ProgramFunction* const function : reached)
    if (counts(function->body)) return false;
  for (const std::string_view word : words_with_macros)
    if (const auto* const macro = program.macro(word); macro != nullptr && counts(macro->tokens))
      return false;
  return is_tested || std::ranges::any_of(macros, [&](const source::OpenMacro& macro) {
           return macro.name == name && macro.in_condition;
         });
}

std::vector<std::int64_t> DraftSource::guessed_values(const std::string& name, const std::string& usual,
                                                      bool is_bool) const {
  const std::string caps = upper(name);
  const bool is_block = names_block(name);
  if (contains_any(caps, {"WARP_SIZE", "WARPSIZE"})) return {32};
  if (const auto value = config::number(usual); value && *value >= 2) {
    std::set<std::int64_t> around = {*value};
    for (std::int64_t v = *value / 2; v >= std::max<std::int64_t>(1, *value / 4); v /= 2) around.insert(v);
    for (std::int64_t v = *value * 2; v <= *value * 4; v *= 2)
      if (!is_block || v <= 1024) around.insert(v);
    return {around.begin(), around.end()};
  }
  if (is_bool || usual == "0" || is_switch(name)) return {0, 1};
  if (usual == "1") return {1, 2, 4, 8};
  if (is_block && (caps.ends_with("_X") || caps.ends_with("_Y") || caps.ends_with("_Z")))
    return {4, 8, 16, 32};
  if (is_block) return {64, 128, 256, 512};
  if (contains_any(caps, {"TILE"})) return {8, 16, 32, 64};
  return {1, 2, 4, 8};
}

std::vector<std::int64_t> block_values(const std::vector<std::int64_t>& choices,
                                       std::optional<std::int64_t> present, bool is_plane) {
  std::set<std::int64_t> values;
  for (const std::int64_t choice : choices)
    if (choice > 0 && choice <= 1024) values.insert(choice);
  const std::int64_t usual = present.value_or(is_plane ? 16 : 256);
  if (values.empty()) {
    const std::int64_t least = is_plane || usual < 32 ? 1 : 32;
    for (std::int64_t value = std::max(usual / 4, least); value <= std::min<std::int64_t>(usual * 4, 1024);
         value *= 2)
      values.insert(value);
    values.insert(usual);
  }
  return {values.begin(), values.end()};
}

std::string usual_choice(const tuner::source::SymbolFacts& facts) {
  if (facts.present) return std::to_string(*facts.present);
  if (std::ranges::count(facts.choices, 256) > 0) return "256";
  return facts.choices.empty() ? "" : std::to_string(facts.choices[facts.choices.size() / 2]);
}

}  // namespace config
