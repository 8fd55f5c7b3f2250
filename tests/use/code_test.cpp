// The code of packs means what the expressions of specs mean.

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tuner/space/expression.hpp"
#include "tuner/use/arithmetic.hpp"
#include "tuner/use/pack_view.hpp"
#include "tuner/use/pack_writer.hpp"

namespace {

using tuner::space::Program;
using tuner::space::Slots;
namespace use = tuner::use;

/// A random expression, once for the engine and once for packs.
class Pair {
 public:
  Pair(std::mt19937_64& random, bool is_real) : m_random(random), m_is_real(is_real) {
    expression.is_real = is_real;
    grow(4);
  }

  Program program;
  use::Expression expression;

 private:
  using Op = use::Op;

  std::int64_t number() {
    static const std::int64_t special[] = {0,
                                           1,
                                           -1,
                                           2,
                                           63,
                                           64,
                                           3037000499,
                                           std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<std::int64_t>::min()};
    return m_random() % 4 == 0 ? special[m_random() % std::size(special)]
                               : static_cast<std::int64_t>(m_random() % 4096) - 1024;
  }

  void add(Op op, std::int64_t argument = 0) {
    program.code.push_back({op, static_cast<std::int32_t>(argument)});
    expression.code.push_back({op, argument});
  }

  void leaf() {
    if (m_random() % 2 == 0) {
      const auto slot = static_cast<std::int32_t>(m_random() % 3);
      program.code.push_back({Op::load, slot});
      expression.code.push_back({use::Op::load, slot});
      return;
    }
    const std::int64_t value = number();
    program.code.push_back({Op::constant, static_cast<std::int32_t>(program.literals.size())});
    program.literals.push_back({value, static_cast<double>(value) + (m_is_real ? 0.25 : 0)});
    if (m_is_real)
      expression.code.push_back({use::Op::real, 0, program.literals.back().real});
    else
      expression.code.push_back({use::Op::integer, value});
  }

  void set_target(std::size_t jump) {
    program.code[jump].argument = static_cast<std::int32_t>(program.code.size());
    expression.code[jump].integer = static_cast<std::int64_t>(expression.code.size());
  }

  void grow(int depth) {
    if (depth == 0) return leaf();
    switch (m_random() % 5) {
      case 0:
        grow(depth - 1);
        return add(static_cast<Op>(static_cast<int>(Op::negate) + static_cast<int>(m_random() % 7)));
      case 1: {  // a ? b : c
        grow(depth - 1);
        const std::size_t otherwise = program.code.size();
        add(Op::jump_if_zero);
        grow(depth - 1);
        const std::size_t end = program.code.size();
        add(Op::jump);
        set_target(otherwise);
        grow(depth - 1);
        return set_target(end);
      }
      case 2: {  // a && b, a || b
        grow(depth - 1);
        const std::size_t end = program.code.size();
        add(m_random() % 2 == 0 ? Op::and_jump : Op::or_jump);
        grow(depth - 1);
        add(Op::truth);
        return set_target(end);
      }
      default: {
        grow(depth - 1);
        grow(depth - 1);
        auto op = static_cast<Op>(static_cast<int>(Op::add) + static_cast<int>(m_random() % 20));
        if (m_is_real && op >= Op::bit_and && op <= Op::shift_right) op = Op::add;
        return add(op);
      }
    }
  }

