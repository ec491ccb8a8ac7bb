/// What a scenario says about money, known capacity and the building.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/origin.h"
#include "loadfactor/quantity.h"

namespace loadfactor::config {

/// Who buys the hours of the machine, which decides what its debt costs.
enum class Offtake : std::uint8_t {
  kInvestmentGrade,
  kSpeculative,
  kMerchant,
};
/// Where the money comes from; its cost is the discount.
struct FinancingSection {
  Placed<double> debt_share;
  Given<double> debt_rate;  ///< Per year; by `offtake` unless said.
  Given<Offtake> offtake;
  Placed<double> equity_rate;  ///< Per year.
  Given<double> tax;
};
/// How books write off what was bought.
enum class DepreciationWord : std::uint8_t { kStraightLine, kMacrs };
/// Owning the hardware; money is of one GPU with its share of node, network and site.
struct Ownership {
  Given<Seconds> life;
  Given<double> residual;                     ///< Share of the price that is left at the end.
  Given<double> discount;                     ///< Per year.
  std::optional<FinancingSection> financing;  ///< Instead of the discount.
  Given<Dollars> price;
  Given<DollarsPerGpuSecond> all_in;  ///< Instead of the parts.
  Given<Watts> power;                 ///< Rated.
  Given<double> electrical_load;      ///< Share of the rating, when it works.
  Given<double> idle_power;           ///< Share of the working draw, when it does not.
  Given<double> pue;
  Given<DollarsPerJoule> space;  ///< USD/kW/month.
  Given<bool> build;             ///< The site is built, not rented.
  Given<double> maintenance;     ///< Share of the price, per year.
  Given<double> insurance;       ///< Share of the price, per year.
  Given<DollarsPerGpuSecond> staff;
  Given<DollarsPerGpuSecond> software;
  Given<double> availability;
  Given<DollarsPerGpuSecond> resale;  ///< What idle hours are sold for.
  Given<std::int64_t> most;           ///< GPUs that can be owned.
  Given<std::string> as_of;
  Given<Seconds> lead_time;              ///< From the order to a GPU that works.
  Given<DepreciationWord> depreciation;  ///< How the books write the price off.
};
/// Renting; prices that are not written come from the catalogue.
struct RentSection {
  Given<DollarsPerGpuSecond> on_demand;
  Given<DollarsPerGpuSecond> reserved_1y;
  Given<DollarsPerGpuSecond> reserved_3y;
  Given<DollarsPerGpuSecond> spot;
  Given<std::string> provider;
  Given<std::int64_t> instance;  ///< GPUs of the smallest machine that is rented.
  Given<std::string> as_of;
  Given<double> commit;     ///< Share billed at least.
  Given<double> support;    ///< Share on top.
  Given<double> goodput;    ///< Share of hours lost to the provider.
  Given<double> surcharge;  ///< What a managed platform adds.
  Given<std::string> platform;
  Given<DollarsPerSecond> storage;
  Given<DollarsPerSecond> egress;
  Given<DollarsPerSecond> debugging;
  Given<Dollars> setup;
};
struct SpotSection {
  Given<double> interrupted;  ///< Share of nodes, in 30 days.
  Given<Seconds> loss;        ///< Per interruption.
  Given<Seconds> wait;        ///< For capacity.
  Given<std::int64_t> gang;   ///< Nodes that stop together.
};
/// Paying per token, by a model of the catalogue or by prices.
struct ApiSection {
  Given<std::string> model;
  Given<std::string> provider;
  Given<DollarsPerToken> price;  ///< Any token's.
  Given<DollarsPerToken> input;
  Given<DollarsPerToken> cached;
  Given<DollarsPerToken> output;
  Given<double> input_share;   ///< Share of all tokens.
  Given<double> cached_share;  ///< Share of the input.
  Given<Seconds> half_life;
  Given<TokensPerSecond> limit;
  Given<std::string> as_of;
};
/// Moving to another chip.
struct PortingSection {
  Given<Dollars> cost;
  Given<double> engineers;
  Given<Seconds> effort;  ///< Time that each takes.
  Given<DollarsPerSecond> salary;
  Given<Dollars> validation;
  Given<DollarsPerSecond> upkeep;
  Given<Seconds> delay;
  Given<DollarsPerSecond> delay_cost;
};
struct AlternativeSection {
  AlternativeSection();
  AlternativeSection(const AlternativeSection&);
  AlternativeSection(AlternativeSection&&) noexcept;
  AlternativeSection& operator=(const AlternativeSection&);
  AlternativeSection& operator=(AlternativeSection&&) noexcept;
  ~AlternativeSection();

