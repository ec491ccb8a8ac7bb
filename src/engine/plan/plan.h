// Should I have these GPUs? Sizes or searches, fills, prices, and says one thing to do.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loadfactor/cost.h"
#include "loadfactor/engine.h"
#include "loadfactor/search.h"
#include "resolve/serve/serving_world.h"

namespace loadfactor::engine {

struct PlanQuestion {
  ServingQuestion serving;                // The scenario and whatever files it names.
  std::vector<ModelFile> training_files;  // Of the model that is trained, where it is a file.
  std::string today;                      // YYYY-MM-DD, for the ages of prices.
  std::int64_t draws = 4096;
  int threads = 1;
  int confirm = 2;     // Deployments that are simulated.
  bool levers = true;  // Also: what would change the answer.
  // As the user wrote it, where `serving` has a part or a variant of that.
  std::optional<config::Scenario> written = std::nullopt;

  const config::Scenario& scenario() const { return serving.scenario; }
  const config::Scenario& as_written() const { return written ? *written : serving.scenario; }
  // The same question about another scenario. What the user wrote stays known.
  PlanQuestion with(std::initializer_list<config::Edit> edits) const;
};

enum class PlanDecision : std::uint8_t {
  kScaleUp,
  kHold,
  kShrink,
  kUseApi,
  kOneBiggerGpu,
  kSplit,
  kNotFeasible,
};
// `scale up`, `use the API`, …
std::string_view words_of(PlanDecision decision);

// At which multiple of the traffic the answer, sized and priced anew, becomes another.
struct PlanFlip {
  double traffic = 1;
  PlanDecision decision = PlanDecision::kHold;  // From there on.
  std::string edit = {};  // The `--set` that makes it; empty where no key sets the traffic.
};

// A way to have the work done, priced.
struct PlanOption {
  CostOption cost;
  std::string accelerator;  // Empty for the API.
  Dollars amount;           // Per month, or for the run.
  std::string why;          // Why it was not chosen; empty for the first.
  int gpus = 0;             // Whole machines, at the busiest hour; 0 for the API.
};

struct PlanMachine {
  std::string accelerator, title, precision, procurement, cooling, network, link;
  std::string kv_format;  // Format of keys and values; empty for a training run.
  ServeLayout layout{.replicas = 0, .gpus = 0};  // Copies of a training run are its replicas.
  std::optional<ServeLayout> prompts;            // Machines that only compute prompts.
  std::string layout_words;
  int nodes = 0;
  int gpus_per_node = 8;
  std::int64_t nodes_per_rack = 0;  // 0: not known.
  std::string link_words;           // Inside a node, and between nodes.
  std::string fabric_words;
};

// The answer after a change, as far as it was computed.
struct PlanOutcome {
  PlanDecision decision = PlanDecision::kHold;
  int gpus = 0;
  std::optional<double> load_factor;
  std::optional<Dollars> per_month;
};

// A change, and what it would do.
struct PlanLever {
  std::string name;
  std::string effect;
  std::string edit = {};  // The `--set` that makes it; empty where no key does.
  std::optional<PlanOutcome> then = std::nullopt;
};

// Machines that were weighed and not chosen.
struct PlanRunner {
  std::string name;
  Dollars cost;  // Zero: not known.
  std::string why;
  std::string accelerator = {};
  int gpus = 0;  // 0: not known.
  std::optional<double> load_factor = std::nullopt;
};

struct PlanPoint {
  int gpus = 0;
  double load_factor = 0;
  double within_slo = 1;
  double efficiency = 0;  // Of training: useful tokens per GPU over the best size; 0: not known.
};

// The line of one option. Dollars a month = base + GPUs × (fixed + rent × (r − 1) + working ×
// load), where r is the rent over today's. All but the base are of one GPU.
struct PlanSlider {
  std::string name, kind;
  Dollars base;
  Dollars fixed;
  Dollars rent;  // Of the fixed: what moves with the rent.
  Dollars working;
  std::optional<Dollars> price;  // Of a rented GPU-hour today.
};

// What the page needs to price other traffic, loads and prices by the engine's own formulas.
struct PlanSliders {
  double gpus = 0;
  double gpus_per_replica = 1;
  double load = 0;
  TokensPerSecond rate;           // Of one GPU, saturated.
  Dollars people;                 // A month.
  std::optional<Dollars> api;     // Of a million tokens.
  std::optional<Dollars> hourly;  // A GPU rented on demand for a month, all in.
  std::optional<Tokens> run;      // Of a training run: all its tokens.
  std::vector<PlanSlider> options;
};

// Money out, added up: at the start, then month by month.
struct PlanCash {
  std::string name;
  std::vector<Dollars> spent;
};

// One bar of a picture: memory of a GPU, or time of a step.
struct PlanPart {
  std::string group;
  std::string name;
  double amount = 0;
};

// A number the answer rests on.
struct PlanAssumption {
  std::string what, value, basis, source, date, where;
};

struct PlanDot {
  std::string name;
  double x = 0;
  double y = 0;
  bool chosen = false;
};

// What filled the fleet; of a service.
struct PlanFill {
  int replicas = 0;
  Hertz saturated;  // Requests of one replica,
  Hertz mean;       // and of the demand.
  double input = 0;
  double output = 0;
};

// A comparison that was asked of the plan.
struct PlanGate {
  std::string text;   // As it was asked.
  std::string words;  // With the figures.
  bool holds = false;
  std::optional<double> left, right;  // Both sides in base units; nothing where none was computed.
};

struct PlanAnswer {
  std::string scenario, title;
  bool is_training = false;
  PlanDecision decision = PlanDecision::kHold;
  std::string verdict;     // One sentence or two, with the numbers.
  std::string infeasible;  // Why it is not feasible, and what is nearest; empty where it is.
  std::string because;
  // Both are of the option that is recommended, or weighed against the API: of the GPU-hours it
  // pays for, at its price.
  std::optional<EstimateOf<double>> load_factor;
  std::optional<EstimateOf<double>> break_even;
  std::string against;  // What the break-even is compared with.
  // Of all GPUs of the plan around the clock: what the week is shares of.
  std::optional<double> fleet_load;
  std::optional<EstimateOf<double>> within_slo;  // Share of requests; of a service.
  std::vector<PlanFlip> flips;                   // Of a service; nearest first.
  bool flips_sought = false;                     // Whether any were looked for.
  bool is_close = false;                 // The interval of a difference that decides contains zero:
  std::vector<std::string> close_calls;  // these.
  std::optional<PlanMachine> machine;
  std::string training_beside;      // Of a service on one pool with a run: how the run is done.
  std::vector<PlanOption> options;  // The cheapest first.
  std::vector<PlanLever> levers;
  std::vector<PlanRunner> runners;
  std::optional<CostAnswer> cost;     // Of the recommended machine,
  std::optional<CostRequest> priced;  // and the question it answers.
  std::optional<PlanFill> fill;

