// Should I have these GPUs? Sizes or searches, fills, prices, and says one thing to do.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/core.h"
#include "engine/fill/serve_search.h"
#include "engine/plan/plan_changes.h"
#include "engine/plan/plan_findings.h"
#include "engine/plan/step_table.h"
#include "loadfactor/cost.h"
#include "loadfactor/search.h"
#include "resolve/serve/serving_world.h"

namespace loadfactor::engine {

struct PlanInputs {
  ServingInputs serving;                  // The scenario and whatever files it names.
  std::vector<ModelFile> training_files;  // The model that is trained, where it is a file.
  std::vector<ModelFile> reward_files;    // The models that judge and teach, likewise.
  std::vector<ModelFile> teacher_files;
  std::vector<ModelFile> value_files;
  std::string today;  // YYYY-MM-DD, for the ages of prices.
  std::int64_t draws = 4096;
  int threads = 1;
  int confirm = 2;     // Deployments that are simulated.
  bool levers = true;  // Also: what would change the answer.
  // As the user wrote it, where `serving` has a part or a variant of that.
  std::optional<config::Scenario> written = std::nullopt;
  // What plans of the same service with something changed have in common.
  std::shared_ptr<search::WeekShapes> shapes = nullptr;
  std::shared_ptr<search::FleetMemory> memory = nullptr;  // Where only the traffic is changed.

  const config::Scenario& scenario() const { return serving.scenario; }
  const config::Scenario& as_written() const { return written ? *written : serving.scenario; }
  // The same question about another scenario. What the user wrote stays known.
  PlanInputs with(std::initializer_list<config::Edit> edits) const;
};

// What plans of other traffic and other prices are counted from.
struct PlanGround {
  struct Row {
    std::string accelerator;
    int gpus = 0;
    CostInputs request;
  };
  std::vector<Row> rows;  // The plan's own first.
  std::function<std::vector<ResizedRow>(double traffic)> at_traffic;
};

// At which multiple of the traffic the answer, sized and priced anew, becomes another.
struct PlanFlip {
  double traffic = 1;
  PlanDecision decision = PlanDecision::kHold;  // From there on.
  int gpus = 0;  // That work there, which the decision counts against those of today; 0: none.
  std::string edit = {};  // The `--set` that makes it; empty where no key does, or it is rough.
  bool is_rough = false;  // By the closed form, or plans that lie far apart.
};

// A way to have the work done, priced.
struct PlanOption {
  CostOption cost;
  std::string accelerator;  // Empty for the API.
  Dollars amount;           // Per month, or for the run.
  int gpus = 0;             // Whole machines, at the busiest hour; 0 for the API.
  std::optional<Dollars> more = std::nullopt;  // Over the first option; nothing for itself.
  bool is_over_budget = false;
  bool is_beyond_limits = false;  // On GPUs or power.
  bool is_late = false;           // A run that so paid misses its deadline.

