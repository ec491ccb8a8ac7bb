"""Sums and products of figures that have an interval and a unit."""


def _corners(one, other, combine):
    ends = [combine(a, b) for a in (one.low, one.high) for b in (other.low, other.high)]
    return min(ends), max(ends)


class Arithmetic:
    """What two quantities, or one and a number, make together.

    The interval is the widest that both allow: nothing is known here of what moves them together.
    The basis stays where both have the same, or where a number only scales.
    """

    __slots__ = ()

    def _made(self, value, unit, interval, basis):
        return type(self)(value, unit, *interval, basis=basis)

    def _scaled(self, factor):
        ends = sorted((self.low * factor, self.high * factor))
        return self._made(self.value * factor, self.unit, ends, self.basis)

    def _basis_with(self, other):
        return self.basis if self.basis == other.basis else ""

    def _summed(self, other, sign):
        if not isinstance(other, Arithmetic):
            return NotImplemented
        other = other.to(self.unit)
        interval = _corners(self, other, lambda a, b: a + sign * b)
        return self._made(self.value + sign * other.value, self.unit, interval,
                          self._basis_with(other))

    def __add__(self, other):
        return self._summed(other, 1)

    def __radd__(self, other):
        return self if other == 0 else NotImplemented  # For sum(), which begins at 0.

    def __sub__(self, other):
        return self._summed(other, -1)

    def __neg__(self):
        return self._scaled(-1)

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            return self._scaled(other)
        if not isinstance(other, Arithmetic):
            return NotImplemented
        one, other = self._in_base_units(), other._in_base_units()
        return self._made(one.value * other.value, self._unit_with(other, 1),
                          _corners(one, other, lambda a, b: a * b), self._basis_with(other))

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, (int, float)):
            return self._scaled(1 / other)
        if not isinstance(other, Arithmetic):
            return NotImplemented
        one, other = self._in_base_units(), other._in_base_units()
        if other.low <= 0 <= other.high:
            raise ZeroDivisionError(f"{other!r} may be zero")
        return self._made(one.value / other.value, self._unit_with(other, -1),
                          _corners(one, other, lambda a, b: a / b), self._basis_with(other))
