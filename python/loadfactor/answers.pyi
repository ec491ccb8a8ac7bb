"""Written by tools/write_stubs.py from the descriptions of the program."""
from typing import Any

from ._quantity import Quantity
from ._records import Answer, Record, Table


class PlanAnswer(Answer):
    """What to do, with which machines, paid for how, and what would change it."""

    # The answer in a sentence or two
    @property
    def verdict(self) -> str: ...
    # What to do
    @property
    def decision(self) -> str: ...
    # What is planned
    @property
    def work(self) -> str: ...
    # Work delivered over work paid for
    @property
    def load_factor(self) -> Quantity | None: ...
    # Load factor from which machines pay
    @property
    def break_even(self) -> Quantity | None: ...
    # What the break-even is against
    @property
    def against(self) -> str: ...
    # Share of requests within the SLO; null for training
    @property
    def within_slo(self) -> Quantity | None: ...
    # Whether a difference that decides may be none at all
    @property
    def close_call(self) -> bool: ...
    # These differences in words
    @property
    def close_calls(self) -> Table[str]: ...
    # The machines to have, or to weigh against the API
    @property
    def plan(self) -> PlanPlan | None: ...
    # The whole layout of a training run
    @property
    def training_layout(self) -> PlanTrainingLayout | None: ...
    # Paid time of a training run
    @property
    def duration(self) -> Quantity | None: ...
    # A training run as it is paid for, and the steady step
    @property
    def whole_run(self) -> PlanWholeRun | None: ...
    # Whether it ends in time; null without a deadline
    @property
    def deadline_met(self) -> bool | None: ...
    # Every way to have the work done, the cheapest first
    @property
    def options(self) -> Table[PlanOptions]: ...
    # What a promised availability, zones or deploys add
    @property
    def promise(self) -> PlanPromise | None: ...
    # A fleet in each region beside one place for all
    @property
    def regions(self) -> PlanRegions | None: ...
    # Years of the same service, where --years asks
    @property
    def years(self) -> PlanYears | None: ...
    # Machines that were not chosen
    @property
    def runners(self) -> Table[PlanRunners]: ...
    # What single changes of the scenario would do
    @property
    def levers(self) -> Table[PlanLevers]: ...
    # What else could be done, and what it would do
    @property
    def remarks(self) -> Table[PlanRemarks]: ...
    # Where the decision changes, nearest first
    @property
    def flips(self) -> Table[PlanFlips]: ...
    # Comparisons that were asked for
    @property
    def gates(self) -> Table[PlanGates]: ...
    # Load of all GPUs of the plan around the clock, in %
    @property
    def fleet_load_pct(self) -> float | None: ...
    # Where the empty share goes, in points
    @property
    def losses_pct(self) -> dict[str, float]: ...
    # Fleets of other sizes
    @property
    def curve(self) -> Table[PlanCurve]: ...
    # Numbers that the answer rests on
    @property
    def assumptions(self) -> Table[PlanAssumptions]: ...
    # Commands that dig deeper
    @property
    def commands(self) -> Table[str]: ...
    # Where the page was written; null: nowhere
    @property
    def report(self) -> str | None: ...


class PlanPlan(Record):
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # Replicas that only compute prompts; null where there are none
    @property
    def prompts(self) -> PlanPlanPrompts | None: ...
    # Whole nodes; 0: cards that fill a part of one
    @property
    def nodes(self) -> int: ...
    # Format of the weights or matrix products
    @property
    def precision(self) -> str: ...
    # Format of the KV cache; empty for a training run
    @property
    def kv(self) -> str: ...
    # The layout in words
    @property
    def layout(self) -> str: ...
    # How the machines are paid for
    @property
    def procurement(self) -> str: ...
    # How they are cooled; empty where not known
    @property
    def cooling(self) -> str: ...
    # What joins the nodes; empty where not known
    @property
    def network(self) -> str: ...


class PlanPlanPrompts(Record):
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...


class PlanTrainingLayout(Record):
    """The whole layout of a training run"""

    # GPUs: tp · pp · cp · dp
    @property
    def gpus(self) -> int: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # Interleaved chunks of each stage
    @property
    def vp(self) -> int: ...
    # Layers of the first stage; all without a pipeline
    @property
    def first_layers(self) -> int: ...
    # Layers of the last stage
    @property
    def last_layers(self) -> int: ...
    # GPUs that share the tokens of a sequence
    @property
    def cp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # GPUs that share one expert
    @property
    def etp(self) -> int: ...
    # Copies of the model
    @property
    def dp(self) -> int: ...
    # What is sharded over the copies
    @property
    def zero(self) -> str: ...
    # Ranks that share one copy; 0: all, or nothing is sharded
    @property
    def shard_group(self) -> int: ...
    # Sequences of one pass on one rank
    @property
    def micro_batch(self) -> int: ...
    # Passes of a step on each copy
    @property
    def micro_batches(self) -> int: ...
    # As a scenario says it: none, selective, full, a list of modules or a number of layers
    @property
    def recompute(self) -> str: ...
    # Schedule of the pipeline; empty without one
    @property
    def schedule(self) -> str: ...
    # Whether norms are split along the sequence
    @property
    def sequence_parallel(self) -> bool: ...
    # What lives in host memory
    @property
    def offload(self) -> Table[str]: ...
    # Layers of each stage whose activations leave; 0: none, or inputs of all
    @property
    def offload_layers(self) -> int: ...


class PlanWholeRun(Record):
    """A training run as it is paid for, and the steady step"""

    # GPU time of a trillion tokens by the steady step [GPU-s]
    @property
    def steady(self) -> Quantity: ...
    # The same as it is paid for, spares included [GPU-s]
    @property
    def paid(self) -> Quantity: ...
    # Share of the paid time that steady steps take [1]
    @property
    def useful_time(self) -> Quantity: ...
    # Where the rest of the paid time goes, the most first
    @property
    def losses(self) -> Table[PlanWholeRunLosses]: ...
    # Hours of published runs over those with all losses that have a name
    @property
    def unexplained(self) -> float: ...


class PlanWholeRunLosses(Record):
    # What takes the time
    @property
    def name(self) -> str: ...
    # Share of the paid time, in %
    @property
    def percent(self) -> float: ...
    # What it is
    @property
    def what(self) -> str: ...


class PlanOptions(Record):
    # The option as people read it
    @property
    def name(self) -> str: ...
    # The way to pay
    @property
    def kind(self) -> str: ...
    # Catalogue name; empty for the API
    @property
    def accelerator(self) -> str: ...
    # Whole machines' GPUs at the busiest hour; 0 for the API
    @property
    def gpus(self) -> int: ...
    # GPUs paid for on average, where machines come and go
    @property
    def mean_gpus(self) -> float | None: ...
    # Work delivered over work paid for; null for the API
    @property
    def load_factor(self) -> Quantity | None: ...
    # Load factor from which it pays today; null where there is none
    @property
    def break_even(self) -> Quantity | None: ...
    # The same averaged over what it binds
    @property
    def break_even_life(self) -> Quantity | None: ...
    # What the break-even is against
    @property
    def against(self) -> str: ...
    # Cost of a month [USD/month]
    @property
    def per_month(self) -> Quantity: ...
    # Cost of a month, or of the whole run [USD]
    @property
    def cost(self) -> Quantity: ...
    # Cost of a million tokens; null where tokens are not the work
    @property
    def per_mtoken(self) -> Quantity | None: ...
    # Why it was not chosen; empty for the first
    @property
    def why(self) -> str: ...


class PlanPromise(Record):
    """What a promised availability, zones or deploys add"""

    # Availability; null where only zones or deploys are
    @property
    def asked(self) -> float | None: ...
    # Zones of which any one may be lost; 0: none
    @property
    def zones(self) -> int: ...
    # Replicas that a deploy takes out at once
    @property
    def spare(self) -> int: ...
    # Replicas that stand by, those for deploys too
    @property
    def spares(self) -> int: ...
    # Share of the time in which no more are out, also while a deploy goes on [1]
    @property
    def availability(self) -> Quantity: ...
    # GPUs without the promise
    @property
    def plain_gpus(self) -> int: ...
    # Spares without the promise
    @property
    def plain_spares(self) -> int: ...
    # Availability without the promise [1]
    @property
    def plain_availability(self) -> Quantity: ...
    # Cost of a month of machines without the promise [USD]
    @property
    def plain_per_month(self) -> Quantity: ...
    # What the promise adds to a month
    @property
    def more(self) -> Quantity | None: ...


class PlanRegions(Record):
    """A fleet in each region beside one place for all"""

    # A fleet in each region for its own users
    @property
    def sites(self) -> Table[PlanRegionsSites]: ...
    # GPUs of all; 0 where some region has none
    @property
    def gpus(self) -> int: ...
    # Replicas of all
    @property
    def replicas(self) -> int: ...
    # Cost of a month of all; null: not known
    @property
    def per_month(self) -> Quantity | None: ...
    # Whether all together keep the limits
    @property
    def within_limits(self) -> bool: ...
    # One place for all users, with a first token that is due earlier by the round trip: the
    # cheapest first
    @property
    def places(self) -> Table[PlanRegionsPlaces]: ...


class PlanRegionsSites(Record):
    # Catalogue name
    @property
    def region(self) -> str: ...
    # Part of the demand that it serves, in %
    @property
    def share_pct(self) -> float: ...
    # Whether machines there keep the promise
    @property
    def keeps_promise(self) -> bool: ...
    # Catalogue name; empty where none does
    @property
    def accelerator(self) -> str: ...
    # Whole machines' GPUs at the busiest hour
    @property
    def gpus(self) -> int: ...
    # Replicas, spares among them
    @property
    def replicas(self) -> int: ...
    # The cheapest way to have them; empty where none has a price
    @property
    def option(self) -> str: ...
    # Cost of a month; null: not known
    @property
    def per_month(self) -> Quantity | None: ...
    # Whether it keeps the limits by itself
    @property
    def within_limits(self) -> bool: ...
    # Its books; null where no years are asked
    @property
    def years(self) -> PlanRegionsSitesYears | None: ...


class PlanRegionsSitesYears(Record):
    # The way to have its machines with the highest NPV
    @property
    def best(self) -> PlanRegionsSitesYearsBest: ...
    # What electricity costs there [USD/J]
    @property
    def electricity(self) -> Quantity: ...
    # Carbon of that electricity; null where it is not known
    @property
    def carbon_g_per_kwh(self) -> float | None: ...


class PlanRegionsSitesYearsBest(Record):
    """The way to have its machines with the highest NPV"""

    # The plan in words
    @property
    def name(self) -> str: ...
    # The way from the beginning on
    @property
    def first(self) -> PlanRegionsSitesYearsBestFirst: ...
    # The way from a month on; null: the first stays
    @property
    def then(self) -> PlanRegionsSitesYearsBestThen | None: ...
    # That month, from 0
    @property
    def change_month(self) -> int: ...
    # Net present value of the cash after tax [USD]
    @property
    def npv(self) -> Quantity: ...
    # Sum of the cash after tax [USD]
    @property
    def cash(self) -> Quantity: ...
    # The books of each year
    @property
    def years(self) -> Table[PlanRegionsSitesYearsBestYears]: ...


class PlanRegionsSitesYearsBestFirst(Record):
    """The way from the beginning on"""

    # The way to pay
    @property
    def kind(self) -> str: ...
    # Catalogue name; empty for the API
    @property
    def accelerator(self) -> str: ...
    # Who sells the tokens; empty for machines
    @property
    def seller(self) -> str: ...


class PlanRegionsSitesYearsBestThen(Record):
    # The way to pay
    @property
    def kind(self) -> str: ...
    # Catalogue name; empty for the API
    @property
    def accelerator(self) -> str: ...
    # Who sells the tokens; empty for machines
    @property
    def seller(self) -> str: ...


class PlanRegionsSitesYearsBestYears(Record):
    # Cost as a plan of one moment counts it: machines by their annuity [USD]
    @property
    def cost(self) -> Quantity: ...
    # Paid for machines [USD]
    @property
    def purchases(self) -> Quantity: ...
    # Got for machines that are sold [USD]
    @property
    def resale(self) -> Quantity: ...
    # Paid for everything else [USD]
    @property
    def operating(self) -> Quantity: ...
    # Earned with tokens: the stated price of the stated demand [USD]
    @property
    def revenue(self) -> Quantity: ...
    # All cash before tax; paid is negative [USD]
    @property
    def cash(self) -> Quantity: ...
    # Written off in the books [USD]
    @property
    def depreciation(self) -> Quantity: ...
    # Resale less what the books still had [USD]
    @property
    def disposal(self) -> Quantity: ...
    # Profit before tax [USD]
    @property
    def profit(self) -> Quantity: ...
    # Tax on it; negative where it is saved [USD]
    @property
    def tax(self) -> Quantity: ...
    # GPUs paid for on average in its last month
    @property
    def gpus(self) -> float: ...
    # GPUs owned in its last month
    @property
    def owned(self) -> float: ...
    # Energy of the machines and the site [J]
    @property
    def energy(self) -> Quantity: ...


class PlanRegionsPlaces(Record):
    # Catalogue name
    @property
    def region(self) -> str: ...
    # Part of the demand that it serves, in %
    @property
    def share_pct(self) -> float: ...
    # Whether machines there keep the promise
    @property
    def keeps_promise(self) -> bool: ...
    # Catalogue name; empty where none does
    @property
    def accelerator(self) -> str: ...
    # Whole machines' GPUs at the busiest hour
    @property
    def gpus(self) -> int: ...
    # Replicas, spares among them
    @property
    def replicas(self) -> int: ...
    # The cheapest way to have them; empty where none has a price
    @property
    def option(self) -> str: ...
    # Cost of a month; null: not known
    @property
    def per_month(self) -> Quantity | None: ...
    # Whether it keeps the limits by itself
    @property
    def within_limits(self) -> bool: ...
    # Its books; null where no years are asked
    @property
    def years(self) -> PlanRegionsPlacesYears | None: ...
    # To the farthest region and back, before the first token of its users
    @property
    def round_trip(self) -> Quantity: ...
    # That region as people write it
    @property
    def farthest(self) -> str: ...


class PlanRegionsPlacesYears(Record):
    # The way to have its machines with the highest NPV
    @property
    def best(self) -> PlanRegionsPlacesYearsBest: ...
    # What electricity costs there [USD/J]
    @property
    def electricity(self) -> Quantity: ...
    # Carbon of that electricity; null where it is not known
    @property
    def carbon_g_per_kwh(self) -> float | None: ...


class PlanRegionsPlacesYearsBest(Record):
    """The way to have its machines with the highest NPV"""

    # The plan in words
    @property
    def name(self) -> str: ...
    # The way from the beginning on
    @property
    def first(self) -> PlanRegionsPlacesYearsBestFirst: ...
    # The way from a month on; null: the first stays
    @property
    def then(self) -> PlanRegionsPlacesYearsBestThen | None: ...
    # That month, from 0
    @property
    def change_month(self) -> int: ...
    # Net present value of the cash after tax [USD]
    @property
    def npv(self) -> Quantity: ...
    # Sum of the cash after tax [USD]
    @property
    def cash(self) -> Quantity: ...
    # The books of each year
    @property
    def years(self) -> Table[PlanRegionsPlacesYearsBestYears]: ...


class PlanRegionsPlacesYearsBestFirst(Record):
    """The way from the beginning on"""

    # The way to pay
    @property
    def kind(self) -> str: ...
    # Catalogue name; empty for the API
    @property
    def accelerator(self) -> str: ...
    # Who sells the tokens; empty for machines
    @property
    def seller(self) -> str: ...


class PlanRegionsPlacesYearsBestThen(Record):
    # The way to pay
    @property
    def kind(self) -> str: ...
    # Catalogue name; empty for the API
    @property
    def accelerator(self) -> str: ...
    # Who sells the tokens; empty for machines
    @property
    def seller(self) -> str: ...


class PlanRegionsPlacesYearsBestYears(Record):
    # Cost as a plan of one moment counts it: machines by their annuity [USD]
    @property
    def cost(self) -> Quantity: ...
    # Paid for machines [USD]
    @property
    def purchases(self) -> Quantity: ...
    # Got for machines that are sold [USD]
    @property
    def resale(self) -> Quantity: ...
    # Paid for everything else [USD]
    @property
    def operating(self) -> Quantity: ...
    # Earned with tokens: the stated price of the stated demand [USD]
    @property
    def revenue(self) -> Quantity: ...
    # All cash before tax; paid is negative [USD]
    @property
    def cash(self) -> Quantity: ...
    # Written off in the books [USD]
    @property
    def depreciation(self) -> Quantity: ...
    # Resale less what the books still had [USD]
    @property
    def disposal(self) -> Quantity: ...
    # Profit before tax [USD]
    @property
    def profit(self) -> Quantity: ...
    # Tax on it; negative where it is saved [USD]
    @property
    def tax(self) -> Quantity: ...
    # GPUs paid for on average in its last month
    @property
    def gpus(self) -> float: ...
    # GPUs owned in its last month
    @property
    def owned(self) -> float: ...
    # Energy of the machines and the site [J]
    @property
    def energy(self) -> Quantity: ...


class PlanYears(Record):
    """Years of the same service, where --years asks"""

    # Mean of each year over today's
    @property
    def traffic(self) -> Table[float]: ...
    # Ways to have the work done, the highest NPV first
    @property
    def plans(self) -> Table[PlanYearsPlans]: ...
    # Ways that growth makes impossible
    @property
    def outgrown(self) -> Table[PlanYearsOutgrown]: ...
    # Chips that are announced and not there yet
    @property
    def coming(self) -> Table[PlanYearsComing]: ...
    # Owning at once; null where nothing is owned
    @property
    def buy_now(self) -> PlanYearsBuyNow | None: ...
    # Owning after some months of another way
    @property
    def wait(self) -> PlanYearsWait | None: ...
    # These months
    @property
    def wait_months(self) -> int: ...
    # Per year
    @property
    def discount(self) -> float: ...
    # On profit
    @property
    def tax_rate(self) -> float: ...
    # Whether the books write off by MACRS
    @property
    def macrs(self) -> bool: ...
    # From an order to machines that work
    @property
    def lead_months(self) -> int: ...
    # Change of rents per year; null where a path is stated
    @property
    def rent_drift(self) -> float | None: ...
    # Today's price of electricity [USD/J]
    @property
    def electricity(self) -> Quantity: ...
    # Carbon of the region's electricity; null where it is not known
    @property
    def carbon_g_per_kwh(self) -> float | None: ...


class PlanYearsPlans(Record):
    # The plan in words
    @property
    def name(self) -> str: ...
    # The way from the beginning on
    @property
    def first(self) -> PlanYearsPlansFirst: ...
    # The way from a month on; null: the first stays
    @property
    def then(self) -> PlanYearsPlansThen | None: ...
    # That month, from 0
    @property
    def change_month(self) -> int: ...
    # Net present value of the cash after tax [USD]
    @property
    def npv(self) -> Quantity: ...
    # Sum of the cash after tax [USD]
    @property
    def cash(self) -> Quantity: ...
    # The books of each year
    @property
    def years(self) -> Table[PlanYearsPlansYears]: ...


class PlanYearsPlansFirst(Record):
    """The way from the beginning on"""

    # The way to pay
    @property
    def kind(self) -> str: ...
    # Catalogue name; empty for the API
    @property
    def accelerator(self) -> str: ...
    # Who sells the tokens; empty for machines
    @property
    def seller(self) -> str: ...


class PlanYearsPlansThen(Record):
    # The way to pay
    @property
    def kind(self) -> str: ...
    # Catalogue name; empty for the API
    @property
    def accelerator(self) -> str: ...
    # Who sells the tokens; empty for machines
    @property
    def seller(self) -> str: ...


class PlanYearsPlansYears(Record):
    # Cost as a plan of one moment counts it: machines by their annuity [USD]
    @property
    def cost(self) -> Quantity: ...
    # Paid for machines [USD]
    @property
    def purchases(self) -> Quantity: ...
    # Got for machines that are sold [USD]
    @property
    def resale(self) -> Quantity: ...
    # Paid for everything else [USD]
    @property
    def operating(self) -> Quantity: ...
    # Earned with tokens: the stated price of the stated demand [USD]
    @property
    def revenue(self) -> Quantity: ...
    # All cash before tax; paid is negative [USD]
    @property
    def cash(self) -> Quantity: ...
    # Written off in the books [USD]
    @property
    def depreciation(self) -> Quantity: ...
    # Resale less what the books still had [USD]
    @property
    def disposal(self) -> Quantity: ...
    # Profit before tax [USD]
    @property
    def profit(self) -> Quantity: ...
    # Tax on it; negative where it is saved [USD]
    @property
    def tax(self) -> Quantity: ...
    # GPUs paid for on average in its last month
    @property
    def gpus(self) -> float: ...
    # GPUs owned in its last month
    @property
    def owned(self) -> float: ...
    # Energy of the machines and the site [J]
    @property
    def energy(self) -> Quantity: ...


class PlanYearsOutgrown(Record):
    # A way to pay
    @property
    def way(self) -> str: ...
    # The month, from 0, in which GPUs are too few
    @property
    def month(self) -> int: ...


class PlanYearsComing(Record):
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # For which it is announced
    @property
    def year(self) -> int: ...
    # From which on it is counted to be there, from 0
    @property
    def month(self) -> int: ...


class PlanYearsBuyNow(Record):
    # The plan in words
    @property
    def name(self) -> str: ...
    # The way from the beginning on
    @property
    def first(self) -> PlanYearsBuyNowFirst: ...
    # The way from a month on; null: the first stays
    @property
    def then(self) -> PlanYearsBuyNowThen | None: ...
    # That month, from 0
    @property
    def change_month(self) -> int: ...
    # Net present value of the cash after tax [USD]
    @property
    def npv(self) -> Quantity: ...
    # Sum of the cash after tax [USD]
    @property
    def cash(self) -> Quantity: ...
    # The books of each year
    @property
    def years(self) -> Table[PlanYearsBuyNowYears]: ...


class PlanYearsBuyNowFirst(Record):
    """The way from the beginning on"""

    # The way to pay
    @property
    def kind(self) -> str: ...
    # Catalogue name; empty for the API
    @property
    def accelerator(self) -> str: ...
    # Who sells the tokens; empty for machines
    @property
    def seller(self) -> str: ...


class PlanYearsBuyNowThen(Record):
    # The way to pay
    @property
    def kind(self) -> str: ...
    # Catalogue name; empty for the API
    @property
    def accelerator(self) -> str: ...
    # Who sells the tokens; empty for machines
    @property
    def seller(self) -> str: ...


class PlanYearsBuyNowYears(Record):
    # Cost as a plan of one moment counts it: machines by their annuity [USD]
    @property
    def cost(self) -> Quantity: ...
    # Paid for machines [USD]
    @property
    def purchases(self) -> Quantity: ...
    # Got for machines that are sold [USD]
    @property
    def resale(self) -> Quantity: ...
    # Paid for everything else [USD]
    @property
    def operating(self) -> Quantity: ...
    # Earned with tokens: the stated price of the stated demand [USD]
    @property
    def revenue(self) -> Quantity: ...
    # All cash before tax; paid is negative [USD]
    @property
    def cash(self) -> Quantity: ...
    # Written off in the books [USD]
    @property
    def depreciation(self) -> Quantity: ...
    # Resale less what the books still had [USD]
    @property
    def disposal(self) -> Quantity: ...
    # Profit before tax [USD]
    @property
    def profit(self) -> Quantity: ...
    # Tax on it; negative where it is saved [USD]
    @property
    def tax(self) -> Quantity: ...
    # GPUs paid for on average in its last month
    @property
    def gpus(self) -> float: ...
    # GPUs owned in its last month
    @property
    def owned(self) -> float: ...
    # Energy of the machines and the site [J]
    @property
    def energy(self) -> Quantity: ...


class PlanYearsWait(Record):
    # The plan in words
    @property
    def name(self) -> str: ...
    # The way from the beginning on
    @property
    def first(self) -> PlanYearsWaitFirst: ...
    # The way from a month on; null: the first stays
    @property
    def then(self) -> PlanYearsWaitThen | None: ...
    # That month, from 0
    @property
    def change_month(self) -> int: ...
    # Net present value of the cash after tax [USD]
    @property
    def npv(self) -> Quantity: ...
    # Sum of the cash after tax [USD]
    @property
    def cash(self) -> Quantity: ...
    # The books of each year
    @property
    def years(self) -> Table[PlanYearsWaitYears]: ...


class PlanYearsWaitFirst(Record):
    """The way from the beginning on"""

    # The way to pay
    @property
    def kind(self) -> str: ...
    # Catalogue name; empty for the API
    @property
    def accelerator(self) -> str: ...
    # Who sells the tokens; empty for machines
    @property
    def seller(self) -> str: ...


class PlanYearsWaitThen(Record):
    # The way to pay
    @property
    def kind(self) -> str: ...
    # Catalogue name; empty for the API
    @property
    def accelerator(self) -> str: ...
    # Who sells the tokens; empty for machines
    @property
    def seller(self) -> str: ...


class PlanYearsWaitYears(Record):
    # Cost as a plan of one moment counts it: machines by their annuity [USD]
    @property
    def cost(self) -> Quantity: ...
    # Paid for machines [USD]
    @property
    def purchases(self) -> Quantity: ...
    # Got for machines that are sold [USD]
    @property
    def resale(self) -> Quantity: ...
    # Paid for everything else [USD]
    @property
    def operating(self) -> Quantity: ...
    # Earned with tokens: the stated price of the stated demand [USD]
    @property
    def revenue(self) -> Quantity: ...
    # All cash before tax; paid is negative [USD]
    @property
    def cash(self) -> Quantity: ...
    # Written off in the books [USD]
    @property
    def depreciation(self) -> Quantity: ...
    # Resale less what the books still had [USD]
    @property
    def disposal(self) -> Quantity: ...
    # Profit before tax [USD]
    @property
    def profit(self) -> Quantity: ...
    # Tax on it; negative where it is saved [USD]
    @property
    def tax(self) -> Quantity: ...
    # GPUs paid for on average in its last month
    @property
    def gpus(self) -> float: ...
    # GPUs owned in its last month
    @property
    def owned(self) -> float: ...
    # Energy of the machines and the site [J]
    @property
    def energy(self) -> Quantity: ...


class PlanRunners(Record):
    # The machines in words
    @property
    def name(self) -> str: ...
    # Catalogue name
    @property
    def accelerator(self) -> str | None: ...
    # GPUs
    @property
    def gpus(self) -> int | None: ...
    # Work delivered over work paid for [1]
    @property
    def load_factor(self) -> Quantity | None: ...
    # Cost of a month or of the run; null: not known, in USD
    @property
    def cost_usd(self) -> float | None: ...
    # The same with its range; null: not known
    @property
    def cost(self) -> Quantity | None: ...
    # Why they were not chosen
    @property
    def why(self) -> str: ...


class PlanLevers(Record):
    # Arguments of --set that together make the change
    @property
    def edits(self) -> Table[str]: ...
    # The answer after it
    @property
    def then(self) -> PlanLeversThen | None: ...
    # What is changed
    @property
    def kind(self) -> str: ...
    # The change in words
    @property
    def name(self) -> str: ...
    # What it does, in words
    @property
    def effect(self) -> str: ...


class PlanLeversThen(Record):
    # What to do then
    @property
    def decision(self) -> str: ...
    # GPUs to have then; 0 where the API is used
    @property
    def gpus(self) -> int: ...
    # Load factor then; null for the API
    @property
    def load_factor(self) -> Quantity | None: ...
    # Cost of a month then; null: not known
    @property
    def per_month(self) -> Quantity | None: ...
    # Cost then, of a month or of the run, as `plan` of the change says; null: not known
    @property
    def cost(self) -> Quantity | None: ...


class PlanRemarks(Record):
    # What would be changed
    @property
    def kind(self) -> str: ...
    # The answer after it
    @property
    def then(self) -> PlanRemarksThen | None: ...
    # What could be done, in words
    @property
    def name(self) -> str: ...
    # What it would do, in words
    @property
    def effect(self) -> str: ...


class PlanRemarksThen(Record):
    """The answer after it"""

    # What to do then
    @property
    def decision(self) -> str: ...
    # GPUs to have then; 0 where the API is used
    @property
    def gpus(self) -> int: ...
    # Load factor then; null for the API
    @property
    def load_factor(self) -> Quantity | None: ...
    # Cost of a month then; null: not known
    @property
    def per_month(self) -> Quantity | None: ...
    # Cost then, of a month or of the run, as `plan` of the change says; null: not known
    @property
    def cost(self) -> Quantity | None: ...


class PlanFlips(Record):
    # The --set that makes it; null where no key does, or it is rough
    @property
    def edit(self) -> str | None: ...
    # Multiple of today's traffic
    @property
    def at(self) -> float: ...
    # The same, with the range that prices and the load of the machines leave
    @property
    def traffic(self) -> Quantity: ...
    # Decision today
    @property
    def from_(self) -> str: ...
    # Decision from there on
    @property
    def to(self) -> str: ...
    # GPUs that work from there on, which `to` counts against those of today; 0: none
    @property
    def gpus(self) -> int: ...


