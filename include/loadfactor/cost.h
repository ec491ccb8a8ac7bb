/// What does it cost, and is there a cheaper way to have the same work done?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/quantity.h"

namespace loadfactor {

/// What there is to be filled, where a serving or training model knows it.
struct KnownCapacity {
  double gpus = 0;
  TokensPerSecond full_plane;        ///< Of all of them, saturated.
  double load_factor = 0;            ///< Share of the full plane that carries work.
  std::vector<double> busy_by_hour;  ///< GPUs kept busy, hour by hour; may be empty.
  std::string source;                ///< Who says so.
};

/// A scenario with a `capacity` section, or one whose capacity is handed in.
struct CostRequest {
  std::string file;  ///< How to call the scenario in errors; `.json` is read as JSON, else YAML.
  std::string text;
  std::vector<std::string> overrides;  ///< `money.electricity=0.1 USD/kWh`.
  std::string today;                   ///< YYYY-MM-DD; ages of prices are not known without it.
  std::uint64_t seed = 1;
  std::int64_t draws = 4096;
  std::optional<KnownCapacity> capacity;  ///< Used where the scenario states none.
};

/// A row of the bill. Children stand behind their parent, one level deeper; those sum to it.
struct CostLine {
  std::string name;
  int depth = 0;
  std::optional<double> quantity;  ///< Per month.
  std::string unit;
  std::optional<Dollars> unit_price;
  Dollars monthly;
  bool assumed = false;
};

struct CostOption {
  std::string name;
  std::string kind;  ///< on-demand, reserved-1y, …, own, api, own+burst, alternative.
  double gpus = 0;   ///< Mean, paid for; 0 for the API.
  std::optional<EstimateOf<double>> load_factor;      ///< Of those.
  std::optional<EstimateOf<double>> break_even;       ///< Today; nothing where no load suffices.
  std::optional<EstimateOf<double>> break_even_life;  ///< Averaged over the commitment.
  std::string against;                                ///< What the break-even is against.
  std::string verdict;                                ///< pays | short | never | empty.
  EstimateOf<Dollars> per_month;
  std::optional<EstimateOf<Dollars>> per_mtoken;
  std::optional<Dollars> per_mtoken_in;
  std::optional<Dollars> per_mtoken_cached;
  std::optional<Dollars> per_mtoken_out;
  EstimateOf<Dollars> per_useful_gpu_hour;
  std::optional<Dollars> per_run;
  std::optional<double> payback_months;
  Dollars present_cost;  ///< Over the horizon, rents and tokens at today's price.
  double wins = 0;       ///< Share of draws in which it is the cheapest.
  Dollars p50_per_month;
};

/// An option that was asked for and has no price.
struct UnpricedOption {
  std::string name;
  int code = 0;
  std::string why;
};

struct BreakEven {
  std::string option;
  std::string against;
  double today = 0;  ///< Infinite where no load suffices.
  double life = 0;
  std::string verdict;  ///< pays | short | never.
};

struct RegretRow {
  std::string path;
  std::vector<Dollars> cost;    ///< Present cost over the horizon, by option.
  std::vector<Dollars> regret;  ///< Above the best of the row.
};

struct LoadRow {
  double load_factor = 0;
  Dollars per_useful_gpu_hour;
  std::optional<Dollars> per_mtoken;
  double multiple = 1;  ///< Of the full plane's cost of work.
};

struct TornadoRow {
  std::string input;
  double low = 0;  ///< The input, over its value (the load factor: as a share).
  double high = 0;
  Dollars at_low;  ///< Cost of a million tokens, or of a useful GPU-hour.
  Dollars at_high;
  std::string cheapest_low;
  std::string cheapest_high;
};

struct InputWorth {
  std::string input;
  double variation = 0;
  double first = 0;  ///< Share of the variance that it explains alone.
  double total = 0;  ///< With all interactions.
  Dollars worth;     ///< Of knowing it, per month.
};

struct RentOrOwn {
  Dollars saving;           ///< Present value of owning one GPU over renting its useful hours.
  Dollars break_even_rent;  ///< Per hour.
  double break_even_load = 0;
  std::optional<double> payback_months;
  int months = 0;
  Dollars rent;
};

struct MarginalGpu {
  Dollars add;      ///< What one more returns per month, net.
  Dollars give_up;  ///< What one less saves per month, net of what it no longer carries.
  std::string sentence;
};

struct TrainingSize {
  double best_gpus = 0;
  Dollars cost_at_best;
  double gpus = 0;
  Dollars cost;
  Dollars next_gpu;
  Seconds time;
};

struct PortingAnswer {
  std::string name;
  std::optional<double> break_even_gpu_hours;
  double least_performance = 0;
  Dollars price_after_delay;  ///< Per hour of the incumbent's work.
  double longest_delay_months = 0;
  double longest_delay_discounted_months = 0;
  Dollars option_value;  ///< Of being able to switch, per GPU and month.
  Dollars incumbent;     ///< Per hour.
  Dollars cost;
};

struct WaitingAnswer {
  Dollars value;  ///< Per GPU over the horizon.
  std::optional<double> least_gain;
};

struct BaseAndBurst {
  double owned = 0;
  double burst = 0;
  double idle = 0;
  Dollars per_day;
  Dollars all_rented_per_day;
  Dollars peak_owned_per_day;
  double critical_hours = 0;    ///< Of a day, that the last owned GPU must be busy.
  bool solved_exactly = false;  ///< The integer programme found the same cost.
  std::optional<Dollars> solved_per_day;
};

struct CoolingRow {
  std::string cooling;
  bool legal = false;
  std::string why_not;
  std::int64_t nodes_per_rack = 0;
  std::int64_t racks = 0;
  double pue = 1;
  Watts site_power;
  Dollars per_month;
  bool chosen = false;
};

struct NetworkRow {
  std::string topology;
  std::int64_t switches = 0;
  std::int64_t cables = 0;
  int hops = 0;
  std::int64_t failure_domain = 0;
  Dollars price;
  Watts power;
  bool possible = false;
};

struct CapRow {
  Watts cap;
  double rate = 1;
  double work_per_joule = 1;
  std::int64_t racks = 0;
};

struct FacilityAnswer {
  std::string node;
  std::int64_t nodes = 0;
  Watts gpus_only;  ///< The chips alone, rated.
  Watts rated;      ///< With hosts.
  Watts typical;
  Watts idle;
  std::vector<CoolingRow> cooling;
  std::vector<NetworkRow> networks;
  std::vector<CapRow> caps;
  double floor_area = 0;  ///< Square metres.
  Joules energy_per_month;
  std::optional<double> carbon_kg_per_month;
  int host_cores = 0;
  Bytes host_memory;
};

/// Examination of a break-even that somebody states.
struct ClaimAnswer {
  double claimed = 0;
  double computed = 0;
  double price_factor = 1;  ///< On the API's price, to make the claim true.
  std::string sentence;
};

struct UsedPrice {
  std::string what;
  std::string price;
  std::string date;
  std::optional<int> age_days;
  std::string source;
  bool assumed = false;
};

struct CostAnswer {
  std::string scenario;
  std::string accelerator;
  std::string today;
  std::string verdict;
  double gpus = 0;
  double load_factor = 0;
  std::optional<TokensPerSecond> full_plane;
  std::optional<Tokens> tokens_per_month;
  std::string bill_of;  ///< The option the tree shows.
  std::vector<CostLine> lines;
  Dollars total;
  std::optional<Dollars> full_plane_per_mtoken;
  std::vector<CostOption> options;  ///< The cheapest first.
  std::vector<UnpricedOption> unpriced;
  std::vector<BreakEven> break_evens;
  std::vector<RegretRow> regret;
  std::vector<LoadRow> loads;
  std::vector<TornadoRow> tornado;
  std::vector<InputWorth> inputs;
  Dollars worth_of_knowing_all;  ///< Per month.
  std::int64_t draws = 0;
  std::optional<RentOrOwn> rent_or_own;
  std::optional<MarginalGpu> marginal;
  std::optional<TrainingSize> training;
  std::vector<PortingAnswer> porting;
  std::optional<WaitingAnswer> waiting;
  std::optional<BaseAndBurst> mix;
  std::optional<FacilityAnswer> facility;
  std::optional<ClaimAnswer> claim;
  std::vector<UsedPrice> prices;
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
};

}  // namespace loadfactor
