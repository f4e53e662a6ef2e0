"""The gate language: a small expression over a row's columns and a detector's parameters.

::

    gate       := and_term ("or" and_term)*
    and_term   := not_term ("and" not_term)*
    not_term   := "not" not_term | comparison
    comparison := sum (("<" | "<=" | ">" | ">=" | "=" | "==" | "!=" | "<>") sum)?
    sum        := product (("+" | "-") product)*
    product    := unary (("*" | "/") unary)*
    unary      := "-" unary | NUMBER | 'TEXT' | NAME | "(" gate ")"

NULL takes part in no comparison: any comparison with it is false, arithmetic with it gives NULL, and so
does dividing by zero. A comparison of text with a number is an error, not false: it would hide rows.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Cell

Value = Cell | bool
Scope = Mapping[str, Cell]
Evaluator = Callable[[Any], Any]
"""From a scope (name to cell, or name to column) to a value (a cell, or a column)."""

_TOKEN: Final = re.compile(
    r"""\s*(?:
        (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<text>'(?:[^']|'')*')
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<sign><=|>=|<>|!=|==|[<>=+\-*/()])
    )""",
    re.VERBOSE,
)
_WORDS: Final = frozenset({"and", "or", "not"})
_DEEPEST: Final = 60

COMPARE: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<>": operator.ne,
}
ARITHMETIC: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


class Algebra(Protocol):
    """What the operations of a gate mean for some kind of value: single cells, or whole columns."""

    def either(self, terms: Sequence[Evaluator]) -> Evaluator:
        """True where any term is."""

    def every(self, terms: Sequence[Evaluator]) -> Evaluator:
        """True where all terms are."""

    def negated(self, term: Evaluator) -> Evaluator:
        """True where the term is not."""

    def compared(self, sign: str, left: Evaluator, right: Evaluator, text: str) -> Evaluator:
        """A comparison; false where a side is NULL."""

    def combined(self, sign: str, left: Evaluator, right: Evaluator, text: str) -> Evaluator:
        """Arithmetic; NULL where a side is NULL or a divisor 0."""


class GateError(EcholotError):
    """A gate does not parse, names nothing that exists, or compares text with a number."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A parsed gate.

    Attributes:
        text: As written.
        names: Columns and parameters it uses, sorted.
    """

    text: str
    names: tuple[str, ...]
    _evaluator: Evaluator

    def check(self, columns: Iterable[str], params: Iterable[str]) -> None:
        """Check that every name is a column or a parameter, and none is both.

        Raises:
            GateError: It names neither, or a column and a parameter share a name it uses.
        """
        known_columns, known_params = set(columns), set(params)
        for name in self.names:
            if name in known_columns and name in known_params:
                raise GateError(f"gate uses {name}, which is a column and a parameter", todo="rename one")
            if name not in known_columns | known_params:
                offer = ", ".join(sorted(known_columns | known_params)) or "nothing"
                raise GateError(
                    f"gate names {name}, which is no column and no parameter", todo=f"there is {offer}"
                )

    def evaluate(self, rows: Sequence[Scope], params: Scope) -> list[bool]:
        """Decide for each row whether it is listed.

        Args:
            rows: Column name to value, one mapping per row.
            params: The detector's resolved parameters.

        Returns:
            One flag per row.

        Raises:
            GateError: A name is missing in a row, or text meets a number.
        """
        decide = self._evaluator
        return [_truth(decide({**row, **params})) for row in rows]


@lru_cache(maxsize=256)
def parse_gate(text: str) -> Gate:
    """Parse a gate.

    Raises:
        GateError: The expression does not parse; the message points at the offending part.
    """
    parser = Parser(text, _Cells())
    evaluator = parser.whole()
    return Gate(text=text, names=tuple(sorted(parser.names)), _evaluator=evaluator)


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise GateError(f"gate does not parse at {text[at:].strip()[:20]!r}")
        kind, part = match.lastgroup, match[match.lastgroup]
        if kind == "name" and part.lower() in _WORDS:
            kind, part = "word", part.lower()
        found.append(_Token(kind, part, match.start(match.lastgroup)))
        at = match.end()
    return found


class Parser:
    """Recursive descent; every rule returns a closure over a scope.

    Args:
        text: The gate.
        algebra: What its operations do.

    Attributes:
        names: Names it uses, filled by :meth:`whole`.
        has_text: Whether text is written in it, filled by :meth:`whole`.
    """

    def __init__(self, text: str, algebra: Algebra) -> None:
        self.names: set[str] = set()
        self.has_text = False
        self._algebra = algebra
        self._text = text
        self._tokens = _tokens(text)
        self._next = 0
        self._depth = 0

    def whole(self) -> Evaluator:
        """The whole gate.

        Raises:
            GateError: It does not parse.
        """
        if not self._tokens:
            raise GateError("gate is empty", todo="leave @gate out to list every row")
        result = self._either()
        if self._next < len(self._tokens):
            raise self._unexpected()
        return result

    def _unexpected(self) -> GateError:
        if self._next >= len(self._tokens):
            return GateError(f"gate ends too early: {self._text.strip()!r}")
        return GateError(f"gate does not parse at {self._text[self._tokens[self._next].at :].strip()[:20]!r}")

    def _take(self, kind: str, *texts: str) -> str | None:
        if self._next < len(self._tokens):
            token = self._tokens[self._next]
            if token.kind == kind and (not texts or token.text in texts):
                self._next += 1
                return token.text
        return None

    def _either(self) -> Evaluator:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise GateError(f"gate nests deeper than {_DEEPEST} levels")
        terms = [self._all()]
        while self._take("word", "or"):
            terms.append(self._all())
        self._depth -= 1
        return terms[0] if len(terms) == 1 else self._algebra.either(terms)

    def _all(self) -> Evaluator:
        terms = [self._negation()]
        while self._take("word", "and"):
            terms.append(self._negation())
        return terms[0] if len(terms) == 1 else self._algebra.every(terms)

    def _negation(self) -> Evaluator:
        flips = 0
        while self._take("word", "not"):
            flips += 1
        term = self._comparison()
        if not flips:
            return term
        once = self._algebra.negated(term)
        return once if flips % 2 else self._algebra.negated(once)

    def _comparison(self) -> Evaluator:
        left = self._sum()
        sign = self._take("sign", *COMPARE)
        if sign is None:
            return left
        return self._algebra.compared(sign, left, self._sum(), self._text)

    def _sum(self) -> Evaluator:
        result = self._product()
        while sign := self._take("sign", "+", "-"):
            result = self._algebra.combined(sign, result, self._product(), self._text)
        return result

    def _product(self) -> Evaluator:
        result = self._unary()
        while sign := self._take("sign", "*", "/"):
            result = self._algebra.combined(sign, result, self._unary(), self._text)
        return result

    def _unary(self) -> Evaluator:
        flips = 0
        while self._take("sign", "-"):
            flips += 1
        value = self._atom()
        if not flips:
            return value
        factor = 1.0 if flips % 2 == 0 else -1.0
        return self._algebra.combined("*", lambda _scope: factor, value, self._text)

    def _atom(self) -> Evaluator:
        if (number := self._take("number")) is not None:
            value = float(number)
            return lambda _scope: value
        if (quoted := self._take("text")) is not None:
            self.has_text = True
            plain = quoted[1:-1].replace("''", "'")
            return lambda _scope: plain
        if (name := self._take("name")) is not None:
            self.names.add(name)
            return lambda scope: _lookup(scope, name)
        if self._take("sign", "("):
            inner = self._either()
            if not self._take("sign", ")"):
                raise self._unexpected()
            return inner
        raise self._unexpected()


class _Cells:
    """Operations on the cells of one row."""

    def either(self, terms: Sequence[Evaluator]) -> Evaluator:
        return lambda scope: any(_truth(term(scope)) for term in terms)

    def every(self, terms: Sequence[Evaluator]) -> Evaluator:
        return lambda scope: all(_truth(term(scope)) for term in terms)

    def negated(self, term: Evaluator) -> Evaluator:
        return lambda scope: not _truth(term(scope))

    def compared(self, sign: str, left: Evaluator, right: Evaluator, text: str) -> Evaluator:
        compare = COMPARE[sign]
        return lambda scope: _compared(compare, left(scope), right(scope), text)

    def combined(self, sign: str, left: Evaluator, right: Evaluator, text: str) -> Evaluator:
        return _combine(ARITHMETIC[sign], left, right, text)


def _lookup(scope: Scope, name: str) -> Cell:
    if name not in scope:
        raise GateError(f"gate names {name}, which is no column and no parameter")
    return scope[name]


def _truth(value: Value) -> bool:
    if isinstance(value, str):
        raise GateError(f"gate uses the text {value[:40]!r} as a condition", todo="compare it with something")
    return bool(value)


def _compared(
    compare: Callable[[float | str, float | str], bool], left: Value, right: Value, text: str
) -> bool:
    if left is None or right is None:
        return False
    if isinstance(left, str) != isinstance(right, str):
        raise GateError(f"gate compares text with a number: {text.strip()!r}")
    return compare(left, right)


def _combine(
    operation: Callable[[float, float], float], left: Evaluator, right: Evaluator, text: str
) -> Evaluator:
    def value(scope: Scope) -> Value:
        a, b = left(scope), right(scope)
        if a is None or b is None:
            return None
        if isinstance(a, str) or isinstance(b, str):
            raise GateError(f"gate calculates with text: {text.strip()!r}")
        if operation is operator.truediv and b == 0:
            return None
        return operation(a, b)

    return value
