"""Reading a text as an answer."""

import re

from gpocli.maths.brackets import balanced, check_size, check_towers, enclosed, split_outside
from gpocli.maths.forms import Collection, Expression, Form, Matrix, Union, Word
from gpocli.maths.number import read_number, simple_number
from gpocli.maths.relations import read_relation
from gpocli.maths.tidy import ROW_BREAK, tidy
from gpocli.maths.units import unit_name

# Escapes that a YAML or Python string has eaten: `"\frac"` begins with a form feed, `"\theta"` with a tab.
_EATEN_ESCAPE = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f]|\t(?:frac|ext|imes|heta|an\b)|\r(?:ight|angle|ho\b)|\n(?:eq|u\b)"
)
_CLOCK_OR_DATE = re.compile(r"\d+(?:\s*:\s*\d+)+(?:\s*[ap]\.?m\.?)?|\d{4}-\d\d-\d\d(?:T[\d:.Z+-]+)?", re.IGNORECASE)
_NUMERAL = re.compile(r"([0-9A-Fa-f]+)\s*_\s*(?:\{\s*(?:\\text\{)?\s*(\w+)\s*\}?\s*\}|(\w+))")
_TEXT = re.compile(r"\\text\{([^{}]*)\}")
_EMPTY_SET = re.compile(r"\\(?:emptyset|varnothing)|\\\{\s*\\\}")
_WORDS = re.compile(r"[A-Za-z][\w'-]*(?: [A-Za-z][\w'-]*)*", re.ASCII)
_CHOICE = re.compile(r"[(\[]?([A-Z])[)\].]?")
_MEMBER = re.compile(r"\\?[A-Za-z](?:_\{?\w+\}?)?\s*\\in(?![A-Za-z])\s*")
_OR = re.compile(r",?\s*\\text\{\s*(?:and|or)\s*\}|,?\s+(?:and|or)\s+")
_THOUSANDS = re.compile(r"(?<![\d,.])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
_COMMA = re.compile(r"[,;]")
_SPACED_COMMA = re.compile(r"[,;]\s")
_CUP = re.compile(r"\\cup(?![A-Za-z])")
_CELL = re.compile(r"&")
_ROW = re.compile(ROW_BREAK)
_MATRIX = re.compile(r"\\begin\{([pb]?matrix|array)\}(?:\{[lcr| ]*\})?(.*)\\end\{\1\}", re.DOTALL)
_PLUS_MINUS = re.compile(r"\\pm(?![A-Za-z])\s*")
_WITH_UNIT = re.compile(r"(.*\S)\s*(\\text\{[^{}]*\}(?:\^\{-?\d\})?)", re.DOTALL)
_ALLOWED = re.compile(r"[\w\\{}()\[\]|+\-*/^!., ]*", re.ASCII)
_REFUSED = re.compile(r"\d\s+\d|!!|\.\.|\\text|\\in(?![A-Za-z])")
_PRODUCT = re.compile(r"(?:(?<=\))|(?<=\d))\((?=[-+]?\d)")  # `2(3)`, which the parser does not take for one
_LETTERS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_PLAIN_FUNCTION = re.compile(
    r"(?<![\\A-Za-z])(arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|log|ln|exp|pi)(?![A-Za-z])"
)


def read(text: str) -> Form | None:
    """What `text` says; None when it cannot be read. Raises `TooLarge`."""
    if (number := simple_number(text)) is not None:
        return number
    check_size(text)
    if _EATEN_ESCAPE.search(text):
        return None
    tidied = tidy(text)
    check_towers(tidied)
    return _read(tidied)


def _read(text: str) -> Form | None:
    if not text:
        return None
    # Words before expressions, for `C` is a choice rather than a variable; lists before relations, for `x = 1, y = 2`
    # is two; and prose last, for `sin x` looks like it.
    return (
        read_number(text)
        or _read_word(text)
        or _read_matrix(text)
        or _read_union(text)
        or _read_list(text)
        or read_relation(text, _read)
        or _read_bracketed(text)
        or _read_plus_minus(text)
        or _read_expression(text)
        or (Word(" ".join(text.split()), plain=True) if _WORDS.fullmatch(text) else None)
    )


def _read_all(texts: list[str]) -> tuple[Form, ...] | None:
    forms = [_read(text) for text in texts]
    return None if None in forms else tuple(form for form in forms if form is not None)


def _read_word(text: str) -> Word | None:
    if _CLOCK_OR_DATE.fullmatch(text):
        return Word("".join(text.split()), plain=False)
    if numeral := _NUMERAL.fullmatch(text):
        return Word(f"{numeral[1]}_{numeral[2] or numeral[3]}", plain=False)
    if _EMPTY_SET.fullmatch(text):
        return Word("empty set", plain=False)
    marked = _TEXT.fullmatch(text)
    if marked:
        text = marked[1].strip().rstrip(".,;:")
    if choice := _CHOICE.fullmatch(text):
        return Word(choice[1], plain=False)
    if marked:
        return Word(" ".join(text.split()), plain=False) if text else None
    is_difference = "-" in text and not _LETTERS.search(text)  # `x-1`, where `T-shirt` is a word
    return Word(text, plain=True) if _WORDS.fullmatch(text) and " " not in text and not is_difference else None


def _read_matrix(text: str) -> Matrix | None:
    match = _MATRIX.fullmatch(text)
    if match is None:
        return None
    lines, _ = split_outside(match[2], _ROW)
    rows = [_read_all(split_outside(line, _CELL)[0]) for line in lines if line]
    return None if None in rows or not rows else Matrix(tuple(row for row in rows if row is not None))


def _read_union(text: str) -> Union | None:
    if "\\cup" not in text:
        return None
    if member := _MEMBER.match(text):
        text = text[member.end() :]
    pieces, _ = split_outside(text, _CUP)
    parts = _read_all(pieces) if len(pieces) > 1 else None
    return None if parts is None else Union(parts)


def _read_list(text: str) -> Collection | None:
    text = _without_thousands(text)
    pieces = [item for part in split_outside(text, _OR)[0] for item in _pieces(part)]
    items = _read_all(pieces) if len(pieces) > 1 else None
    return None if items is None else Collection("", "", _flat(items))


def _without_thousands(text: str) -> str:
    """`text` with `1,250` as `1250`, outside brackets only: in them each comma parts two items."""
    for match in reversed(list(_THOUSANDS.finditer(text))):
        before = text[: match.start()]
        if sum(map(before.count, "([{")) == sum(map(before.count, ")]}")):
            text = before + match.group().replace(",", "") + text[match.end() :]
    return text


def _pieces(text: str) -> list[str]:
    """The items between commas. Where some commas have a space behind them, those may be the only ones."""
    spaced, _ = split_outside(text, _SPACED_COMMA)
    if len(spaced) > 1 and all("," not in item or read_number(item) for item in spaced):
        return spaced
    return split_outside(text, _COMMA)[0]


def _flat(items: tuple[Form, ...]) -> tuple[Form, ...]:
    flat: list[Form] = []
    for item in items:
        flat.extend(item.items if isinstance(item, Collection) and not item.opening else [item])
    return tuple(flat)


def _read_bracketed(text: str) -> Form | None:
    is_set = text.startswith("\\{") and text.endswith("\\}")
    body = "{" + text[2:-2].strip() + "}" if is_set else text
    if body[0] not in "([{" or not enclosed(body):
        return None
    pieces = _pieces(body[1:-1].strip())
    if len(pieces) == 1 and not is_set:  # they group, as in `(5)`
        return _read(pieces[0])
    items = _read_all(pieces)
    if items is None:
        return None
    return Collection(body[0], body[-1], items if body[0] != "{" else _flat(items))


def _read_plus_minus(text: str) -> Form | None:
    if len(_PLUS_MINUS.findall(text)) != 1:  # with two, which signs go together is anybody's guess
        return None
    items = _read_all([_PLUS_MINUS.sub(sign, text) for sign in "+-"])
    return None if items is None else Collection("", "", items)


def _read_expression(text: str) -> Expression | None:
    unit = ""
    if with_unit := _WITH_UNIT.fullmatch(text):
        text, unit = with_unit[1], unit_name(with_unit[2]) or ""
        if not unit:
            return None
    text = _PRODUCT.sub(r"\\cdot (", _without_thousands(text))
    long_words = _LETTERS.findall(_PLAIN_FUNCTION.sub("", text))
    if (
        not _ALLOWED.fullmatch(text)
        or _REFUSED.search(text)
        or not balanced(text.replace("\\{", "").replace("\\}", ""))
        or not any(character.isalnum() for character in text)
        or len(long_words) > 1  # a product such as `abc` is one word; two are a sentence
        or any(len(word) > 3 for word in long_words)
    ):
        return None
    return Expression(_PLAIN_FUNCTION.sub(r"\\\1 ", text), unit)
