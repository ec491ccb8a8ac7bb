"""Numbers as the page writes them."""
import datetime

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
COUNTS = "no one two three four five six seven eight nine ten".split()


def money(amount):
    if amount is None:
        return "–"
    sign, size = ("−" if amount < 0 else ""), abs(amount)
    if size >= 999_500:
        return f"{sign}${size / 1e6:.2f}\u00a0M"
    if size >= 10:
        return f"{sign}${size:,.0f}"
    return f"{sign}${size:.2f}"


def money_range(low, high):
    return f"{money(low)}–{money(high).lstrip('$')}"


def percent(share, digits=0):
    return "–" if share is None else f"{100 * share:.{digits}f}\u00a0%"


def amount(count):
    """1,200 or 9.6 M."""
    for size, word in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if count >= size * 0.9995:
            return f"{float(f'{count / size:.3g}'):g}\u00a0{word}"
    return f"{count:,.0f}"


def times(ratio):
    return f"{ratio:.1f}\u00a0×" if ratio < 9.95 else f"{ratio:.0f}\u00a0×"


def count_word(number):
    return COUNTS[number] if number < len(COUNTS) else f"{number:,}"


def servers(number):
    return f"{count_word(number)} server{'' if number == 1 else 's'}"


def date_of(text):
    """2026-08-08 is 8 Aug 2026, 2025-09 is Sep 2025, 2024 is 2024."""
    parts = text.split("-")
    if len(parts) == 3:
        return f"{int(parts[2])} {MONTHS[int(parts[1]) - 1]} {parts[0]}"
    return f"{MONTHS[int(parts[1]) - 1]} {parts[0]}" if len(parts) == 2 else text


def age_days(text, today):
    """Days since the last day that the date can mean."""
    parts = [int(p) for p in text.split("-")]
    year, month = parts[0], parts[1] if len(parts) > 1 else 12
    if len(parts) == 3:
        day = datetime.date(*parts)
    else:
        day = datetime.date(year + month // 12, month % 12 + 1, 1) - datetime.timedelta(days=1)
    return max(0, (today - day).days)
