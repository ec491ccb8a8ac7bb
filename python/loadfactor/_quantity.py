"""Figures with a unit, an interval and a basis."""
import math
import re

from . import _core
from ._arithmetic import Arithmetic

_BASE = ("second", "byte", "flop", "joule", "USD", "token", "GPU")


def _unit(text):
    """(factor to base units, exponents of the base units)."""
    found = _core.unit(text) if text not in ("", "1") else (1.0, [0] * len(_BASE))
    if found is None:
        raise ValueError(f"'{text}' is no unit that loadfactor knows")
    return found


class Quantity(Arithmetic):
    """A value in a unit, with the interval, the basis and the source where they are known.

    >>> Quantity(80, "GB").to("GiB").value
    74.505805969...
    """

    __slots__ = ("value", "low", "high", "unit", "basis", "source")  # In the order of JSON.

    def __init__(self, value, unit="1", low=None, high=None, basis="", source=""):
        if isinstance(value, str):
            value, unit = _parsed(value)
        for name, given in (("value", value), ("unit", unit),
                            ("low", value if low is None else low),
                            ("high", value if high is None else high),
                            ("basis", basis), ("source", source)):
            object.__setattr__(self, name, given)

    def __setattr__(self, name, value):
        raise AttributeError("a Quantity does not change; make another")

    def to(self, unit):
        """The same quantity in another unit."""
        own, own_exponents = _unit(self.unit)
        other, exponents = _unit(unit)
        if list(own_exponents) != list(exponents):
            raise ValueError(f"'{self.unit}' is no measure of the same as '{unit}'")
        scale = own / other
        return Quantity(self.value * scale, unit, self.low * scale, self.high * scale, self.basis,
                        self.source)

    def to_pint(self, registry=None):
        """As a quantity of pint, in its base units; `registry` is pint's, or one that knows USD,
        token, flop and GPU: `loadfactor.pint_registry()`."""
        registry = registry or pint_registry()
        factor, exponents = _unit(self.unit)
        unit = registry.Quantity(1.0)
        for name, exponent in zip(_BASE, exponents):
            if exponent:
                unit = unit * registry.Quantity(1.0, name) ** exponent
        return self.value * factor * unit

    @classmethod
    def from_pint(cls, given):
        """A quantity of pint, such as 80 gigabyte or 0.1 USD per kilowatt hour."""
        registry = pint_registry()
        given = registry.Quantity(given.magnitude, str(given.units)).to_base_units()
        factor, exponents = 1.0, dict.fromkeys(_BASE + ("kg", "m"), 0)
        for name, exponent in dict(given._units).items():
            scale, parts = _PINT_BASE.get(str(name), (None, None))
            if parts is None or exponent != int(exponent):
                raise ValueError(f"'{given.units}' has no unit in loadfactor")
            factor *= scale ** exponent
            for part, power in parts:
                exponents[part] += power * int(exponent)
        # Only energy has mass and length in it: kg·m²/s² is a joule.
        joules = exponents.pop("kg")
        if exponents.pop("m") != 2 * joules:
            raise ValueError(f"'{given.units}' has no unit in loadfactor")
        exponents["joule"] += joules
        exponents["second"] += 2 * joules
        return cls(float(given.magnitude) * factor, _text(exponents))

    def __float__(self):
        return float(self.value)

    def __str__(self):
        number = f"{self.value:.4g}" if abs(self.value) < 1e5 else f"{self.value:,.0f}"
        return number if self.unit in ("", "1") else f"{number} {self.unit}"

    def __format__(self, spec):
        if not spec:
            return str(self)
        number = format(self.value, spec)
        return number if self.unit in ("", "1") else f"{number} {self.unit}"

    def __repr__(self):
        interval = "" if self.low == self.high else f", low={self.low!r}, high={self.high!r}"
        basis = f", basis={self.basis!r}" if self.basis else ""
        return f"Quantity({self.value!r}, {self.unit!r}{interval}{basis})"

    def _in_base_units(self):
        factor, exponents = _unit(self.unit)
        return Quantity(self.value * factor, _text(dict(zip(_BASE, exponents))), self.low * factor,
                        self.high * factor, self.basis, self.source)

    def _unit_with(self, other, sign):
        """The unit of a product, or of a quotient, of figures in base units."""
        pairs = zip(_BASE, _unit(self.unit)[1], _unit(other.unit)[1])
        return _text({name: own + sign * theirs for name, own, theirs in pairs})

    def _amount(self):
        """The same for the same amount, whatever it is written in; a bare number is its own."""
        base = self._in_base_units()
        is_bare = base.unit == "1" and base.low == base.value == base.high
        return base.value if is_bare else (base.value, base.low, base.high, base.unit)

    def __eq__(self, other):
        if isinstance(other, Quantity):
            return self._amount() == other._amount()
        return self._amount() == other if isinstance(other, (int, float)) else NotImplemented

    def __hash__(self):
        return hash(self._amount())

    def _compared(self, other):
        if isinstance(other, Quantity):
            return other.to(self.unit).value
        if isinstance(other, (int, float)) and self.unit in ("", "1"):
            return other
        return None

    def __lt__(self, other):
        value = self._compared(other)
        return NotImplemented if value is None else self.value < value

    def __le__(self, other):
        value = self._compared(other)
        return NotImplemented if value is None else self.value <= value

    def __gt__(self, other):
        value = self._compared(other)
        return NotImplemented if value is None else self.value > value

    def __ge__(self, other):
        value = self._compared(other)
        return NotImplemented if value is None else self.value >= value

    def to_dict(self):
        return {name: getattr(self, name) for name in self.__slots__}

    def __reduce__(self):
        return Quantity, (self.value, self.unit, self.low, self.high, self.basis, self.source)

    def text(self):
        """As a scenario writes it: `80.0 GB`."""
        if not math.isfinite(self.value):
            raise ValueError(f"{self.value} {self.unit} is no quantity")
        return repr(self.value) if self.unit in ("", "1") else f"{self.value!r} {self.unit}"


def _parsed(text):
    match = re.fullmatch(r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(.*?)\s*", text)
    if not match:
        raise ValueError(f"'{text}' is no quantity")
    unit = match[2] or "1"
    _unit(unit)
    return float(match[1]), unit


def _text(exponents):
    names = {"second": "s", "byte": "B", "flop": "FLOP", "joule": "J", "USD": "USD",
             "token": "token", "GPU": "GPU"}
    above = [names[n] for n in _BASE for _ in range(max(0, exponents[n]))]
    below = [names[n] for n in _BASE for _ in range(max(0, -exponents[n]))]
    if not above and not below:
        return "1"
    return "-".join(above or ["1"]) + "".join(f"/{name}" for name in below)


# What pint's base units are in ours: a scale, and powers of our base units.
_PINT_BASE = {
    "second": (1.0, [("second", 1)]),
    "bit": (0.125, [("byte", 1)]),
    "byte": (1.0, [("byte", 1)]),
    "flop": (1.0, [("flop", 1)]),
    "USD": (1.0, [("USD", 1)]),
    "token": (1.0, [("token", 1)]),
    "GPU": (1.0, [("GPU", 1)]),
    "kilogram": (1.0, [("kg", 1)]),
    "meter": (1.0, [("m", 1)]),
    "radian": (1.0, []),
}

_registry = None


def pint_registry():
    """pint's usual registry, with USD, token, flop and GPU."""
    global _registry
    if _registry is None:
        import pint
        _registry = pint.UnitRegistry()
        for name in ("USD = [money]", "token = [token]", "flop = [work] = FLOP", "GPU = [gpu]"):
            _registry.define(name)
    return _registry