  Name name;
  Given<std::string> hardware;
  Given<Dollars> price;               ///< One GPU's, bought on the terms of `own`.
  Given<DollarsPerGpuSecond> all_in;  ///< Or all in.
  Given<std::int64_t> gpus;
  Given<double> performance;  ///< One GPU's, over ours.
  Given<double> load_factor;
  Given<Seconds> life;     ///< Where bought; as ours unless said.
  Given<double> residual;  ///< The same.
  Given<Watts> power;      ///< The same: rated, with its share of the node.
  Given<std::string> as_of;
  std::optional<PortingSection> porting;
};
/// A run whose length costs money.
struct TrainingSizeSection {
  Placed<Quantity<Dimension{.time = 1, .gpu = 1}>> work;
  Placed<double> serial;
  Placed<DollarsPerSecond> delay_cost;
};
struct WaitingSection {
  Placed<double> gain;  ///< Work per dollar of the next generation over today's.
  Placed<Seconds> wait;
};
/// How rents may move; what is not written comes from their history or the catalogue.
struct RentProcessSection {
  Given<double> drift;       ///< Per year.
  Given<double> volatility;  ///< Per square root of a year.
  Given<double> reversion;   ///< To the drifting mean, per year.
  Given<double> jumps;       ///< Per year.
  Given<double> jump_down;   ///< Relative change.
  Given<double> jump_up;     ///< Relative change.
};
/// Coefficients of variation.
struct UncertaintySection {
  Given<double> rent;
  Given<double> capital;
  Given<double> residual;
  Given<double> electricity;
  Given<double> pue;
  Given<double> rate;
  Given<double> load_factor;
  Given<double> api;
};
/// Money in another currency than the dollars of the catalogue. Every amount of a scenario that has
/// one is held in it, whatever its file writes.
struct CurrencySection {
  Placed<std::string> code;  ///< `EUR`: three letters.
  Placed<double> per_usd;    ///< What a US dollar is worth.
  Given<std::string> date;   ///< When the rate held.
};
struct Money {
  Money();
  Money(const Money&);
  Money(Money&&) noexcept;
  Money& operator=(const Money&);
  Money& operator=(Money&&) noexcept;
  ~Money();

  std::vector<Placed<OptionKind>> options;  ///< Empty: all of them.
  bool asks_for(OptionKind option) const {
    return options.empty() ||
           std::any_of(options.begin(), options.end(),
                       [option](const auto& asked) { return asked.value == option; });
  }
  std::optional<CurrencySection> currency;  ///< None: US dollars.
  Ownership own;
  RentSection rent;
  SpotSection spot;
  std::optional<ApiSection> api;
  Given<std::string> region;
  Given<DollarsPerJoule> electricity;
  Given<DollarsPerSecond> people;
  Given<Seconds> horizon;
  std::vector<double> path;        ///< Rent after 1, 2, … years over today's.
  Given<double> tax;               ///< On profit.
  Given<DollarsPerToken> revenue;  ///< What a token served earns.
  RentProcessSection rent_process;
  Given<std::string> as_of;          ///< Date of every price that says nothing else.
  Given<double> claimed_break_even;  ///< That somebody states and we examine.
  std::optional<TrainingSizeSection> training;
  std::optional<WaitingSection> waiting;
  std::vector<AlternativeSection> alternatives;
  UncertaintySection uncertainty;
};

/// What the machine can do, where it is known instead of modelled.
struct CapacitySection {
  Given<std::int64_t> gpus;
  Given<Quantity<Dimension{.time = -1, .token = 1, .gpu = -1}>> rate;  ///< Full plane.
  Given<double> load_factor;
  Given<TokensPerSecond> demand;     ///< Mean; instead of the load factor.
  Given<double> most_load;           ///< That can be reached at all.
  Given<std::vector<double>> hours;  ///< GPUs kept busy, by hour.
  Given<double> mean;                ///< GPUs kept busy, on average…
  Given<double> deviation;           ///< …and how much they vary.
  Given<std::int64_t> node;          ///< GPUs that come together.
  Position position;
};

/// The building.
struct NetworkSection {
  Given<std::string> topology;
  Given<std::int64_t> radix;
  Given<double> oversubscription;
  Given<std::string> transport;  ///< What carries collectives between nodes.
};
/// What the hosts must keep and write.
struct HostSection {
  Given<Bytes> checkpoint;           ///< The whole job's; by the model unless said.
  Given<Seconds> checkpoint_within;  ///< How long a write may take.
  Given<std::int64_t> checkpoints_kept;
  Given<Bytes> bytes_per_token;  ///< Size of training data, as stored.
};
struct FacilitySection {
  Given<std::string> node;  ///< A name of the catalogue.
  Given<Watts> gpu_power;   ///< The chip alone.
  Given<Watts> power_cap;
  Given<std::string> cooling;  ///< Instead of the cheapest that is legal.
  NetworkSection network;
  HostSection host;
  Position position;
};

}  // namespace loadfactor::config
