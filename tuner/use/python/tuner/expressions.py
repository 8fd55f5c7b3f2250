"""Python's expressions and functions of parameters, said in the language of specs.

What cannot be said there (a function, a true division, a power) is worked out here for every value of the parameters and
written down as a table, which is an expression again.
"""

import ast
import inspect
import itertools

from .program import TuneError

_MOST_CASES = 1_000_000
_MOST_CHARACTERS = 400  # of a part without a name
_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%", ast.BitAnd: "&", ast.BitOr: "|",
    ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=",
    ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_FUNCTIONS = {"min", "max", "abs", "ceil_div", "round_up", "is_pow2", "log2", "sqrt"}


class _Unsayable(Exception):
    pass


def literal(value):
    return f"'{value}'" if isinstance(value, str) else str(int(value))


def _number(node):
    """A node of a syntax tree as an integer expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, str)):
        return literal(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return f"(-{_number(node.operand)})"
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        # Python rounds down, specs towards zero; they agree where nothing is negative.
        below_zero = (ast.Sub, ast.USub)
        rounds = isinstance(node.op, (ast.FloorDiv, ast.Mod))
        if not rounds or not any(isinstance(part, below_zero) for part in ast.walk(node)):
            return f"({_number(node.left)} {_OPERATORS[type(node.op)]} {_number(node.right)})"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and not node.keywords:
        return f"{node.func.id}({', '.join(map(_number, node.args))})"
    if isinstance(node, ast.IfExp):
        return f"({_truth(node.test)} ? {_number(node.body)} : {_number(node.orelse)})"
    raise _Unsayable


def _truth(node):
    """The same where only true and false count."""
    if isinstance(node, ast.BoolOp):
        joint = " && " if isinstance(node.op, ast.And) else " || "
        return f"({joint.join(map(_truth, node.values))})"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"!{_truth(node.operand)}"
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return f"({' && '.join(map(_comparison, sides, node.ops, sides[1:]))})"
    return f"({_number(node)} != 0)"


def _comparison(left, operator, right):
    if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(right, (ast.List, ast.Tuple, ast.Set)) and right.elts:
        among = " || ".join(f"{_number(left)} == {_number(one)}" for one in right.elts)
        return f"({among})" if isinstance(operator, ast.In) else f"!({among})"
    if type(operator) not in _OPERATORS:
        raise _Unsayable
    return f"{_number(left)} {_OPERATORS[type(operator)]} {_number(right)}"


def call(function, values):
    """A user's function of a configuration: of a dictionary, or of parameters by their names."""
    names = list(inspect.signature(function).parameters)
    by_name = bool(names) and all(name in values for name in names)
    try:
        return function(*[values[name] for name in names]) if by_name else function(dict(values))
    except Exception as error:
        shown = ", ".join(f"{name}={value}" for name, value in values.items())
        name = getattr(function, "__name__", "the function")
        raise TuneError(f"{name} raised {type(error).__name__} at {shown}: {error}") from error


class Ratio:
    """whole / (product of divisors), rounded up, each a number, an expression or a function."""

    def __init__(self, whole, divisors):
        self.whole, self.divisors = whole, divisors


class Expressions:
    """Writes expressions over `parameters`, a dictionary of lists. `derived` takes the names that long ones need."""

    def __init__(self, parameters, sizes):
        self.parameters = parameters
        self.below_zero = any(isinstance(value, int) and value < 0 for values in parameters.values() for value in values)
        self.sizes = sizes  # known in expressions; in tables only where there is one problem
        self.derived = {}

    def number(self, value):
        if isinstance(value, Ratio):
            return self._ratio(value.whole, value.divisors)
        return self._write(value, _number, self._integer)

    def truth(self, value):
        return self._write(value, _truth, bool)

    def _ratio(self, whole, divisors):
        try:
            if not any(callable(part) for part in [whole, *divisors]):
                trees = [ast.parse(str(part), mode="eval").body for part in divisors]
                top = _number(ast.parse(str(whole), mode="eval").body)
                return f"ceil_div({top}, {' * '.join(map(_number, trees))})" if trees else top
        except _Unsayable:
            pass
        parts = [self._function(part) for part in [whole, *divisors]]

        def blocks(values):
            bottom = 1
            for part in parts[1:]:
                bottom *= part(values)
            return int(-(-parts[0](values) // bottom))

        return self._table(blocks, list(self.parameters), self._integer)

    def _write(self, value, translate, convert):
        if callable(value):
            return self._table(lambda values: call(value, values), list(self.parameters), convert)
        try:
            tree = ast.parse(str(value), mode="eval").body
        except SyntaxError:
            return str(value)  # in the words of specs: &&, ||, ?:
        try:
            if self.below_zero and any(isinstance(part, (ast.FloorDiv, ast.Mod)) for part in ast.walk(tree)):
                raise _Unsayable  # they round otherwise, see above
            return translate(tree)
        except _Unsayable:
            names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            used = [name for name in self.parameters if name in names]
            return self._table(self._function(value), used, convert)

    def _function(self, value):
        if callable(value):
            return lambda values: call(value, values)
        code = compile(str(value), "<expression>", "eval")

        def evaluate(values):
            try:
                return eval(code, {"__builtins__": {"min": min, "max": max, "abs": abs}}, {**self.sizes, **values})
            except Exception as error:
                raise TuneError(f"`{value}` cannot be worked out: {error}") from error

        return evaluate

    @staticmethod
    def _integer(value):
        if int(value) != value:
            raise TuneError(f"{value} is no whole number, which blocks and grids must be")
        return int(value)

    def _table(self, function, names, convert):
        cases = 1
        for name in names:
            cases *= len(self.parameters[name])
        if cases > _MOST_CASES:
            raise TuneError(f"a function of {cases} configurations is too much to write down; say it as an expression")
        results = {}
        for values in itertools.product(*[self.parameters[name] for name in names]):
            results[values] = convert(function(dict(zip(names, values))))
        return self._tree(names, results, is_truth=convert is bool)

    def _tree(self, names, results, is_truth):
        """The table as a decision on the first name, whose equal branches are one."""
        distinct = set(results.values())
        if len(distinct) == 1:
            return str(int(distinct.pop()))
        branches = {}
        for value in self.parameters[names[0]]:
            rest = {key[1:]: result for key, result in results.items() if key[0] == value}
            branches.setdefault(self._tree(names[1:], rest, is_truth), []).append(f"{names[0]} == {literal(value)}")
        if len(branches) == 1:
            return next(iter(branches))
        if is_truth:
            parts = [
                self._among(tests) + ("" if text == "1" else f" && {text}")
                for text, tests in branches.items()
                if text != "0"
            ]
            return self._any(parts)
        *others, (text, _) = branches.items()
        for branch, tests in reversed(others):
            text = self._named(f"({self._among(tests)} ? {branch} : {text})")
        return text

    def _among(self, tests):
        text = f"({' || '.join(tests)})"
        return text if len(text) < _MOST_CHARACTERS else self._any(tests)

    def _any(self, parts):
        while len(parts) > 8:
            parts = [self._any(parts[i : i + 8]) for i in range(0, len(parts), 8)]
        return self._named(f"({' || '.join(f'({part})' for part in parts)})")

    def _named(self, text):
        """Specs refuse expressions of 4096 characters, so long parts get names."""
        if len(text) < _MOST_CHARACTERS:
            return text
        return self.derived.setdefault(text, f"table_{len(self.derived) + 1}")
