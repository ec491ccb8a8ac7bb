/// What does it cost, and is there a cheaper way to have the same work done?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/fit.h"
#include "loadfactor/quantity.h"
#include "loadfactor/scenario.h"

namespace loadfactor {

using GpuTime = Quantity<Dimension{.time = 1, .gpu = 1}>;

/// What a training run takes by one way to pay.
struct RunWay {
  OptionKind kind = OptionKind::kOnDemand;
  double gpus = 0;                                   ///< Paid, spares included.
  EstimateOf<double> share;                          ///< Steady steps' part of their time.
  std::optional<EstimateOf<Seconds>> duration = {};  ///< Where its tokens are said.
  std::optional<EstimateOf<Dollars>> cost = {};      ///< As whoever predicts the run has it.
};

/// Work that ends: the machines are paid for it, and for what outlasts it.
struct KnownRun {
  Tokens tokens;             ///< Zero where its length is not said.
  double there = 0;          ///< GPUs that are owned already and serve others after it.
  std::vector<RunWay> ways;  ///< By which it ends; it cannot be had by another one.
};

/// What there is to be filled, where a serving or training model knows it.
struct KnownCapacity {
  double gpus = 0;
  TokensPerSecond full_plane;                   ///< What all of them give, saturated.
  double load_factor = 0;                       ///< Share of the full plane that carries work.
  std::optional<EstimateOf<double>> load = {};  ///< The same with its interval, where it is known.
  /// How far from known the full plane is, as a coefficient; 0: nobody says.
  double variation = 0;
  std::vector<double> busy_by_hour;  ///< GPUs kept busy, hour by hour; may be empty.
  std::string source;                ///< Who says so.
  double replica = 1;                ///< GPUs that come and go together.
  /// Share of the time that so many replicas were on in a simulation, the place being the number;
  /// it goes before the hours. May be empty.
  std::vector<double> on = {};
  std::optional<KnownRun> run = {};  ///< Nothing for a service, which does not end.
};

/// The requests of a service, as means.
struct KnownDemand {
  Hertz requests;
  Tokens tokens_in;   ///< In each request.
  Tokens tokens_out;  ///< In its answer.

  TokensPerSecond tokens() const { return requests * (tokens_in + tokens_out); }
};

/// A scenario, with the files that it names.
struct CostInputs {
  config::Scenario scenario;
  std::vector<ModelFile> model_files;  ///< Where the model served, or trained, is in a file.
  std::string_view trace_bytes;        ///< The file that `demand: {trace: …}` names.
  std::string today;                   ///< YYYY-MM-DD; ages of prices are not known without it.
  std::uint64_t seed = 1;
  std::int64_t draws = 4096;
  std::string bill_of;  ///< Kind of the option whose bill is shown; empty: the machine as asked.
  std::optional<KnownCapacity> capacity;  ///< Used where the scenario states none.
  std::optional<KnownDemand> demand;      ///< The service's, whoever read it.
};

/// What tells one way to pay from the others.
struct OptionName {
  OptionKind kind = OptionKind::kOnDemand;
  double gpus = 0;       ///< Mean, paid for; 0 for the API.
  double owned = 0;      ///< How many of a mix are owned…
  double reserved = 0;   ///< …and reserved.
  std::string of;        ///< The chip, the seller of tokens, or what the scenario calls it.
  std::string platform;  ///< Where a managed machine runs; empty where none is named.

  friend bool operator==(const OptionName&, const OptionName&) = default;
};

/// What a break-even is against.
struct RivalOption {
  OptionKind kind = OptionKind::kApi;
  std::string seller;  ///< Who sells tokens; empty for machines, which are paid by the useful hour.

