"""Is one series of measurements slower than another? A ratio with its interval, by the bootstrap."""
import dataclasses
import math
import random
import statistics

RESAMPLES = 1000
CONFIDENCE = 0.95


@dataclasses.dataclass(frozen=True)
class Ratio:
    """How many times as long the second of two takes: the estimate and the ends of its interval."""
    middle: float
    low: float   # Both ends of the two-sided interval.
    high: float
    sure: float  # The ratio is above this with the confidence asked for.

    def is_above(self, limit):
        return self.sure > limit


def middle_of(logs):
    return math.exp(statistics.fmean(logs))


def quantile(ordered, share):
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def ratio_of(before, after, seed=1, confidence=CONFIDENCE):
    """Of paired measurements, each pair taken in one round.

    What disturbs a round disturbs both of its halves, so that rounds are drawn as pairs. Measurements
    are above zero, and there are at least two rounds.
    """
    if len(before) != len(after) or len(before) < 2:
        raise ValueError("a ratio needs two or more rounds of both")
    if min(*before, *after) <= 0:
        raise ValueError("a measurement is not above zero")
    logs = [math.log(late / early) for early, late in zip(before, after)]
    draw = random.Random(seed)
    # The mean of a resample scatters less than the mean itself, by this factor: few rounds count.
    widening = math.sqrt(len(logs) / (len(logs) - 1))
    centre = statistics.fmean(logs)
    means = sorted(centre + widening * (statistics.fmean(draw.choices(logs, k=len(logs))) - centre)
                   for _ in range(RESAMPLES))
    outside = 1 - confidence
    return Ratio(middle_of(logs), math.exp(quantile(means, outside / 2)),
                 math.exp(quantile(means, 1 - outside / 2)), math.exp(quantile(means, outside)))