  std::mt19937_64& m_random;
  bool m_is_real;
};

struct Value {
  use::Fault fault = use::Fault::none;
  double real = 0;
  std::int64_t integer = 0;
};

/// What a pack's reader makes of an expression, by way of a pack, and its code there.
Value evaluated(const use::Expression& expression, const use::Variables& variables,
                std::vector<std::uint8_t>* bytes_of_code = nullptr) {
  use::Pack pack;
  use::Configuration one;
  one.derived = {use::constant(0)};
  one.steps.resize(1);
  one.steps[0].function = "f";
  one.steps[0].operands.resize(1);
  one.steps[0].operands[0].kind = use::OperandKind::number;
  one.steps[0].operands[0].type = expression.is_real ? TUNER_FLOAT64 : TUNER_INT64;
  one.steps[0].operands[0].value = expression;
  pack.configurations = {one};
  pack.images = {{"sm_90", use::ImageKind::cubin, "x"}};
  pack.kernels.resize(1);
  pack.kernels[0].sizes = {"A", "B", "C"};
  pack.kernels[0].targets = {{"sm_90", "", {}, {}, {0}}};
  const std::string bytes = written(pack);
  std::vector<std::uint64_t> aligned(bytes.size() / 8 + 1);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  Value value;
  use::PackView view(aligned.data());
  const use::Code& code = view.operands()[0].value;
  value.fault = expression.is_real ? view.value(code, variables, value.real)
                                   : view.value(code, variables, value.integer);
  const std::uint8_t* const begin = view.bytes(use::ByteSection::code) + code.at;
  if (bytes_of_code != nullptr) bytes_of_code->assign(begin, begin + (code.bytes & ~use::real_code));
  return value;
}

/// A question of a rule: sizes and constants, one after the other, held against a last one.
use::Expression question(std::mt19937_64& random) {
  static const double special[] = {0, -0.0, 1, 8, 64, 0.5, -3, 1e300, 9007199254740993.0, INFINITY, NAN};
  const auto leaf = [&] {
    use::Expression out = use::size(static_cast<std::uint32_t>(random() % 3));
    out.is_real = true;
    return random() % 2 == 0 ? out : use::constant_real(special[random() % std::size(special)]);
  };
  static const use::Op ops[] = {use::Op::multiply,  use::Op::minimum, use::Op::maximum, use::Op::divide,
                                use::Op::remainder, use::Op::add,     use::Op::less};
  use::Expression out = use::size(0);
  out.is_real = true;
  for (std::uint64_t i = random() % 4; i > 0; --i)
    out = use::binary(ops[random() % std::size(ops)], out, leaf());
  return use::binary(random() % 8 == 0 ? use::Op::greater : use::Op::less_equal, out, leaf());
}

bool is_sound(const std::vector<std::uint8_t>& code, bool is_real = false) {
  return use::is_sound(code.data(), static_cast<std::uint32_t>(code.size()), is_real, {2, 1});
}

constexpr auto byte(use::Op op) {
  return static_cast<std::uint8_t>(op);
}

}  // namespace