  friend bool operator==(const RivalOption&, const RivalOption&) = default;
};

/// Whether a machine is as full as it must be.
enum class BreakEvenVerdict : std::uint8_t {
  kPays,
  kShort,  ///< Not full enough.
  kNever,  ///< It cannot be that full.
};

/// A commitment that does not end with the run it is paid for.
struct OptionTerm {
  Seconds commitment;
  Seconds run;
  bool is_renewed = false;  ///< The run is longer: the last term is whole, or on demand.
};

/// What a line of the bill is for.
enum class BillItem : std::uint8_t {
  kOption,  ///< All of an option that has no lines of its own.
  kCapital,
  kOwnAllIn,
  kOwnedBase,
  kReservedBase,      ///< For a year,
  kLongReservedBase,  ///< for three.
  kSpotBurst,
  kOnDemandBurst,
  kRent,
  kCarryingWork,
  kFlyingEmpty,
  kElectricity,
  kSpace,
  kMaintenance,
  kInsurance,
  kStaff,
  kSoftware,
  kOutOfOrder,
  kInterruptions,
  kWaiting,
  kPlatform,
  kSupport,
  kLostHours,
  kStorage,
  kEgress,
  kDebugging,
  kSetUp,
  kBesideHours,  ///< What the contracts of a mix cost beside their hours.
  kSoldHours,
  kTokens,
  kTokensIn,
  kTokensCached,
  kTokensOut,
  kPeople,
};
enum class BillUnit : std::uint8_t { kFlat, kGpuHours, kKilowattHours, kMillionTokens };

/// A row of the bill. Children stand behind their parent, one level deeper; those sum to it.
struct CostLine {
  BillItem item = BillItem::kOption;
  int depth = 0;
  std::optional<double> quantity;  ///< Per month.
  BillUnit unit = BillUnit::kFlat;
  std::optional<Dollars> unit_price;
  Dollars monthly;
  bool assumed = false;
  Seconds life;  ///< That capital is spread over.
};

struct CostOption {
  OptionName name;
  OptionKind kind = OptionKind::kOnDemand;
  double gpus = 0;                                    ///< Mean, paid for; 0 for the API.
  double owned = 0;                                   ///< How many of a mix are owned…
  double reserved = 0;                                ///< …and reserved.
  std::optional<EstimateOf<double>> load_factor;      ///< Their load factor.
  std::optional<EstimateOf<double>> break_even;       ///< Today; nothing where no load suffices.
  std::optional<EstimateOf<double>> break_even_life;  ///< Averaged over the commitment.
  std::optional<RivalOption> against;                 ///< What the break-even is against.
  std::optional<BreakEvenVerdict> verdict;            ///< Nothing where there is no rival.
  EstimateOf<Dollars> per_month;
  std::optional<EstimateOf<Dollars>> per_mtoken;
  std::optional<Dollars> per_mtoken_in;
  std::optional<Dollars> per_mtoken_cached;
  std::optional<Dollars> per_mtoken_out;
  EstimateOf<Dollars> per_useful_gpu_hour;
  std::optional<Dollars> per_run;   ///< With what outlasts the run.
  std::optional<Seconds> run_time;  ///< What the run takes by this way.
  /// Both as `train` has them, with their intervals; nothing where a capacity is stated.
  std::optional<EstimateOf<Dollars>> run_cost = {};
  std::optional<EstimateOf<Seconds>> run_duration = {};
  std::optional<OptionTerm> term = {};  ///< Where it does not end with the run.
  std::optional<Seconds> payback;       ///< Against the rent, or tokens, of the work it carries.
  Dollars present_cost;                 ///< Over the horizon, rents and tokens at today's price.
  Dollars expected_present_cost;  ///< On the paths the scenario states: tokens fall, rents move.
  double wins = 0;                ///< Share of draws in which it is the cheapest.
  Dollars p50_per_month;
  Dollars mean_per_month;  ///< Over the draws.
  Dollars
      mean_compared;  ///< The same of what is compared: a month, or a run's cost over its months.
  std::optional<Dollars> p50_per_mtoken;
};

/// An option that was asked for and has no price.
struct UnpricedOption {
  std::string name;
  int code = 0;
  std::string why;
  OptionKind kind = OptionKind::kOnDemand;
};

struct BreakEven {
  OptionName option;
  RivalOption against;
  double today = 0;  ///< Infinite where no load suffices.
  double life = 0;
  BreakEvenVerdict verdict = BreakEvenVerdict::kShort;
};

/// A course that rents may take.
struct RentPath {
  enum class Kind : std::uint8_t {
    kStay,
    kStated,   ///< The scenario's curve.
    kDrift,    ///< So much a year.
    kJump,     ///< So much at once, after a year.
    kHistory,  ///< The drift of the past, on.
  };
  Kind kind = Kind::kStay;
  double change = 0;  ///< Relative.
};

struct RegretRow {
  RentPath path;
  std::vector<Dollars> cost;    ///< Present cost over the horizon, by option.
  std::vector<Dollars> regret;  ///< Above the best of the row.
};

/// What an option costs over the horizon where rents move at random.
struct PathOutcome {
  OptionName option;
  Dollars p10;
  Dollars p50;
  Dollars p90;
  Dollars mean_regret;  ///< Above the best of each path.
  double wins = 0;      ///< Share of paths on which it is the cheapest.
};

/// Rents as a random walk back to a drifting mean, with jumps.
struct RentPaths {
  enum class Basis : std::uint8_t { kHistory, kCatalogue, kStated };
  std::int64_t paths = 0;
  Basis basis = Basis::kCatalogue;  ///< Where drift, volatility and jumps come from.
  double drift = 0;                 ///< Per year.
  double volatility = 0;
  double reversion = 0;  ///< Per year.
  double jumps = 0;      ///< Per year.
  double jump_down = 0;
  double jump_up = 0;
  double end_p10 = 1;  ///< The rent at the end of the horizon over today's.
  double end_p50 = 1;
  double end_p90 = 1;
  std::vector<PathOutcome> options;  ///< In the order of the answer's.
};

/// Where a cost of capital comes from.
enum class DiscountBasis : std::uint8_t {
  kStated,
  kUsual,     ///< That of GPU clouds.
  kWeighted,  ///< From debt and equity.
};

/// What the purchase costs per GPU and hour, as three people would count it.
struct CapitalViews {
  Dollars annuity;                  ///< Price less residual at the cost of capital; decides.
  Dollars book;                     ///< Straight line, without a cost of capital.
  std::optional<Dollars> market;    ///< What the market takes off its value, over the life.
  double discount = 0;              ///< Cost of capital, per year.
  std::optional<double> debt_rate;  ///< Where the discount is made of debt…
  std::optional<double> debt_share;
  std::optional<double> equity_rate;  ///< …and equity.
  DiscountBasis basis = DiscountBasis::kUsual;
};

/// Interruptions of spot machines.
struct SpotAnswer {
  double gang = 1;                         ///< Nodes that stop together.
  Seconds between_interruptions;           ///< The gang's, on average.
  double multiplier = 1;                   ///< Hours paid per useful hour.
  double waiting_share = 0;                ///< Share of calendar time without capacity.
  std::optional<Dollars> delay_per_month;  ///< What waiting costs where delay has a price.
};

struct LoadRow {
  double load_factor = 0;
  Dollars per_useful_gpu_hour;
  std::optional<Dollars> per_mtoken;
  double multiple = 1;  ///< Multiple of the full plane's cost of work.
};

/// The inputs that are uncertain. Each is drawn as a factor on its value, but the load factor,
/// which is a share and drawn as such.
enum class CostFactor : std::uint8_t {
  kRent,
  kCapital,
  kResidual,
  kElectricity,
  kPue,
  kRate,
  kLoad,
  kApiPrice,
};

struct TornadoRow {
  CostFactor input = CostFactor::kRent;
  double low = 0;  ///< The input, over its value (the load factor: as a share).
  double high = 0;
  Dollars at_low;  ///< Cost of a million tokens, or of a useful GPU-hour.
  Dollars at_high;
  OptionName cheapest_low;
  OptionName cheapest_high;
};

struct InputWorth {
  CostFactor input = CostFactor::kRent;
  double variation = 0;
  double first = 0;  ///< Share of the variance that it explains alone.
  double total = 0;  ///< With all interactions.
  Dollars worth;     ///< What knowing it is worth, per month.
};

struct RentOrOwn {
  Dollars saving;           ///< Present value of owning one GPU over renting its useful hours.
  Dollars break_even_rent;  ///< Per hour.
  double break_even_load = 0;
  std::optional<Seconds> payback;
  int months = 0;
  Dollars rent;
  Dollars saving_around_clock;  ///< Over renting it day and night, busy or not.
};

struct MarginalGpu {
  Dollars add;      ///< What one more returns per month, net.
  Dollars give_up;  ///< What one less saves per month, net of what it no longer carries.
  bool is_demand_met = true;
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
  std::optional<GpuTime> break_even_work;  ///< The incumbent's.
  double least_performance = 0;
  Dollars price_after_delay;  ///< Per hour of the incumbent's work.
  Seconds longest_delay;
  Seconds longest_delay_discounted;
  Dollars option_value;  ///< What being able to switch is worth, per GPU and month.
  Dollars incumbent;     ///< Per hour.
  Dollars cost;
};

struct WaitingAnswer {
  Dollars value;  ///< Per GPU over the horizon.
  std::optional<double> least_gain;
};

/// One way to pay in the cheapest mix of all.
struct MixTierRow {
  OptionKind option = OptionKind::kOwn;
  bool committed = false;  ///< Paid around the clock.
  double most = 0;         ///< GPUs at the busiest hour.
  double mean = 0;
  std::vector<double> by_hour;
};

struct BaseAndBurst {
  double owned = 0;
  double burst = 0;
  double idle = 0;
  Dollars per_day;
  Dollars all_rented_per_day;
  Dollars peak_owned_per_day;
  Seconds critical_time;          ///< How long a day the last owned GPU must be busy.
  std::vector<MixTierRow> tiers;  ///< All ways with a price, in whole machines.
  std::optional<Dollars> tiers_per_day;
};

/// Why a rack with one way of cooling holds no node.
struct CoolingObjection {
  enum class Kind : std::uint8_t {
    kLiquidOnly,  ///< The node is cooled by liquid only.
    kTooMuchPower,
  };
  Kind kind = Kind::kLiquidOnly;
  Watts node;  ///< Rated.
  Watts rack;  ///< What a rack may have.
};

struct CoolingRow {
  std::string cooling;
  bool legal = false;
  std::optional<CoolingObjection> why_not;
  std::int64_t nodes_per_rack = 0;
  std::int64_t racks = 0;
  double pue = 1;
  Watts site_power;
  Dollars per_month;
  bool chosen = false;
};

struct NetworkRow {
  std::string topology;
  int levels = 0;
  std::int64_t switches = 0;
  std::int64_t leaves = 0;
  std::int64_t cables = 0;
  std::int64_t optics = 0;
  std::optional<double> oversubscription;  ///< At the leaf; none where it has no leaves.
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
  bool asked = false;
};

/// What the catalogue's host of a node has, where that is too little.
struct HostShortfall {
  std::string node;
  std::optional<int> cores;
  std::optional<Bytes> memory;
  std::optional<Bytes> nvme;
};

/// What a node's host must have; nothing where it cannot be known.
struct HostAnswer {
  int cores = 0;
  Bytes memory;
  int nics = 0;
  std::optional<Bytes> checkpoint;  ///< The whole job's.
  std::optional<Bytes> nvme;        ///< One node's.
  std::optional<int> drives;
  std::optional<BytesPerSecond> checkpoint_bandwidth;  ///< One node's.
  std::optional<Seconds> checkpoint_within;
  std::optional<BytesPerSecond> loading;  ///< Training data, one node.
  std::optional<HostShortfall> shortfall;
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
  double pue = 1;  ///< That energy is counted with.
  Dollars energy_cost_per_month;
  HostAnswer host;
  std::vector<std::string> assumed;  ///< Facts without a document behind them.
};

/// Examination of a break-even that somebody states.
struct ClaimAnswer {
  double claimed = 0;
  double computed = 0;
  double price_factor = 1;  ///< On the API's price, to make the claim true.
  bool holds = false;
};

struct UsedPrice {
  std::string what;
  std::string price;
  std::string date;
  std::optional<int> age_days;
  std::string source;
  bool assumed = false;
};

/// How sure the first of the options is. All are places in the answer's list.
struct CostVerdict {
  bool is_close = false;         ///< Few draws confirm it, or another one is cheaper on average.
  std::size_t most_wins = 0;     ///< The cheapest in most draws,
  std::size_t least_mean = 0;    ///< on average over the draws,
  std::size_t over_horizon = 0;  ///< and with prices moving as stated.
};

struct CostAnswer {
  std::string scenario;
  std::string accelerator;
  std::string today;
  CostVerdict verdict;
  double gpus = 0;
  double load_factor = 0;
  std::optional<EstimateOf<double>> load = {};  ///< The same with its interval, where it is known.
  double most_load = 1;                         ///< No machine of this can be fuller.
  std::optional<TokensPerSecond> full_plane;
  std::optional<Tokens> tokens_per_month;
  OptionName bill_of;  ///< The option the tree shows.
  std::vector<CostLine> lines;
  Dollars total;
  std::optional<Dollars> full_plane_per_mtoken;
  std::vector<CostOption> options;  ///< The cheapest first.
  std::vector<UnpricedOption> unpriced;
  std::vector<BreakEven> break_evens;
  std::vector<RegretRow> regret;
  std::optional<RentPaths> rent_paths;
  std::optional<CapitalViews> capital;
  std::optional<SpotAnswer> spot;
  Seconds horizon;
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
  /// The answer with each uncertain input at its low and then at its high end, for the intervals of
  /// figures that are not drawn. Empty where none were asked for.
  std::vector<CostAnswer> ends;
  std::vector<UsedPrice> prices;
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
};

}  // namespace loadfactor