  TokensPerSecond full_plane;
  std::optional<PlanSliders> sliders;
  std::vector<PlanCash> cash;
  std::vector<PlanPart> memory;  // GiB of the fullest GPU.
  std::vector<PlanPart> steps;   // Of serving: milliseconds of the parts of a step.
  std::vector<double> week;      // Load by hour, Monday first; < 0: not known of that hour.
  std::vector<std::pair<std::string, double>> losses;
  std::vector<PlanPoint> curve;
  int knee = 0;
  std::optional<TrainAnswer> training;
  std::vector<PlanDot> front;
  std::string front_x, front_y;
  std::optional<EstimateOf<Seconds>> duration;
  std::optional<bool> deadline_met;
  std::vector<std::string> commands;
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
  std::vector<PlanAssumption> assumptions;
  std::vector<PlanGate> gates;  // Set by whoever asks.
  std::string accuracy;  // Of the model on this hardware; set by whoever has the published runs.
};

// Nothing if the scenario has errors. Work that no candidate can do is an answer.
std::optional<PlanAnswer> make_plan(const Engine& engine, const PlanQuestion& question,
                                    Diagnostics& diagnostics);

// `loadfactor fill my.yaml --set '…'`: a verb on what was asked, with what was set.
std::string command_text(const PlanQuestion& question, std::string_view verb);

// The two kinds of work and both together, in files of their own.
std::optional<PlanAnswer> plan_serving(const Engine& engine, const PlanQuestion& question,
                                       Diagnostics& diagnostics);
std::optional<PlanAnswer> plan_training(const Engine& engine, const PlanQuestion& question,
                                        Diagnostics& diagnostics);
std::optional<PlanAnswer> plan_pool(const Engine& engine, const PlanQuestion& question,
                                    Diagnostics& diagnostics);

// What both share.
void add_building(const CostAnswer& cost, PlanMachine& machine);
void add_pair(PlanAnswer& answer);
// Lines of the options that are linear, and their cash.
void add_sliders(const Engine& engine, const CostRequest& request, PlanAnswer& answer);
void add_links(const catalog::Catalog& catalog, PlanMachine& machine);
// What the scenario says and what the catalogue added, with values.
void add_assumptions(const catalog::Catalog& catalog, const PlanQuestion& question,
                     PlanAnswer& answer);
std::string dollars_text(Dollars amount);
std::string percent_text(double share);

}  // namespace loadfactor::engine
