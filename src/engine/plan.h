// Should I have these GPUs? Sizes or searches, fills, prices, and says one thing to do.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/serving_world.h"
#include "loadfactor/cost.h"
#include "loadfactor/engine.h"
#include "loadfactor/search.h"

namespace loadfactor::engine {

struct PlanQuestion {
  ServingQuestion serving;  // File, text and whatever else the scenario names.
  std::string today;        // YYYY-MM-DD, for the ages of prices.
  std::int64_t draws = 4096;
  int threads = 1;
  int confirm = 2;  // Deployments that are simulated.
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

// A way to have the work done, priced.
struct PlanOption {
  CostOption cost;
  std::string accelerator;  // Empty for the API.
  Dollars amount;           // Per month, or for the run.
  std::string why;          // Why it was not chosen; empty for the first.
};

struct PlanMachine {
  std::string accelerator, title, precision, layout, procurement, cooling, network, link;
  int gpus = 0;
  int replicas = 0;
  int nodes = 0;
  int gpus_per_node = 8;
  int tp = 1;
  int pp = 1;
};

struct PlanLever {
  std::string name;
  std::string effect;
};

struct PlanRunner {
  std::string name;
  Dollars cost;
  std::string why;
};

struct PlanPoint {
  int gpus = 0;
  double load_factor = 0;
  double within_slo = 1;
};

// cost = fixed + working × load a month; the API is paid by the token.
struct PlanSlider {
  std::string name, kind;
  Dollars fixed;
  Dollars working;
  Dollars rent;  // Of the fixed: what moves with the rent.
  std::optional<Dollars> per_mtoken;
};

struct PlanDot {
  std::string name;
  double x = 0;
  double y = 0;
  bool chosen = false;
};

struct PlanAnswer {
  std::string scenario, title;
  bool is_training = false;
  PlanDecision decision = PlanDecision::kHold;
  std::string verdict;  // One sentence or two, with the numbers.
  std::string because;
  std::optional<EstimateOf<double>> load_factor;
  std::optional<EstimateOf<double>> break_even;
  std::string against;
  bool is_close = false;  // The interval of the difference contains zero.
  std::optional<PlanMachine> machine;
  std::vector<PlanOption> options;  // The cheapest first.
  std::vector<PlanLever> levers;
  std::vector<PlanRunner> runners;
  std::optional<CostAnswer> cost;  // Of the recommended machine.

  TokensPerSecond full_plane;
  std::vector<PlanSlider> sliders;
  std::vector<double> week;  // Load by hour, Monday first; empty where not known.
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
};

// Nothing if the scenario has errors. Work that no candidate can do is an answer.
std::optional<PlanAnswer> make_plan(const Engine& engine, const PlanQuestion& question,
                                    Diagnostics& diagnostics);

// `load_factor >= break_even`: whether it holds. Figures: load_factor, break_even, cost, gpus, days
// and per_mtoken; a number may carry `%`.
Result<bool> holds(const std::string& gate, const PlanAnswer& answer);

// The two kinds of work, in files of their own.
std::optional<PlanAnswer> plan_serving(const Engine& engine, const PlanQuestion& question,
                                       Diagnostics& diagnostics);
std::optional<PlanAnswer> plan_training(const Engine& engine, const PlanQuestion& question,
                                        Diagnostics& diagnostics);

// What both share.
void add_building(const CostAnswer& cost, PlanMachine& machine);
void add_pair(PlanAnswer& answer);
// Prices the same machines at another load, which gives each option's line.
void add_sliders(const Engine& engine, CostRequest request, PlanAnswer& answer);
std::string dollars_text(Dollars amount);
std::string percent_text(double share);

}  // namespace loadfactor::engine
