"""Tables of an answer, for pandas."""
from ._quantity import Quantity

# What a reader looks for first; other lists follow in the order of the answer.
_MAIN = ("options", "plans", "deployments", "workloads", "rows", "findings", "groups", "changes",
         "predictions", "entries")
FIGURES = "figures"


def _is_table(value):
    return isinstance(value, list) and bool(value) and all(hasattr(x, "_data") for x in value)


def names(answer):
    found = [key for key in answer.keys() if _is_table(answer[key])]
    main = [key for key in _MAIN if key in found]
    return main[:1] + [key for key in found if key not in main[:1]] + [FIGURES]


def _pandas():
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("to_pandas needs pandas: apt install python3-pandas, or pip install "
                          "pandas") from missing
    return pandas


def cells(record, prefix=""):
    """The record as a flat row; what is inside of others goes by `outer.inner`."""
    row = {}
    for key in record.keys():
        value = record[key]
        if hasattr(value, "_data") or isinstance(value, dict):
            row.update(cells(value, f"{prefix}{key}."))
        elif not isinstance(value, list):
            row[prefix + key] = value
        elif not _is_table(value):
            row[prefix + key] = ", ".join(str(x) for x in value)
    return row


def frame(records):
    """Figures become numbers; `frame.attrs["units"]` tells the unit of each column."""
    pandas = _pandas()
    if not _is_table(records):
        return pandas.DataFrame({"value": [plain_number(x) for x in records]})
    rows = [cells(record) for record in records]
    units = {key: value.unit for row in rows for key, value in row.items()
             if isinstance(value, Quantity)}
    # Columns of one table stay apart where rows differ in their unit.
    made = pandas.DataFrame([{key: plain_number(x) for key, x in row.items()} for row in rows])
    for key, unit in units.items():
        others = {row[key].unit for row in rows if isinstance(row.get(key), Quantity)}
        if len(others) > 1:
            made[f"{key}.unit"] = [row[key].unit if isinstance(row.get(key), Quantity) else None
                                   for row in rows]
    made.attrs["units"] = units
    return made


def plain_number(value):
    return value.value if isinstance(value, Quantity) else value


def figures(record):
    """Every figure that stands alone: name, value, low, high, unit, basis, source."""
    found = []
    for key, value in cells(record).items():
        if isinstance(value, Quantity):
            found.append({"name": key, **value.to_dict()})
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found.append({"name": key, "value": value, "low": value, "high": value, "unit": "1",
                          "basis": "", "source": ""})
    return found


def of_answer(answer, table):
    known = names(answer)
    table = known[0] if table is None else table
    if table not in known:
        raise KeyError(f"no table '{table}'; one of: {', '.join(known)}")
    if table == FIGURES:
        columns = ["name", "value", "low", "high", "unit", "basis", "source"]
        return _pandas().DataFrame(figures(answer), columns=columns)
    return frame(answer[table])