  PaidMachines machines() const;
  // The amount, so many times, as far from known as a month is.
  EstimateOf<Dollars> estimate(double times = 1) const;
};

// A link and what it carries per GPU and direction.
struct PlanLink {
  std::string name;
  BytesPerSecond bandwidth;
};

struct PlanMachine {
  std::string accelerator, title, precision;
  std::string kv_format;                         // Keys and values; empty for a training run.
  std::optional<PaidMachines> option;            // How they are paid for; nothing: not priced.
  ServeLayout layout{.replicas = 0, .gpus = 0};  // Copies of a training run are its replicas.
  std::optional<ServeLayout> prompts;            // The pool of prompts, where there is one.
  int spares = 0;                                // Replicas among them that stand by,
  double enough = 1;  // and the share of the time in which no more are out.
  int nodes = 0;
  int gpus_per_node = 8;
  std::string cooling;              // Empty: not known.
  std::int64_t racks = 0;           // With that cooling.
  std::int64_t nodes_per_rack = 0;  // 0: not known.
  std::string network;              // What joins the nodes; empty: not known.
  std::int64_t switches = 0;        // In the network; 0: not known.
  std::optional<PlanLink> link;     // Inside a node.
  std::optional<PlanLink> fabric;   // Between nodes.
};

// A promise of the time beside the plan without it.
struct PlanPromise {
  std::optional<double> asked;  // Availability, as a share of the time.
  int zones = 0;                // 0: not spread over any.
  int deployed = 0;             // Replicas that a deploy may take out at once.
  int spares = 0;               // Replicas that stand by.
  double enough = 1;            // Share of the time in which no more are out.
  int plain_gpus = 0;           // The machines without the promise,
  int plain_spares = 0;
  double plain_enough = 1;
  Dollars plain_per_month = {};  // the cheapest way to have them,
  std::optional<Dollars> more =
      std::nullopt;  // and what the promise adds; nothing where one has no price.
};

struct PlanPoint {
  int gpus = 0;
  double load_factor = 0;
  double within_slo = 1;
  double efficiency = 0;  // In training: useful tokens per GPU over the best size; 0: not known.
};

// One bar of a picture: memory of a GPU.
struct PlanMemory {
  MemoryUse use = MemoryUse::kWeights;
  double gib = 0;
};

// A number the answer rests on.
struct PlanAssumption {
  std::string what, value, basis, source, date, where;
  bool is_given = false;    // By the scenario; otherwise by the catalogue.
  bool is_assumed = false;  // Without a document behind it.
  std::string set = {};     // The assignment of `--set` that gave it; empty: the file did.
  std::string id = {};      // Which figure of the catalogue it is, whatever the entry.
};

// A plan beside others: milliseconds a token against money, or days against money.
struct PlanDot {
  std::variant<DeploymentRow, PlannedRun> what;
  double x = 0;
  double y = 0;
  bool chosen = false;
};

// What filled the fleet of a service.
struct PlanFill {
  int replicas = 0;
  Hertz saturated;  // Requests of one replica.
  Hertz mean;       // Requests of the demand.
  double input = 0;
  double output = 0;
};

// The figures of a plan that programs ask for.
enum class PlanFigure : std::uint8_t {
  kLoadFactor,
  kBreakEven,
  kCost,
  kGpus,
  kDays,
  kPerMtoken,
};
inline constexpr std::size_t kNumPlanFigures = 6;

// A side of a gate: a figure of the plan, or a number.
struct GateSide {
  std::optional<PlanFigure> figure;
  double value = 0;        // In the unit of the figure it is compared with.
  std::string text;        // As written.
  bool is_hourly = false;  // Money by the hour.
};

// A comparison that was asked of the plan.
struct PlanGate {
  std::string text;  // As it was asked.
  std::string sign;  // `>=`, as written.
  std::array<GateSide, 2> sides;
  bool holds = false;
  std::optional<double> left, right;  // Both sides in base units; nothing where none was computed.
  // The fewest digits, of those that are shown of figures, in which the comparison reads as it was
  // judged.
  int digits = 0;
};

// Where the empty share of a service goes.
enum class ServiceLoss : std::uint8_t { kNone, kDemand, kShape, kHeadroom, kSlo, kRounding };
struct PlanLoss {
  std::string name;
  double share = 0;
  ServiceLoss service = ServiceLoss::kNone;  // Nothing of the kind in a training run.
};

// Which other way to have the work done was left out of the comparison, and why.
enum class Unweighed : std::uint8_t {
  kNothing,
  kApiNotSold,        // No API sells this model.
  kApiNotAsked,       // `money.options` does not list it.
  kMachinesNotAsked,  // `money.options` lists the API alone.
  kMachinesUnpriced,  // No other option has a price for these accelerators.
};

struct PlanAnswer {
  std::string scenario;
  // The work: a model with its requests, or with its sequences.
  std::string model_title;
  double tokens_in = 0;
  double tokens_out = 0;
  Hertz rate;                 // Mean requests; zero: no service was sized.
  std::int64_t sequence = 0;  // Tokens; 0: no run was searched.
  bool is_training = false;
  PlanDecision decision = PlanDecision::kHold;
  std::string saved_verdict;     // The sentence of a plan that is read back; else empty.
  int present_gpus = 0;          // That are there already.
  std::optional<Error> refusal;  // Why there is no answer but that it is not feasible.
  std::optional<loadfactor::SearchAnswer> search;  // For a run that nothing fits.
  std::vector<BrokenLimit> broken;  // Limits that nothing keeps; empty where it is feasible.
  std::vector<NearestWay> nearest;  // To those limits.
  Unweighed unweighed = Unweighed::kNothing;
  // Both are of the option that is recommended, or weighed against the API: of the GPU-hours it
  // pays for, at its price.
  std::optional<EstimateOf<double>> load_factor;
  std::optional<EstimateOf<double>> break_even;
  std::optional<RivalOption> against;  // What the break-even is compared with.
  // The load of all GPUs of the plan around the clock: what the week is shares of.
  std::optional<double> fleet_load;
  std::optional<EstimateOf<double>> within_slo;  // Share of a service's requests.
  std::vector<PlanFlip> flips;                   // Nearest first; only services have any.
  bool flips_sought = false;                     // Whether any were looked for.
  bool is_open_above = false;  // With more traffic another answer may hold, which no plan settled,
  bool is_open_below = false;  // and with less.
  bool is_close = false;       // The interval of a difference that decides contains zero.
  std::vector<CloseCall> close_calls;
  std::optional<PlanMachine> machine;
  // A service with a run beside it: whether idle hours do the run, and the run's own plan.
  std::optional<PooledRun> pooled;
  PlanDecision service_decision = PlanDecision::kHold;  // The service alone, where pooled.
  std::shared_ptr<const PlanAnswer> run_beside;
  std::vector<PlanOption> options;           // The cheapest first.
  std::shared_ptr<const PlanGround> ground;  // For a service that was sized.
  std::optional<PlanYears> years;            // Set by whoever asks for them.
  std::optional<PlanPromise> promise;        // Where a time, zones or deploys are promised.
  std::optional<PlanRegions> regions;        // Set by whoever asks for them.
  std::vector<PlanLever> levers;
  std::vector<RunnerUp> runner_ups;
  std::optional<CostAnswer> cost;    // What the recommended machine costs.
  std::optional<CostInputs> priced;  // The question that it answers.
  std::optional<PlanFill> fill;