TEST_SUITE("use") {
  TEST_CASE("random expressions have the values and the faults that the engine gives them") {
    std::mt19937_64 random(1);
    int faults = 0;
    for (int i = 0; i < 4000; ++i) {
      const bool is_real = i % 4 == 3;
      const Pair pair(random, is_real);
      Slots slots;
      use::Variables variables = {};
      for (int k = 0; k < 3; ++k) {
        slots.values.push_back(static_cast<std::int64_t>(random() % 300) - 100);
        variables.values[k] = slots.values.back();
      }
      const Value found = evaluated(pair.expression, variables);
      if (is_real) {
        const auto expected = tuner::space::evaluate_real(pair.program, slots);
        CHECK(static_cast<int>(found.fault) == static_cast<int>(expected.fault));
        if (found.fault == use::Fault::none) CHECK(found.real == expected.value);
      } else {
        const auto expected = tuner::space::evaluate(pair.program, slots);
        CHECK(static_cast<int>(found.fault) == static_cast<int>(expected.fault));
        if (found.fault == use::Fault::none) CHECK(found.integer == expected.value);
      }
      faults += found.fault != use::Fault::none ? 1 : 0;
    }
    CHECK(faults > 200);
    CHECK(faults < 3000);
  }

  TEST_CASE("questions of rules have the same answer the short way, or none") {
    std::mt19937_64 random(1);
    int answered = 0;
    for (int i = 0; i < 20000; ++i) {
      const use::Expression asked = question(random);
      use::Variables variables = {};
      for (int k = 0; k < 3; ++k)
        variables.values[k] =
            random() % 9 == 0 ? std::numeric_limits<std::int64_t>::max() - k : 1 + random() % 300;
      std::vector<std::uint8_t> code;
      const Value expected = evaluated(asked, variables, &code);
      bool holds = false;
      if (!use::ask_sizes(code.data(), static_cast<std::uint32_t>(code.size()), variables.values, holds))
        continue;
      ++answered;
      CHECK(expected.fault == use::Fault::none);
      CHECK(holds == (expected.real != 0));
    }
    CHECK(answered > 5000);
  }

  TEST_CASE("derived values can be put in the place of their loads") {
    const use::Expression twice = use::binary(use::Op::multiply, use::size(0), use::constant(2));
    const use::Expression choice = {{{use::Op::load, 1},
                                     {use::Op::jump_if_zero, 4},
                                     {use::Op::load, use::first_derived},
                                     {use::Op::jump, 5},
                                     {use::Op::load, use::first_derived + 1}}};
    const std::vector<use::Expression> derived = {
        twice, use::binary(use::Op::add, use::derived(0), use::constant(1))};
    use::Variables variables = {};
    variables.values[0] = 21;
    variables.values[1] = 1;
    CHECK(evaluated(use::inlined(choice, derived), variables).integer == 42);
    variables.values[1] = 0;
    CHECK(evaluated(use::inlined(choice, derived), variables).integer == 43);
  }

  TEST_CASE("code that could read or write beyond itself is refused") {
    using use::Op;
    const std::uint8_t load = byte(Op::load);
    CHECK(is_sound({load, 0}));
    CHECK(is_sound({load, 1, load, use::first_limit, byte(Op::add)}));
    CHECK(is_sound({load, use::first_derived}));
    CHECK_FALSE(is_sound({}));
    CHECK_FALSE(is_sound({load}));
    CHECK_FALSE(is_sound({load, 2}));
    CHECK_FALSE(is_sound({load, use::first_limit + use::limit_count}));
    CHECK_FALSE(is_sound({load, use::first_derived + 1}));
    CHECK_FALSE(is_sound({byte(Op::integer), 0, 0, 0}));
    CHECK_FALSE(is_sound({200}));
    CHECK_FALSE(is_sound({load, 0, load, 0}));
    CHECK_FALSE(is_sound({load, 0, byte(Op::add)}));
    CHECK_FALSE(is_sound({byte(Op::negate)}));
    CHECK_FALSE(is_sound({load, 0, load, 0, byte(Op::bit_and)}, true));
    CHECK(is_sound({load, 0, load, 0, byte(Op::bit_and)}));
    // Jumps: backwards, into an instruction, beyond the end, to where the stack is another.
    CHECK_FALSE(is_sound({load, 0, byte(Op::jump), 0, 0}));
    CHECK_FALSE(is_sound({load, 0, byte(Op::jump), 6, 0, load, 0, byte(Op::add)}));
    CHECK_FALSE(is_sound({load, 0, byte(Op::jump), 9, 0}));
    CHECK_FALSE(is_sound({load, 0, byte(Op::jump_if_zero), 7, 0, load, 0}));
    CHECK_FALSE(is_sound({load, 0, byte(Op::jump), 7, 0, load, 0}));  // the load is never reached
    std::vector<std::uint8_t> deep;
    for (std::uint32_t i = 0; i <= use::stack_limit; ++i) deep.insert(deep.end(), {load, 0});
    for (std::uint32_t i = 0; i < use::stack_limit; ++i) deep.push_back(byte(Op::add));
    CHECK_FALSE(is_sound(deep));
    deep.erase(deep.begin(), deep.begin() + 2);
    deep.pop_back();
    CHECK(is_sound(deep));
  }

  TEST_CASE("numbers are rounded to halves and bfloat16 to the nearest, ties to even") {
    const auto half = [](double value) { return static_cast<int>(use::narrowed(value, 5, 10)); };
    CHECK(half(0) == 0);
    CHECK(half(-0.0) == 0x8000);
    CHECK(half(1) == 0x3c00);
    CHECK(half(-2) == 0xc000);
    CHECK(half(1 + 0x1p-11) == 0x3c00);
    CHECK(half(1 + 3 * 0x1p-11) == 0x3c02);
    CHECK(half(65504) == 0x7bff);
    CHECK(half(65519) == 0x7bff);
    CHECK(half(65520) == 0x7c00);
    CHECK(half(0x1p-14) == 0x0400);
    CHECK(half(0x1p-24) == 0x0001);
    CHECK(half(0x1p-25) == 0x0000);
    CHECK(half(0x1.8p-25) == 0x0001);
    CHECK(half(0x1.ffcp-15) == 0x0400 - 1 + 1);
    CHECK(half(INFINITY) == 0x7c00);
    CHECK(half(std::nan("")) == 0x7c01);
    CHECK(static_cast<int>(use::narrowed(1, 8, 7)) == 0x3f80);
    CHECK(static_cast<int>(use::narrowed(3.140625, 8, 7)) == 0x4049);
  }
}