class PlanGates(Record):
    # The comparison as it was asked
    @property
    def gate(self) -> str: ...
    # Whether it holds
    @property
    def holds(self) -> bool: ...
    # Its left side, in base units
    @property
    def left(self) -> float | None: ...
    # Its right side, in base units
    @property
    def right(self) -> float | None: ...
    # The comparison with its figures
    @property
    def words(self) -> str: ...


class PlanCurve(Record):
    # GPUs of the fleet
    @property
    def gpus(self) -> int: ...
    # Work delivered over work possible, in %
    @property
    def load_factor_pct(self) -> float: ...
    # Requests within the SLO, in %
    @property
    def within_slo_pct(self) -> float: ...
    # Useful tokens of a GPU over the best size; 0: not known, in %
    @property
    def efficiency_pct(self) -> float: ...


class PlanAssumptions(Record):
    # A path of the scenario, or the name of a fact
    @property
    def what(self) -> str: ...
    # Its value as text
    @property
    def value(self) -> str: ...
    # How it is known
    @property
    def basis(self) -> str: ...
    # Ids of SOURCES.md
    @property
    def source(self) -> str: ...
    # When it was read
    @property
    def date(self) -> str: ...
    # File and line that state it
    @property
    def where(self) -> str: ...


class FitAnswer(Answer):
    """Whether a model fits on an accelerator, and how many sequences it then holds."""

    # The answer as one sentence
    @property
    def verdict(self) -> str: ...
    # Catalogue name
    @property
    def model(self) -> str: ...
    # Exact counts
    @property
    def parameters(self) -> FitParameters: ...
    # What was asked, with what was chosen
    @property
    def layout(self) -> FitLayout: ...
    # All weights on all GPUs, copies included [B]
    @property
    def weights(self) -> Quantity: ...
    # Weights on the fullest GPU [B]
    @property
    def weights_per_gpu(self) -> Quantity: ...
    # KV cache of one more token, over all GPUs [B/token]
    @property
    def kv_per_token(self) -> Quantity: ...
    # Memory of one sequence that does not grow with it [B]
    @property
    def state_per_sequence(self) -> Quantity: ...
    # Tokens that the KV cache holds [tokens]
    @property
    def kv_tokens(self) -> Quantity: ...
    # Memory of the fullest GPU, line by line
    @property
    def memory(self) -> Table[FitMemory]: ...
    # Sequences of the asked context that fit
    @property
    def sequences(self) -> int: ...
    # The same where the modelled parts are at their worst
    @property
    def sequences_low(self) -> int: ...
    # The same where the modelled parts are at their best
    @property
    def sequences_high(self) -> int: ...
    # Sequences of other lengths
    @property
    def sequences_by_length(self) -> Table[FitSequencesByLength]: ...
    # What a request gets: tokens, one vector or one score
    @property
    def task(self) -> str: ...
    # Whether one sequence of the asked context fits
    @property
    def fits(self) -> bool: ...
    # The smallest number of these GPUs that fits
    @property
    def min_gpus(self) -> int: ...
    # The same chip in other numbers
    @property
    def same_chip(self) -> Table[FitSameChip]: ...
    # Other chips
    @property
    def elsewhere(self) -> Table[FitElsewhere]: ...


class FitParameters(Record):
    """Exact counts"""

    # All parameters, multi-token prediction apart
    @property
    def total(self) -> int: ...
    # Parameters that work for one token
    @property
    def active(self) -> int: ...
    # Parameters of layers for multi-token prediction
    @property
    def mtp(self) -> int: ...


class FitLayout(Record):
    """What was asked, with what was chosen"""

    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # Catalogue name
    @property
    def engine(self) -> str: ...
    # Format of the weights
    @property
    def quant(self) -> str: ...
    # Format of the KV cache
    @property
    def kv(self) -> str: ...
    # Tokens of one sequence, prompt and answer together
    @property
    def context(self) -> int: ...


class FitMemory(Record):
    # What takes the memory
    @property
    def name(self) -> str: ...
    # Memory of the GPU that it takes [B]
    @property
    def bytes(self) -> Quantity: ...
    # The sum in words
    @property
    def why(self) -> str: ...


class FitSequencesByLength(Record):
    # Length of each sequence
    @property
    def tokens(self) -> int: ...
    # Sequences of that length that fit
    @property
    def sequences(self) -> int: ...


class FitSameChip(Record):
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # Sequences of the asked context that fit
    @property
    def sequences(self) -> int: ...


class FitElsewhere(Record):
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # Sequences of the asked context that fit
    @property
    def sequences(self) -> int: ...


class ServeAnswer(Answer):
    """One deployment: capacity, speed under a load, what limits it."""

    # The answer in one line
    @property
    def verdict(self) -> str: ...
    # Catalogue name
    @property
    def model(self) -> str: ...
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # Generation of the engine
    @property
    def engine(self) -> str: ...
    # Format of the weights
    @property
    def precision(self) -> str: ...
    # Format of the KV cache
    @property
    def kv(self) -> str: ...
    # How the model is spread over GPUs
    @property
    def layout(self) -> ServeLayout: ...
    # Weights on one GPU [B]
    @property
    def weights(self) -> Quantity: ...
    # Memory of one GPU that is left for the KV cache [B]
    @property
    def kv_space(self) -> Quantity: ...
    # Tokens that the KV cache of a replica holds [tokens]
    @property
    def kv_tokens(self) -> Quantity: ...
    # Sequences of the asked lengths that a replica runs at once [1]
    @property
    def sequences(self) -> Quantity: ...
    # The load that the figures are of, in words
    @property
    def load(self) -> str: ...
    # Whether the load is below saturation
    @property
    def feasible(self) -> bool: ...
    # Replicas that would carry the load, where these do not
    @property
    def replicas_needed(self) -> int | None: ...
    # Share of the saturated rate that is asked [1]
    @property
    def utilisation(self) -> Quantity | None: ...
    # Output tokens of all replicas when saturated; of a model that writes none, those it reads
    # [tokens/s]
    @property
    def saturated(self) -> Quantity: ...
    # The same per GPU [tokens/s]
    @property
    def saturated_per_gpu(self) -> Quantity: ...
    # Requests per second of all replicas when saturated [Hz]
    @property
    def saturated_requests(self) -> Quantity: ...
    # Output tokens under the load, counted so too [tokens/s]
    @property
    def throughput(self) -> Quantity: ...
    # Time to the first token
    @property
    def ttft(self) -> ServeTtft: ...
    # Time per output token after the first; null where none is written
    @property
    def tpot(self) -> ServeTpot | None: ...
    # Time from request to last token
    @property
    def latency(self) -> ServeLatency: ...
    # Sequences in a batch on average [1]
    @property
    def batch(self) -> Quantity: ...
    # Model FLOPs over the dense peak [1]
    @property
    def mfu(self) -> Quantity: ...
    # Bandwidth that weights and cache need over the peak [1]
    @property
    def mbu(self) -> Quantity: ...
    # Energy of one token, counted so too [J]
    @property
    def energy_per_token(self) -> Quantity: ...
    # What binds, in words
    @property
    def limit(self) -> str: ...
    # One line for each objective
    @property
    def slo(self) -> Table[str]: ...
    # Factor on every step, from a measured run [1]
    @property
    def pace(self) -> Quantity: ...
    # Times of the two kinds of step
    @property
    def step(self) -> ServeStep: ...
    # What a step is made of
    @property
    def breakdown(self) -> Table[ServeBreakdown]: ...
    # Fixed batches, where they were asked for
    @property
    def batches(self) -> Table[ServeBatches] | None: ...


class ServeLayout(Record):
    """How the model is spread over GPUs"""

    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # GPUs among them that only compute prompts
    @property
    def prompt_gpus(self) -> int: ...
    # Tokens of the largest step
    @property
    def chunk(self) -> int: ...
    # Sequences that run at once on a rank
    @property
    def max_seqs(self) -> int: ...


class ServeTtft(Record):
    """Time to the first token"""

    # Mean over the requests of the load
    @property
    def mean(self) -> Quantity: ...


class ServeTpot(Record):
    # Mean over the requests of the load
    @property
    def mean(self) -> Quantity: ...


class ServeLatency(Record):
    """Time from request to last token"""

    # Mean over the requests of the load
    @property
    def mean(self) -> Quantity: ...


class ServeStep(Record):
    """Times of the two kinds of step"""

    # Time of a step that only decodes
    @property
    def decode(self) -> Quantity: ...
    # Time of a step that computes a prompt too
    @property
    def prompt(self) -> Quantity: ...


class ServeBreakdown(Record):
    # What takes the time
    @property
    def name(self) -> str: ...
    # Its time in a step that only decodes
    @property
    def decode(self) -> Quantity: ...
    # Its time in a step that computes a prompt too
    @property
    def prompt(self) -> Quantity: ...


class ServeBatches(Record):
    # Sequences that run together
    @property
    def batch(self) -> int: ...
    # Output tokens per second [tokens/s]
    @property
    def output_rate(self) -> Quantity: ...
    # Time per output token after the first
    @property
    def tpot(self) -> Quantity: ...
    # Model FLOPs utilisation of decode steps [1]
    @property
    def mfu(self) -> Quantity: ...
    # Share of the peak bandwidth that weights and cache need [1]
    @property
    def mbu(self) -> Quantity: ...
    # Output rate over that of the first row [1]
    @property
    def speedup(self) -> Quantity: ...


class SizingAnswer(Answer):
    """The cheapest deployments that serve a demand within its SLO."""

    # The answer as one sentence
    @property
    def verdict(self) -> str: ...
    # Requests of the demand on average [Hz]
    @property
    def mean_rate(self) -> Quantity: ...
    # Requests in the busiest 10 minutes [Hz]
    @property
    def peak_rate(self) -> Quantity: ...
    # Deployments that were thought of
    @property
    def enumerated(self) -> int: ...
    # Deployments that fit
    @property
    def evaluated(self) -> int: ...
    # Deployments that keep the SLO
    @property
    def meeting(self) -> int: ...
    # Requests that were simulated
    @property
    def simulated_requests(self) -> int: ...
    # CPU time after reading; left out by --reproducible, in seconds
    @property
    def seconds(self) -> float | None: ...
    # The cheapest deployment of each kind, best first
    @property
    def deployments(self) -> Table[SizingDeployments]: ...
    # Whether no cheaper fleet exists
    @property
    def nothing_cheaper(self) -> bool: ...
    # The dearest fleet below the answer that was tried
    @property
    def next_cheaper(self) -> SizingNextCheaper | None: ...
    # An availability, zones or deploys that are promised
    @property
    def promised(self) -> SizingPromised | None: ...
    # The most that the GPUs asked about carry
    @property
    def most_for_fleet(self) -> SizingMostForFleet | None: ...
    # Deployments that nothing beats in cost and speed
    @property
    def pareto(self) -> Table[SizingPareto]: ...
    # What giving way in one thing saves
    @property
    def relaxed(self) -> Table[SizingRelaxed]: ...


