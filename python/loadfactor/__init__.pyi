"""Written by tools/write_stubs.py from the descriptions of the program."""
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias

from . import answers as answers
from ._errors import Cancelled as Cancelled
from ._errors import Error as Error
from ._errors import Infeasible as Infeasible
from ._errors import InputError as InputError
from ._errors import InternalError as InternalError
from ._errors import Unavailable as Unavailable
from ._quantity import Quantity as Quantity
from ._quantity import pint_registry as pint_registry
from ._records import Answer as Answer
from ._records import Record as Record
from ._records import Table as Table
from ._records import TextAnswer as TextAnswer

__version__: str

# A word, a path, a text, a dict, or an answer that stands for a saved plan.
Given: TypeAlias = str | bytes | PathLike[str] | Mapping[str, Any] | Answer
Word: TypeAlias = str | int | float | Quantity | PathLike[str] | Mapping[str, Any] | Answer
Assignments: TypeAlias = Mapping[str, Any] | Iterable[str] | str
Folders: TypeAlias = str | PathLike[str] | Iterable[str | PathLike[str]]
# Gets the share that is done; returns False to stop the question.
Progress: TypeAlias = Callable[[float], bool | None]

def schema(name: str) -> dict[str, Any]: ...
def plan(
    scenario: Given,
    *,
    set: Assignments | None = None,
    gate: Word | Sequence[Word] | None = None,
    draws: Word | None = None,
    confirm: Word | None = None,
    years: Word | None = None,
    launch: bool | None = None,
    page: bool | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.PlanAnswer:
    """Should I have these GPUs? One thing to do, and why"""
def diff(
    before: Given,
    after: Given | None = None,
    *,
    set: Assignments | None = None,
    advice: bool | None = None,
    running: bool | None = None,
    gate: Word | Sequence[Word] | None = None,
    draws: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.DiffAnswer:
    """What changed between two plans, and what it costs"""
def audit(
    claim: Given,
    *,
    gate: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.AuditAnswer:
    """Does a blueprint or vendor claim agree with arithmetic, physics and the record?"""
def fit(
    model: Given,
    *,
    gpu: Word | None = None,
    tp: Word | None = None,
    pp: Word | None = None,
    ep: Word | None = None,
    quant: Word | None = None,
    kv: Word | None = None,
    context: Word | None = None,
    engine: Word | None = None,
    util: Word | None = None,
    chunk: Word | None = None,
    max_seqs: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.FitAnswer:
    """Does a model fit, and how many sequences?"""
def train(
    scenario: Given,
    *,
    set: Assignments | None = None,
    trace: bool | None = None,
    exhaustive: bool | None = None,
    efficiency: Word | None = None,
    day_value: Word | None = None,
    objective: Word | None = None,
    placement: Word | None = None,
    gpus: Word | Sequence[Word] | None = None,
    precision: Word | Sequence[Word] | None = None,
    headroom: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.TrainAnswer:
    """How long does a training step take, and why?"""
def search(
    scenario: Given,
    *,
    set: Assignments | None = None,
    trace: bool | None = None,
    exhaustive: bool | None = None,
    efficiency: Word | None = None,
    day_value: Word | None = None,
    objective: Word | None = None,
    placement: Word | None = None,
    gpus: Word | Sequence[Word] | None = None,
    precision: Word | Sequence[Word] | None = None,
    headroom: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.SearchAnswer:
    """Search all legal layouts for the best"""
def scale(
    scenario: Given,
    *,
    set: Assignments | None = None,
    trace: bool | None = None,
    exhaustive: bool | None = None,
    efficiency: Word | None = None,
    day_value: Word | None = None,
    objective: Word | None = None,
    placement: Word | None = None,
    gpus: Word | Sequence[Word] | None = None,
    precision: Word | Sequence[Word] | None = None,
    headroom: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.ScaleAnswer:
    """How far it scales, and what the next dollar buys"""
def serve(
    scenario: Given,
    *,
    set: Assignments | None = None,
    concurrency: Word | None = None,
    anchor: Word | None = None,
    batches: Word | Sequence[Word] | None = None,
    requests: Word | None = None,
    kv_tokens: Word | None = None,
    router: Word | None = None,
    timeout: Word | None = None,
    first_token_timeout: Word | None = None,
    max_waiting: Word | None = None,
    max_replicas: Word | None = None,
    target_load: Word | None = None,
    start_time: Word | None = None,
    plain: bool | None = None,
    trace: bool | None = None,
    series: bool | None = None,
    spares: Word | None = None,
    maintenance: Word | None = None,
    weeks: Word | None = None,
    fleet: Word | None = None,
    confirm: Word | None = None,
    cold_start: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.ServeAnswer:
    """What does a deployment deliver, and what limits it?"""
def simulate(
    scenario: Given,
    *,
    set: Assignments | None = None,
    concurrency: Word | None = None,
    anchor: Word | None = None,
    batches: Word | Sequence[Word] | None = None,
    requests: Word | None = None,
    kv_tokens: Word | None = None,
    router: Word | None = None,
    timeout: Word | None = None,
    first_token_timeout: Word | None = None,
    max_waiting: Word | None = None,
    max_replicas: Word | None = None,
    target_load: Word | None = None,
    start_time: Word | None = None,
    plain: bool | None = None,
    trace: bool | None = None,
    series: bool | None = None,
    spares: Word | None = None,
    maintenance: Word | None = None,
    weeks: Word | None = None,
    fleet: Word | None = None,
    confirm: Word | None = None,
    cold_start: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.SimulateAnswer:
    """Run the demand through it, request by request"""
def size(
    scenario: Given,
    *,
    set: Assignments | None = None,
    concurrency: Word | None = None,
    anchor: Word | None = None,
    batches: Word | Sequence[Word] | None = None,
    requests: Word | None = None,
    kv_tokens: Word | None = None,
    router: Word | None = None,
    timeout: Word | None = None,
    first_token_timeout: Word | None = None,
    max_waiting: Word | None = None,
    max_replicas: Word | None = None,
    target_load: Word | None = None,
    start_time: Word | None = None,
    plain: bool | None = None,
    trace: bool | None = None,
    series: bool | None = None,
    spares: Word | None = None,
    maintenance: Word | None = None,
    weeks: Word | None = None,
    fleet: Word | None = None,
    confirm: Word | None = None,
    cold_start: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.SizingAnswer:
    """Find the cheapest deployment that keeps the SLO"""
def cost(
    scenario: Given,
    *,
    set: Assignments | None = None,
    draws: Word | None = None,
    bill: Word | None = None,
    tornado: bool | None = None,
    facility: bool | None = None,
    focus: bool | None = None,
    infracost: bool | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.CostAnswer:
    """Rent, own, reserve, spot, API or a mix?"""
def demand(
    *files: Given,
    fit: bool | None = None,
    convert: bool | None = None,
    generate: Word | None = None,
    duration: Word | None = None,
    rate: Word | None = None,
    time_unit: Word | None = None,
    dates: Word | None = None,
    block: Word | None = None,
    interval: Word | None = None,
    compress: Word | None = None,
    spread: bool | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.DemandAnswer | TextAnswer:
    """What is this traffic like?"""
def fill(
    scenario: Given | None = None,
    *,
    set: Assignments | None = None,
    gpus: Word | None = None,
    gpu: Word | None = None,
    simulate: bool | None = None,
    jobs: Word | None = None,
    busy: Word | None = None,
    think: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.FillAnswer | answers.Fill2Answer:
    """Can I keep these GPUs full?"""
def fleet(
    fleet: Given,
    *,
    set: Assignments | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.FleetAnswer:
    """Many workloads on one fleet: who runs where and when, and who pays?"""
def validate(
    *,
    training: Word | bool | None = None,
    inference: Word | bool | None = None,
    steps: Word | None = None,
    runs: Word | bool | None = None,
    gpu: Word | None = None,
    stack: Word | None = None,
    weights: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.ValidateAnswer | answers.Validate2Answer | answers.Validate3Answer | answers.Validate4Answer | answers.Validate5Answer:
    """How accurate is this tool?"""
def calibrate(
    *files: Given,
    for_: Word | Sequence[Word] | None = None,
    step_time: Word | Sequence[Word] | None = None,
    gpu: Word | None = None,
    engine: Word | None = None,
    precision: Word | None = None,
    tp: Word | None = None,
    replace: bool | None = None,
    where_did_it_go: bool | None = None,
    for_overlay: bool | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.CalibrateAnswer:
    """Make the model match measurements"""
def calibrate_training(
    *,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Refit the step model to the published runs, fold by fold"""
def calibrate_kernels(
    *files: Given,
    chip: Word | None = None,
    name: Word | Sequence[Word] | None = None,
    date: Word | None = None,
    worst: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Fit kernel costs to measured tables, and say how well"""
def calibrate_serving(
    *,
    data: Word | None = None,
    weights: Word | None = None,
    rows_per_cell: Word | None = None,
    scale: Word | None = None,
    spread: Word | None = None,
    rows: bool | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Refit the serving model to published results"""
def calibrate_collectives(
    *files: Given,
    date: Word | None = None,
    most: Word | Sequence[Word] | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Fit collectives to measured tables, and say how well"""
def emit(
    target: Given,
    scenario: Given,
    *,
    set: Assignments | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.EmitAnswer:
    """The files that launch it, by a framework, an engine or a batch system"""
def read(
    *files: Given,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.ReadAnswer:
    """What is launched today, as a scenario"""
def observe(
    *sources: Given,
    set: Assignments | None = None,
    scenario: Word | Sequence[Word] | None = None,
    since: Word | None = None,
    now: Word | None = None,
    step: Word | None = None,
    interval: Word | None = None,
    checkpoint: Word | None = None,
    price: Word | None = None,
    to: bool | None = None,
    demand: bool | None = None,
    metrics: bool | None = None,
    token_file: Word | None = None,
    user_file: Word | None = None,
    ca_file: Word | None = None,
    serve: Word | None = None,
    watch: bool | None = None,
    every: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.ObserveAnswer:
    """How full are we now, who flies empty, and what would mend it?"""
def catalog(
    *words: Given,
    name: Word | None = None,
    as_: Word | None = None,
    date: Word | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.CatalogAnswer | answers.CatalogEntryAnswer | answers.CatalogCheckAnswer | answers.CatalogNounsAnswer:
    """What is known, where from, and how to add to it"""
def explain(
    *word: Given,
    set: Assignments | None = None,
    seed: Word | None = None,
    threads: Word | None = None,
    today: Word | None = None,
    quiet: bool | None = None,
    catalog: Folders | None = None,
    progress: Progress | None = None,
) -> answers.ExplainAnswer | TextAnswer:
    """Where a number comes from; what a code or a word means"""
