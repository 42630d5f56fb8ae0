"""Whether an answer equals the gold answer, by what they are rather than by how they are written."""

from collections.abc import Sequence
from fractions import Fraction

from gpocli.maths.algebra import BoundedAlgebra
from gpocli.maths.forms import Collection, Expression, Form, Matrix, Relation, Rounded, Union, Word
from gpocli.maths.number import Quantity


def is_checkable(gold: Form, algebra: BoundedAlgebra | None) -> bool:
    """Whether an answer can be compared with `gold` at all: it is not prose, and its expressions can be read.

    Without `algebra` every expression is taken for readable, and no worker process has to start.
    """
    match gold:
        case Collection(items=parts) | Union(parts=parts):
            return all(is_checkable(part, algebra) for part in parts)
        case Matrix(rows=rows):
            return all(is_checkable(item, algebra) for row in rows for item in row)
        case Rounded(exact=exact):
            return is_checkable(exact, algebra)
        case Relation(value=value) if value is not None:
            return is_checkable(value, algebra)
        case Relation(sides=sides):
            return algebra is None or all(map(algebra.is_value, sides))
        case Expression(latex=latex):
            return algebra is None or algebra.is_value(latex)
        case _:
            return not (isinstance(gold, Word) and gold.is_prose)


def equal(gold: Form, answer: Form, algebra: BoundedAlgebra) -> bool:
    """Whether `answer` equals `gold`. What is not known to be equal is not."""
    match gold, answer:
        case Quantity(), Quantity():
            return gold.value == answer.value and _same_unit(gold.unit, answer.unit)
        case Rounded(), _:
            return equal(gold.exact, answer, algebra) or equal(gold.value, answer, algebra)
        case _, Rounded():
            return equal(gold, answer.exact, algebra) or _rounds_to(gold, answer, algebra)
        case Relation(), Relation():
            return _equal_relations(gold, answer, algebra)
        case Collection(), Relation(interval=interval) if interval is not None:
            return equal(gold, interval, algebra)
        case Relation(interval=interval), Collection(ordered=True) if interval is not None and gold.is_set:
            return equal(interval, answer, algebra)
        case Relation(value=value), _:  # `x = 5` is 5, whatever it calls it
            return value is not None and bool(gold.name) and equal(value, answer, algebra)
        case Quantity(), Relation(total=total) if total is not None:
            return equal(gold, total, algebra)
        case _, Relation(value=value):
            return value is not None and bool(answer.name) and equal(gold, value, algebra)
        case Collection(), Collection():
            return _equal_collections(gold, answer, algebra)
        case Collection(opening="" | "{", items=(only,)), _:  # the set of all solutions, of which there is one
            return equal(only, answer, algebra)
        case _, Collection(opening="" | "{", items=(only,)):
            return equal(gold, only, algebra)
        case Union(), Union():
            return _equal_in_some_order(gold.parts, answer.parts, algebra)
        case Matrix(), Matrix():
            return [len(row) for row in gold.rows] == [len(row) for row in answer.rows] and all(
                _equal_in_order(mine, other, algebra) for mine, other in zip(gold.rows, answer.rows, strict=True)
            )
        case Word(), Word():
            return gold.key == answer.key
        case _:
            return _equal_values(gold, answer, algebra)


def _equal_values(gold: Form, answer: Form, algebra: BoundedAlgebra) -> bool:
    first, second = _as_expression(gold), _as_expression(answer)
    if first is None or second is None or not _same_unit(first.unit, second.unit):
        return False
    written_alike = "".join(first.latex.split()) == "".join(second.latex.split())
    return written_alike or algebra.same_value(first.latex, second.latex)


def _as_expression(form: Form) -> Expression | None:
    """A number, or a short bare word such as the product `ab`, as the expression that it also is."""
    match form:
        case Expression():
            return form
        case Quantity(value=Fraction(numerator=over, denominator=under), unit=unit):
            sign = "-" if over < 0 else ""
            return Expression(rf"{sign}\frac{{{abs(over)}}}{{{under}}}", unit)
        case Quantity(value=value, unit=unit):
            return Expression(str(value), unit)
        case Word(text=text) if text.isalpha() and len(text) <= 3:
            return Expression(text)
        case _:
            return None


def _rounds_to(gold: Form, answer: Rounded, algebra: BoundedAlgebra) -> bool:
    """Whether the rounded value of an answer is the gold number, and its exact value truly rounds (or is cut) to it."""
    if not isinstance(gold, Quantity) or answer.places is None or not equal(gold, answer.value, algebra):
        return False
    exact, step = answer.exact, Fraction(1, 10**answer.places)
    if isinstance(exact, Quantity):
        return abs(Fraction(exact.value) - Fraction(gold.value)) < step
    form = _as_expression(exact)
    return form is not None and algebra.is_near(form.latex, str(gold.value), str(step))


def _same_unit(gold: str, answer: str) -> bool:
    """A unit may be left out, on either side; two that are written must agree."""
    return not gold or not answer or gold == answer


def _equal_collections(gold: Collection, answer: Collection, algebra: BoundedAlgebra) -> bool:
    if len(gold.items) != len(answer.items) or gold.ordered != answer.ordered:
        return False
    if gold.ordered:
        alike = (gold.opening, gold.closing) == (answer.opening, answer.closing)
        return alike and _equal_in_order(gold.items, answer.items, algebra)
    if _names_of_several(gold.items) != _names_of_several(answer.items):
        return _equal_in_order(gold.items, answer.items, algebra)
    return _equal_in_some_order(gold.items, answer.items, algebra)


def _names_of_several(items: Sequence[Form]) -> bool:
    """Whether the items are values of different things, as in `x = 1, y = 2`, so that order tells them apart."""
    return len({item.name for item in items if isinstance(item, Relation) and item.name}) > 1


def _equal_in_order(gold: Sequence[Form], answer: Sequence[Form], algebra: BoundedAlgebra) -> bool:
    return len(gold) == len(answer) and all(
        equal(mine, other, algebra) for mine, other in zip(gold, answer, strict=True)
    )


def _equal_in_some_order(gold: Sequence[Form], answer: Sequence[Form], algebra: BoundedAlgebra) -> bool:
    if len(gold) != len(answer):
        return False
    left = list(answer)
    for mine in gold:  # the first that equals it will do, for what equals it equals each other
        place = next((place for place, other in enumerate(left) if equal(mine, other, algebra)), None)
        if place is None:
            return False
        del left[place]
    return True


def _equal_relations(gold: Relation, answer: Relation, algebra: BoundedAlgebra) -> bool:
    if gold.name and gold.name == answer.name and gold.value is not None and answer.value is not None:
        return equal(gold.value, answer.value, algebra)
    if (gold.sides, gold.signs) == (answer.sides, answer.signs):
        return True
    return len(gold.sides) == len(answer.sides) and algebra.same_relation(gold, answer)