class SizingDeployments(Record):
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # Format of the weights
    @property
    def precision(self) -> str: ...
    # Format of the KV cache
    @property
    def kv(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # Replicas that only compute prompts; null where there are none
    @property
    def prompts(self) -> SizingDeploymentsPrompts | None: ...
    # Sequences that run at once on a rank
    @property
    def max_seqs(self) -> int: ...
    # Tokens of the largest step
    @property
    def chunk(self) -> int: ...
    # Replicas among them that stand by
    @property
    def spares(self) -> int: ...
    # Share of the time in which no more replicas are out than stand by for it [1]
    @property
    def availability(self) -> Quantity: ...
    # GPUs that are paid for, in the machines that the way below sells
    @property
    def paid_gpus(self) -> int: ...
    # The cheapest way to pay for all of it; null where none has a price
    @property
    def kind(self) -> str | None: ...
    # Cost of an hour in that way; null where it has none
    @property
    def per_hour(self) -> Quantity | None: ...
    # Cost of a million tokens
    @property
    def per_mtoken(self) -> Quantity | None: ...
    # GPU time that a token takes [GPU-s/token]
    @property
    def gpu_time_per_token(self) -> Quantity: ...
    # Output tokens within the SLO for a dollar; tokens that are read where none is written
    @property
    def goodput_per_dollar(self) -> Quantity | None: ...
    # Work delivered over work possible [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Requests that a replica takes [Hz]
    @property
    def rate_per_replica(self) -> Quantity: ...
    # Requests on average that the fleet could take [Hz]
    @property
    def most_mean_rate(self) -> Quantity: ...
    # Output tokens of a GPU at that rate; tokens that are read where none is written [tokens/s]
    @property
    def tokens_per_gpu(self) -> Quantity: ...
    # Time to the first token: at its quantile where simulated, else the mean
    @property
    def ttft(self) -> Quantity: ...
    # Time per output token: at its quantile where simulated, else the mean
    @property
    def tpot(self) -> Quantity: ...
    # GPUs on average if replicas came and went without delay
    @property
    def autoscaled_gpus(self) -> Quantity: ...
    # The fleet with scaling, simulated; null: it was not
    @property
    def autoscaled(self) -> SizingDeploymentsAutoscaled | None: ...
    # Whether measured runs cover this hardware
    @property
    def calibrated(self) -> bool: ...
    # Whether a simulation kept the SLO
    @property
    def confirmed(self) -> bool: ...
    # Weeks that were simulated
    @property
    def simulated(self) -> SizingDeploymentsSimulated: ...
    # Weeks kept as computed, not simulated
    @property
    def fluid_weeks_kept(self) -> int: ...
    # The same with one replica fewer
    @property
    def fluid_weeks_kept_with_fewer(self) -> int: ...


class SizingDeploymentsPrompts(Record):
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...


class SizingDeploymentsAutoscaled(Record):
    # GPUs paid for on average
    @property
    def gpus(self) -> Quantity: ...
    # Requests per replica that scaling aims at
    @property
    def target_load(self) -> int: ...
    # Share of requests within the SLO [1]
    @property
    def within_slo(self) -> Quantity: ...
    # Whether the SLO was kept
    @property
    def kept(self) -> bool: ...


class SizingDeploymentsSimulated(Record):
    """Weeks that were simulated"""

    # Weeks that were simulated
    @property
    def weeks(self) -> int: ...
    # Weeks in which the SLO was kept
    @property
    def kept(self) -> int: ...


class SizingNextCheaper(Record):
    """The dearest fleet below the answer that was tried"""

    # The fleet
    @property
    def deployment(self) -> SizingNextCheaperDeployment: ...
    # Whether its weeks were computed and not simulated
    @property
    def fluid(self) -> bool: ...
    # Its weeks
    @property
    def simulated(self) -> SizingNextCheaperSimulated: ...


class SizingNextCheaperDeployment(Record):
    """The fleet"""

    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # Format of the weights
    @property
    def precision(self) -> str: ...
    # Format of the KV cache
    @property
    def kv(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # Replicas that only compute prompts; null where there are none
    @property
    def prompts(self) -> SizingNextCheaperDeploymentPrompts | None: ...
    # Sequences that run at once on a rank
    @property
    def max_seqs(self) -> int: ...
    # Tokens of the largest step
    @property
    def chunk(self) -> int: ...
    # Replicas among them that stand by
    @property
    def spares(self) -> int: ...
    # Share of the time in which no more replicas are out than stand by for it [1]
    @property
    def availability(self) -> Quantity: ...
    # GPUs that are paid for, in the machines that the way below sells
    @property
    def paid_gpus(self) -> int: ...
    # The cheapest way to pay for all of it; null where none has a price
    @property
    def kind(self) -> str | None: ...
    # Cost of an hour in that way; null where it has none
    @property
    def per_hour(self) -> Quantity | None: ...
    # Cost of a million tokens
    @property
    def per_mtoken(self) -> Quantity | None: ...
    # GPU time that a token takes [GPU-s/token]
    @property
    def gpu_time_per_token(self) -> Quantity: ...
    # Output tokens within the SLO for a dollar; tokens that are read where none is written
    @property
    def goodput_per_dollar(self) -> Quantity | None: ...
    # Work delivered over work possible [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Requests that a replica takes [Hz]
    @property
    def rate_per_replica(self) -> Quantity: ...
    # Requests on average that the fleet could take [Hz]
    @property
    def most_mean_rate(self) -> Quantity: ...
    # Output tokens of a GPU at that rate; tokens that are read where none is written [tokens/s]
    @property
    def tokens_per_gpu(self) -> Quantity: ...
    # Time to the first token: at its quantile where simulated, else the mean
    @property
    def ttft(self) -> Quantity: ...
    # Time per output token: at its quantile where simulated, else the mean
    @property
    def tpot(self) -> Quantity: ...
    # GPUs on average if replicas came and went without delay
    @property
    def autoscaled_gpus(self) -> Quantity: ...
    # The fleet with scaling, simulated; null: it was not
    @property
    def autoscaled(self) -> SizingNextCheaperDeploymentAutoscaled | None: ...
    # Whether measured runs cover this hardware
    @property
    def calibrated(self) -> bool: ...
    # Whether a simulation kept the SLO
    @property
    def confirmed(self) -> bool: ...
    # Weeks that were simulated
    @property
    def simulated(self) -> SizingNextCheaperDeploymentSimulated: ...
    # Weeks kept as computed, not simulated
    @property
    def fluid_weeks_kept(self) -> int: ...
    # The same with one replica fewer
    @property
    def fluid_weeks_kept_with_fewer(self) -> int: ...


class SizingNextCheaperDeploymentPrompts(Record):
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...


class SizingNextCheaperDeploymentAutoscaled(Record):
    # GPUs paid for on average
    @property
    def gpus(self) -> Quantity: ...
    # Requests per replica that scaling aims at
    @property
    def target_load(self) -> int: ...
    # Share of requests within the SLO [1]
    @property
    def within_slo(self) -> Quantity: ...
    # Whether the SLO was kept
    @property
    def kept(self) -> bool: ...


class SizingNextCheaperDeploymentSimulated(Record):
    """Weeks that were simulated"""

    # Weeks that were simulated
    @property
    def weeks(self) -> int: ...
    # Weeks in which the SLO was kept
    @property
    def kept(self) -> int: ...


class SizingNextCheaperSimulated(Record):
    """Its weeks"""

    # Weeks that were simulated
    @property
    def weeks(self) -> int: ...
    # Weeks in which the SLO was kept
    @property
    def kept(self) -> int: ...


class SizingPromised(Record):
    """An availability, zones or deploys that are promised"""

    # Share of the time that is promised
    @property
    def asked(self) -> float | None: ...
    # Zones of which any one may be lost; 0: none
    @property
    def zones(self) -> int: ...
    # Replicas that a deploy takes out at once
    @property
    def spare(self) -> int: ...
    # The cheapest fleet without the promise
    @property
    def plain(self) -> SizingPromisedPlain | None: ...


class SizingPromisedPlain(Record):
    """The cheapest fleet without the promise"""

    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # Format of the weights
    @property
    def precision(self) -> str: ...
    # Format of the KV cache
    @property
    def kv(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # Replicas that only compute prompts; null where there are none
    @property
    def prompts(self) -> SizingPromisedPlainPrompts | None: ...
    # Sequences that run at once on a rank
    @property
    def max_seqs(self) -> int: ...
    # Tokens of the largest step
    @property
    def chunk(self) -> int: ...
    # Replicas among them that stand by
    @property
    def spares(self) -> int: ...
    # Share of the time in which no more replicas are out than stand by for it [1]
    @property
    def availability(self) -> Quantity: ...
    # GPUs that are paid for, in the machines that the way below sells
    @property
    def paid_gpus(self) -> int: ...
    # The cheapest way to pay for all of it; null where none has a price
    @property
    def kind(self) -> str | None: ...
    # Cost of an hour in that way; null where it has none
    @property
    def per_hour(self) -> Quantity | None: ...
    # Cost of a million tokens
    @property
    def per_mtoken(self) -> Quantity | None: ...
    # GPU time that a token takes [GPU-s/token]
    @property
    def gpu_time_per_token(self) -> Quantity: ...
    # Output tokens within the SLO for a dollar; tokens that are read where none is written
    @property
    def goodput_per_dollar(self) -> Quantity | None: ...
    # Work delivered over work possible [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Requests that a replica takes [Hz]
    @property
    def rate_per_replica(self) -> Quantity: ...
    # Requests on average that the fleet could take [Hz]
    @property
    def most_mean_rate(self) -> Quantity: ...
    # Output tokens of a GPU at that rate; tokens that are read where none is written [tokens/s]
    @property
    def tokens_per_gpu(self) -> Quantity: ...
    # Time to the first token: at its quantile where simulated, else the mean
    @property
    def ttft(self) -> Quantity: ...
    # Time per output token: at its quantile where simulated, else the mean
    @property
    def tpot(self) -> Quantity: ...
    # GPUs on average if replicas came and went without delay
    @property
    def autoscaled_gpus(self) -> Quantity: ...
    # The fleet with scaling, simulated; null: it was not
    @property
    def autoscaled(self) -> SizingPromisedPlainAutoscaled | None: ...
    # Whether measured runs cover this hardware
    @property
    def calibrated(self) -> bool: ...
    # Whether a simulation kept the SLO
    @property
    def confirmed(self) -> bool: ...
    # Weeks that were simulated
    @property
    def simulated(self) -> SizingPromisedPlainSimulated: ...
    # Weeks kept as computed, not simulated
    @property
    def fluid_weeks_kept(self) -> int: ...
    # The same with one replica fewer
    @property
    def fluid_weeks_kept_with_fewer(self) -> int: ...


class SizingPromisedPlainPrompts(Record):
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...


class SizingPromisedPlainAutoscaled(Record):
    # GPUs paid for on average
    @property
    def gpus(self) -> Quantity: ...
    # Requests per replica that scaling aims at
    @property
    def target_load(self) -> int: ...
    # Share of requests within the SLO [1]
    @property
    def within_slo(self) -> Quantity: ...
    # Whether the SLO was kept
    @property
    def kept(self) -> bool: ...


class SizingPromisedPlainSimulated(Record):
    """Weeks that were simulated"""

    # Weeks that were simulated
    @property
    def weeks(self) -> int: ...
    # Weeks in which the SLO was kept
    @property
    def kept(self) -> int: ...


class SizingMostForFleet(Record):
    """The most that the GPUs asked about carry"""

    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # Format of the weights
    @property
    def precision(self) -> str: ...
    # Format of the KV cache
    @property
    def kv(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # Replicas that only compute prompts; null where there are none
    @property
    def prompts(self) -> SizingMostForFleetPrompts | None: ...
    # Sequences that run at once on a rank
    @property
    def max_seqs(self) -> int: ...
    # Tokens of the largest step
    @property
    def chunk(self) -> int: ...
    # Replicas among them that stand by
    @property
    def spares(self) -> int: ...
    # Share of the time in which no more replicas are out than stand by for it [1]
    @property
    def availability(self) -> Quantity: ...
    # GPUs that are paid for, in the machines that the way below sells
    @property
    def paid_gpus(self) -> int: ...
    # The cheapest way to pay for all of it; null where none has a price
    @property
    def kind(self) -> str | None: ...
    # Cost of an hour in that way; null where it has none
    @property
    def per_hour(self) -> Quantity | None: ...
    # Cost of a million tokens
    @property
    def per_mtoken(self) -> Quantity | None: ...
    # GPU time that a token takes [GPU-s/token]
    @property
    def gpu_time_per_token(self) -> Quantity: ...
    # Output tokens within the SLO for a dollar; tokens that are read where none is written
    @property
    def goodput_per_dollar(self) -> Quantity | None: ...
    # Work delivered over work possible [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Requests that a replica takes [Hz]
    @property
    def rate_per_replica(self) -> Quantity: ...
    # Requests on average that the fleet could take [Hz]
    @property
    def most_mean_rate(self) -> Quantity: ...
    # Output tokens of a GPU at that rate; tokens that are read where none is written [tokens/s]
    @property
    def tokens_per_gpu(self) -> Quantity: ...
    # Time to the first token: at its quantile where simulated, else the mean
    @property
    def ttft(self) -> Quantity: ...
    # Time per output token: at its quantile where simulated, else the mean
    @property
    def tpot(self) -> Quantity: ...
    # GPUs on average if replicas came and went without delay
    @property
    def autoscaled_gpus(self) -> Quantity: ...
    # The fleet with scaling, simulated; null: it was not
    @property
    def autoscaled(self) -> SizingMostForFleetAutoscaled | None: ...
    # Whether measured runs cover this hardware
    @property
    def calibrated(self) -> bool: ...
    # Whether a simulation kept the SLO
    @property
    def confirmed(self) -> bool: ...
    # Weeks that were simulated
    @property
    def simulated(self) -> SizingMostForFleetSimulated: ...
    # Weeks kept as computed, not simulated
    @property
    def fluid_weeks_kept(self) -> int: ...
    # The same with one replica fewer
    @property
    def fluid_weeks_kept_with_fewer(self) -> int: ...


class SizingMostForFleetPrompts(Record):
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...


class SizingMostForFleetAutoscaled(Record):
    # GPUs paid for on average
    @property
    def gpus(self) -> Quantity: ...
    # Requests per replica that scaling aims at
    @property
    def target_load(self) -> int: ...
    # Share of requests within the SLO [1]
    @property
    def within_slo(self) -> Quantity: ...
    # Whether the SLO was kept
    @property
    def kept(self) -> bool: ...


class SizingMostForFleetSimulated(Record):
    """Weeks that were simulated"""

    # Weeks that were simulated
    @property
    def weeks(self) -> int: ...
    # Weeks in which the SLO was kept
    @property
    def kept(self) -> int: ...


class SizingPareto(Record):
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # Format of the weights
    @property
    def precision(self) -> str: ...
    # Format of the KV cache
    @property
    def kv(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # Replicas that only compute prompts; null where there are none
    @property
    def prompts(self) -> SizingParetoPrompts | None: ...
    # Sequences that run at once on a rank
    @property
    def max_seqs(self) -> int: ...
    # Tokens of the largest step
    @property
    def chunk(self) -> int: ...
    # Replicas among them that stand by
    @property
    def spares(self) -> int: ...
    # Share of the time in which no more replicas are out than stand by for it [1]
    @property
    def availability(self) -> Quantity: ...
    # GPUs that are paid for, in the machines that the way below sells
    @property
    def paid_gpus(self) -> int: ...
    # The cheapest way to pay for all of it; null where none has a price
    @property
    def kind(self) -> str | None: ...
    # Cost of an hour in that way; null where it has none
    @property
    def per_hour(self) -> Quantity | None: ...
    # Cost of a million tokens
    @property
    def per_mtoken(self) -> Quantity | None: ...
    # GPU time that a token takes [GPU-s/token]
    @property
    def gpu_time_per_token(self) -> Quantity: ...
    # Output tokens within the SLO for a dollar; tokens that are read where none is written
    @property
    def goodput_per_dollar(self) -> Quantity | None: ...
    # Work delivered over work possible [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Requests that a replica takes [Hz]
    @property
    def rate_per_replica(self) -> Quantity: ...
    # Requests on average that the fleet could take [Hz]
    @property
    def most_mean_rate(self) -> Quantity: ...
    # Output tokens of a GPU at that rate; tokens that are read where none is written [tokens/s]
    @property
    def tokens_per_gpu(self) -> Quantity: ...
    # Time to the first token: at its quantile where simulated, else the mean
    @property
    def ttft(self) -> Quantity: ...
    # Time per output token: at its quantile where simulated, else the mean
    @property
    def tpot(self) -> Quantity: ...
    # GPUs on average if replicas came and went without delay
    @property
    def autoscaled_gpus(self) -> Quantity: ...
    # The fleet with scaling, simulated; null: it was not
    @property
    def autoscaled(self) -> SizingParetoAutoscaled | None: ...
    # Whether measured runs cover this hardware
    @property
    def calibrated(self) -> bool: ...
    # Whether a simulation kept the SLO
    @property
    def confirmed(self) -> bool: ...
    # Weeks that were simulated
    @property
    def simulated(self) -> SizingParetoSimulated: ...
    # Weeks kept as computed, not simulated
    @property
    def fluid_weeks_kept(self) -> int: ...
    # The same with one replica fewer
    @property
    def fluid_weeks_kept_with_fewer(self) -> int: ...


class SizingParetoPrompts(Record):
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...


class SizingParetoAutoscaled(Record):
    # GPUs paid for on average
    @property
    def gpus(self) -> Quantity: ...
    # Requests per replica that scaling aims at
    @property
    def target_load(self) -> int: ...
    # Share of requests within the SLO [1]
    @property
    def within_slo(self) -> Quantity: ...
    # Whether the SLO was kept
    @property
    def kept(self) -> bool: ...


class SizingParetoSimulated(Record):
    """Weeks that were simulated"""

    # Weeks that were simulated
    @property
    def weeks(self) -> int: ...
    # Weeks in which the SLO was kept
    @property
    def kept(self) -> int: ...


class SizingRelaxed(Record):
    # What gives way
    @property
    def change(self) -> str: ...
    # Cost of an hour of the deployment it allows
    @property
    def per_hour(self) -> Quantity | None: ...
    # Share of the answer's cost that it saves [1]
    @property
    def saving(self) -> Quantity: ...


class SimulateAnswer(Answer):
    """A demand through a deployment, request by request."""

    # The answer as one sentence
    @property
    def verdict(self) -> str: ...
    # Catalogue name; empty where there are several
    @property
    def model(self) -> str: ...
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # The GPUs that several models share
    @property
    def pool(self) -> SimulatePool | None: ...
    # What was simulated
    @property
    def deployment(self) -> SimulateDeployment | None: ...
    # How time passes in the simulator
    @property
    def engine(self) -> str: ...
    # Why it cannot skip ahead; empty: it can
    @property
    def why_plain(self) -> str: ...
    # Requests that came
    @property
    def requests(self) -> int: ...
    # Requests that were answered
    @property
    def served(self) -> int: ...
    # Requests that found the queue full
    @property
    def turned_away(self) -> int: ...
    # Requests that ran out of time
    @property
    def cancelled(self) -> int: ...
    # Rows of the trace that were unusable
    @property
    def dropped_rows(self) -> int: ...
    # Steps of all ranks
    @property
    def steps(self) -> int: ...
    # Events of the simulator
    @property
    def events(self) -> int: ...
    # Requests that had to start over
    @property
    def preemptions(self) -> int: ...
    # Requests in the system at once, at most
    @property
    def most_live(self) -> int: ...
    # Simulated time to the end of the last request
    @property
    def duration(self) -> Quantity: ...
    # Time to the first token
    @property
    def ttft(self) -> SimulateTtft: ...
    # The same of urgent requests
    @property
    def urgent_ttft(self) -> SimulateUrgentTtft | None: ...
    # The same of all others
    @property
    def other_ttft(self) -> SimulateOtherTtft | None: ...
    # Time per output token after the first
    @property
    def tpot(self) -> SimulateTpot: ...
    # Time between two tokens
    @property
    def itl(self) -> SimulateItl: ...
    # Time from request to last token
    @property
    def e2e(self) -> SimulateE2e: ...
    # Each objective, and whether it is kept
    @property
    def slo(self) -> Table[SimulateSlo]: ...
    # Batch work that takes what is left
    @property
    def filler(self) -> SimulateFiller | None: ...
    # Requests that were served within every objective, in %
    @property
    def goodput_percent(self) -> float: ...
    # Requests that were served [Hz]
    @property
    def request_rate(self) -> Quantity: ...
    # Output tokens of the deployment [tokens/s]
    @property
    def throughput(self) -> Quantity: ...
    # Output tokens of a GPU [tokens/s]
    @property
    def throughput_per_gpu(self) -> Quantity: ...
    # Tokens of prompts and answers
    @property
    def token_rates(self) -> SimulateTokenRates: ...
    # Model FLOPs over the dense peak [1]
    @property
    def mfu(self) -> Quantity: ...
    # Bandwidth that weights and cache need over the peak [1]
    @property
    def mbu(self) -> Quantity: ...
    # Energy of all GPUs [J]
    @property
    def energy(self) -> Quantity: ...
    # Energy of one output token; of one that is read where none is written [J]
    @property
    def energy_per_token(self) -> Quantity: ...
    # Tokens of prompts that the prefix cache had, in %
    @property
    def cache_hit_percent(self) -> float: ...
    # Work delivered over work paid for [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Shares of the capacity paid for; they and the load factor sum to 1
    @property
    def losses(self) -> SimulateLosses: ...
    # Requests of one replica that is never idle [Hz]
    @property
    def saturated_rate(self) -> Quantity | None: ...
    # Requests that one replica takes within the SLO, at most [Hz]
    @property
    def slo_rate(self) -> Quantity | None: ...
    # Replicas times the time they were paid for
    @property
    def paid_replica_time(self) -> Quantity: ...
    # GPUs times the time they were paid for
    @property
    def paid_gpu_time(self) -> Quantity: ...
    # Paid time that was in steps, in %
    @property
    def busy_percent(self) -> float: ...
    # What limits it, in words
    @property
    def binding(self) -> str: ...
    # Distributions of latency
    @property
    def histograms(self) -> SimulateHistograms: ...
    # Work delivered over time
    @property
    def delivered(self) -> Table[SimulateDelivered]: ...
    # The state over time
    @property
    def series(self) -> Table[SimulateSeries]: ...
    # CPU time of the simulation; left out by --reproducible, in seconds
    @property
    def engine_seconds(self) -> float | None: ...
    # CPU time of everything after reading; left out by --reproducible, in seconds
    @property
    def seconds(self) -> float | None: ...
    # Each model on its own, where several share the GPUs
    @property
    def models(self) -> Table[SimulateModels] | None: ...


class SimulatePool(Record):
    """The GPUs that several models share"""

    # Replicas of all models
    @property
    def replicas(self) -> int: ...
    # GPUs of all models
    @property
    def gpus(self) -> int: ...


class SimulateDeployment(Record):
    """What was simulated"""

    # The serving engine and its release
    @property
    def engine(self) -> str: ...
    # Format of the weights
    @property
    def precision(self) -> str: ...
    # Format of the KV cache
    @property
    def kv(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # How requests are spread over replicas
    @property
    def router(self) -> str: ...
    # Sequences that run at once on a rank
    @property
    def max_seqs(self) -> int: ...
    # Tokens of the largest step of a rank
    @property
    def chunk(self) -> int: ...
    # Tokens that the KV cache of a replica holds [tokens]
    @property
    def kv_tokens(self) -> Quantity: ...
    # Replicas paid for on average
    @property
    def mean_replicas(self) -> float: ...
    # Replicas that run at once at most
    @property
    def most_replicas(self) -> int: ...
    # GPUs paid for on average
    @property
    def mean_gpus(self) -> float: ...
    # Replicas that look alike
    @property
    def pools(self) -> Table[SimulateDeploymentPools]: ...


class SimulateDeploymentPools(Record):
    # prefill or decode; empty where there is only one pool
    @property
    def name(self) -> str: ...
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # Sequences that run at once on a rank
    @property
    def max_seqs(self) -> int: ...
    # Tokens of the largest step of a rank
    @property
    def chunk(self) -> int: ...
    # Tokens that the KV cache of a replica holds [tokens]
    @property
    def kv_tokens(self) -> Quantity: ...
    # Share of its paid time that was in steps, in %
    @property
    def busy_percent(self) -> float: ...


class SimulateTtft(Record):
    """Time to the first token"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateUrgentTtft(Record):
    """The same of urgent requests"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateOtherTtft(Record):
    """The same of all others"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateTpot(Record):
    """Time per output token after the first"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateItl(Record):
    """Time between two tokens"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateE2e(Record):
    """Time from request to last token"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateSlo(Record):
    # Key of the objective, such as ttft_p95
    @property
    def name(self) -> str: ...
    # What is promised
    @property
    def bound(self) -> Quantity: ...
    # What was reached; null where too few were served
    @property
    def reached(self) -> Quantity | None: ...
    # Whether the promise is kept
    @property
    def met(self) -> bool: ...


class SimulateFiller(Record):
    """Batch work that takes what is left"""

    # Prompt tokens of one of its requests
    @property
    def tokens_in(self) -> int: ...
    # Answer tokens of one
    @property
    def tokens_out(self) -> int: ...
    # Its requests that end [Hz]
    @property
    def request_rate(self) -> Quantity: ...
    # Their tokens, in and out [tokens/s]
    @property
    def throughput(self) -> Quantity: ...
    # Share of the capacity paid for that they take [1]
    @property
    def taken(self) -> Quantity: ...
    # Whether more of them would break the service's promise
    @property
    def bounded_by_promise(self) -> bool: ...
    # Requests of the service beside them
    @property
    def requests(self) -> int: ...
    # Requests of both that had to start over
    @property
    def preemptions(self) -> int: ...
    # Time that was simulated with them
    @property
    def span(self) -> Quantity: ...
    # Time to the first token of the service beside them
    @property
    def ttft(self) -> SimulateFillerTtft: ...
    # Time per output token of the service beside them
    @property
    def tpot(self) -> SimulateFillerTpot: ...
    # Each objective of the service beside them
    @property
    def slo(self) -> Table[SimulateFillerSlo]: ...


class SimulateFillerTtft(Record):
    """Time to the first token of the service beside them"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateFillerTpot(Record):
    """Time per output token of the service beside them"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateFillerSlo(Record):
    # Key of the objective, such as ttft_p95
    @property
    def name(self) -> str: ...
    # What is promised
    @property
    def bound(self) -> Quantity: ...
    # What was reached; null where too few were served
    @property
    def reached(self) -> Quantity | None: ...
    # Whether the promise is kept
    @property
    def met(self) -> bool: ...


class SimulateTokenRates(Record):
    """Tokens of prompts and answers"""

    # Tokens of prompts
    @property
    def in_(self) -> SimulateTokenRatesIn: ...
    # Tokens of answers
    @property
    def out(self) -> SimulateTokenRatesOut: ...
    # Both together
    @property
    def total(self) -> SimulateTokenRatesTotal: ...


class SimulateTokenRatesIn(Record):
    """Tokens of prompts"""

    # Tokens per second of the deployment [tokens/s]
    @property
    def all(self) -> Quantity: ...
    # Tokens per second of a replica [tokens/s]
    @property
    def per_replica(self) -> Quantity: ...
    # Tokens per second of a GPU [tokens/s]
    @property
    def per_gpu(self) -> Quantity: ...


class SimulateTokenRatesOut(Record):
    """Tokens of answers"""

    # Tokens per second of the deployment [tokens/s]
    @property
    def all(self) -> Quantity: ...
    # Tokens per second of a replica [tokens/s]
    @property
    def per_replica(self) -> Quantity: ...
    # Tokens per second of a GPU [tokens/s]
    @property
    def per_gpu(self) -> Quantity: ...


class SimulateTokenRatesTotal(Record):
    """Both together"""

    # Tokens per second of the deployment [tokens/s]
    @property
    def all(self) -> Quantity: ...
    # Tokens per second of a replica [tokens/s]
    @property
    def per_replica(self) -> Quantity: ...
    # Tokens per second of a GPU [tokens/s]
    @property
    def per_gpu(self) -> Quantity: ...


class SimulateLosses(Record):
    """Shares of the capacity paid for; they and the load factor sum to 1"""

    # Replicas that even the peak does not need [1]
    @property
    def demand(self) -> Quantity: ...
    # Hours below the busiest hour [1]
    @property
    def shape(self) -> Quantity: ...
    # Room for the peak inside the busiest hour [1]
    @property
    def headroom(self) -> Quantity: ...
    # Batches kept small for latency [1]
    @property
    def slo(self) -> Quantity: ...
    # Whole replicas [1]
    @property
    def rounding(self) -> Quantity: ...
    # Replicas that had failed [1]
    @property
    def downtime(self) -> Quantity: ...


class SimulateHistograms(Record):
    """Distributions of latency"""

    # Time to the first token
    @property
    def ttft(self) -> Table[SimulateHistogramsTtft]: ...
    # Time per output token after the first
    @property
    def tpot(self) -> Table[SimulateHistogramsTpot]: ...
    # Time from request to last token
    @property
    def e2e(self) -> Table[SimulateHistogramsE2e]: ...


class SimulateHistogramsTtft(Record):
    # The longest time that counts here
    @property
    def upto(self) -> Quantity: ...
    # Requests between the bar before and this one, in %
    @property
    def share_percent(self) -> float: ...


class SimulateHistogramsTpot(Record):
    # The longest time that counts here
    @property
    def upto(self) -> Quantity: ...
    # Requests between the bar before and this one, in %
    @property
    def share_percent(self) -> float: ...


class SimulateHistogramsE2e(Record):
    # The longest time that counts here
    @property
    def upto(self) -> Quantity: ...
    # Requests between the bar before and this one, in %
    @property
    def share_percent(self) -> float: ...


class SimulateDelivered(Record):
    # Start of the interval [s]
    @property
    def start(self) -> Quantity: ...
    # Requests that ended in it
    @property
    def requests(self) -> int: ...
    # Tokens of their prompts
    @property
    def tokens_in(self) -> int: ...
    # Tokens of their answers
    @property
    def tokens_out(self) -> int: ...
    # Work delivered over work possible, in %
    @property
    def load_factor_percent(self) -> float: ...


class SimulateSeries(Record):
    # Simulated time [s]
    @property
    def time(self) -> Quantity: ...
    # Requests that wait
    @property
    def waiting(self) -> int: ...
    # Requests that run
    @property
    def running(self) -> int: ...
    # KV cache in use, in %
    @property
    def kv_percent(self) -> float: ...
    # Replicas that are ready
    @property
    def replicas(self) -> int: ...
    # Output tokens since the point before [tokens/s]
    @property
    def throughput(self) -> Quantity: ...


class SimulateModels(Record):
    # The answer as one sentence
    @property
    def verdict(self) -> str: ...
    # Catalogue name; empty where there are several
    @property
    def model(self) -> str: ...
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # The GPUs that several models share
    @property
    def pool(self) -> SimulateModelsPool | None: ...
    # What was simulated
    @property
    def deployment(self) -> SimulateModelsDeployment | None: ...
    # How time passes in the simulator
    @property
    def engine(self) -> str: ...
    # Why it cannot skip ahead; empty: it can
    @property
    def why_plain(self) -> str: ...
    # Requests that came
    @property
    def requests(self) -> int: ...
    # Requests that were answered
    @property
    def served(self) -> int: ...
    # Requests that found the queue full
    @property
    def turned_away(self) -> int: ...
    # Requests that ran out of time
    @property
    def cancelled(self) -> int: ...
    # Rows of the trace that were unusable
    @property
    def dropped_rows(self) -> int: ...
    # Steps of all ranks
    @property
    def steps(self) -> int: ...
    # Events of the simulator
    @property
    def events(self) -> int: ...
    # Requests that had to start over
    @property
    def preemptions(self) -> int: ...
    # Requests in the system at once, at most
    @property
    def most_live(self) -> int: ...
    # Simulated time to the end of the last request
    @property
    def duration(self) -> Quantity: ...
    # Time to the first token
    @property
    def ttft(self) -> SimulateModelsTtft: ...
    # The same of urgent requests
    @property
    def urgent_ttft(self) -> SimulateModelsUrgentTtft | None: ...
    # The same of all others
    @property
    def other_ttft(self) -> SimulateModelsOtherTtft | None: ...
    # Time per output token after the first
    @property
    def tpot(self) -> SimulateModelsTpot: ...
    # Time between two tokens
    @property
    def itl(self) -> SimulateModelsItl: ...
    # Time from request to last token
    @property
    def e2e(self) -> SimulateModelsE2e: ...
    # Each objective, and whether it is kept
    @property
    def slo(self) -> Table[SimulateModelsSlo]: ...
    # Batch work that takes what is left
    @property
    def filler(self) -> SimulateModelsFiller | None: ...
    # Requests that were served within every objective, in %
    @property
    def goodput_percent(self) -> float: ...
    # Requests that were served [Hz]
    @property
    def request_rate(self) -> Quantity: ...
    # Output tokens of the deployment [tokens/s]
    @property
    def throughput(self) -> Quantity: ...
    # Output tokens of a GPU [tokens/s]
    @property
    def throughput_per_gpu(self) -> Quantity: ...
    # Tokens of prompts and answers
    @property
    def token_rates(self) -> SimulateModelsTokenRates: ...
    # Model FLOPs over the dense peak [1]
    @property
    def mfu(self) -> Quantity: ...
    # Bandwidth that weights and cache need over the peak [1]
    @property
    def mbu(self) -> Quantity: ...
    # Energy of all GPUs [J]
    @property
    def energy(self) -> Quantity: ...
    # Energy of one output token; of one that is read where none is written [J]
    @property
    def energy_per_token(self) -> Quantity: ...
    # Tokens of prompts that the prefix cache had, in %
    @property
    def cache_hit_percent(self) -> float: ...
    # Work delivered over work paid for [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Shares of the capacity paid for; they and the load factor sum to 1
    @property
    def losses(self) -> SimulateModelsLosses: ...
    # Requests of one replica that is never idle [Hz]
    @property
    def saturated_rate(self) -> Quantity | None: ...
    # Requests that one replica takes within the SLO, at most [Hz]
    @property
    def slo_rate(self) -> Quantity | None: ...
    # Replicas times the time they were paid for
    @property
    def paid_replica_time(self) -> Quantity: ...
    # GPUs times the time they were paid for
    @property
    def paid_gpu_time(self) -> Quantity: ...
    # Paid time that was in steps, in %
    @property
    def busy_percent(self) -> float: ...
    # What limits it, in words
    @property
    def binding(self) -> str: ...
    # Distributions of latency
    @property
    def histograms(self) -> SimulateModelsHistograms: ...
    # Work delivered over time
    @property
    def delivered(self) -> Table[SimulateModelsDelivered]: ...
    # The state over time
    @property
    def series(self) -> Table[SimulateModelsSeries]: ...


class SimulateModelsPool(Record):
    """The GPUs that several models share"""

    # Replicas of all models
    @property
    def replicas(self) -> int: ...
    # GPUs of all models
    @property
    def gpus(self) -> int: ...


class SimulateModelsDeployment(Record):
    """What was simulated"""

    # The serving engine and its release
    @property
    def engine(self) -> str: ...
    # Format of the weights
    @property
    def precision(self) -> str: ...
    # Format of the KV cache
    @property
    def kv(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # How requests are spread over replicas
    @property
    def router(self) -> str: ...
    # Sequences that run at once on a rank
    @property
    def max_seqs(self) -> int: ...
    # Tokens of the largest step of a rank
    @property
    def chunk(self) -> int: ...
    # Tokens that the KV cache of a replica holds [tokens]
    @property
    def kv_tokens(self) -> Quantity: ...
    # Replicas paid for on average
    @property
    def mean_replicas(self) -> float: ...
    # Replicas that run at once at most
    @property
    def most_replicas(self) -> int: ...
    # GPUs paid for on average
    @property
    def mean_gpus(self) -> float: ...
    # Replicas that look alike
    @property
    def pools(self) -> Table[SimulateModelsDeploymentPools]: ...


class SimulateModelsDeploymentPools(Record):
    # prefill or decode; empty where there is only one pool
    @property
    def name(self) -> str: ...
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # Sequences that run at once on a rank
    @property
    def max_seqs(self) -> int: ...
    # Tokens of the largest step of a rank
    @property
    def chunk(self) -> int: ...
    # Tokens that the KV cache of a replica holds [tokens]
    @property
    def kv_tokens(self) -> Quantity: ...
    # Share of its paid time that was in steps, in %
    @property
    def busy_percent(self) -> float: ...


class SimulateModelsTtft(Record):
    """Time to the first token"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateModelsUrgentTtft(Record):
    """The same of urgent requests"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateModelsOtherTtft(Record):
    """The same of all others"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateModelsTpot(Record):
    """Time per output token after the first"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateModelsItl(Record):
    """Time between two tokens"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateModelsE2e(Record):
    """Time from request to last token"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateModelsSlo(Record):
    # Key of the objective, such as ttft_p95
    @property
    def name(self) -> str: ...
    # What is promised
    @property
    def bound(self) -> Quantity: ...
    # What was reached; null where too few were served
    @property
    def reached(self) -> Quantity | None: ...
    # Whether the promise is kept
    @property
    def met(self) -> bool: ...


class SimulateModelsFiller(Record):
    """Batch work that takes what is left"""

    # Prompt tokens of one of its requests
    @property
    def tokens_in(self) -> int: ...
    # Answer tokens of one
    @property
    def tokens_out(self) -> int: ...
    # Its requests that end [Hz]
    @property
    def request_rate(self) -> Quantity: ...
    # Their tokens, in and out [tokens/s]
    @property
    def throughput(self) -> Quantity: ...
    # Share of the capacity paid for that they take [1]
    @property
    def taken(self) -> Quantity: ...
    # Whether more of them would break the service's promise
    @property
    def bounded_by_promise(self) -> bool: ...
    # Requests of the service beside them
    @property
    def requests(self) -> int: ...
    # Requests of both that had to start over
    @property
    def preemptions(self) -> int: ...
    # Time that was simulated with them
    @property
    def span(self) -> Quantity: ...
    # Time to the first token of the service beside them
    @property
    def ttft(self) -> SimulateModelsFillerTtft: ...
    # Time per output token of the service beside them
    @property
    def tpot(self) -> SimulateModelsFillerTpot: ...
    # Each objective of the service beside them
    @property
    def slo(self) -> Table[SimulateModelsFillerSlo]: ...


class SimulateModelsFillerTtft(Record):
    """Time to the first token of the service beside them"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateModelsFillerTpot(Record):
    """Time per output token of the service beside them"""

    # Half of the requests are faster
    @property
    def p50(self) -> Quantity | None: ...
    # Nine of ten are faster
    @property
    def p90(self) -> Quantity | None: ...
    # Nineteen of twenty are faster
    @property
    def p95(self) -> Quantity | None: ...
    # Ninety-nine of a hundred are faster
    @property
    def p99(self) -> Quantity | None: ...
    # Mean of the requests that have one
    @property
    def mean(self) -> Quantity | None: ...


class SimulateModelsFillerSlo(Record):
    # Key of the objective, such as ttft_p95
    @property
    def name(self) -> str: ...
    # What is promised
    @property
    def bound(self) -> Quantity: ...
    # What was reached; null where too few were served
    @property
    def reached(self) -> Quantity | None: ...
    # Whether the promise is kept
    @property
    def met(self) -> bool: ...


class SimulateModelsTokenRates(Record):
    """Tokens of prompts and answers"""

    # Tokens of prompts
    @property
    def in_(self) -> SimulateModelsTokenRatesIn: ...
    # Tokens of answers
    @property
    def out(self) -> SimulateModelsTokenRatesOut: ...
    # Both together
    @property
    def total(self) -> SimulateModelsTokenRatesTotal: ...


class SimulateModelsTokenRatesIn(Record):
    """Tokens of prompts"""

    # Tokens per second of the deployment [tokens/s]
    @property
    def all(self) -> Quantity: ...
    # Tokens per second of a replica [tokens/s]
    @property
    def per_replica(self) -> Quantity: ...
    # Tokens per second of a GPU [tokens/s]
    @property
    def per_gpu(self) -> Quantity: ...


class SimulateModelsTokenRatesOut(Record):
    """Tokens of answers"""

    # Tokens per second of the deployment [tokens/s]
    @property
    def all(self) -> Quantity: ...
    # Tokens per second of a replica [tokens/s]
    @property
    def per_replica(self) -> Quantity: ...
    # Tokens per second of a GPU [tokens/s]
    @property
    def per_gpu(self) -> Quantity: ...


class SimulateModelsTokenRatesTotal(Record):
    """Both together"""

    # Tokens per second of the deployment [tokens/s]
    @property
    def all(self) -> Quantity: ...
    # Tokens per second of a replica [tokens/s]
    @property
    def per_replica(self) -> Quantity: ...
    # Tokens per second of a GPU [tokens/s]
    @property
    def per_gpu(self) -> Quantity: ...


class SimulateModelsLosses(Record):
    """Shares of the capacity paid for; they and the load factor sum to 1"""

    # Replicas that even the peak does not need [1]
    @property
    def demand(self) -> Quantity: ...
    # Hours below the busiest hour [1]
    @property
    def shape(self) -> Quantity: ...
    # Room for the peak inside the busiest hour [1]
    @property
    def headroom(self) -> Quantity: ...
    # Batches kept small for latency [1]
    @property
    def slo(self) -> Quantity: ...
    # Whole replicas [1]
    @property
    def rounding(self) -> Quantity: ...
    # Replicas that had failed [1]
    @property
    def downtime(self) -> Quantity: ...


class SimulateModelsHistograms(Record):
    """Distributions of latency"""

    # Time to the first token
    @property
    def ttft(self) -> Table[SimulateModelsHistogramsTtft]: ...
    # Time per output token after the first
    @property
    def tpot(self) -> Table[SimulateModelsHistogramsTpot]: ...
    # Time from request to last token
    @property
    def e2e(self) -> Table[SimulateModelsHistogramsE2e]: ...


class SimulateModelsHistogramsTtft(Record):
    # The longest time that counts here
    @property
    def upto(self) -> Quantity: ...
    # Requests between the bar before and this one, in %
    @property
    def share_percent(self) -> float: ...


class SimulateModelsHistogramsTpot(Record):
    # The longest time that counts here
    @property
    def upto(self) -> Quantity: ...
    # Requests between the bar before and this one, in %
    @property
    def share_percent(self) -> float: ...


class SimulateModelsHistogramsE2e(Record):
    # The longest time that counts here
    @property
    def upto(self) -> Quantity: ...
    # Requests between the bar before and this one, in %
    @property
    def share_percent(self) -> float: ...


class SimulateModelsDelivered(Record):
    # Start of the interval [s]
    @property
    def start(self) -> Quantity: ...
    # Requests that ended in it
    @property
    def requests(self) -> int: ...
    # Tokens of their prompts
    @property
    def tokens_in(self) -> int: ...
    # Tokens of their answers
    @property
    def tokens_out(self) -> int: ...
    # Work delivered over work possible, in %
    @property
    def load_factor_percent(self) -> float: ...


class SimulateModelsSeries(Record):
    # Simulated time [s]
    @property
    def time(self) -> Quantity: ...
    # Requests that wait
    @property
    def waiting(self) -> int: ...
    # Requests that run
    @property
    def running(self) -> int: ...
    # KV cache in use, in %
    @property
    def kv_percent(self) -> float: ...
    # Replicas that are ready
    @property
    def replicas(self) -> int: ...
    # Output tokens since the point before [tokens/s]
    @property
    def throughput(self) -> Quantity: ...


class FillAnswer(Answer):
    """How full a fleet is over its demand, or a cluster over its jobs."""

    # The answer as one sentence
    @property
    def verdict(self) -> str: ...
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # Format of the weights
    @property
    def precision(self) -> str: ...
    # Format of the KV cache
    @property
    def kv(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # Most tokens of one step, of the replicas that write answers
    @property
    def chunk(self) -> int: ...
    # Most requests in one step of such a replica
    @property
    def max_seqs(self) -> int: ...
    # Replicas that only compute prompts; null where there are none
    @property
    def prompts(self) -> FillPrompts | None: ...
    # Work delivered over work paid for [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Load factor at which it costs as much as the API [1]
    @property
    def break_even(self) -> Quantity | None: ...
    # The way to pay that single prices and the break-even are of
    @property
    def priced_as(self) -> str: ...
    # Shares of the capacity paid for; they and the load factor sum to 1
    @property
    def losses(self) -> FillLosses: ...
    # Share of requests within the SLO [1]
    @property
    def within_slo(self) -> Quantity: ...
    # Requests of the demand on average [Hz]
    @property
    def mean_rate(self) -> Quantity: ...
    # Requests in the busiest 10 minutes [Hz]
    @property
    def peak_rate(self) -> Quantity: ...
    # Requests of the full fleet for each of its replicas [Hz]
    @property
    def replica_saturated(self) -> Quantity: ...
    # Requests of the fleet within the SLO for each of its replicas [Hz]
    @property
    def replica_at_slo(self) -> Quantity: ...
    # Load factor by hour of the week
    @property
    def week(self) -> FillWeek: ...
    # Fleets of other sizes
    @property
    def curve(self) -> Table[FillCurve]: ...
    # The fleet with one replica fewer
    @property
    def one_fewer(self) -> FillOneFewer | None: ...
    # The fleet with one replica more
    @property
    def one_more(self) -> FillOneMore | None: ...
    # The same fleet, request by request
    @property
    def simulated(self) -> FillSimulated | None: ...
    # Every way to pay for the fleet
    @property
    def ways(self) -> Table[FillWays]: ...
    # Traffic at which it is so full
    @property
    def crowd(self) -> Table[FillCrowd]: ...
    # The smallest crowds that pay for a replica
    @property
    def thresholds(self) -> Table[FillThresholds]: ...
    # Services like this on one fleet
    @property
    def pooling(self) -> Table[FillPooling]: ...
    # The cheapest deployment that an API cannot undercut when full
    @property
    def smallest(self) -> FillSmallest | None: ...


class FillPrompts(Record):
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...


class FillLosses(Record):
    """Shares of the capacity paid for; they and the load factor sum to 1"""

    # Replicas that even the peak does not need [1]
    @property
    def demand(self) -> Quantity: ...
    # Hours below the busiest hour [1]
    @property
    def shape(self) -> Quantity: ...
    # Room for the peak inside the busiest hour [1]
    @property
    def headroom(self) -> Quantity: ...
    # Batches kept small for latency [1]
    @property
    def slo(self) -> Quantity: ...
    # Whole replicas [1]
    @property
    def rounding(self) -> Quantity: ...


class FillWeek(Record):
    """Load factor by hour of the week"""

    # Rows are days from Monday, columns hours, UTC; null where nothing is known
    @property
    def values(self) -> Table[Table[float | None]]: ...
    # Unit of all values
    @property
    def unit(self) -> str: ...
    # How they came about
    @property
    def basis(self) -> str: ...
    # What they come from
    @property
    def source(self) -> str: ...


class FillCurve(Record):
    # GPUs of the fleet
    @property
    def gpus(self) -> int: ...
    # Replicas of the fleet; those of answers where prompts are apart
    @property
    def replicas(self) -> int: ...
    # Work delivered over work possible [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Rent of a million tokens served [USD/M tokens]
    @property
    def per_mtoken(self) -> Quantity: ...
    # Share of requests within the SLO [1]
    @property
    def within_slo(self) -> Quantity: ...
    # Whether it is the smallest fleet that keeps the SLO
    @property
    def knee(self) -> bool: ...


class FillOneFewer(Record):
    """The fleet with one replica fewer"""

    # GPUs of the fleet
    @property
    def gpus(self) -> int: ...
    # Replicas of the fleet; those of answers where prompts are apart
    @property
    def replicas(self) -> int: ...
    # Work delivered over work possible [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Rent of a million tokens served [USD/M tokens]
    @property
    def per_mtoken(self) -> Quantity: ...
    # Share of requests within the SLO [1]
    @property
    def within_slo(self) -> Quantity: ...
    # What a month costs more; less where negative [USD/month]
    @property
    def per_month(self) -> Quantity: ...


class FillOneMore(Record):
    """The fleet with one replica more"""

    # GPUs of the fleet
    @property
    def gpus(self) -> int: ...
    # Replicas of the fleet; those of answers where prompts are apart
    @property
    def replicas(self) -> int: ...
    # Work delivered over work possible [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Rent of a million tokens served [USD/M tokens]
    @property
    def per_mtoken(self) -> Quantity: ...
    # Share of requests within the SLO [1]
    @property
    def within_slo(self) -> Quantity: ...
    # What a month costs more; less where negative [USD/month]
    @property
    def per_month(self) -> Quantity: ...


class FillSimulated(Record):
    """The same fleet, request by request"""

    # Work delivered over work possible [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Share of requests within the SLO [1]
    @property
    def within_slo(self) -> Quantity: ...
    # Time to the first token at its quantile
    @property
    def ttft(self) -> Quantity: ...
    # Time per output token at its quantile
    @property
    def tpot(self) -> Quantity: ...
    # Whether the SLO was kept
    @property
    def kept(self) -> bool: ...
    # Requests that were simulated
    @property
    def requests(self) -> int: ...
    # Share of the demand that was simulated [1]
    @property
    def share_of_demand(self) -> Quantity: ...


class FillWays(Record):
    # The way to pay
    @property
    def way(self) -> str: ...
    # Price of a GPU at the fleet's load [USD/GPU/s]
    @property
    def price(self) -> Quantity: ...
    # Whether it is cheaper than the API at this load
    @property
    def pays(self) -> bool: ...
    # Load factor at which it costs as much [1]
    @property
    def break_even(self) -> Quantity | None: ...
    # Requests at which it breaks even [Hz]
    @property
    def requests(self) -> Quantity | None: ...
    # Users at which it breaks even [1]
    @property
    def users(self) -> Quantity | None: ...


class FillCrowd(Record):
    # What the crowd would do
    @property
    def what(self) -> str: ...
    # How full it makes the fleet [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Requests of that crowd [Hz]
    @property
    def requests(self) -> Quantity: ...
    # Users of that crowd [1]
    @property
    def users(self) -> Quantity: ...
    # Whether shape and SLO let it come so far
    @property
    def reachable(self) -> bool: ...


class FillThresholds(Record):
    # What is different
    @property
    def change(self) -> str: ...
    # GPUs of one replica
    @property
    def gpus(self) -> int: ...
    # Load factor at which it costs as much as the API [1]
    @property
    def break_even(self) -> Quantity: ...
    # As full as shape and SLO let it be [1]
    @property
    def fullest(self) -> Quantity: ...
    # Requests from which it pays [Hz]
    @property
    def requests(self) -> Quantity: ...
    # Users from which it pays [1]
    @property
    def users(self) -> Quantity: ...
    # Whether it ever does
    @property
    def pays(self) -> bool: ...


class FillPooling(Record):
    # Services like this one
    @property
    def services(self) -> int: ...
    # GPUs where each has its own
    @property
    def gpus_apart(self) -> int: ...
    # GPUs where all share one fleet
    @property
    def gpus_pooled(self) -> int: ...
    # Load factor of each on its own [1]
    @property
    def load_factor_apart(self) -> Quantity: ...
    # Load factor of one fleet [1]
    @property
    def load_factor_pooled(self) -> Quantity: ...
    # Rent of a million tokens of each on its own [USD/M tokens]
    @property
    def per_mtoken_apart(self) -> Quantity: ...
    # Rent of a million tokens of one fleet [USD/M tokens]
    @property
    def per_mtoken_pooled(self) -> Quantity: ...


class FillSmallest(Record):
    """The cheapest deployment that an API cannot undercut when full"""

    # The accelerator's title
    @property
    def accelerator(self) -> str: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # Copies of the attention in a replica
    @property
    def dp(self) -> int: ...
    # GPUs that share the tokens of a prompt
    @property
    def cp(self) -> int: ...
    # Copies of the model in the pool: all that share the requests, or those that write answers
    # where prompts have their own
    @property
    def replicas(self) -> int: ...
    # GPUs of the whole deployment
    @property
    def gpus(self) -> int: ...
    # Requests from which it pays [Hz]
    @property
    def requests(self) -> Quantity: ...
    # Load factor at which it costs as much as the API [1]
    @property
    def break_even(self) -> Quantity: ...


class Fill2Answer(Answer):
    """How full a fleet is over its demand, or a cluster over its jobs."""

    # The answer as one sentence
    @property
    def verdict(self) -> str: ...
    # GPUs of the cluster
    @property
    def gpus(self) -> int: ...
    # Useful GPU time over GPU time paid for, as far as known [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Share of the GPU time that jobs held [1]
    @property
    def allocated(self) -> Quantity: ...
    # Share that was busy [1]
    @property
    def busy(self) -> Quantity | None: ...
    # Share of jobs that succeeded [1]
    @property
    def useful(self) -> Quantity | None: ...
    # Jobs that were read
    @property
    def jobs(self) -> int: ...
    # GPU time of all jobs [GPU-s]
    @property
    def gpu_time(self) -> Quantity: ...
    # Share in use by hour of the week
    @property
    def week(self) -> Fill2Week: ...
    # Clusters of other sizes
    @property
    def curve(self) -> Table[Fill2Curve]: ...


class Fill2Week(Record):
    """Share in use by hour of the week"""

    # Rows are days from Monday, columns hours, UTC; null where nothing is known
    @property
    def values(self) -> Table[Table[float | None]]: ...
    # Unit of all values
    @property
    def unit(self) -> str: ...
    # How they came about
    @property
    def basis(self) -> str: ...
    # What they come from
    @property
    def source(self) -> str: ...


class Fill2Curve(Record):
    # GPUs of the cluster
    @property
    def gpus(self) -> int: ...
    # GPU time in use over GPU time paid for [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Share of the GPU time asked for that it holds [1]
    @property
    def held(self) -> Quantity: ...


class TrainAnswer(Answer):
    """One layout of a training run: memory, time, goodput and cost."""

    # The answer as one sentence
    @property
    def verdict(self) -> str: ...
    # Catalogue name
    @property
    def model(self) -> str: ...
    # Exact counts
    @property
    def parameters(self) -> TrainParameters: ...
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # Name of the software
    @property
    def stack(self) -> str: ...
    # Format of the matrix products
    @property
    def precision(self) -> str: ...
    # Tokens of one sequence
    @property
    def sequence(self) -> int: ...
    # Sequences of a step
    @property
    def global_batch(self) -> int: ...
    # The layout that the figures are of
    @property
    def layout(self) -> TrainLayout: ...
    # The whole layout as keys of a scenario
    @property
    def layout_keys(self) -> str: ...
    # Whether the fullest GPU holds it
    @property
    def fits(self) -> bool: ...
    # How well it fits
    @property
    def memory_verdict(self) -> str: ...
    # Memory that the fullest GPU uses [B]
    @property
    def memory(self) -> Quantity: ...
    # Memory that a GPU has [B]
    @property
    def memory_per_gpu(self) -> Quantity: ...
    # Which GPU is fullest, and when
    @property
    def heaviest_stage(self) -> str: ...
    # How that memory is divided
    @property
    def memory_lines(self) -> Table[TrainMemoryLines]: ...
    # The whole step, where a run is more than training on text: then all but verdict, duration and
    # cost is of its trainer
    @property
    def method(self) -> TrainMethod | None: ...
    # Needed and available, where it does not fit
    @property
    def shortage(self) -> str | None: ...
    # The closest layout that fits, as keys; empty: none found
    @property
    def nearest(self) -> str | None: ...
    # Which written keys that changes, or what it would take
    @property
    def nearest_changes(self) -> str | None: ...
    # Time of one step
    @property
    def step_time(self) -> Quantity | None: ...
    # Tokens of all GPUs [tokens/s]
    @property
    def tokens_per_s(self) -> Quantity | None: ...
    # Tokens of one GPU [tokens/s]
    @property
    def tokens_per_s_per_gpu(self) -> Quantity | None: ...
    # Model FLOPs over the dense peak [1]
    @property
    def mfu(self) -> Quantity | None: ...
    # The same with recomputation [1]
    @property
    def hfu(self) -> Quantity | None: ...
    # Dense peak of one GPU [FLOP/s]
    @property
    def peak(self) -> Quantity | None: ...
    # Paid time for the tokens asked
    @property
    def duration(self) -> Quantity | None: ...
    # Cost of that time, to the end of what binds [USD]
    @property
    def cost(self) -> Quantity | None: ...
    # Stages of the run, where it has several; layout, step and rates above are the first one's
    @property
    def stages(self) -> Table[TrainStages] | None: ...
    # False where failures leave no time to train: then there are no days and no cost
    @property
    def progress(self) -> bool | None: ...
    # Why a run makes no progress
    @property
    def stalled(self) -> str | None: ...
    # What would let it make progress
    @property
    def helps(self) -> str | None: ...
    # Keys of limits that the run does not keep; none where it is feasible
    @property
    def missed(self) -> Table[str] | None: ...
    # The way to pay that goodput, days and cost are of; left out where none has a price
    @property
    def option(self) -> str | None: ...
    # How long that way is paid for at least
    @property
    def binds(self) -> Quantity | None: ...
    # Every way to pay that has a price, each with a goodput of its own
    @property
    def ways(self) -> Table[TrainWays] | None: ...
    # Share of paid time that failures leave [1]
    @property
    def goodput(self) -> Quantity | None: ...
    # The run as it is paid for, beside the steady step
    @property
    def whole_run(self) -> TrainWholeRun | None: ...
    # What failures cost
    @property
    def failures(self) -> TrainFailures | None: ...
    # The parts of the step; they sum to it
    @property
    def breakdown(self) -> Table[TrainBreakdown] | None: ...
    # Why it is not faster, the largest first
    @property
    def reasons(self) -> Table[str] | None: ...


class TrainParameters(Record):
    """Exact counts"""

    # All parameters
    @property
    def total(self) -> int: ...
    # Parameters that work for one token
    @property
    def active(self) -> int: ...


class TrainLayout(Record):
    """The layout that the figures are of"""

    # GPUs: tp · pp · cp · dp
    @property
    def gpus(self) -> int: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # Interleaved chunks of each stage
    @property
    def vp(self) -> int: ...
    # Layers of the first stage; all without a pipeline
    @property
    def first_layers(self) -> int: ...
    # Layers of the last stage
    @property
    def last_layers(self) -> int: ...
    # GPUs that share the tokens of a sequence
    @property
    def cp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # GPUs that share one expert
    @property
    def etp(self) -> int: ...
    # Copies of the model
    @property
    def dp(self) -> int: ...
    # What is sharded over the copies
    @property
    def zero(self) -> str: ...
    # Ranks that share one copy; 0: all, or nothing is sharded
    @property
    def shard_group(self) -> int: ...
    # Sequences of one pass on one rank
    @property
    def micro_batch(self) -> int: ...
    # Passes of a step on each copy
    @property
    def micro_batches(self) -> int: ...
    # As a scenario says it: none, selective, full, a list of modules or a number of layers
    @property
    def recompute(self) -> str: ...
    # Schedule of the pipeline; empty without one
    @property
    def schedule(self) -> str: ...
    # Whether norms are split along the sequence
    @property
    def sequence_parallel(self) -> bool: ...
    # What lives in host memory
    @property
    def offload(self) -> Table[str]: ...
    # Layers of each stage whose activations leave; 0: none, or inputs of all
    @property
    def offload_layers(self) -> int: ...


class TrainMemoryLines(Record):
    # What takes the memory
    @property
    def name(self) -> str: ...
    # Memory of the GPU that it takes [B]
    @property
    def bytes(self) -> Quantity: ...
    # What it is
    @property
    def what(self) -> str: ...


class TrainMethod(Record):
    """The whole step, where a run is more than training on text: then all but verdict, duration and cost is of its trainer"""

    # The answer as one sentence
    @property
    def verdict(self) -> str: ...
    # The method, as the scenario writes it
    @property
    def method(self) -> str: ...
    # Whether the same GPUs write and learn
    @property
    def colocated(self) -> bool: ...
    # GPUs of the run
    @property
    def gpus(self) -> int: ...
    # GPUs that write answers
    @property
    def rollout_gpus(self) -> int: ...
    # GPUs that learn
    @property
    def training_gpus(self) -> int: ...
    # GPUs of a replica of the engine
    @property
    def rollout_tp(self) -> int: ...
    # Sequences that a replica writes at once
    @property
    def rollout_max_seqs(self) -> int: ...
    # The engine that writes; empty: none does
    @property
    def engine(self) -> str: ...
    # Format of its weights
    @property
    def rollout_precision(self) -> str: ...
    # Prompts of a step
    @property
    def prompts(self) -> int: ...
    # Answers to each
    @property
    def group(self) -> int: ...
    # Answers of a step
    @property
    def answers(self) -> int: ...
    # Answers that were simulated, of all that are written at once
    @property
    def simulated_answers(self) -> int: ...
    # Tokens of a prompt [tokens]
    @property
    def prompt_tokens(self) -> Quantity: ...
    # Tokens of a mean answer [tokens]
    @property
    def answer_tokens(self) -> Quantity: ...
    # Tokens of the longest answer [tokens]
    @property
    def longest_answer(self) -> Quantity: ...
    # Tokens that a step learns from [tokens]
    @property
    def step_tokens(self) -> Quantity: ...
    # Steps by which answers may be older than the weights
    @property
    def off_policy(self) -> int: ...
    # Time of a step, all phases
    @property
    def step_time(self) -> Quantity: ...
    # What a step is made of
    @property
    def phases(self) -> Table[TrainMethodPhases]: ...
    # What models beside the trainer's take of each of its GPUs [B]
    @property
    def beside(self) -> Quantity: ...
    # What waits in host memory while others work, per GPU of the trainer [B]
    @property
    def on_host(self) -> Quantity: ...
    # GPU time in which nothing is computed, in %
    @property
    def idle_percent(self) -> float: ...
    # GPU time in which replicas wait for the last answers, in %
    @property
    def idle_tail_percent(self) -> float: ...
    # GPU time in which GPUs wait for other phases, in %
    @property
    def idle_pool_percent(self) -> float: ...
    # From the middle answer to the last
    @property
    def longest_wait(self) -> Quantity: ...
    # Shares of the GPUs that were tried, the best first
    @property
    def splits(self) -> Table[TrainMethodSplits]: ...
    # Time of a step with answers one step older
    @property
    def one_step_off(self) -> Quantity | None: ...
    # Steps of the run
    @property
    def steps(self) -> int | None: ...
    # Paid time of the run [s]
    @property
    def duration(self) -> Quantity | None: ...
    # Cost of that time on all GPUs [USD]
    @property
    def cost(self) -> Quantity | None: ...
    # GPU-hours of the run in which nothing is computed, in GPU-hours
    @property
    def idle_gpu_hours(self) -> float | None: ...


class TrainMethodPhases(Record):
    # What is done
    @property
    def name(self) -> str: ...
    # Time that it takes
    @property
    def time(self) -> Quantity: ...
    # GPUs that are held for it
    @property
    def gpus(self) -> int: ...
    # Share of their time that they compute, in %
    @property
    def busy_percent(self) -> float: ...
    # Whether it runs beside the other phases
    @property
    def beside(self) -> bool: ...
    # What it is
    @property
    def what(self) -> str: ...


class TrainMethodSplits(Record):
    # GPUs that write answers
    @property
    def rollout_gpus(self) -> int: ...
    # GPUs that learn
    @property
    def training_gpus(self) -> int: ...
    # GPUs of a replica of the engine
    @property
    def tp(self) -> int: ...
    # Sequences that a replica writes at once
    @property
    def max_seqs(self) -> int: ...
    # Time until the last answer
    @property
    def rollout(self) -> Quantity: ...
    # Time of all other phases
    @property
    def learning(self) -> Quantity: ...
    # Time of a step
    @property
    def step_time(self) -> Quantity: ...


class TrainStages(Record):
    # Tokens of one sequence
    @property
    def sequence(self) -> int: ...
    # Sequences of a step
    @property
    def global_batch(self) -> int: ...
    # Tokens of the stage [tokens]
    @property
    def tokens(self) -> Quantity: ...
    # Its layout as keys of a scenario
    @property
    def layout_keys(self) -> str: ...
    # Time of one step
    @property
    def step_time(self) -> Quantity: ...
    # Tokens of one GPU [tokens/s]
    @property
    def tokens_per_s_per_gpu(self) -> Quantity: ...
    # Model FLOPs over the dense peak [1]
    @property
    def mfu(self) -> Quantity: ...
    # Time of its steps, nothing lost to failures
    @property
    def work(self) -> Quantity: ...
    # Share of the time of all steps, in %
    @property
    def percent(self) -> float: ...


class TrainWays(Record):
    # The way to pay, as money.options writes it
    @property
    def option(self) -> str: ...
    # Price of a GPU [USD/GPU/s]
    @property
    def rate(self) -> Quantity: ...
    # GPUs that are paid for, spares included
    @property
    def paid_gpus(self) -> float: ...
    # Share of paid time that failures leave [1]
    @property
    def goodput(self) -> Quantity: ...
    # Share of paid time that steady steps take, nothing else lost [1]
    @property
    def useful_time(self) -> Quantity: ...
    # Paid time for the tokens asked
    @property
    def duration(self) -> Quantity | None: ...
    # Cost of the run, to the end of what binds [USD]
    @property
    def cost(self) -> Quantity | None: ...
    # How long it is paid for at least
    @property
    def binds(self) -> Quantity | None: ...


class TrainWholeRun(Record):
    """The run as it is paid for, beside the steady step"""

    # GPU time of a trillion tokens by the steady step [GPU-s]
    @property
    def steady(self) -> Quantity: ...
    # The same as it is paid for, spares included [GPU-s]
    @property
    def paid(self) -> Quantity: ...
    # Share of the paid time that steady steps take [1]
    @property
    def useful_time(self) -> Quantity: ...
    # Where the rest of the paid time goes, the most first
    @property
    def losses(self) -> Table[TrainWholeRunLosses]: ...
    # Hours of published runs over those with all losses that have a name
    @property
    def unexplained(self) -> float: ...


class TrainWholeRunLosses(Record):
    # What takes the time
    @property
    def name(self) -> str: ...
    # Share of the paid time, in %
    @property
    def percent(self) -> float: ...
    # What it is
    @property
    def what(self) -> str: ...


class TrainFailures(Record):
    """What failures cost"""

    # Time between two checkpoints
    @property
    def checkpoint_interval(self) -> Quantity: ...
    # The same in whole steps; 0: not known
    @property
    def checkpoint_interval_steps(self) -> int: ...
    # Time that one checkpoint takes from the run
    @property
    def checkpoint_stall(self) -> Quantity: ...
    # Size of one [B]
    @property
    def checkpoint_size(self) -> Quantity: ...
    # Nodes that are paid for and wait to replace broken ones
    @property
    def spare_nodes(self) -> int: ...
    # Where paid time goes
    @property
    def losses(self) -> Table[TrainFailuresLosses]: ...
    # Time between two failures; left out where nothing fails
    @property
    def mtbf(self) -> Quantity | None: ...


class TrainFailuresLosses(Record):
    # What takes the time
    @property
    def name(self) -> str: ...
    # Share of the paid time, in %
    @property
    def percent(self) -> float: ...
    # What it is
    @property
    def what(self) -> str: ...


class TrainBreakdown(Record):
    # Part of the step
    @property
    def name(self) -> str: ...
    # Time that it takes
    @property
    def time(self) -> Quantity: ...
    # Share of the step, in %
    @property
    def percent(self) -> float: ...
    # What it is
    @property
    def what(self) -> str: ...


class SearchAnswer(Answer):
    """The best layouts of a training run, over all its accelerators."""

    # The answer as one sentence
    @property
    def verdict(self) -> str: ...
    # Catalogue name
    @property
    def model(self) -> str: ...
    # What plans are judged by, in words
    @property
    def objective(self) -> str: ...
    # The same as a word
    @property
    def objective_key(self) -> str: ...
    # Tokens of one sequence
    @property
    def sequence(self) -> int: ...
    # Legal layouts
    @property
    def enumerated(self) -> int: ...
    # Layouts whose step was computed
    @property
    def evaluated(self) -> int: ...
    # Machines that were searched
    @property
    def machines(self) -> int: ...
    # Whether no layout was dismissed by a bound
    @property
    def exhaustive(self) -> bool: ...
    # Whether it was interrupted
    @property
    def stopped(self) -> bool: ...
    # Share of every GPU's memory that stays free, as asked, in %
    @property
    def headroom_percent(self) -> float: ...
    # CPU time of the search; left out by --reproducible, in seconds
    @property
    def seconds(self) -> float | None: ...
    # The best plans, best first
    @property
    def plans(self) -> Table[SearchPlans]: ...
    # Plans that nothing beats in everything at once
    @property
    def front(self) -> Table[SearchFront]: ...
    # Machines that a limit excludes
    @property
    def excluded(self) -> Table[SearchExcluded]: ...
    # Keys of limits that every plan misses, or the first one where it is shown all the same
    @property
    def missed(self) -> Table[str]: ...
    # The whole step, where a run is more than training on text: then the plans are of its trainer
    @property
    def method(self) -> SearchMethod | None: ...
    # What comes closest, where there is no plan
    @property
    def nearest(self) -> str | None: ...


class SearchPlans(Record):
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # GPUs: tp · pp · cp · dp
    @property
    def gpus(self) -> int: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # Interleaved chunks of each stage
    @property
    def vp(self) -> int: ...
    # Layers of the first stage; all without a pipeline
    @property
    def first_layers(self) -> int: ...
    # Layers of the last stage
    @property
    def last_layers(self) -> int: ...
    # GPUs that share the tokens of a sequence
    @property
    def cp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # GPUs that share one expert
    @property
    def etp(self) -> int: ...
    # Copies of the model
    @property
    def dp(self) -> int: ...
    # What is sharded over the copies
    @property
    def zero(self) -> str: ...
    # Ranks that share one copy; 0: all, or nothing is sharded
    @property
    def shard_group(self) -> int: ...
    # Sequences of one pass on one rank
    @property
    def micro_batch(self) -> int: ...
    # Passes of a step on each copy
    @property
    def micro_batches(self) -> int: ...
    # As a scenario says it: none, selective, full, a list of modules or a number of layers
    @property
    def recompute(self) -> str: ...
    # Schedule of the pipeline; empty without one
    @property
    def schedule(self) -> str: ...
    # Whether norms are split along the sequence
    @property
    def sequence_parallel(self) -> bool: ...
    # What lives in host memory
    @property
    def offload(self) -> Table[str]: ...
    # Layers of each stage whose activations leave; 0: none, or inputs of all
    @property
    def offload_layers(self) -> int: ...
    # The whole layout as keys of a scenario
    @property
    def layout_keys(self) -> str: ...
    # Format of the matrix products
    @property
    def precision(self) -> str: ...
    # Time of one step
    @property
    def step_time(self) -> Quantity: ...
    # Tokens of all GPUs [tokens/s]
    @property
    def tokens_per_s(self) -> Quantity: ...
    # Model FLOPs over the dense peak [1]
    @property
    def mfu(self) -> Quantity: ...
    # Memory that the fullest GPU uses [B]
    @property
    def memory(self) -> Quantity: ...
    # Share of its memory, in %
    @property
    def memory_percent(self) -> float: ...
    # Cost of the tokens asked, or of one token where none are said
    @property
    def cost(self) -> Quantity | None: ...
    # The way to pay that goodput, days and cost are of; left out where none has a price
    @property
    def option(self) -> str | None: ...
    # How long that way is paid for at least
    @property
    def binds(self) -> Quantity | None: ...
    # Paid time for the tokens asked
    @property
    def duration(self) -> Quantity | None: ...
    # The run as it is paid for, beside the steady step
    @property
    def whole_run(self) -> SearchPlansWholeRun | None: ...
    # Share of paid time that advances the run [1]
    @property
    def goodput(self) -> Quantity | None: ...
    # Energy of one step at the nodes [J]
    @property
    def step_energy(self) -> Quantity: ...
    # Energy of the whole paid time at the nodes; left out where the tokens are not said [J]
    @property
    def run_energy(self) -> Quantity | None: ...
    # Power of all nodes at most [W]
    @property
    def power(self) -> Quantity: ...
    # How far it is behind the best, in %
    @property
    def behind_percent(self) -> float: ...
    # Why it is the best, or why not
    @property
    def why(self) -> str: ...
    # What nothing beats it in, of plans on the front
    @property
    def best_in(self) -> str | None: ...


class SearchPlansWholeRun(Record):
    """The run as it is paid for, beside the steady step"""

    # GPU time of a trillion tokens by the steady step [GPU-s]
    @property
    def steady(self) -> Quantity: ...
    # The same as it is paid for, spares included [GPU-s]
    @property
    def paid(self) -> Quantity: ...
    # Share of the paid time that steady steps take [1]
    @property
    def useful_time(self) -> Quantity: ...
    # Where the rest of the paid time goes, the most first
    @property
    def losses(self) -> Table[SearchPlansWholeRunLosses]: ...
    # Hours of published runs over those with all losses that have a name
    @property
    def unexplained(self) -> float: ...


class SearchPlansWholeRunLosses(Record):
    # What takes the time
    @property
    def name(self) -> str: ...
    # Share of the paid time, in %
    @property
    def percent(self) -> float: ...
    # What it is
    @property
    def what(self) -> str: ...


class SearchFront(Record):
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # GPUs: tp · pp · cp · dp
    @property
    def gpus(self) -> int: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # Interleaved chunks of each stage
    @property
    def vp(self) -> int: ...
    # Layers of the first stage; all without a pipeline
    @property
    def first_layers(self) -> int: ...
    # Layers of the last stage
    @property
    def last_layers(self) -> int: ...
    # GPUs that share the tokens of a sequence
    @property
    def cp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # GPUs that share one expert
    @property
    def etp(self) -> int: ...
    # Copies of the model
    @property
    def dp(self) -> int: ...
    # What is sharded over the copies
    @property
    def zero(self) -> str: ...
    # Ranks that share one copy; 0: all, or nothing is sharded
    @property
    def shard_group(self) -> int: ...
    # Sequences of one pass on one rank
    @property
    def micro_batch(self) -> int: ...
    # Passes of a step on each copy
    @property
    def micro_batches(self) -> int: ...
    # As a scenario says it: none, selective, full, a list of modules or a number of layers
    @property
    def recompute(self) -> str: ...
    # Schedule of the pipeline; empty without one
    @property
    def schedule(self) -> str: ...
    # Whether norms are split along the sequence
    @property
    def sequence_parallel(self) -> bool: ...
    # What lives in host memory
    @property
    def offload(self) -> Table[str]: ...
    # Layers of each stage whose activations leave; 0: none, or inputs of all
    @property
    def offload_layers(self) -> int: ...
    # The whole layout as keys of a scenario
    @property
    def layout_keys(self) -> str: ...
    # Format of the matrix products
    @property
    def precision(self) -> str: ...
    # Time of one step
    @property
    def step_time(self) -> Quantity: ...
    # Tokens of all GPUs [tokens/s]
    @property
    def tokens_per_s(self) -> Quantity: ...
    # Model FLOPs over the dense peak [1]
    @property
    def mfu(self) -> Quantity: ...
    # Memory that the fullest GPU uses [B]
    @property
    def memory(self) -> Quantity: ...
    # Share of its memory, in %
    @property
    def memory_percent(self) -> float: ...
    # Cost of the tokens asked, or of one token where none are said
    @property
    def cost(self) -> Quantity | None: ...
    # The way to pay that goodput, days and cost are of; left out where none has a price
    @property
    def option(self) -> str | None: ...
    # How long that way is paid for at least
    @property
    def binds(self) -> Quantity | None: ...
    # Paid time for the tokens asked
    @property
    def duration(self) -> Quantity | None: ...
    # The run as it is paid for, beside the steady step
    @property
    def whole_run(self) -> SearchFrontWholeRun | None: ...
    # Share of paid time that advances the run [1]
    @property
    def goodput(self) -> Quantity | None: ...
    # Energy of one step at the nodes [J]
    @property
    def step_energy(self) -> Quantity: ...
    # Energy of the whole paid time at the nodes; left out where the tokens are not said [J]
    @property
    def run_energy(self) -> Quantity | None: ...
    # Power of all nodes at most [W]
    @property
    def power(self) -> Quantity: ...
    # How far it is behind the best, in %
    @property
    def behind_percent(self) -> float: ...
    # Why it is the best, or why not
    @property
    def why(self) -> str: ...
    # What nothing beats it in, of plans on the front
    @property
    def best_in(self) -> str | None: ...


class SearchFrontWholeRun(Record):
    """The run as it is paid for, beside the steady step"""

    # GPU time of a trillion tokens by the steady step [GPU-s]
    @property
    def steady(self) -> Quantity: ...
    # The same as it is paid for, spares included [GPU-s]
    @property
    def paid(self) -> Quantity: ...
    # Share of the paid time that steady steps take [1]
    @property
    def useful_time(self) -> Quantity: ...
    # Where the rest of the paid time goes, the most first
    @property
    def losses(self) -> Table[SearchFrontWholeRunLosses]: ...
    # Hours of published runs over those with all losses that have a name
    @property
    def unexplained(self) -> float: ...


class SearchFrontWholeRunLosses(Record):
    # What takes the time
    @property
    def name(self) -> str: ...
    # Share of the paid time, in %
    @property
    def percent(self) -> float: ...
    # What it is
    @property
    def what(self) -> str: ...


class SearchExcluded(Record):
    # Which machine
    @property
    def what(self) -> str: ...
    # What speaks against it
    @property
    def why(self) -> str: ...


class SearchMethod(Record):
    """The whole step, where a run is more than training on text: then the plans are of its trainer"""

    # The answer as one sentence
    @property
    def verdict(self) -> str: ...
    # The method, as the scenario writes it
    @property
    def method(self) -> str: ...
    # Whether the same GPUs write and learn
    @property
    def colocated(self) -> bool: ...
    # GPUs of the run
    @property
    def gpus(self) -> int: ...
    # GPUs that write answers
    @property
    def rollout_gpus(self) -> int: ...
    # GPUs that learn
    @property
    def training_gpus(self) -> int: ...
    # GPUs of a replica of the engine
    @property
    def rollout_tp(self) -> int: ...
    # Sequences that a replica writes at once
    @property
    def rollout_max_seqs(self) -> int: ...
    # The engine that writes; empty: none does
    @property
    def engine(self) -> str: ...
    # Format of its weights
    @property
    def rollout_precision(self) -> str: ...
    # Prompts of a step
    @property
    def prompts(self) -> int: ...
    # Answers to each
    @property
    def group(self) -> int: ...
    # Answers of a step
    @property
    def answers(self) -> int: ...
    # Answers that were simulated, of all that are written at once
    @property
    def simulated_answers(self) -> int: ...
    # Tokens of a prompt [tokens]
    @property
    def prompt_tokens(self) -> Quantity: ...
    # Tokens of a mean answer [tokens]
    @property
    def answer_tokens(self) -> Quantity: ...
    # Tokens of the longest answer [tokens]
    @property
    def longest_answer(self) -> Quantity: ...
    # Tokens that a step learns from [tokens]
    @property
    def step_tokens(self) -> Quantity: ...
    # Steps by which answers may be older than the weights
    @property
    def off_policy(self) -> int: ...
    # Time of a step, all phases
    @property
    def step_time(self) -> Quantity: ...
    # What a step is made of
    @property
    def phases(self) -> Table[SearchMethodPhases]: ...
    # What models beside the trainer's take of each of its GPUs [B]
    @property
    def beside(self) -> Quantity: ...
    # What waits in host memory while others work, per GPU of the trainer [B]
    @property
    def on_host(self) -> Quantity: ...
    # GPU time in which nothing is computed, in %
    @property
    def idle_percent(self) -> float: ...
    # GPU time in which replicas wait for the last answers, in %
    @property
    def idle_tail_percent(self) -> float: ...
    # GPU time in which GPUs wait for other phases, in %
    @property
    def idle_pool_percent(self) -> float: ...
    # From the middle answer to the last
    @property
    def longest_wait(self) -> Quantity: ...
    # Shares of the GPUs that were tried, the best first
    @property
    def splits(self) -> Table[SearchMethodSplits]: ...
    # Time of a step with answers one step older
    @property
    def one_step_off(self) -> Quantity | None: ...
    # Steps of the run
    @property
    def steps(self) -> int | None: ...
    # Paid time of the run [s]
    @property
    def duration(self) -> Quantity | None: ...
    # Cost of that time on all GPUs [USD]
    @property
    def cost(self) -> Quantity | None: ...
    # GPU-hours of the run in which nothing is computed, in GPU-hours
    @property
    def idle_gpu_hours(self) -> float | None: ...


class SearchMethodPhases(Record):
    # What is done
    @property
    def name(self) -> str: ...
    # Time that it takes
    @property
    def time(self) -> Quantity: ...
    # GPUs that are held for it
    @property
    def gpus(self) -> int: ...
    # Share of their time that they compute, in %
    @property
    def busy_percent(self) -> float: ...
    # Whether it runs beside the other phases
    @property
    def beside(self) -> bool: ...
    # What it is
    @property
    def what(self) -> str: ...


class SearchMethodSplits(Record):
    # GPUs that write answers
    @property
    def rollout_gpus(self) -> int: ...
    # GPUs that learn
    @property
    def training_gpus(self) -> int: ...
    # GPUs of a replica of the engine
    @property
    def tp(self) -> int: ...
    # Sequences that a replica writes at once
    @property
    def max_seqs(self) -> int: ...
    # Time until the last answer
    @property
    def rollout(self) -> Quantity: ...
    # Time of all other phases
    @property
    def learning(self) -> Quantity: ...
    # Time of a step
    @property
    def step_time(self) -> Quantity: ...


class ScaleAnswer(Answer):
    """How a training run scales, and what the next dollar is best spent on."""

    # Says first when a smaller machine is better
    @property
    def verdict(self) -> str: ...
    # Catalogue name
    @property
    def model(self) -> str: ...
    # Tokens of one sequence
    @property
    def sequence(self) -> int: ...
    # The efficiency that "how far" asks about, in %
    @property
    def efficiency_line_percent(self) -> float: ...
    # One curve for each accelerator
    @property
    def curves(self) -> Table[ScaleCurves]: ...
    # Changes to the machine, the best first
    @property
    def next_dollar(self) -> Table[ScaleNextDollar]: ...
    # The machine that they change; empty where there is none
    @property
    def next_dollar_of(self) -> str: ...
    # Decisions in words
    @property
    def decisions(self) -> Table[str]: ...
    # Share of every GPU's memory that stays free, as asked, in %
    @property
    def headroom_percent(self) -> float: ...
    # Whether it was interrupted: sizes are missing
    @property
    def stopped(self) -> bool: ...


class ScaleCurves(Record):
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # The largest size above the line
    @property
    def largest_efficient(self) -> int: ...
    # The size with the lowest cost
    @property
    def cheapest(self) -> int: ...
    # The size with the highest rate
    @property
    def fastest(self) -> int: ...
    # Whether the cheapest is by rent; else by GPU-hours
    @property
    def priced(self) -> bool: ...
    # Which way to pay the costs are of, at which sizes, and how long it binds; empty where none has
    # a price
    @property
    def payment(self) -> str: ...
    # The way to pay whose goodput efficiencies are counted with; empty where none has a price
    @property
    def efficiency_paid(self) -> str: ...
    # Sizes on which nothing fits
    @property
    def too_small(self) -> Table[int]: ...
    # Sizes that were left out, and why
    @property
    def excluded(self) -> Table[ScaleCurvesExcluded]: ...
    # Rising sizes
    @property
    def points(self) -> Table[ScaleCurvesPoints]: ...


class ScaleCurvesExcluded(Record):
    # Which machine
    @property
    def what(self) -> str: ...
    # What speaks against it
    @property
    def why(self) -> str: ...


class ScaleCurvesPoints(Record):
    # GPUs: tp · pp · cp · dp
    @property
    def gpus(self) -> int: ...
    # GPUs that share the heads and widths of a layer
    @property
    def tp(self) -> int: ...
    # Pipeline stages
    @property
    def pp(self) -> int: ...
    # Interleaved chunks of each stage
    @property
    def vp(self) -> int: ...
    # Layers of the first stage; all without a pipeline
    @property
    def first_layers(self) -> int: ...
    # Layers of the last stage
    @property
    def last_layers(self) -> int: ...
    # GPUs that share the tokens of a sequence
    @property
    def cp(self) -> int: ...
    # GPUs that the experts of a layer are spread over
    @property
    def ep(self) -> int: ...
    # GPUs that share one expert
    @property
    def etp(self) -> int: ...
    # Copies of the model
    @property
    def dp(self) -> int: ...
    # What is sharded over the copies
    @property
    def zero(self) -> str: ...
    # Ranks that share one copy; 0: all, or nothing is sharded
    @property
    def shard_group(self) -> int: ...
    # Sequences of one pass on one rank
    @property
    def micro_batch(self) -> int: ...
    # Passes of a step on each copy
    @property
    def micro_batches(self) -> int: ...
    # As a scenario says it: none, selective, full, a list of modules or a number of layers
    @property
    def recompute(self) -> str: ...
    # Schedule of the pipeline; empty without one
    @property
    def schedule(self) -> str: ...
    # Whether norms are split along the sequence
    @property
    def sequence_parallel(self) -> bool: ...
    # What lives in host memory
    @property
    def offload(self) -> Table[str]: ...
    # Layers of each stage whose activations leave; 0: none, or inputs of all
    @property
    def offload_layers(self) -> int: ...
    # The whole layout as keys of a scenario
    @property
    def layout_keys(self) -> str: ...
    # Time of one step
    @property
    def step_time(self) -> Quantity: ...
    # Tokens of all GPUs [tokens/s]
    @property
    def tokens_per_s(self) -> Quantity: ...
    # Model FLOPs over the dense peak [1]
    @property
    def mfu(self) -> Quantity: ...
    # Useful tokens of a GPU over those of the smallest size, in %
    @property
    def efficiency_percent(self) -> float: ...
    # Share of the step: traffic that is not hidden, in %
    @property
    def communication_percent(self) -> float: ...
    # Sequences of a step
    @property
    def global_batch(self) -> int: ...
    # Within limits.budget; true where no budget or no rent is known
    @property
    def affordable(self) -> bool: ...
    # By the deadline, where there is one
    @property
    def in_time(self) -> bool: ...
    # Nodes that are paid for and wait to replace broken ones
    @property
    def spare_nodes(self) -> int: ...
    # GPUs that are paid for, spares included
    @property
    def paid_gpus(self) -> float: ...
    # What costs most compared with the smallest size; nothing where this size is as good
    @property
    def binding(self) -> str: ...
    # The way to pay that goodput, days and cost are of; left out where none has a price
    @property
    def option(self) -> str | None: ...
    # How long that way is paid for at least
    @property
    def binds(self) -> Quantity | None: ...
    # The efficiency with a batch that grows with the GPUs; not beyond the critical batch, in %
    @property
    def weak_efficiency_percent(self) -> float | None: ...
    # Paid time for the tokens asked
    @property
    def duration(self) -> Quantity | None: ...
    # Cost of that time, to the end of what binds [USD]
    @property
    def cost(self) -> Quantity | None: ...
    # Share of paid time that advances the run [1]
    @property
    def goodput(self) -> Quantity | None: ...
    # Value of a day from which this size pays [USD]
    @property
    def day_break_even(self) -> Quantity | None: ...
    # Saved days times their value, less the added cost, per added GPU [USD]
    @property
    def marginal_per_gpu(self) -> Quantity | None: ...


class ScaleNextDollar(Record):
    # A change to the machine
    @property
    def what(self) -> str: ...
    # Gain in useful tokens, in %
    @property
    def gain_percent(self) -> float: ...
    # What it takes away
    @property
    def why(self) -> str: ...
    # Rent of a GPU up to which it pays [USD/GPU/s]
    @property
    def worth(self) -> Quantity | None: ...


class CostAnswer(Answer):
    """Every way to pay for the same work, and what would change the choice."""

    # The answer in words
    @property
    def verdict(self) -> str: ...
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # GPUs of the machine as asked
    @property
    def gpus(self) -> float: ...
    # Share of the full plane that carries work [1]
    @property
    def load_factor(self) -> Quantity: ...
    # How far is looked
    @property
    def horizon(self) -> Quantity: ...
    # Tokens of all GPUs when full [tokens/s]
    @property
    def full_plane(self) -> Quantity | None: ...
    # Tokens carried in a month [tokens]
    @property
    def tokens_per_month(self) -> Quantity | None: ...
    # Ways to pay, the cheapest first
    @property
    def options(self) -> Table[CostOptions]: ...
    # Options without a price
    @property
    def unpriced(self) -> Table[CostUnpriced]: ...
    # Every machine against every way to pay by use
    @property
    def break_evens(self) -> Table[CostBreakEvens]: ...
    # The same machine at other loads
    @property
    def loads(self) -> Table[CostLoads]: ...
    # The bill of a month
    @property
    def bill(self) -> CostBill: ...
    # One GPU, bought or rented for the hours it works
    @property
    def rent_or_own(self) -> CostRentOrOwn | None: ...
    # One GPU more or less
    @property
    def marginal_gpu(self) -> CostMarginalGpu | None: ...
    # Own the base, rent the rest
    @property
    def mix(self) -> CostMix | None: ...
    # Size of a run whose delay costs money
    @property
    def training(self) -> CostTraining | None: ...
    # A break-even that somebody states
    @property
    def claim(self) -> CostClaim | None: ...
    # Moves to other machines
    @property
    def porting(self) -> Table[CostPorting]: ...
    # Waiting for the next generation
    @property
    def waiting(self) -> CostWaiting | None: ...
    # The purchase of one GPU by the hour, as three people count it
    @property
    def capital(self) -> CostCapital | None: ...
    # Interruptions of spot machines
    @property
    def spot(self) -> CostSpot | None: ...
    # One input at its fifth and ninety-fifth percentile
    @property
    def tornado(self) -> Table[CostTornado]: ...
    # All inputs together
    @property
    def uncertainty(self) -> CostUncertainty: ...
    # Present cost on paths of rents
    @property
    def regret(self) -> Table[CostRegret]: ...
    # Options over the horizon where rents move at random
    @property
    def rent_paths(self) -> CostRentPaths | None: ...
    # The building
    @property
    def facility(self) -> CostFacility | None: ...
    # Prices that were used
    @property
    def prices(self) -> Table[CostPrices]: ...


class CostOptions(Record):
    # The option as people read it
    @property
    def name(self) -> str: ...
    # GPUs paid for on average; 0 for the API
    @property
    def gpus(self) -> float: ...
    # Load factor of those; null for the API
    @property
    def load_factor(self) -> Quantity | None: ...
    # Load factor from which it pays today; null where there is none
    @property
    def break_even(self) -> Quantity | None: ...
    # Cost of a month [USD/month]
    @property
    def per_month(self) -> Quantity: ...
    # Cost of a million tokens; null where tokens are not the work
    @property
    def per_mtoken(self) -> Quantity | None: ...
    # on-demand, own, api, …
    @property
    def kind(self) -> str: ...
    # The break-even averaged over what it binds
    @property
    def break_even_life(self) -> Quantity | None: ...
    # What the break-even is against
    @property
    def against(self) -> str: ...
    # pays, short or never; empty where there is nothing to compare
    @property
    def verdict(self) -> str: ...
    # Cost of an hour that carries work [USD/GPU-hour]
    @property
    def per_useful_gpu_hour(self) -> Quantity: ...
    # Cost of a million tokens in [USD/M tokens]
    @property
    def per_mtoken_in(self) -> Quantity | None: ...
    # Cost of a million cached tokens in [USD/M tokens]
    @property
    def per_mtoken_cached(self) -> Quantity | None: ...
    # Cost of a million tokens out [USD/M tokens]
    @property
    def per_mtoken_out(self) -> Quantity | None: ...
    # Cost of the training run, with what is bound beyond its end [USD]
    @property
    def per_run(self) -> Quantity | None: ...
    # What the training run takes, paid this way
    @property
    def run_time(self) -> Quantity | None: ...
    # What is paid to its end beyond the run; null where nothing is
    @property
    def binds(self) -> Quantity | None: ...
    # Time until rent saved has paid the price
    @property
    def payback(self) -> Quantity | None: ...
    # Cost over the horizon, discounted, at today's prices [USD]
    @property
    def present_cost(self) -> Quantity: ...
    # The same with prices moving as stated [USD]
    @property
    def expected_present_cost(self) -> Quantity: ...
    # Share of draws in which it is the cheapest, in %
    @property
    def wins_pct(self) -> float: ...
    # Cost of a month, median of the draws [USD/month]
    @property
    def p50_per_month(self) -> Quantity: ...
    # Cost of a month, mean of the draws [USD/month]
    @property
    def mean_per_month(self) -> Quantity: ...
    # Cost of a million tokens, median of the draws [USD/M tokens]
    @property
    def p50_per_mtoken(self) -> Quantity | None: ...


class CostUnpriced(Record):
    # The option
    @property
    def name(self) -> str: ...
    # LFnnn
    @property
    def code(self) -> str: ...
    # What is missing
    @property
    def why(self) -> str: ...


class CostBreakEvens(Record):
    # The machine
    @property
    def option(self) -> str: ...
    # The alternative
    @property
    def against(self) -> str: ...
    # Load factor from which it pays; null: no load suffices
    @property
    def today(self) -> Quantity | None: ...
    # The same averaged over what it binds
    @property
    def life(self) -> Quantity | None: ...
    # pays, short or never
    @property
    def verdict(self) -> str: ...


class CostLoads(Record):
    # The load [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Cost of an hour that carries work [USD/GPU-hour]
    @property
    def per_useful_gpu_hour(self) -> Quantity: ...
    # Cost of work over that of the full plane [1]
    @property
    def multiple(self) -> Quantity: ...
    # Cost of a million tokens [USD/M tokens]
    @property
    def per_mtoken(self) -> Quantity | None: ...


class CostBill(Record):
    """The bill of a month"""

    # The option
    @property
    def of(self) -> str: ...
    # Its lines; children behind their parent
    @property
    def lines(self) -> Table[CostBillLines]: ...
    # Cost of a month [USD/month]
    @property
    def total(self) -> Quantity: ...


class CostBillLines(Record):
    # What is paid for
    @property
    def name(self) -> str: ...
    # 0: a line; 1: a part of the line before
    @property
    def depth(self) -> int: ...
    # How much of it in a month, in the unit it is billed in
    @property
    def quantity(self) -> Quantity | None: ...
    # Price of one
    @property
    def unit_price(self) -> Quantity | None: ...
    # Cost of a month [USD/month]
    @property
    def per_month(self) -> Quantity: ...
    # Whether the scenario alone states it
    @property
    def assumed(self) -> bool: ...


class CostRentOrOwn(Record):
    """One GPU, bought or rented for the hours it works"""

    # Present value of owning [USD]
    @property
    def saving(self) -> Quantity: ...
    # Rent of an hour from which it pays [USD/GPU-hour]
    @property
    def break_even_rent(self) -> Quantity: ...
    # Load from which owning pays
    @property
    def break_even_load(self) -> Quantity | None: ...
    # Rent of an hour [USD/GPU-hour]
    @property
    def rent(self) -> Quantity: ...
    # Saving over renting it day and night [USD]
    @property
    def saving_around_clock(self) -> Quantity: ...
    # Months that are looked ahead
    @property
    def months(self) -> int: ...
    # Time until it has paid, undiscounted
    @property
    def payback(self) -> Quantity | None: ...


class CostMarginalGpu(Record):
    """One GPU more or less"""

    # What one more returns in a month, net [USD/month]
    @property
    def add_per_month(self) -> Quantity: ...
    # What one less saves in a month, net [USD/month]
    @property
    def give_up_per_month(self) -> Quantity: ...
    # The same in words
    @property
    def sentence(self) -> str: ...


class CostMix(Record):
    """Own the base, rent the rest"""

    # GPUs that are owned
    @property
    def owned(self) -> float: ...
    # GPUs that are rented on average
    @property
    def burst(self) -> float: ...
    # GPUs owned and idle on average
    @property
    def idle(self) -> float: ...
    # Cost of a day [USD/day]
    @property
    def per_day(self) -> Quantity: ...
    # Cost of a day where all are rented [USD/day]
    @property
    def all_rented_per_day(self) -> Quantity: ...
    # Cost of a day where the peak is owned [USD/day]
    @property
    def peak_owned_per_day(self) -> Quantity: ...
    # Time of a day that the last owned GPU must be busy
    @property
    def critical_time(self) -> Quantity: ...
    # Cost of a day of the mix of all ways [USD/day]
    @property
    def tiers_per_day(self) -> Quantity | None: ...
    # All ways with a price, in whole machines
    @property
    def tiers(self) -> Table[CostMixTiers] | None: ...


class CostMixTiers(Record):
    # The way to pay
    @property
    def name(self) -> str: ...
    # Whether it is paid around the clock
    @property
    def committed(self) -> bool: ...
    # GPUs at the busiest hour
    @property
    def most(self) -> float: ...
    # GPUs on average
    @property
    def mean(self) -> float: ...
    # GPUs in each hour
    @property
    def by_hour(self) -> Table[float]: ...


class CostTraining(Record):
    """Size of a run whose delay costs money"""

    # GPUs as asked
    @property
    def gpus(self) -> float: ...
    # Cost with the delay [USD]
    @property
    def cost(self) -> Quantity: ...
    # Time of the run [s]
    @property
    def time(self) -> Quantity: ...
    # What one more GPU saves [USD]
    @property
    def next_gpu(self) -> Quantity: ...
    # The cheapest size
    @property
    def best_gpus(self) -> float | None: ...
    # Its cost [USD]
    @property
    def cost_at_best(self) -> Quantity | None: ...


class CostClaim(Record):
    """A break-even that somebody states"""

    # Break-even load factor that is claimed [1]
    @property
    def claimed(self) -> Quantity: ...
    # Break-even load factor that follows
    @property
    def computed(self) -> Quantity | None: ...
    # Factor on the price that makes it true
    @property
    def price_factor(self) -> Quantity | None: ...
    # The same in words
    @property
    def sentence(self) -> str: ...


class CostPorting(Record):
    # The alternative
    @property
    def name(self) -> str: ...
    # Work of today's machines from which the move pays; left out where it never does [GPU-s]
    @property
    def break_even_work(self) -> Quantity | None: ...
    # Speed over today's machine from which it pays [1]
    @property
    def least_performance(self) -> Quantity: ...
    # Cost of an hour of today's work after it [USD/GPU-hour]
    @property
    def price_after_delay(self) -> Quantity: ...
    # Cost of an hour of today's work [USD/GPU-hour]
    @property
    def incumbent(self) -> Quantity: ...
    # Idle time at the start that it can bear
    @property
    def longest_delay(self) -> Quantity: ...
    # The same, discounted
    @property
    def longest_delay_discounted(self) -> Quantity: ...
    # Worth of the right to switch [USD/month]
    @property
    def option_value_per_month(self) -> Quantity: ...
    # Cost of the move [USD]
    @property
    def cost(self) -> Quantity: ...


class CostWaiting(Record):
    """Waiting for the next generation"""

    # Worth of waiting, of one GPU [USD]
    @property
    def value(self) -> Quantity: ...
    # Gain from which it pays [1]
    @property
    def least_gain(self) -> Quantity | None: ...


class CostCapital(Record):
    """The purchase of one GPU by the hour, as three people count it"""

    # Price less residual at the cost of capital; decides [USD/GPU-hour]
    @property
    def annuity(self) -> Quantity: ...
    # Straight line, without a cost of capital [USD/GPU-hour]
    @property
    def book(self) -> Quantity: ...
    # What the market takes off its value [USD/GPU-hour]
    @property
    def market(self) -> Quantity | None: ...
    # Cost of capital in a year [1]
    @property
    def discount(self) -> Quantity: ...
    # Where the cost of capital comes from
    @property
    def basis(self) -> str: ...
    # Debt over all the money [1]
    @property
    def debt_share(self) -> Quantity | None: ...
    # Interest of a year [1]
    @property
    def debt_rate(self) -> Quantity | None: ...
    # What owners want in a year [1]
    @property
    def equity_rate(self) -> Quantity | None: ...


class CostSpot(Record):
    """Interruptions of spot machines"""

    # Nodes that stop together
    @property
    def gang(self) -> float: ...
    # Time between two interruptions of the gang
    @property
    def between_interruptions(self) -> Quantity: ...
    # Hours paid for each hour of work [1]
    @property
    def multiplier(self) -> Quantity: ...
    # Share of the time without capacity [1]
    @property
    def waiting_share(self) -> Quantity: ...
    # What waiting costs [USD/month]
    @property
    def delay_per_month(self) -> Quantity | None: ...


class CostTornado(Record):
    # The input
    @property
    def input(self) -> str: ...
    # Tenth percentile over its value; the load as a share [1]
    @property
    def low(self) -> Quantity: ...
    # Ninetieth percentile over its value [1]
    @property
    def high(self) -> Quantity: ...
    # Cost of a unit of work at the low end
    @property
    def at_low(self) -> Quantity: ...
    # Cost of a unit of work at the high end
    @property
    def at_high(self) -> Quantity: ...
    # The cheapest option at the low end
    @property
    def cheapest_low(self) -> str: ...
    # The cheapest option at the high end
    @property
    def cheapest_high(self) -> str: ...


class CostUncertainty(Record):
    """All inputs together"""

    # Draws of all inputs
    @property
    def draws(self) -> int: ...
    # Each input
    @property
    def inputs(self) -> Table[CostUncertaintyInputs]: ...
    # Worth of knowing all of them for a month [USD/month]
    @property
    def worth_of_knowing_all(self) -> Quantity: ...


class CostUncertaintyInputs(Record):
    # The input
    @property
    def input(self) -> str: ...
    # Coefficient of variation, in %
    @property
    def variation_pct(self) -> float: ...
    # Share of the variance that it explains alone, in %
    @property
    def first_pct(self) -> float: ...
    # The same with interactions, in %
    @property
    def total_pct(self) -> float: ...
    # Worth of knowing it [USD/month]
    @property
    def worth_per_month(self) -> Quantity: ...


class CostRegret(Record):
    # The path of rents in words
    @property
    def path(self) -> str: ...
    # Every option
    @property
    def options(self) -> Table[CostRegretOptions]: ...


class CostRegretOptions(Record):
    # The option
    @property
    def name(self) -> str: ...
    # Present cost on this path [USD]
    @property
    def present_cost(self) -> Quantity: ...
    # Cost above the best of the path [USD]
    @property
    def regret(self) -> Quantity: ...


class CostRentPaths(Record):
    """Options over the horizon where rents move at random"""

    # Paths that were drawn
    @property
    def paths(self) -> int: ...
    # Where the process comes from
    @property
    def basis(self) -> str: ...
    # Drift of the mean in a year [1]
    @property
    def drift(self) -> Quantity: ...
    # Volatility of the logarithm, by the square root of a year [1]
    @property
    def volatility(self) -> Quantity: ...
    # Pull to the drifting mean in a year [1]
    @property
    def reversion(self) -> Quantity: ...
    # Jumps in a year [1]
    @property
    def jumps(self) -> Quantity: ...
    # Relative change of a jump down [1]
    @property
    def jump_down(self) -> Quantity: ...
    # Relative change of a jump up [1]
    @property
    def jump_up(self) -> Quantity: ...
    # Rent at the end over today's, tenth percentile [1]
    @property
    def end_p10(self) -> Quantity: ...
    # The same, median [1]
    @property
    def end_p50(self) -> Quantity: ...
    # The same, ninetieth percentile [1]
    @property
    def end_p90(self) -> Quantity: ...
    # Every option
    @property
    def options(self) -> Table[CostRentPathsOptions]: ...


class CostRentPathsOptions(Record):
    # The option
    @property
    def name(self) -> str: ...
    # Present cost, tenth percentile [USD]
    @property
    def p10(self) -> Quantity: ...
    # Present cost, median [USD]
    @property
    def p50(self) -> Quantity: ...
    # Present cost, ninetieth percentile [USD]
    @property
    def p90(self) -> Quantity: ...
    # Cost above the best of each path [USD]
    @property
    def mean_regret(self) -> Quantity: ...
    # Share of paths on which it is the cheapest, in %
    @property
    def wins_pct(self) -> float: ...


class CostFacility(Record):
    """The building"""

    # Catalogue name of the node
    @property
    def node(self) -> str: ...
    # Nodes
    @property
    def nodes(self) -> int: ...
    # Rated power of the chips alone [W]
    @property
    def gpus_only(self) -> Quantity: ...
    # Rated power with hosts [W]
    @property
    def rated(self) -> Quantity: ...
    # Power at work [W]
    @property
    def typical(self) -> Quantity: ...
    # Power without work [W]
    @property
    def idle(self) -> Quantity: ...
    # Energy at the grid in a month [J]
    @property
    def energy_per_month(self) -> Quantity: ...
    # Cost of that energy [USD/month]
    @property
    def energy_cost_per_month(self) -> Quantity: ...
    # Energy of the site over that of the machines [1]
    @property
    def pue(self) -> Quantity: ...
    # Floor with aisles, in m2
    @property
    def floor(self) -> Quantity: ...
    # What the host of a node must have
    @property
    def host(self) -> CostFacilityHost: ...
    # Facts of the building without a document behind them
    @property
    def assumed(self) -> Table[str]: ...
    # CO2 of a month, in kg
    @property
    def carbon_per_month(self) -> Quantity | None: ...
    # Ways of cooling
    @property
    def cooling(self) -> Table[CostFacilityCooling]: ...
    # Fabrics between the nodes
    @property
    def networks(self) -> Table[CostFacilityNetworks]: ...
    # What power caps would do
    @property
    def caps(self) -> Table[CostFacilityCaps]: ...


class CostFacilityHost(Record):
    """What the host of a node must have"""

    # Cores of a node
    @property
    def cores(self) -> int: ...
    # Memory of a node [B]
    @property
    def memory(self) -> Quantity: ...
    # Network cards between nodes and for storage
    @property
    def nics(self) -> int: ...
    # Checkpoint of the whole job [B]
    @property
    def checkpoint(self) -> Quantity | None: ...
    # Flash of a node, for the checkpoints kept [B]
    @property
    def nvme(self) -> Quantity | None: ...
    # Drives of a node
    @property
    def drives(self) -> int | None: ...
    # Rate at which a node writes [B/s]
    @property
    def checkpoint_bandwidth(self) -> Quantity | None: ...
    # How long a write may take [s]
    @property
    def checkpoint_within(self) -> Quantity | None: ...
    # Rate at which a node reads training data [B/s]
    @property
    def loading(self) -> Quantity | None: ...
    # What the catalogue's host of that node lacks
    @property
    def falls_short(self) -> str: ...


class CostFacilityCooling(Record):
    # Way of cooling
    @property
    def cooling(self) -> str: ...
    # Whether a rack can hold a node
    @property
    def legal(self) -> bool: ...
    # Why not, where it cannot
    @property
    def why_not(self) -> str: ...
    # Nodes of a rack
    @property
    def nodes_per_rack(self) -> int: ...
    # Racks
    @property
    def racks(self) -> int: ...
    # Energy of the site over that of the machines [1]
    @property
    def pue(self) -> Quantity: ...
    # Rated power at the grid [W]
    @property
    def site_power(self) -> Quantity: ...
    # Cost of space and energy in a month [USD/month]
    @property
    def per_month(self) -> Quantity: ...
    # Whether it is the one taken
    @property
    def chosen(self) -> bool: ...


class CostFacilityNetworks(Record):
    # Kind of fabric
    @property
    def topology(self) -> str: ...
    # Whether it can join so many
    @property
    def possible(self) -> bool: ...
    # Levels of switches
    @property
    def levels(self) -> int: ...
    # Switches of all levels
    @property
    def switches(self) -> int: ...
    # Switches that endpoints hang on
    @property
    def leaves(self) -> int: ...
    # Cables
    @property
    def cables(self) -> int: ...
    # Optical modules, one at each end of a cable
    @property
    def optics(self) -> int: ...
    # Down over up at the leaf; null where there are no leaves
    @property
    def oversubscription(self) -> Quantity | None: ...
    # Switches crossed at most
    @property
    def hops(self) -> int: ...
    # Endpoints lost with a leaf
    @property
    def failure_domain(self) -> int: ...
    # Price of the fabric [USD]
    @property
    def price(self) -> Quantity: ...
    # Power of the fabric [W]
    @property
    def power(self) -> Quantity: ...


class CostFacilityCaps(Record):
    # Power that a GPU may draw [W]
    @property
    def cap(self) -> Quantity: ...
    # Speed over the uncapped [1]
    @property
    def rate(self) -> Quantity: ...
    # Work of a joule over the uncapped [1]
    @property
    def work_per_joule(self) -> Quantity: ...
    # Racks that it then takes
    @property
    def racks(self) -> int: ...
    # Whether the scenario asks for it
    @property
    def asked(self) -> bool: ...


class CostPrices(Record):
    # What has the price
    @property
    def what(self) -> str: ...
    # The price as text
    @property
    def price(self) -> str: ...
    # When it was seen
    @property
    def date(self) -> str: ...
    # Age in days, at least
    @property
    def age_days(self) -> int | None: ...
    # Ids of SOURCES.md, or a place
    @property
    def source(self) -> str: ...


class DemandAnswer(Answer):
    """What traffic is like. Counts are plain numbers; other figures are quantities."""

    # The answer as one sentence
    @property
    def verdict(self) -> str: ...
    # How the file was read
    @property
    def import_(self) -> DemandImport: ...
    # Requests of the file
    @property
    def requests(self) -> int | None: ...
    # Requests on average [Hz]
    @property
    def mean_rate(self) -> Quantity | None: ...
    # Requests in the busiest 10 minutes [Hz]
    @property
    def peak_rate(self) -> Quantity | None: ...
    # Mean over peak of 10-minute windows
    @property
    def mean_to_peak(self) -> Quantity | None: ...
    # Coefficient of variation of the gaps between arrivals [1]
    @property
    def cv(self) -> Quantity | None: ...
    # Counts by windows
    @property
    def windows(self) -> Table[DemandWindows] | None: ...
    # Share of hours below a quarter of the busiest [1]
    @property
    def hours_below_quarter(self) -> Quantity | None: ...
    # Share of hours below half of the busiest [1]
    @property
    def hours_below_half(self) -> Quantity | None: ...
    # Rows are days from Monday, columns hours, UTC; less than 0 where nothing is known
    @property
    def week(self) -> Table[Table[float]] | None: ...
    # Tokens of prompts and answers; empty where the file does not say
    @property
    def lengths(self) -> DemandLengths | None: ...
    # Share of input tokens that a cache without limit finds [1]
    @property
    def prefix_hit(self) -> Quantity | None: ...
    # The same by size of the cache
    @property
    def prefix_hit_by_blocks(self) -> Table[DemandPrefixHitByBlocks] | None: ...
    # Jobs of a cluster
    @property
    def jobs(self) -> int | None: ...
    # GPU-hours that jobs held, in GPU-hours
    @property
    def gpu_hours(self) -> float | None: ...
    # GPUs at once at most
    @property
    def peak_gpus(self) -> int | None: ...
    # GPUs on average
    @property
    def mean_gpus(self) -> float | None: ...
    # Share of jobs that succeeded [1]
    @property
    def succeeded_share(self) -> Quantity | None: ...
    # Share of GPU time of jobs that succeeded [1]
    @property
    def useful_share(self) -> Quantity | None: ...
    # A snapshot as it was read
    @property
    def metrics(self) -> DemandMetrics | None: ...


class DemandImport(Record):
    """How the file was read"""

    # What the file is
    @property
    def format(self) -> str: ...
    # Rows of the file
    @property
    def rows_read(self) -> int: ...
    # Rows that were used
    @property
    def rows_used(self) -> int: ...
    # Rows that were not, by reason
    @property
    def rows_dropped(self) -> dict[str, int]: ...
    # Rows that had to be put in order
    @property
    def out_of_order(self) -> int: ...
    # Unit of the stamps
    @property
    def time_unit(self) -> str: ...
    # How the unit is known
    @property
    def time_unit_why(self) -> str: ...
    # First stamp to last, in seconds
    @property
    def span_seconds(self) -> float: ...
    # Every stamp is a multiple of it, in seconds
    @property
    def granularity_seconds(self) -> float: ...
    # Distance of batches of equal stamps; 0: none, in seconds
    @property
    def batch_interval_seconds(self) -> float: ...
    # Minutes without a request
    @property
    def silent_minutes(self) -> int: ...
    # Minutes in all
    @property
    def minutes(self) -> int: ...
    # Silences too long to be believed
    @property
    def gaps(self) -> Table[DemandImportGaps]: ...


class DemandImportGaps(Record):
    # Time from the first stamp, in seconds
    @property
    def start_seconds(self) -> float: ...
    # How long it is, in seconds
    @property
    def length_seconds(self) -> float: ...


class DemandWindows(Record):
    # Length of a window [s]
    @property
    def window(self) -> Quantity: ...
    # Whole windows
    @property
    def windows(self) -> int: ...
    # Mean rate [Hz]
    @property
    def mean_rate(self) -> Quantity: ...
    # Rate of the busiest [Hz]
    @property
    def peak_rate(self) -> Quantity: ...
    # Their ratio [1]
    @property
    def peak_to_mean(self) -> Quantity: ...
    # Variance over mean of the counts [1]
    @property
    def dispersion(self) -> Quantity: ...


class DemandLengths(Record):
    """Tokens of prompts and answers; empty where the file does not say"""

    # Tokens of prompts
    @property
    def input(self) -> DemandLengthsInput | None: ...
    # Tokens of answers
    @property
    def output(self) -> DemandLengthsOutput | None: ...
    # Spearman's correlation of the two [1]
    @property
    def rank_correlation(self) -> Quantity | None: ...


class DemandLengthsInput(Record):
    """Tokens of prompts"""

    # Mean length [tokens]
    @property
    def mean(self) -> Quantity: ...
    # Standard deviation over mean [1]
    @property
    def cv(self) -> Quantity: ...
    # Percentile 1, interpolated [tokens]
    @property
    def p1(self) -> Quantity: ...
    # Percentile 5, interpolated [tokens]
    @property
    def p5(self) -> Quantity: ...
    # Percentile 10, interpolated [tokens]
    @property
    def p10(self) -> Quantity: ...
    # Percentile 25, interpolated [tokens]
    @property
    def p25(self) -> Quantity: ...
    # Percentile 50, interpolated [tokens]
    @property
    def p50(self) -> Quantity: ...
    # Percentile 75, interpolated [tokens]
    @property
    def p75(self) -> Quantity: ...
    # Percentile 90, interpolated [tokens]
    @property
    def p90(self) -> Quantity: ...
    # Percentile 95, interpolated [tokens]
    @property
    def p95(self) -> Quantity: ...
    # Percentile 99, interpolated [tokens]
    @property
    def p99(self) -> Quantity: ...
    # The longest [tokens]
    @property
    def most(self) -> Quantity: ...
    # How many are zero
    @property
    def zeros(self) -> int: ...


class DemandLengthsOutput(Record):
    """Tokens of answers"""

    # Mean length [tokens]
    @property
    def mean(self) -> Quantity: ...
    # Standard deviation over mean [1]
    @property
    def cv(self) -> Quantity: ...
    # Percentile 1, interpolated [tokens]
    @property
    def p1(self) -> Quantity: ...
    # Percentile 5, interpolated [tokens]
    @property
    def p5(self) -> Quantity: ...
    # Percentile 10, interpolated [tokens]
    @property
    def p10(self) -> Quantity: ...
    # Percentile 25, interpolated [tokens]
    @property
    def p25(self) -> Quantity: ...
    # Percentile 50, interpolated [tokens]
    @property
    def p50(self) -> Quantity: ...
    # Percentile 75, interpolated [tokens]
    @property
    def p75(self) -> Quantity: ...
    # Percentile 90, interpolated [tokens]
    @property
    def p90(self) -> Quantity: ...
    # Percentile 95, interpolated [tokens]
    @property
    def p95(self) -> Quantity: ...
    # Percentile 99, interpolated [tokens]
    @property
    def p99(self) -> Quantity: ...
    # The longest [tokens]
    @property
    def most(self) -> Quantity: ...
    # How many are zero
    @property
    def zeros(self) -> int: ...


class DemandPrefixHitByBlocks(Record):
    # Blocks of the cache
    @property
    def blocks(self) -> int: ...
    # Share of input tokens that it finds [1]
    @property
    def hit(self) -> Quantity: ...


class DemandMetrics(Record):
    """A snapshot as it was read"""

    # Requests that ended
    @property
    def requests(self) -> float | None: ...
    # Tokens of prompts
    @property
    def input_tokens(self) -> float | None: ...
    # Tokens of answers
    @property
    def output_tokens(self) -> float | None: ...
    # Requests that run
    @property
    def running(self) -> float | None: ...
    # Requests that wait
    @property
    def waiting(self) -> float | None: ...
    # Share of the KV cache in use
    @property
    def kv_use(self) -> float | None: ...
    # Share of input tokens found in the cache
    @property
    def prefix_hit_ratio(self) -> float | None: ...
    # Share of time with a kernel
    @property
    def gpu_util(self) -> float | None: ...
    # Share of multiprocessors at work
    @property
    def sm_active(self) -> float | None: ...
    # Share of tensor cores at work
    @property
    def tensor_active(self) -> float | None: ...
    # Share of memory traffic
    @property
    def dram_active(self) -> float | None: ...
    # Power that is drawn, in W
    @property
    def power_watts(self) -> float | None: ...
    # GPUs of the snapshot
    @property
    def gpus(self) -> int | None: ...


class AuditAnswer(Answer):
    """Every pair of figures of a claim that can be checked, with what follows from the rest."""

    # The claims of the file
    @property
    def claims(self) -> Table[AuditClaims]: ...
    # One finding for every check
    @property
    def findings(self) -> Table[AuditFindings]: ...
    # What follows from all checks
    @property
    def verdict(self) -> str: ...


class AuditClaims(Record):
    # Name of the claim
    @property
    def name(self) -> str: ...
    # What follows from all its checks
    @property
    def verdict(self) -> str: ...
    # Pairs of figures that were checked
    @property
    def checks(self) -> int: ...


class AuditFindings(Record):
    # The claim it belongs to
    @property
    def of(self) -> str: ...
    # Stable id of the rule
    @property
    def rule(self) -> str: ...
    # What is claimed, in words
    @property
    def claim(self) -> str: ...
    # What follows from the rest, in words
    @property
    def computed(self) -> str: ...
    # error: it cannot hold; caution: nobody has shown it; none
    @property
    def severity(self) -> str: ...
    # What follows from the check
    @property
    def verdict(self) -> str: ...
    # The sum in words
    @property
    def sum(self) -> str: ...
    # Ids of SOURCES.md, or places in files
    @property
    def source(self) -> str: ...
    # What it means; empty where the check holds
    @property
    def why(self) -> str: ...
    # What the check rests on
    @property
    def ground(self) -> str: ...
    # Line of the claim's file
    @property
    def line(self) -> int: ...
    # Claimed over computed
    @property
    def ratio(self) -> float: ...
    # Section and key of the figure that is checked
    @property
    def figure(self) -> str: ...
    # What the claimed figure must be to the other
    @property
    def relation(self) -> str: ...
    # The figure as claimed, or as the claim implies it
    @property
    def stated(self) -> Quantity: ...
    # What follows from the rest of the claim
    @property
    def follows(self) -> Quantity: ...


class DiffAnswer(Answer):
    """What changed between two plans, and what it comes to."""

    # What it comes to
    @property
    def sentence(self) -> str: ...
    # Whether the first is a service as it runs, and no plan
    @property
    def before_runs(self) -> bool: ...
    # The sentence of each plan
    @property
    def verdict(self) -> DiffVerdict: ...
    # The decision of each plan
    @property
    def decision(self) -> DiffDecision: ...
    # Whether both say the same thing to do
    @property
    def same_decision(self) -> bool: ...
    # Figures that either plan has
    @property
    def figures(self) -> Table[DiffFigures]: ...
    # Inputs that differ
    @property
    def inputs(self) -> Table[DiffInputs]: ...
    # What launches the first; empty: no flags are compared
    @property
    def launched_before(self) -> str: ...
    # What launches the second
    @property
    def launched_after(self) -> str: ...
    # Flags that change from what runs to what is advised
    @property
    def flags(self) -> Table[DiffFlags]: ...


class DiffVerdict(Record):
    """The sentence of each plan"""

    # Sentence of the first plan
    @property
    def before(self) -> str: ...
    # Sentence of the second plan
    @property
    def after(self) -> str: ...


class DiffDecision(Record):
    """The decision of each plan"""

    # Decision of the first plan
    @property
    def before(self) -> str: ...
    # Decision of the second plan
    @property
    def after(self) -> str: ...


class DiffFigures(Record):
    # The figure as programs read it
    @property
    def key(self) -> str: ...
    # The figure as people read it
    @property
    def name(self) -> str: ...
    # The figure of the first plan
    @property
    def before(self) -> Quantity | None: ...
    # The figure of the second plan
    @property
    def after(self) -> Quantity | None: ...


class DiffInputs(Record):
    # What happened to it
    @property
    def change(self) -> str: ...
    # A path of the scenario, or the name of a fact
    @property
    def what(self) -> str: ...
    # Its value in the first; empty where it had none
    @property
    def before(self) -> str: ...
    # Its value in the second; empty where it has none
    @property
    def after(self) -> str: ...
    # Whether the scenario says it, and not the catalogue
    @property
    def given(self) -> bool: ...
    # Whether there is no document behind it
    @property
    def assumed(self) -> bool: ...


class DiffFlags(Record):
    # The emitted file that it stands in
    @property
    def file(self) -> str: ...
    # Flag, key or variable
    @property
    def flag(self) -> str: ...
    # Its value today; left out where it is not set
    @property
    def before(self) -> str | None: ...
    # Its value as advised; left out where it is not set
    @property
    def after(self) -> str | None: ...
    # Whether nothing that was read says how it is today
    @property
    def presumed(self) -> bool: ...


class ValidateAnswer(Answer):
    """How right the predictions are on published runs, published serving results, measured steps or whole pre-training runs, beside a trivial baseline. All figures are plain numbers."""

    # Rows of the file
    @property
    def rows(self) -> int: ...
    # Rows that were predicted and measured
    @property
    def scored(self) -> int: ...
    # Rows that were not, and why
    @property
    def skipped(self) -> Table[ValidateSkipped]: ...
    # 100 · |predicted / measured − 1|
    @property
    def abs_error_pct(self) -> ValidateAbsErrorPct: ...
    # Absolute errors of the lookup
    @property
    def baseline_abs_error_pct(self) -> ValidateBaselineAbsErrorPct: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # The same with the weights of a file
    @property
    def weighted(self) -> ValidateWeighted | None: ...
    # Fitted without the row's configuration
    @property
    def out_of_fold(self) -> ValidateOutOfFold | None: ...
    # Fitted without the row's source
    @property
    def out_of_source(self) -> ValidateOutOfSource | None: ...
    # Fitted without the row's family of software
    @property
    def out_of_family(self) -> ValidateOutOfFamily | None: ...
    # Fitted without the runs on the row's accelerator
    @property
    def out_of_chip(self) -> ValidateOutOfChip | None: ...
    # Memory of the rows that state it
    @property
    def memory(self) -> ValidateMemory: ...
    # Many layouts of one model on one machine, ranked
    @property
    def layout_sweeps(self) -> ValidateLayoutSweeps: ...
    # The same figures by source, accelerator, size, class and so on
    @property
    def groups(self) -> dict[str, dict[str, ValidateGroups]]: ...
    # Rows one by one, in their order
    @property
    def predictions(self) -> Table[ValidatePredictions]: ...
    # CPU time; left out by --reproducible, in seconds
    @property
    def seconds(self) -> float | None: ...


class ValidateSkipped(Record):
    # Id of the row, or row-N
    @property
    def id(self) -> str: ...
    # Line of the file, where it is known
    @property
    def line(self) -> int | None: ...
    # Why it was not scored
    @property
    def reason(self) -> str: ...


class ValidateAbsErrorPct(Record):
    """100 · |predicted / measured − 1|"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateBaselineAbsErrorPct(Record):
    """Absolute errors of the lookup"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateWeighted(Record):
    """The same with the weights of a file"""

    # Rows with a weight
    @property
    def rows(self) -> int: ...
    # Rows without one
    @property
    def without_weight(self) -> int: ...
    # Absolute errors
    @property
    def abs_error_pct(self) -> ValidateWeightedAbsErrorPct: ...
    # Absolute errors of the lookup
    @property
    def baseline_abs_error_pct(self) -> ValidateWeightedBaselineAbsErrorPct: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...


class ValidateWeightedAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateWeightedBaselineAbsErrorPct(Record):
    """Absolute errors of the lookup"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfFold(Record):
    """Fitted without the row's configuration"""

    # Absolute errors
    @property
    def abs_error_pct(self) -> ValidateOutOfFoldAbsErrorPct: ...
    # Absolute errors of the lookup
    @property
    def baseline_abs_error_pct(self) -> ValidateOutOfFoldBaselineAbsErrorPct: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Median of half the natural logarithm of high over low
    @property
    def interval_half_width(self) -> float: ...


class ValidateOutOfFoldAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfFoldBaselineAbsErrorPct(Record):
    """Absolute errors of the lookup"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfSource(Record):
    """Fitted without the row's source"""

    # Absolute errors
    @property
    def abs_error_pct(self) -> ValidateOutOfSourceAbsErrorPct: ...
    # Absolute errors of the lookup
    @property
    def baseline_abs_error_pct(self) -> ValidateOutOfSourceBaselineAbsErrorPct: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Median of half the natural logarithm of high over low
    @property
    def interval_half_width(self) -> float: ...
    # Dense models and mixtures of experts apart
    @property
    def classes(self) -> dict[str, ValidateOutOfSourceClasses] | None: ...
    # The model beside the lookup, neither having seen the source
    @property
    def against_baseline(self) -> ValidateOutOfSourceAgainstBaseline: ...


class ValidateOutOfSourceAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfSourceBaselineAbsErrorPct(Record):
    """Absolute errors of the lookup"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfSourceClasses(Record):
    # Rows of the class
    @property
    def rows(self) -> int: ...
    # Absolute errors
    @property
    def abs_error_pct(self) -> ValidateOutOfSourceClassesAbsErrorPct: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Median of half the natural logarithm of high over low
    @property
    def interval_half_width(self) -> float: ...


class ValidateOutOfSourceClassesAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfSourceAgainstBaseline(Record):
    """The model beside the lookup, neither having seen the source"""

    # Sources with enough rows to judge by
    @property
    def sources(self) -> int: ...
    # Sources that the lookup does not know better, by the mean, in %
    @property
    def not_worse_by_mean_pct(self) -> float: ...
    # The same by the median, in %
    @property
    def not_worse_by_median_pct(self) -> float: ...
    # Sources that it does know better
    @property
    def lost(self) -> Table[ValidateOutOfSourceAgainstBaselineLost]: ...


class ValidateOutOfSourceAgainstBaselineLost(Record):
    # Who published the rows
    @property
    def source(self) -> str: ...
    # Rows of the source
    @property
    def rows(self) -> int: ...
    # Whether the lookup is better by the mean
    @property
    def by_mean(self) -> bool: ...
    # Whether the lookup is better by the median
    @property
    def by_median(self) -> bool: ...
    # Absolute errors
    @property
    def abs_error_pct(self) -> ValidateOutOfSourceAgainstBaselineLostAbsErrorPct: ...
    # Absolute errors of the lookup
    @property
    def baseline_abs_error_pct(self) -> ValidateOutOfSourceAgainstBaselineLostBaselineAbsErrorPct: ...
    # What most of the rows are and where their time goes
    @property
    def reason(self) -> str: ...


class ValidateOutOfSourceAgainstBaselineLostAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfSourceAgainstBaselineLostBaselineAbsErrorPct(Record):
    """Absolute errors of the lookup"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfFamily(Record):
    """Fitted without the row's family of software"""

    # Absolute errors
    @property
    def abs_error_pct(self) -> ValidateOutOfFamilyAbsErrorPct: ...
    # Absolute errors of the lookup
    @property
    def baseline_abs_error_pct(self) -> ValidateOutOfFamilyBaselineAbsErrorPct: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Median of half the natural logarithm of high over low
    @property
    def interval_half_width(self) -> float: ...
    # Absolute errors where every family counts as one
    @property
    def each_as_one_pct(self) -> ValidateOutOfFamilyEachAsOnePct: ...
    # Dense models and mixtures apart
    @property
    def classes(self) -> dict[str, ValidateOutOfFamilyClasses]: ...
    # Each family alone
    @property
    def families(self) -> dict[str, ValidateOutOfFamilyFamilies]: ...


class ValidateOutOfFamilyAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfFamilyBaselineAbsErrorPct(Record):
    """Absolute errors of the lookup"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfFamilyEachAsOnePct(Record):
    """Absolute errors where every family counts as one"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfFamilyClasses(Record):
    # Rows of the class
    @property
    def rows(self) -> int: ...
    # Absolute errors
    @property
    def abs_error_pct(self) -> ValidateOutOfFamilyClassesAbsErrorPct: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Median of half the natural logarithm of high over low
    @property
    def interval_half_width(self) -> float: ...


class ValidateOutOfFamilyClassesAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfFamilyFamilies(Record):
    # Rows of the class
    @property
    def rows(self) -> int: ...
    # Absolute errors
    @property
    def abs_error_pct(self) -> ValidateOutOfFamilyFamiliesAbsErrorPct: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Median of half the natural logarithm of high over low
    @property
    def interval_half_width(self) -> float: ...


class ValidateOutOfFamilyFamiliesAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfChip(Record):
    """Fitted without the runs on the row's accelerator"""

    # Absolute errors
    @property
    def abs_error_pct(self) -> ValidateOutOfChipAbsErrorPct: ...
    # Absolute errors of the lookup
    @property
    def baseline_abs_error_pct(self) -> ValidateOutOfChipBaselineAbsErrorPct: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Median of half the natural logarithm of high over low
    @property
    def interval_half_width(self) -> float: ...
    # Absolute errors where every accelerator counts as one
    @property
    def each_as_one_pct(self) -> ValidateOutOfChipEachAsOnePct: ...
    # Each accelerator alone
    @property
    def accelerators(self) -> dict[str, ValidateOutOfChipAccelerators]: ...


class ValidateOutOfChipAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfChipBaselineAbsErrorPct(Record):
    """Absolute errors of the lookup"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfChipEachAsOnePct(Record):
    """Absolute errors where every accelerator counts as one"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateOutOfChipAccelerators(Record):
    # Rows of the class
    @property
    def rows(self) -> int: ...
    # Absolute errors
    @property
    def abs_error_pct(self) -> ValidateOutOfChipAcceleratorsAbsErrorPct: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Median of half the natural logarithm of high over low
    @property
    def interval_half_width(self) -> float: ...


class ValidateOutOfChipAcceleratorsAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateMemory(Record):
    """Memory of the rows that state it"""

    # Rows that state it
    @property
    def scored(self) -> int: ...
    # Absolute errors
    @property
    def abs_error_pct(self) -> ValidateMemoryAbsErrorPct: ...
    # The largest, in %
    @property
    def worst_abs_error_pct(self) -> float | None: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...


class ValidateMemoryAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateLayoutSweeps(Record):
    """Many layouts of one model on one machine, ranked"""

    # Median of Kendall's tau
    @property
    def median_tau(self) -> float: ...
    # Tau of the worst sweep
    @property
    def lowest_tau(self) -> float: ...
    # How far picks are below the best, in %
    @property
    def median_regret_pct(self) -> float: ...
    # The same of the worst sweep, in %
    @property
    def worst_regret_pct(self) -> float: ...
    # Sweeps one by one
    @property
    def sweeps(self) -> Table[ValidateLayoutSweepsSweeps]: ...


class ValidateLayoutSweepsSweeps(Record):
    # Model, machine and source
    @property
    def name(self) -> str: ...
    # Layouts
    @property
    def rows(self) -> int: ...
    # Pairs that differ by more than the noise
    @property
    def pairs(self) -> int: ...
    # Kendall's tau
    @property
    def tau(self) -> float: ...
    # How far the pick is below the best, in %
    @property
    def regret_pct(self) -> float: ...


class ValidateGroups(Record):
    # Rows of the group
    @property
    def rows(self) -> int: ...
    # Absolute errors
    @property
    def abs_error_pct(self) -> ValidateGroupsAbsErrorPct: ...
    # Absolute errors of the lookup
    @property
    def baseline_abs_error_pct(self) -> ValidateGroupsBaselineAbsErrorPct: ...
    # Mean of predicted over measured, less one, in %
    @property
    def bias_pct(self) -> float: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Median of half the natural logarithm of high over low
    @property
    def interval_half_width(self) -> float: ...


class ValidateGroupsAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidateGroupsBaselineAbsErrorPct(Record):
    """Absolute errors of the lookup"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class ValidatePredictions(Record):
    # Id of the row, or row-N
    @property
    def id(self) -> str: ...
    # What is compared
    @property
    def metric(self) -> str: ...
    # Measured, in the row's own unit
    @property
    def measured(self) -> float: ...
    # Predicted, in the same unit
    @property
    def predicted(self) -> float: ...
    # Low end of the interval
    @property
    def low(self) -> float: ...
    # High end of the interval
    @property
    def high(self) -> float: ...
    # What the lookup predicts, in the same unit; null where it knows nothing
    @property
    def baseline(self) -> float | None: ...
    # Whether the measurement was computed from another figure
    @property
    def converted(self) -> bool: ...


class Validate2Answer(Answer):
    """How right the predictions are on published runs, published serving results, measured steps or whole pre-training runs, beside a trivial baseline. All figures are plain numbers."""

    # Where steps were measured
    @property
    def accelerator(self) -> str: ...
    # Software that ran the steps
    @property
    def stacks(self) -> Table[str]: ...
    # Rows of the file
    @property
    def rows(self) -> int: ...
    # Rows that were predicted and measured
    @property
    def scored(self) -> int: ...
    # Rows that were not, and why
    @property
    def skipped(self) -> Table[Validate2Skipped]: ...
    # 100 · |predicted / measured − 1|
    @property
    def abs_error_pct(self) -> Validate2AbsErrorPct: ...
    # The largest, in %
    @property
    def worst_abs_error_pct(self) -> float: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Memory of the rows that state it
    @property
    def memory(self) -> Validate2Memory: ...
    # Rows one by one, in their order
    @property
    def predictions(self) -> Table[Validate2Predictions]: ...
    # CPU time; left out by --reproducible, in seconds
    @property
    def seconds(self) -> float | None: ...


class Validate2Skipped(Record):
    # Id of the row, or row-N
    @property
    def id(self) -> str: ...
    # Line of the file, where it is known
    @property
    def line(self) -> int | None: ...
    # Why it was not scored
    @property
    def reason(self) -> str: ...


class Validate2AbsErrorPct(Record):
    """100 · |predicted / measured − 1|"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate2Memory(Record):
    """Memory of the rows that state it"""

    # Rows that state it
    @property
    def scored(self) -> int: ...
    # Absolute errors
    @property
    def abs_error_pct(self) -> Validate2MemoryAbsErrorPct: ...
    # The largest, in %
    @property
    def worst_abs_error_pct(self) -> float | None: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...


class Validate2MemoryAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate2Predictions(Record):
    # Id of the row, or row-N
    @property
    def id(self) -> str: ...
    # What is compared
    @property
    def metric(self) -> str: ...
    # Measured, in the row's own unit
    @property
    def measured(self) -> float: ...
    # Predicted, in the same unit
    @property
    def predicted(self) -> float: ...
    # Low end of the interval
    @property
    def low(self) -> float: ...
    # High end of the interval
    @property
    def high(self) -> float: ...


class Validate3Answer(Answer):
    """How right the predictions are on published runs, published serving results, measured steps or whole pre-training runs, beside a trivial baseline. All figures are plain numbers."""

    # Rows of the file
    @property
    def rows(self) -> int: ...
    # Rows that were predicted and measured
    @property
    def scored(self) -> int: ...
    # Rows that the simulator predicted; the others are the closed form's
    @property
    def simulated(self) -> int: ...
    # Rows that were not, and why
    @property
    def skipped(self) -> Table[Validate3Skipped]: ...
    # What was taken for things that rows leave out, with the rows scored so
    @property
    def assumed(self) -> dict[str, int]: ...
    # 100 · |predicted / measured − 1|
    @property
    def abs_error_pct(self) -> Validate3AbsErrorPct: ...
    # Absolute errors of a roofline
    @property
    def baseline_abs_error_pct(self) -> Validate3BaselineAbsErrorPct: ...
    # Absolute errors with the weights of a file
    @property
    def weighted_abs_error_pct(self) -> Validate3WeightedAbsErrorPct | None: ...
    # Absolute errors of the roofline with these weights
    @property
    def weighted_baseline_abs_error_pct(self) -> Validate3WeightedBaselineAbsErrorPct | None: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # The same by metric, class, source, accelerator, engine and load
    @property
    def groups(self) -> dict[str, dict[str, Validate3Groups]]: ...
    # Rows one by one, in their order
    @property
    def predictions(self) -> Table[Validate3Predictions]: ...
    # How the constants did on the results they were fitted to, in words
    @property
    def shipped(self) -> Table[str]: ...
    # CPU time; left out by --reproducible, in seconds
    @property
    def seconds(self) -> float | None: ...


class Validate3Skipped(Record):
    # Id of the row, or row-N
    @property
    def id(self) -> str: ...
    # Line of the file, where it is known
    @property
    def line(self) -> int | None: ...
    # Why it was not scored
    @property
    def reason(self) -> str: ...


class Validate3AbsErrorPct(Record):
    """100 · |predicted / measured − 1|"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate3BaselineAbsErrorPct(Record):
    """Absolute errors of a roofline"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate3WeightedAbsErrorPct(Record):
    """Absolute errors with the weights of a file"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate3WeightedBaselineAbsErrorPct(Record):
    """Absolute errors of the roofline with these weights"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate3Groups(Record):
    # Rows of the group
    @property
    def rows(self) -> int: ...
    # 100 · |predicted / measured − 1|
    @property
    def abs_error_pct(self) -> Validate3GroupsAbsErrorPct: ...
    # Absolute errors of a roofline
    @property
    def baseline_abs_error_pct(self) -> Validate3GroupsBaselineAbsErrorPct: ...
    # Absolute errors with the weights of a file
    @property
    def weighted_abs_error_pct(self) -> Validate3GroupsWeightedAbsErrorPct | None: ...
    # Absolute errors of the roofline with these weights
    @property
    def weighted_baseline_abs_error_pct(self) -> Validate3GroupsWeightedBaselineAbsErrorPct | None: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Median of predicted over measured, less one, in %
    @property
    def bias_pct(self) -> float: ...


class Validate3GroupsAbsErrorPct(Record):
    """100 · |predicted / measured − 1|"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate3GroupsBaselineAbsErrorPct(Record):
    """Absolute errors of a roofline"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate3GroupsWeightedAbsErrorPct(Record):
    """Absolute errors with the weights of a file"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate3GroupsWeightedBaselineAbsErrorPct(Record):
    """Absolute errors of the roofline with these weights"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate3Predictions(Record):
    # Id of the row, or row-N
    @property
    def id(self) -> str: ...
    # What is compared
    @property
    def metric(self) -> str: ...
    # Measured, in the row's own unit
    @property
    def measured(self) -> float: ...
    # Predicted, in the same unit
    @property
    def predicted(self) -> float: ...
    # Low end of the interval
    @property
    def low(self) -> float: ...
    # High end of the interval
    @property
    def high(self) -> float: ...
    # What a roofline predicts, in the same unit
    @property
    def baseline(self) -> float: ...


class Validate4Answer(Answer):
    """How right the predictions are on published runs, published serving results, measured steps or whole pre-training runs, beside a trivial baseline. All figures are plain numbers."""

    # Rows of the file
    @property
    def rows(self) -> int: ...
    # Rows that were predicted and measured
    @property
    def scored(self) -> int: ...
    # Rows that were not, and why
    @property
    def skipped(self) -> Table[Validate4Skipped]: ...
    # 100 · |predicted / measured − 1|
    @property
    def abs_error_pct(self) -> Validate4AbsErrorPct: ...
    # Absolute errors of a roofline
    @property
    def baseline_abs_error_pct(self) -> Validate4BaselineAbsErrorPct: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Steps by phase, precision and length
    @property
    def phases(self) -> dict[str, Validate4Phases]: ...
    # Rows one by one, in their order
    @property
    def predictions(self) -> Table[Validate4Predictions]: ...
    # CPU time; left out by --reproducible, in seconds
    @property
    def seconds(self) -> float | None: ...


class Validate4Skipped(Record):
    # Id of the row, or row-N
    @property
    def id(self) -> str: ...
    # Line of the file, where it is known
    @property
    def line(self) -> int | None: ...
    # Why it was not scored
    @property
    def reason(self) -> str: ...


class Validate4AbsErrorPct(Record):
    """100 · |predicted / measured − 1|"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate4BaselineAbsErrorPct(Record):
    """Absolute errors of a roofline"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate4Phases(Record):
    # Rows of the phase
    @property
    def rows(self) -> int: ...
    # Absolute errors
    @property
    def abs_error_pct(self) -> Validate4PhasesAbsErrorPct: ...
    # Absolute errors of a roofline
    @property
    def baseline_abs_error_pct(self) -> Validate4PhasesBaselineAbsErrorPct: ...
    # Measurements within their interval, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Median of predicted over measured, less one, in %
    @property
    def bias_pct(self) -> float: ...


class Validate4PhasesAbsErrorPct(Record):
    """Absolute errors"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate4PhasesBaselineAbsErrorPct(Record):
    """Absolute errors of a roofline"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate4Predictions(Record):
    # Id of the row, or row-N
    @property
    def id(self) -> str: ...
    # What is compared
    @property
    def metric(self) -> str: ...
    # Measured, in the row's own unit
    @property
    def measured(self) -> float: ...
    # Predicted, in the same unit
    @property
    def predicted(self) -> float: ...
    # Low end of the interval
    @property
    def low(self) -> float: ...
    # High end of the interval
    @property
    def high(self) -> float: ...


class Validate5Answer(Answer):
    """How right the predictions are on published runs, published serving results, measured steps or whole pre-training runs, beside a trivial baseline. All figures are plain numbers."""

    # Runs of the table
    @property
    def rows(self) -> int: ...
    # Those that were not predicted, and why
    @property
    def skipped(self) -> Table[Validate5Skipped]: ...
    # Absolute errors of the steady step as the price of a run
    @property
    def steady_abs_error_pct(self) -> Validate5SteadyAbsErrorPct: ...
    # Absolute errors of the run, each left out of the factor that it gets
    @property
    def abs_error_pct(self) -> Validate5AbsErrorPct: ...
    # Runs within their interval, likewise, in %
    @property
    def interval_coverage_pct(self) -> float: ...
    # Hours over those with all named losses, middle of all runs
    @property
    def other_losses(self) -> float: ...
    # Nine of ten runs lie above
    @property
    def other_losses_low(self) -> float: ...
    # Nine of ten runs lie below
    @property
    def other_losses_high(self) -> float: ...
    # Runs one by one
    @property
    def predictions(self) -> Table[Validate5Predictions]: ...
    # CPU time; left out by --reproducible, in seconds
    @property
    def seconds(self) -> float | None: ...


class Validate5Skipped(Record):
    # Id of the row, or row-N
    @property
    def id(self) -> str: ...
    # Line of the file, where it is known
    @property
    def line(self) -> int | None: ...
    # Why it was not scored
    @property
    def reason(self) -> str: ...


class Validate5SteadyAbsErrorPct(Record):
    """Absolute errors of the steady step as the price of a run"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate5AbsErrorPct(Record):
    """Absolute errors of the run, each left out of the factor that it gets"""

    # Median, by the nearest rank, in %
    @property
    def median(self) -> float: ...
    # Mean, in %
    @property
    def mean(self) -> float: ...
    # Ninetieth percentile, by the nearest rank, in %
    @property
    def p90(self) -> float: ...


class Validate5Predictions(Record):
    # Id of the run
    @property
    def id(self) -> str: ...
    # What was trained
    @property
    def model(self) -> str: ...
    # On what
    @property
    def accelerator(self) -> str: ...
    # How many; a power of two where nobody says
    @property
    def gpus(self) -> int: ...
    # Whether its facts were entered from memory
    @property
    def from_memory(self) -> bool: ...
    # Accelerator hours per trillion tokens
    @property
    def measured(self) -> float: ...
    # The same by the steady step
    @property
    def steady(self) -> float: ...
    # With failures, restarts and checkpoints as often as people write them
    @property
    def with_failures(self) -> float: ...
    # And with evaluations, slow nodes, warm-up and steps taken again
    @property
    def with_names(self) -> float: ...
    # What failures, restarts and checkpoints leave of the paid time
    @property
    def goodput(self) -> float: ...
    # And with what else the other runs lost
    @property
    def predicted(self) -> float: ...
    # Low end of the interval
    @property
    def low(self) -> float: ...
    # High end of the interval
    @property
    def high(self) -> float: ...


class CalibrateAnswer(Answer):
    """What a site's measurements change in the predictions, and how far to trust it. Counts are plain numbers; every other figure is a quantity."""

    # What was probed, chip by chip
    @property
    def chips(self) -> Table[CalibrateChips] | None: ...
    # Terms of a training step
    @property
    def step(self) -> CalibrateStep | None: ...
    # Gap of training steps
    @property
    def gap(self) -> CalibrateGap | None: ...
    # Terms of serving
    @property
    def serving(self) -> CalibrateServing | None: ...
    # Gaps of runs of load generators, by figure
    @property
    def serving_gap(self) -> Table[CalibrateServingGap] | None: ...
    # Figures of load generators
    @property
    def runs(self) -> Table[CalibrateRuns] | None: ...
    # The ways that collectives took
    @property
    def networks(self) -> Table[CalibrateNetworks] | None: ...
    # Profiled steps, class by class
    @property
    def profiles(self) -> Table[CalibrateProfiles] | None: ...
    # The folder it was written to, for --catalog
    @property
    def overlay(self) -> str | None: ...


class CalibrateChips(Record):
    # Catalogue name of the chip
    @property
    def chip(self) -> str: ...
    # Refitted kernels
    @property
    def kernels(self) -> Table[CalibrateChipsKernels]: ...
    # Loads held until their clock settled
    @property
    def clocks(self) -> Table[CalibrateChipsClocks]: ...


class CalibrateChipsKernels(Record):
    # Class, format and variant
    @property
    def kernel(self) -> str: ...
    # Shapes that speak of it
    @property
    def shapes(self) -> int: ...
    # Errors as shipped
    @property
    def before(self) -> CalibrateChipsKernelsBefore: ...
    # Errors of the refit
    @property
    def after(self) -> CalibrateChipsKernelsAfter: ...
    # Errors of shapes left out of the refit
    @property
    def left_out(self) -> CalibrateChipsKernelsLeftOut: ...
    # Share of the peak rate [1]
    @property
    def rate(self) -> Quantity: ...
    # Share of the peak bandwidth [1]
    @property
    def memory(self) -> Quantity: ...
    # Time of every call [s]
    @property
    def fixed(self) -> Quantity: ...
    # Whether left-out shapes are predicted better than before
    @property
    def taken(self) -> bool: ...


class CalibrateChipsKernelsBefore(Record):
    """Errors as shipped"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateChipsKernelsAfter(Record):
    """Errors of the refit"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateChipsKernelsLeftOut(Record):
    """Errors of shapes left out of the refit"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateChipsClocks(Record):
    # Class of the kernel
    @property
    def kernel(self) -> str: ...
    # Number format
    @property
    def dtype(self) -> str: ...
    # Power that was drawn [W]
    @property
    def power(self) -> Quantity: ...
    # Share of the full clock [1]
    @property
    def settled(self) -> Quantity: ...
    # The same in kernels timed one by one [1]
    @property
    def burst(self) -> Quantity: ...


class CalibrateStep(Record):
    """Terms of a training step"""

    # Figures that were measured
    @property
    def observations(self) -> int: ...
    # Figures further off than all terms together explain
    @property
    def strange(self) -> int: ...
    # Errors as shipped
    @property
    def before(self) -> CalibrateStepBefore: ...
    # Errors with the factors below
    @property
    def after(self) -> CalibrateStepAfter: ...
    # Errors of each run from the others alone
    @property
    def held_out(self) -> CalibrateStepHeldOut: ...
    # The same errors, told apart by what was measured
    @property
    def kinds(self) -> Table[CalibrateStepKinds]: ...
    # Named parts of the prediction
    @property
    def terms(self) -> Table[CalibrateStepTerms]: ...


class CalibrateStepBefore(Record):
    """Errors as shipped"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateStepAfter(Record):
    """Errors with the factors below"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateStepHeldOut(Record):
    """Errors of each run from the others alone"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateStepKinds(Record):
    # What was measured
    @property
    def kind(self) -> str: ...
    # Figures that were measured
    @property
    def figures(self) -> int: ...
    # Runs that they are of; figures of one are left out together
    @property
    def runs(self) -> int: ...
    # Errors as shipped
    @property
    def before(self) -> CalibrateStepKindsBefore: ...
    # Errors with the factors
    @property
    def after(self) -> CalibrateStepKindsAfter: ...
    # Errors of each run from the others; left out where there is no other
    @property
    def held_out(self) -> CalibrateStepKindsHeldOut | None: ...


class CalibrateStepKindsBefore(Record):
    """Errors as shipped"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateStepKindsAfter(Record):
    """Errors with the factors"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateStepKindsHeldOut(Record):
    """Errors of each run from the others; left out where there is no other"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateStepTerms(Record):
    # Name of the term
    @property
    def name(self) -> str: ...
    # Measured over predicted [1]
    @property
    def factor(self) -> Quantity: ...
    # Whether the measurements say anything of it
    @property
    def measured(self) -> bool: ...


class CalibrateGap(Record):
    """Gap of training steps"""

    # What was measured
    @property
    def figure(self) -> str: ...
    # How often
    @property
    def count(self) -> int: ...
    # Measurements whose terms have different shares
    @property
    def layouts(self) -> int: ...
    # Mean of the figures as seconds, predicted
    @property
    def predicted(self) -> Quantity: ...
    # The same as measured
    @property
    def measured(self) -> Quantity: ...
    # Time that no term takes
    @property
    def unexplained(self) -> Quantity: ...
    # Whether several layouts were measured and one group is much likelier than the next
    @property
    def settled(self) -> bool: ...
    # Likelihood that no term is off: nothing but scatter [1]
    @property
    def nothing(self) -> Quantity: ...
    # What would settle it
    @property
    def measure_next(self) -> str | None: ...
    # Terms that are one of a kind together, the largest first
    @property
    def groups(self) -> Table[CalibrateGapGroups]: ...
    # Terms, the largest first
    @property
    def shares(self) -> Table[CalibrateGapShares]: ...
    # Terms too small in every measurement to be told
    @property
    def unseen(self) -> Table[CalibrateGapUnseen]: ...


class CalibrateGapGroups(Record):
    # Name of the group
    @property
    def group(self) -> str: ...
    # Share of the gap, from 0 to 1
    @property
    def share(self) -> Quantity: ...
    # Time of the gap [s]
    @property
    def time(self) -> Quantity: ...
    # Likelihood that it is off [1]
    @property
    def likelihood(self) -> Quantity: ...


class CalibrateGapShares(Record):
    # Name of the term
    @property
    def term(self) -> str: ...
    # What it is one of
    @property
    def group(self) -> str: ...
    # Share of the gap, from 0 to 1
    @property
    def share(self) -> Quantity: ...
    # Time of the gap [s]
    @property
    def time(self) -> Quantity: ...
    # Factor by which it would be longer [1]
    @property
    def factor(self) -> Quantity: ...
    # Likelihood that it is off, alone or with its group [1]
    @property
    def likelihood(self) -> Quantity: ...


class CalibrateGapUnseen(Record):
    # Name of the term
    @property
    def term(self) -> str: ...
    # Its largest share of a measurement [1]
    @property
    def largest(self) -> Quantity: ...


class CalibrateServing(Record):
    """Terms of serving"""

    # Figures that were measured
    @property
    def observations(self) -> int: ...
    # Figures further off than all terms together explain
    @property
    def strange(self) -> int: ...
    # Errors as shipped
    @property
    def before(self) -> CalibrateServingBefore: ...
    # Errors with the factors below
    @property
    def after(self) -> CalibrateServingAfter: ...
    # Errors of each run from the others alone
    @property
    def held_out(self) -> CalibrateServingHeldOut: ...
    # The same errors, told apart by what was measured
    @property
    def kinds(self) -> Table[CalibrateServingKinds]: ...
    # Named parts of the prediction
    @property
    def terms(self) -> Table[CalibrateServingTerms]: ...


class CalibrateServingBefore(Record):
    """Errors as shipped"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateServingAfter(Record):
    """Errors with the factors below"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateServingHeldOut(Record):
    """Errors of each run from the others alone"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateServingKinds(Record):
    # What was measured
    @property
    def kind(self) -> str: ...
    # Figures that were measured
    @property
    def figures(self) -> int: ...
    # Runs that they are of; figures of one are left out together
    @property
    def runs(self) -> int: ...
    # Errors as shipped
    @property
    def before(self) -> CalibrateServingKindsBefore: ...
    # Errors with the factors
    @property
    def after(self) -> CalibrateServingKindsAfter: ...
    # Errors of each run from the others; left out where there is no other
    @property
    def held_out(self) -> CalibrateServingKindsHeldOut | None: ...


class CalibrateServingKindsBefore(Record):
    """Errors as shipped"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateServingKindsAfter(Record):
    """Errors with the factors"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateServingKindsHeldOut(Record):
    """Errors of each run from the others; left out where there is no other"""

    # Median of the errors [1]
    @property
    def median(self) -> Quantity: ...
    # Nine of ten errors lie below it [1]
    @property
    def p90(self) -> Quantity: ...


class CalibrateServingTerms(Record):
    # Name of the term
    @property
    def name(self) -> str: ...
    # Measured over predicted [1]
    @property
    def factor(self) -> Quantity: ...
    # Whether the measurements say anything of it
    @property
    def measured(self) -> bool: ...


class CalibrateServingGap(Record):
    # What was measured
    @property
    def figure(self) -> str: ...
    # How often
    @property
    def count(self) -> int: ...
    # Measurements whose terms have different shares
    @property
    def layouts(self) -> int: ...
    # Mean of the figures as seconds, predicted
    @property
    def predicted(self) -> Quantity: ...
    # The same as measured
    @property
    def measured(self) -> Quantity: ...
    # Time that no term takes
    @property
    def unexplained(self) -> Quantity: ...
    # Whether several layouts were measured and one group is much likelier than the next
    @property
    def settled(self) -> bool: ...
    # Likelihood that no term is off: nothing but scatter [1]
    @property
    def nothing(self) -> Quantity: ...
    # What would settle it
    @property
    def measure_next(self) -> str | None: ...
    # Terms that are one of a kind together, the largest first
    @property
    def groups(self) -> Table[CalibrateServingGapGroups]: ...
    # Terms, the largest first
    @property
    def shares(self) -> Table[CalibrateServingGapShares]: ...
    # Terms too small in every measurement to be told
    @property
    def unseen(self) -> Table[CalibrateServingGapUnseen]: ...


class CalibrateServingGapGroups(Record):
    # Name of the group
    @property
    def group(self) -> str: ...
    # Share of the gap, from 0 to 1
    @property
    def share(self) -> Quantity: ...
    # Time of the gap [s]
    @property
    def time(self) -> Quantity: ...
    # Likelihood that it is off [1]
    @property
    def likelihood(self) -> Quantity: ...


class CalibrateServingGapShares(Record):
    # Name of the term
    @property
    def term(self) -> str: ...
    # What it is one of
    @property
    def group(self) -> str: ...
    # Share of the gap, from 0 to 1
    @property
    def share(self) -> Quantity: ...
    # Time of the gap [s]
    @property
    def time(self) -> Quantity: ...
    # Factor by which it would be longer [1]
    @property
    def factor(self) -> Quantity: ...
    # Likelihood that it is off, alone or with its group [1]
    @property
    def likelihood(self) -> Quantity: ...


class CalibrateServingGapUnseen(Record):
    # Name of the term
    @property
    def term(self) -> str: ...
    # Its largest share of a measurement [1]
    @property
    def largest(self) -> Quantity: ...


class CalibrateRuns(Record):
    # Which run
    @property
    def run(self) -> str: ...
    # Tool that measured it
    @property
    def tool(self) -> str: ...
    # Name of the figure
    @property
    def figure(self) -> str: ...
    # As the tool measured it
    @property
    def measured(self) -> Quantity: ...
    # Predicted as shipped
    @property
    def before(self) -> Quantity: ...
    # Predicted with the factors
    @property
    def after(self) -> Quantity: ...


class CalibrateNetworks(Record):
    # What NCCL printed
    @property
    def file(self) -> str: ...
    # Its release; empty where it does not say
    @property
    def version(self) -> str: ...
    # How it leaves a host; empty: not at all
    @property
    def network(self) -> str: ...
    # Ranks of the largest group
    @property
    def ranks(self) -> int: ...
    # Hosts of it; 0 where it does not say
    @property
    def hosts(self) -> int: ...
    # Most channels of a group
    @property
    def channels(self) -> int: ...
    # Connections from device to device
    @property
    def direct(self) -> int: ...
    # Connections through the host's memory
    @property
    def through_host(self) -> int: ...
    # Connections over the network
    @property
    def over_network(self) -> int: ...
    # Those of them that write into a device's memory
    @property
    def into_device(self) -> int: ...
    # Whether sums are made in the switch
    @property
    def in_switch(self) -> bool: ...
    # Warnings that it printed
    @property
    def warnings(self) -> int: ...
    # Collectives that one process called
    @property
    def calls(self) -> Table[CalibrateNetworksCalls]: ...


class CalibrateNetworksCalls(Record):
    # As NCCL names it
    @property
    def operation(self) -> str: ...
    # How often one process called it
    @property
    def calls(self) -> int: ...
    # What all its calls carried [B]
    @property
    def bytes(self) -> Quantity: ...


class CalibrateProfiles(Record):
    # The profile
    @property
    def file(self) -> str: ...
    # Profiler that wrote it
    @property
    def tool(self) -> str: ...
    # The driver's name of the device
    @property
    def device(self) -> str: ...
    # What it is taken to be of: training, decode, prompt or unknown
    @property
    def kind(self) -> str: ...
    # Steps that it is the mean of
    @property
    def steps(self) -> int: ...
    # Devices that it is the mean of
    @property
    def devices(self) -> int: ...
    # One step
    @property
    def measured(self) -> Quantity: ...
    # The same as predicted
    @property
    def predicted(self) -> Quantity | None: ...
    # Time in which the device worked [s]
    @property
    def busy(self) -> Quantity: ...
    # Share of it whose class is known, from 0 to 1
    @property
    def classed(self) -> Quantity: ...
    # Communication and copies behind computation
    @property
    def hidden(self) -> Quantity: ...
    # Where the time went
    @property
    def classes(self) -> Table[CalibrateProfilesClasses]: ...
    # Classes furthest from their prediction
    @property
    def largest_gaps(self) -> Table[str]: ...


class CalibrateProfilesClasses(Record):
    # What the time went to
    @property
    def class_(self) -> str: ...
    # Time of a step, each moment counted once
    @property
    def measured(self) -> Quantity: ...
    # The same as predicted
    @property
    def predicted(self) -> Quantity | None: ...
    # The kernels that took most
    @property
    def largest(self) -> Table[CalibrateProfilesClassesLargest]: ...


class CalibrateProfilesClassesLargest(Record):
    # Name of the kernel
    @property
    def name(self) -> str: ...
    # All its calls in a step, hidden or not
    @property
    def time(self) -> Quantity: ...
    # Calls in a step
    @property
    def calls(self) -> int: ...


class ExplainAnswer(Answer):
    """The tree of a number down to its sources. Every node can be computed again from its children."""

    # What was asked
    @property
    def quantity(self) -> str: ...
    # The tree of the number
    @property
    def tree(self) -> ExplainNode: ...


class ExplainNode(Record):
    # What it is, in words
    @property
    def name(self) -> str: ...
    # How it follows from its children; a leaf has none
    @property
    def op(self) -> str: ...
    # The number; the operation on the values of the children gives it
    @property
    def value(self) -> float: ...
    # A coherent unit, so that no factor is needed between levels
    @property
    def unit(self) -> str: ...
    # File and line of a leaf, or ids of SOURCES.md; empty otherwise
    @property
    def source(self) -> str: ...
    # What it is made of, in the order of the operation
    @property
    def children(self) -> Table[ExplainNode]: ...
    # Stable id of what it is
    @property
    def id(self) -> str: ...
    # Rows of data that a leaf was fitted to; 0 where none were counted
    @property
    def rows(self) -> int: ...
    # Whose those are, by ids of SOURCES.md; empty otherwise
    @property
    def rows_from(self) -> str: ...


class CatalogAnswer(Answer):
    """Entries of the catalogue, in a list by the name of the noun. All figures are plain numbers in the unit of their name."""

    # All entries of the noun
    @property
    def known(self) -> int: ...
    # Accelerators
    @property
    def gpus(self) -> Table[CatalogGpus] | None: ...
    # Models
    @property
    def models(self) -> Table[CatalogModels] | None: ...
    # Nodes
    @property
    def nodes(self) -> Table[CatalogNodes] | None: ...
    # Links and networks
    @property
    def links(self) -> Table[CatalogLinks] | None: ...
    # Serving engines
    @property
    def engines(self) -> Table[CatalogEngines] | None: ...
    # Places to run machines
    @property
    def regions(self) -> Table[CatalogRegions] | None: ...
    # Quotes of rented GPUs
    @property
    def rent(self) -> Table[CatalogRent] | None: ...
    # Machines that are rented out, by their GPUs
    @property
    def instances(self) -> Table[CatalogInstances] | None: ...
    # Prices of GPUs that are bought
    @property
    def capex(self) -> Table[CatalogCapex] | None: ...
    # Prices of tokens
    @property
    def api(self) -> Table[CatalogApi] | None: ...
    # Documents that entries rest on
    @property
    def sources(self) -> Table[CatalogSources] | None: ...


class CatalogGpus(Record):
    # Catalogue name
    @property
    def name(self) -> str: ...
    # Nominal memory; null: not known, in GB
    @property
    def memory_gb(self) -> float | None: ...
    # Peak bandwidth of the memory; null: not known, in TB/s
    @property
    def bandwidth_tb_s(self) -> float | None: ...
    # Dense peak in bf16 or fp16; null: not known, in TFLOP/s
    @property
    def bf16_tflops(self) -> float | None: ...
    # Dense peak in fp8; null: none, in TFLOP/s
    @property
    def fp8_tflops(self) -> float | None: ...
    # Links to other GPUs, one direction; null: none, in GB/s
    @property
    def scale_up_gb_s(self) -> float | None: ...
    # GPUs that those links join; null: none
    @property
    def domain(self) -> int | None: ...
    # Rated power; null: not known, in W
    @property
    def watts(self) -> float | None: ...
    # Where the figures of the memory come from
    @property
    def kind(self) -> str: ...
    # The name as people write it
    @property
    def title(self) -> str: ...


class CatalogModels(Record):
    # Catalogue name
    @property
    def name(self) -> str: ...
    # All parameters
    @property
    def parameters(self) -> int: ...
    # Parameters that work for one token
    @property
    def active(self) -> int: ...
    # Layers
    @property
    def layers(self) -> int: ...
    # Hidden size
    @property
    def hidden(self) -> int: ...
    # Longest context, in tokens
    @property
    def context(self) -> int: ...
    # Format of the released weights
    @property
    def stored(self) -> str: ...
    # Where its figures come from
    @property
    def kind(self) -> str: ...


class CatalogNodes(Record):
    # Catalogue name
    @property
    def name(self) -> str: ...
    # Catalogue name of its GPUs
    @property
    def accelerator(self) -> str: ...
    # GPUs of the node
    @property
    def gpus(self) -> int: ...
    # Network cards; null: not known
    @property
    def nics(self) -> int | None: ...
    # Rate of each card, one direction; null: not known, in Gbit/s
    @property
    def nic_gb_s(self) -> float | None: ...
    # Power that it draws at most; null: not known, in kW
    @property
    def max_kw(self) -> float | None: ...
    # The name as people write it
    @property
    def title(self) -> str: ...


class CatalogLinks(Record):
    # Catalogue name
    @property
    def name(self) -> str: ...
    # Bandwidth, one direction, in GB/s
    @property
    def gb_s(self) -> float: ...
    # Share of it that is achieved; null: not known
    @property
    def achieved(self) -> float | None: ...
    # Time of the shortest message; null: not known, in µs
    @property
    def latency_us(self) -> float | None: ...
    # The name as people write it
    @property
    def title(self) -> str: ...


class CatalogEngines(Record):
    # Catalogue name
    @property
    def name(self) -> str: ...
    # Share of a GPU's memory that it takes
    @property
    def fraction(self) -> float: ...
    # Tokens of a block of the KV cache
    @property
    def block(self) -> int: ...
    # Tokens of the largest step
    @property
    def batched_tokens(self) -> int: ...
    # Sequences of the largest step
    @property
    def max_sequences(self) -> int: ...
    # The name as people write it
    @property
    def title(self) -> str: ...


class CatalogRegions(Record):
    # Catalogue name
    @property
    def name(self) -> str: ...
    # Price of electricity; null: not known, in USD/kWh
    @property
    def usd_per_kwh(self) -> float | None: ...
    # Carbon dioxide; null: not known, in g/kWh
    @property
    def g_per_kwh(self) -> float | None: ...
    # Where the price comes from
    @property
    def kind(self) -> str: ...
    # When the source said so
    @property
    def date(self) -> str: ...
    # The name as people write it
    @property
    def title(self) -> str: ...


class CatalogRent(Record):
    # Who rents it out
    @property
    def provider(self) -> str: ...
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # How long one is bound
    @property
    def term(self) -> str: ...
    # Price of a GPU, in USD/GPU-h
    @property
    def usd_per_gpu_hour(self) -> float | None: ...
    # The lowest quote; null: one quote, in USD/GPU-h
    @property
    def low(self) -> float | None: ...
    # The highest quote; null: one quote, in USD/GPU-h
    @property
    def high(self) -> float | None: ...
    # When the source said so
    @property
    def as_of(self) -> str: ...
    # A remark
    @property
    def note(self) -> str: ...


class CatalogInstances(Record):
    # Who rents it out
    @property
    def provider(self) -> str: ...
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # The provider's name of the machine
    @property
    def instance(self) -> str: ...
    # GPUs of it
    @property
    def gpus(self) -> int: ...
    # Where the figure comes from
    @property
    def kind(self) -> str: ...
    # When the source said so
    @property
    def as_of(self) -> str: ...


class CatalogCapex(Record):
    # Catalogue name
    @property
    def accelerator(self) -> str: ...
    # Price of a GPU in its node, in USD
    @property
    def usd_per_gpu(self) -> float | None: ...
    # The lowest quote; null: one quote, in USD
    @property
    def low(self) -> float | None: ...
    # The highest quote; null: one quote, in USD
    @property
    def high(self) -> float | None: ...
    # When the source said so
    @property
    def as_of(self) -> str: ...
    # A remark
    @property
    def note(self) -> str: ...


class CatalogApi(Record):
    # Who sells it
    @property
    def provider(self) -> str: ...
    # The seller's name of the model
    @property
    def model_id(self) -> str: ...
    # Prompt tokens; null: not sold, in USD/Mtoken
    @property
    def usd_per_mtok_in(self) -> float | None: ...
    # Prompt tokens found in the cache; null: not sold, in USD/Mtoken
    @property
    def usd_per_mtok_cached(self) -> float | None: ...
    # Output tokens; null: not sold, in USD/Mtoken
    @property
    def usd_per_mtok_out(self) -> float | None: ...
    # When the source said so
    @property
    def as_of(self) -> str: ...
    # Catalogue name of the model; empty where it has none
    @property
    def our_name(self) -> str: ...


class CatalogSources(Record):
    # How entries name it
    @property
    def id(self) -> str: ...
    # What it is
    @property
    def document(self) -> str: ...
    # When it said so
    @property
    def date(self) -> str: ...


class CatalogEntryAnswer(Answer):
    """An entry of the catalogue, fact by fact."""

    # Catalogue name
    @property
    def name(self) -> str: ...
    # The list that it stands in, as in `catalog NOUN`
    @property
    def noun(self) -> str: ...
    # The file that states it
    @property
    def file(self) -> str: ...
    # All that it states, in the order of the file
    @property
    def facts(self) -> Table[CatalogEntryFacts]: ...


class CatalogEntryFacts(Record):
    # Where in the entry: blocks by dots, items of a list by [n]
    @property
    def key(self) -> str: ...
    # As the file writes it, with its unit
    @property
    def value(self) -> str: ...
    # The same as a number in `unit`; null: it is none
    @property
    def number(self) -> float | None: ...
    # Unit of `number`; empty: a plain one; null: no number
    @property
    def unit(self) -> str | None: ...
    # measured, datasheet, published or assumed; empty: not said
    @property
    def kind(self) -> str: ...
    # Ids of SOURCES.md; empty: not said
    @property
    def source(self) -> str: ...
    # When the source said so; empty: not said
    @property
    def date(self) -> str: ...
    # Line of the file
    @property
    def line(self) -> int: ...


class CatalogCheckAnswer(Answer):
    """A catalogue in which no rule found fault."""

    # True: no rule is broken. Otherwise the errors are printed
    @property
    def sound(self) -> bool: ...
    # What was checked
    @property
    def lists(self) -> Table[CatalogCheckLists]: ...


class CatalogCheckLists(Record):
    # Which list, as in `catalog NOUN`
    @property
    def noun(self) -> str: ...
    # Entries that were checked
    @property
    def known(self) -> int: ...


class CatalogNounsAnswer(Answer):
    """What the catalogue can list."""

    # Every list there is
    @property
    def lists(self) -> Table[CatalogNounsLists]: ...


class CatalogNounsLists(Record):
    # Its name, as in `catalog NOUN`
    @property
    def noun(self) -> str: ...
    # What it lists
    @property
    def meaning(self) -> str: ...


class EmitAnswer(Answer):
    """The files that launch a scenario or a plan."""

    # What the files are for
    @property
    def target(self) -> str: ...
    # The files that launch it
    @property
    def files(self) -> Table[EmitFiles]: ...


class EmitFiles(Record):
    # Where it was written, or its name
    @property
    def path(self) -> str: ...
    # What it is for
    @property
    def role(self) -> str: ...
    # What it holds
    @property
    def text(self) -> str: ...


class ReadAnswer(Answer):
    """What is launched today, as a scenario with every guess marked."""

    # The scenario as YAML, commented
    @property
    def scenario(self) -> str: ...
    # Values that the files do not say
    @property
    def guesses(self) -> Table[ReadGuesses]: ...
    # Keys that are left blank
    @property
    def unknown(self) -> Table[str]: ...
    # What was seen and has no key
    @property
    def remarks(self) -> Table[str]: ...


class ReadGuesses(Record):
    # Key of the scenario
    @property
    def key(self) -> str: ...
    # What was assumed
    @property
    def value(self) -> str: ...
    # What it rests on
    @property
    def why(self) -> str: ...


class ObserveAnswer(Answer):
    """How full a cluster is, who flies empty, and what would mend it."""

    # Work delivered over capacity paid [1]
    @property
    def load_factor(self) -> Quantity: ...
    # False: the load factor may be anything
    @property
    def load_known(self) -> bool: ...
    # The same over the last hour [1]
    @property
    def load_now(self) -> Quantity | None: ...
    # Load factor that pays for the GPUs [1]
    @property
    def break_even(self) -> Quantity | None: ...
    # What was looked at
    @property
    def window(self) -> ObserveWindow: ...
    # GPUs that were seen
    @property
    def gpus(self) -> int: ...
    # Nodes that they stand in
    @property
    def nodes(self) -> int: ...
    # Share of the paid time with samples [1]
    @property
    def seen(self) -> Quantity: ...
    # What the GPUs cost in the window [USD]
    @property
    def bill(self) -> Quantity: ...
    # Shares of the bill; with the load factor they sum to 1
    @property
    def losses(self) -> ObserveLosses: ...
    # The losses by cause, and the load
    @property
    def causes(self) -> Table[ObserveCauses]: ...
    # By team, workload, model and accelerator
    @property
    def groups(self) -> Table[ObserveGroups]: ...
    # Load factor by day from Monday and hour, UTC
    @property
    def week(self) -> Table[Table[float | None]]: ...
    # GPUs slower than their peers
    @property
    def stragglers(self) -> Table[ObserveStragglers]: ...
    # GPUs that were compared
    @property
    def stragglers_tested(self) -> int: ...
    # Ranks of runs that were compared
    @property
    def ranks_tested(self) -> int: ...
    # Chance that one is named in a cluster without any
    @property
    def false_alarms(self) -> float: ...
    # GPUs that fail or are held back
    @property
    def faults(self) -> Table[ObserveFaults]: ...
    # Busy by the counter of running kernels, and idle by what sees work
    @property
    def lying(self) -> Table[ObserveLying]: ...
    # What was served, beside what is predicted
    @property
    def services(self) -> Table[ObserveServices]: ...
    # Runs by their logs, beside what is predicted
    @property
    def training(self) -> Table[ObserveTraining]: ...
    # What to do, the most money first
    @property
    def advice(self) -> Table[ObserveAdvice]: ...
    # What a GPU costs
    @property
    def prices(self) -> Table[ObservePrices]: ...


class ObserveWindow(Record):
    """What was looked at"""

    # Beginning of the window, UTC
    @property
    def from_(self) -> str: ...
    # End of the window, UTC
    @property
    def to(self) -> str: ...


class ObserveLosses(Record):
    """Shares of the bill; with the load factor they sum to 1"""

    # Held by nobody [1]
    @property
    def unallocated(self) -> Quantity: ...
    # Held, and nothing runs [1]
    @property
    def idle(self) -> Quantity: ...
    # Starting, pausing, or spinning [1]
    @property
    def waiting(self) -> Quantity: ...
    # Working below what it reaches when full [1]
    @property
    def unsaturated(self) -> Quantity: ...
    # Work of jobs that failed, done again [1]
    @property
    def failed(self) -> Quantity: ...


class ObserveCauses(Record):
    # The loss that it belongs to; `load` is no loss
    @property
    def loss(self) -> str: ...
    # What it is
    @property
    def cause(self) -> str: ...
    # Share of the bill [1]
    @property
    def share(self) -> Quantity: ...
    # Time of GPUs
    @property
    def gpu_hours(self) -> Quantity: ...
    # What it cost [USD]
    @property
    def cost(self) -> Quantity: ...


class ObserveGroups(Record):
    # What the group shares: team, workload, model or accelerator
    @property
    def by(self) -> str: ...
    # Name of the group
    @property
    def name(self) -> str: ...
    # Time of GPUs that it paid for
    @property
    def gpu_hours(self) -> Quantity: ...
    # Work delivered over capacity paid [1]
    @property
    def load_factor(self) -> Quantity: ...
    # What it cost [USD]
    @property
    def cost(self) -> Quantity: ...
    # What of it paid for nothing [USD]
    @property
    def empty(self) -> Quantity: ...
    # Share of time with a kernel, while it worked, or of all its time where it never did [1]
    @property
    def busy(self) -> Quantity | None: ...
    # Share of cycles of tensor cores, in the same time [1]
    @property
    def tensor(self) -> Quantity | None: ...
    # Share of cycles of memory, in the same time [1]
    @property
    def dram(self) -> Quantity | None: ...


class ObserveStragglers(Record):
    # Its UUID, or node and index; a rank of a run, by its log
    @property
    def gpu(self) -> str: ...
    # Where it stands
    @property
    def node(self) -> str: ...
    # Whose peers it was compared with
    @property
    def workload(self) -> str: ...
    # What shows it: tensor, clock, power or steps
    @property
    def sign(self) -> str: ...
    # Its figure over the middle of its peers [1]
    @property
    def ratio(self) -> Quantity: ...
    # Student's t against those that are not slow
    @property
    def statistic(self) -> float: ...
    # Chance of one so low among all compared
    @property
    def probability(self) -> float: ...
    # What waiting for it costs [USD]
    @property
    def per_month(self) -> Quantity: ...


class ObserveFaults(Record):
    # Its UUID, or node and index
    @property
    def gpu(self) -> str: ...
    # Where it stands
    @property
    def node(self) -> str: ...
    # What is wrong
    @property
    def kind(self) -> str: ...
    # A code, a count, or a share of the time
    @property
    def value(self) -> float: ...


class ObserveLying(Record):
    # Whose
    @property
    def team(self) -> str: ...
    # Which
    @property
    def workload(self) -> str: ...
    # What the counter of running kernels shows [1]
    @property
    def busy(self) -> Quantity: ...
    # What tensor cores show [1]
    @property
    def tensor(self) -> Quantity: ...
    # What memory shows [1]
    @property
    def dram(self) -> Quantity | None: ...
    # What it cost [USD]
    @property
    def cost(self) -> Quantity: ...


class ObserveServices(Record):
    # Whose
    @property
    def team(self) -> str: ...
    # Its workload
    @property
    def name(self) -> str: ...
    # As the engine names it
    @property
    def model(self) -> str: ...
    # What serves it
    @property
    def engine(self) -> str: ...
    # Copies of the model that stood at once
    @property
    def replicas(self) -> int: ...
    # GPUs of a replica
    @property
    def gpus_each(self) -> int: ...
    # Requests finished [Hz]
    @property
    def requests(self) -> Quantity | None: ...
    # Tokens that a request brings, on average
    @property
    def tokens_in(self) -> float | None: ...
    # Tokens that a request gets, on average
    @property
    def tokens_out(self) -> float | None: ...
    # Prompt tokens [tokens/s]
    @property
    def tokens_in_rate(self) -> Quantity | None: ...
    # Output tokens [tokens/s]
    @property
    def tokens_out_rate(self) -> Quantity | None: ...
    # Requests at once, while any run
    @property
    def running(self) -> float: ...
    # Share of the cache in use [1]
    @property
    def cache(self) -> Quantity | None: ...
    # Prompt tokens found in cache
    @property
    def prefix_hit_rate(self) -> float | None: ...
    # Requests that were put back
    @property
    def preemptions(self) -> float: ...
    # Time to first token
    @property
    def ttft(self) -> ObserveServicesTtft | None: ...
    # Time per output token
    @property
    def tpot(self) -> ObserveServicesTpot | None: ...
    # Tokens over those of full replicas [1]
    @property
    def load_factor(self) -> Quantity | None: ...
    # Load factor of the busiest hour [1]
    @property
    def busiest_hour(self) -> Quantity | None: ...
    # What its GPUs cost [USD]
    @property
    def cost(self) -> Quantity: ...
    # What an API asks for the tokens [USD]
    @property
    def api_cost(self) -> Quantity | None: ...
    # Whose: the one that `plan` compares with; may be empty
    @property
    def api(self) -> str: ...
    # What the model says of it
    @property
    def predicted(self) -> ObserveServicesPredicted | None: ...
    # Measured time per token over the predicted, less one
    @property
    def error(self) -> float | None: ...


class ObserveServicesTtft(Record):
    """Time to first token"""

    # Half are quicker [s]
    @property
    def p50(self) -> Quantity | None: ...
    # Nineteen of twenty are quicker [s]
    @property
    def p95(self) -> Quantity | None: ...
    # What is not known lies above this one
    @property
    def last_bound(self) -> Quantity: ...


class ObserveServicesTpot(Record):
    """Time per output token"""

    # Half are quicker [s]
    @property
    def p50(self) -> Quantity | None: ...
    # Nineteen of twenty are quicker [s]
    @property
    def p95(self) -> Quantity | None: ...
    # What is not known lies above this one
    @property
    def last_bound(self) -> Quantity: ...


class ObserveServicesPredicted(Record):
    """What the model says of it"""

    # Whose deployment it is
    @property
    def scenario(self) -> str: ...
    # Output tokens when it is full [tokens/s]
    @property
    def full_rate(self) -> Quantity: ...
    # Mean under the load that was found; left out where that is more than it can do
    @property
    def ttft(self) -> Quantity | None: ...
    # Mean under the load that was found; left out where that is more than it can do
    @property
    def tpot(self) -> Quantity | None: ...
    # Requests in a batch, on average
    @property
    def running(self) -> float: ...
    # Measured over the full rate [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Whether it can do what it did
    @property
    def feasible(self) -> bool: ...


class ObserveTraining(Record):
    # Where it was read
    @property
    def log(self) -> str: ...
    # Whose log it is
    @property
    def framework(self) -> str: ...
    # What it is compared with; may be empty
    @property
    def scenario(self) -> str: ...
    # That it runs on; 0: not told
    @property
    def gpus(self) -> int: ...
    # Steps that count
    @property
    def steps(self) -> int: ...
    # Steps that were done again after a stop
    @property
    def repeated(self) -> int: ...
    # How often it began anew
    @property
    def restarts(self) -> int: ...
    # The middle of its steps; none where no log tells
    @property
    def step(self) -> Quantity | None: ...
    # From its first step to its last
    @property
    def wall(self) -> Quantity: ...
    # Whether stops between steps are seen
    @property
    def stamped(self) -> bool: ...
    # Share of that time in steps that count [1]
    @property
    def goodput(self) -> Quantity: ...
    # Share in steps that were done again [1]
    @property
    def lost(self) -> Quantity: ...
    # Model FLOPs over the dense peak [1]
    @property
    def mfu(self) -> Quantity | None: ...
    # The same, by the FLOPs that its log counts [1]
    @property
    def logged_mfu(self) -> Quantity | None: ...
    # Share of cycles of tensor cores while it worked: MFU is at most that [1]
    @property
    def tensor(self) -> Quantity | None: ...
    # Tokens per second of a GPU
    @property
    def tokens_rate(self) -> float | None: ...
    # Between two stops
    @property
    def mtbf(self) -> Quantity | None: ...
    # Work between two checkpoints
    @property
    def save_every(self) -> Quantity | None: ...
    # What one held the run up [s]
    @property
    def save_stall(self) -> Quantity | None: ...
    # The best for the stops that were seen
    @property
    def best_save_every(self) -> Quantity | None: ...
    # What the model says of it
    @property
    def predicted(self) -> ObserveTrainingPredicted | None: ...
    # Measured step over the predicted, less one
    @property
    def error(self) -> float | None: ...


class ObserveTrainingPredicted(Record):
    """What the model says of it"""

    # Time of a step
    @property
    def step(self) -> Quantity: ...
    # Model FLOPs over the dense peak [1]
    @property
    def mfu(self) -> Quantity: ...
    # The same with operations that are done again [1]
    @property
    def hfu(self) -> Quantity: ...
    # Tokens per second of a GPU
    @property
    def tokens_rate(self) -> float: ...
    # Share of the paid time that advances it [1]
    @property
    def goodput(self) -> Quantity: ...
    # Best time between checkpoints
    @property
    def save_every(self) -> Quantity: ...
    # What one holds the run up
    @property
    def save_stall(self) -> Quantity: ...


class ObserveAdvice(Record):
    # What to do
    @property
    def kind(self) -> str: ...
    # With whom
    @property
    def whom(self) -> str: ...
    # The workload that takes it in, or the cluster whose GPUs they are; may be empty
    @property
    def other(self) -> str: ...
    # The --set that plans it on the scenario of --to; may be empty
    @property
    def edit(self) -> str: ...
    # The engine's own option to change, as it spells it; may be empty
    @property
    def flag(self) -> str: ...
    # GPUs or replicas that it is about
    @property
    def count(self) -> float: ...
    # Per month [USD]
    @property
    def saves(self) -> Quantity: ...
    # What it rests on
    @property
    def why(self) -> str: ...


class ObservePrices(Record):
    # As exporters call it
    @property
    def accelerator(self) -> str: ...
    # As the catalogue calls it; empty where it has none
    @property
    def chip(self) -> str: ...
    # GPUs of this kind that were seen
    @property
    def gpus(self) -> int: ...
    # What a GPU costs [USD/GPU-hour]
    @property
    def price(self) -> Quantity: ...
    # Who says so
    @property
    def from_(self) -> str: ...


class FleetAnswer(Answer):
    """Who runs where and when on one fleet, how full it is, and who pays how much."""

    # How the hours repeat
    @property
    def horizon(self) -> str: ...
    # Machines, and how full they are
    @property
    def pools(self) -> Table[FleetPools]: ...
    # What to do with each workload
    @property
    def workloads(self) -> Table[FleetWorkloads]: ...
    # What all cost together [USD]
    @property
    def per_month(self) -> Quantity: ...
    # What they cost apart, per month [USD]
    @property
    def separate(self) -> Quantity: ...
    # What sharing saves, per month [USD]
    @property
    def saving(self) -> Quantity: ...
    # No schedule costs less, per month [USD]
    @property
    def bound(self) -> Quantity: ...
    # How far the bound is from the cost, in %
    @property
    def gap(self) -> float: ...
    # Share of all simulated requests within their SLO; none where none was
    @property
    def within_slo(self) -> Quantity | None: ...
    # CPU time of the schedule; left out by --reproducible, in seconds
    @property
    def seconds(self) -> float | None: ...


class FleetPools(Record):
    # As the fleet calls it
    @property
    def name(self) -> str: ...
    # Its chip
    @property
    def accelerator(self) -> str: ...
    # Where it stands; empty where it is not said
    @property
    def region(self) -> str: ...
    # Whether workloads share machines
    @property
    def shared(self) -> bool: ...
    # GPUs of a machine
    @property
    def machine(self) -> int: ...
    # GPUs that there can be
    @property
    def most(self) -> int | None: ...
    # GPUs paid for at the busiest hour
    @property
    def gpus(self) -> int: ...
    # Work done over what the paid GPUs could do [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Share of the paid hours that is held [1]
    @property
    def allocated(self) -> Quantity: ...
    # What the machines cost [USD]
    @property
    def per_month(self) -> Quantity: ...
    # What they and their site draw in a month [J]
    @property
    def energy(self) -> Quantity: ...
    # The same workloads with machines of their own
    @property
    def before(self) -> FleetPoolsBefore: ...
    # How the machines are paid for
    @property
    def ways(self) -> Table[FleetPoolsWays]: ...
    # What hours that nobody needs are worth
    @property
    def idle(self) -> FleetPoolsIdle: ...
    # Carbon of its region's electricity; null where it is not known
    @property
    def carbon_g_per_kwh(self) -> float | None: ...
    # CO2 of its energy in a month, in kg; null likewise
    @property
    def carbon(self) -> Quantity | None: ...
    # Mean GPUs needed by hour of the week
    @property
    def load(self) -> Table[float]: ...


class FleetPoolsBefore(Record):
    """The same workloads with machines of their own"""

    # GPUs paid for at the busiest hour
    @property
    def gpus(self) -> int: ...
    # Work done over what the paid GPUs could do [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Share of the paid hours that is held [1]
    @property
    def allocated(self) -> Quantity: ...
    # What the machines cost [USD]
    @property
    def per_month(self) -> Quantity: ...
    # What they and their site draw in a month [J]
    @property
    def energy(self) -> Quantity: ...


class FleetPoolsWays(Record):
    # How the machines are paid for
    @property
    def kind(self) -> str: ...
    # GPUs committed to, or rented at the busiest hour
    @property
    def gpus(self) -> int: ...
    # Paid for in a month
    @property
    def gpu_hours(self) -> float: ...
    # What they cost [USD]
    @property
    def per_month(self) -> Quantity: ...


class FleetPoolsIdle(Record):
    """What hours that nobody needs are worth"""

    # Committed to and not needed, in a month
    @property
    def gpu_hours(self) -> float: ...
    # Share of the committed hours [1]
    @property
    def share(self) -> Quantity: ...
    # What one more GPU-hour costs while some are idle [USD]
    @property
    def next_idle_hour(self) -> Quantity: ...
    # What it costs while all are busy
    @property
    def next_full_hour(self) -> Quantity | None: ...
    # What a GPU-hour of the committed machines costs on average
    @property
    def committed_hour(self) -> Quantity | None: ...


class FleetWorkloads(Record):
    # As the fleet calls it
    @property
    def name(self) -> str: ...
    # What work it is
    @property
    def kind(self) -> str: ...
    # The higher one stays where room is short
    @property
    def priority(self) -> int: ...
    # What to do with it
    @property
    def decision(self) -> str: ...
    # Where it runs; empty where it does not
    @property
    def pool(self) -> str: ...
    # A replica or a run, in words
    @property
    def layout(self) -> str: ...
    # GPUs at its busiest hour
    @property
    def gpus(self) -> int: ...
    # GPUs on average
    @property
    def mean_gpus(self) -> float: ...
    # GPU-hours in the horizon
    @property
    def gpu_hours(self) -> float: ...
    # Work done over what its GPU-hours could do [1]
    @property
    def load_factor(self) -> Quantity: ...
    # Whether it may be interrupted
    @property
    def preemptible(self) -> bool: ...
    # Starts of gangs in the horizon
    @property
    def starts(self) -> int: ...
    # GPU-hours that starts lose
    @property
    def lost_hours(self) -> float: ...
    # What a start loses
    @property
    def reload(self) -> FleetWorkloadsReload: ...
    # Its fair share of the bill [USD]
    @property
    def per_month(self) -> Quantity: ...
    # What it costs by itself, per month [USD]
    @property
    def alone(self) -> Quantity: ...
    # What the bill falls by without it, per month [USD]
    @property
    def marginal(self) -> Quantity: ...
    # What tokens would cost, per month
    @property
    def api(self) -> Quantity | None: ...
    # What is lost without it, per month
    @property
    def value(self) -> Quantity | None: ...
    # Share of requests within the SLO, simulated with its hours
    @property
    def within_slo(self) -> Quantity | None: ...
    # Whether the simulation keeps the SLO
    @property
    def keeps_slo(self) -> bool | None: ...
    # Requests that were simulated
    @property
    def requests(self) -> int: ...
    # To its farthest users and back, which is taken off its bounds
    @property
    def round_trip(self) -> Quantity | None: ...
    # When its first job begins
    @property
    def first(self) -> Quantity | None: ...
    # When its last job ends
    @property
    def last(self) -> Quantity | None: ...
    # Mean GPUs by hour of the week
    @property
    def week(self) -> Table[float]: ...
    # Mean GPUs by day of the year; none for a week
    @property
    def days(self) -> Table[float]: ...


class FleetWorkloadsReload(Record):
    """What a start loses"""

    # Loading the model or the last checkpoint
    @property
    def load(self) -> Quantity: ...
    # Requests in flight, or writing a checkpoint
    @property
    def drain(self) -> Quantity: ...