  TokensPerSecond full_plane;
  std::optional<StepTable> steps_to_pay;  // Every way to pay at other volumes.
  std::vector<PlanMemory> memory;         // What the fullest GPU holds.
  std::vector<ServePart> steps;           // The parts of a serving step.
  std::vector<double> week;  // Load by hour, Monday first; < 0: not known of that hour.
  std::vector<PlanLoss> losses;
  std::vector<PlanPoint> curve;
  int knee = 0;
  std::optional<TrainAnswer> training;
  std::vector<PlanDot> front;
  bool front_has_prices = true;
  std::optional<EstimateOf<Seconds>> duration;
  std::optional<bool> deadline_met;
  std::vector<std::string> commands;
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
  std::vector<PlanAssumption> assumptions;
  std::vector<PlanGate> gates;  // Set by whoever asks.
  std::string accuracy;  // How near such figures come; set by whoever has the published runs.
};

// Nothing if the scenario has errors. Work that no candidate can do is an answer.
std::optional<PlanAnswer> make_plan(const Core& engine, const PlanInputs& question,
                                    Diagnostics& diagnostics);

// `loadfactor fill my.yaml --set '…'`: a verb on what was asked, with what was set.
std::string command_text(const PlanInputs& question, std::string_view verb);

// The two kinds of work and both together, in files of their own.
std::optional<PlanAnswer> plan_serving(const Core& engine, const PlanInputs& question,
                                       Diagnostics& diagnostics);
std::optional<PlanAnswer> plan_training(const Core& engine, const PlanInputs& question,
                                        Diagnostics& diagnostics);
std::optional<PlanAnswer> plan_pool(const Core& engine, const PlanInputs& question,
                                    Diagnostics& diagnostics);

// What both share.
void add_building(const CostAnswer& cost, PlanMachine& machine);
// The load factor and the break-even of the option that decides.
void add_load_and_break_even(PlanAnswer& answer);
void add_links(const catalog::Catalog& catalog, PlanMachine& machine);
// What the scenario says and what the catalogue added, with values.
void add_assumptions(const PlanInputs& question, PlanAnswer& answer);
PlanAssumption assumption_of(const UsedFact& fact);
}  // namespace loadfactor::engine
