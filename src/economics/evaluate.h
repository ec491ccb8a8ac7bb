// One evaluation: every way to pay for the same work, side by side.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "economics/cost_case.h"
#include "economics/run_term.h"

namespace loadfactor::economics {

struct OptionFigures {
  OptionKind kind = OptionKind::kOnDemand;
  std::size_t alternative = 0;                       // Which one, where the kind is kAlternative.
  double gpus = 0;                                   // Mean number of GPUs paid for.
  double owned = 0;                                  // Owned part of a mix.
  double reserved = 0;                               // Reserved part of a mix,
  OptionKind reserved_as = OptionKind::kReserved1y;  // and for how long.
  double at_work = 0;          // Mean of the owned GPUs of a mix whose work would fill them.
  double load_factor = 0;      // Load factor of the GPUs paid for; 0 for the API.
  DollarsPerSecond cost;       // All in, for the work that is carried.
  DollarsPerSecond compared;   // The same; of a run, all that it costs over its time at the load
                               // factor of the capacity. What is chosen by.
  DollarsPerSecond fixed;      // What does not move with the load.
  DollarsPerSecond working;    // What a full machine pays on top.
  TokensPerSecond full_plane;  // Saturated rate of this option's machines.
  double break_even = 0;       // Against the reference; 0: no reference. May be infinite.
  double break_even_life = 0;  // The same, averaged over the option's commitment.
  Seconds committed;           // How long the commitment lasts.
  Seconds run;                 // What a run takes by this way; zero where it is not known.
  RunTerm term;                // How long the run is paid.
};

inline constexpr std::size_t kMaxOptions = 24;

struct CostFigures {
  std::array<OptionFigures, kMaxOptions> options;
  std::size_t count = 0;
  std::size_t cheapest = 0;

  std::span<const OptionFigures> all() const { return {options.data(), count}; }
  const OptionFigures* find(OptionKind kind) const;
};

// GPUs that are paid for where so many are needed: what binds for years comes in whole machines,
// what is rented by the hour in whole instances.
double gpus_paid(const Capacity& capacity, double needed, OptionKind kind);

// Which options to evaluate, one bit per OptionKind.
using OptionSet = std::uint32_t;
constexpr OptionSet bit(OptionKind kind) {
  return OptionSet{1} << static_cast<unsigned>(kind);
}

// Whether machines are rented by the hour, in the instances that a provider sells.
constexpr bool is_by_hour(OptionKind kind) {
  return kind == OptionKind::kOnDemand || kind == OptionKind::kSpot || kind == OptionKind::kManaged;
}

// Whether machines of this way come and go with what is needed.
constexpr bool comes_and_goes(OptionKind kind) {
  return kind == OptionKind::kAutoscaled || is_mix(kind);
}

// A mix that uses one way alone is left out where that way stands for itself.
CostFigures evaluate(const CostCase& terms, OptionSet asked);

// The same options where the inputs came out otherwise: mixes keep the machines that they committed
// to, because those are bought before anyone knows, and only the hours adapt.
CostFigures reprice(const CostCase& moved, OptionSet asked, const CostFigures& decided);

// What one owned GPU costs, from its parts or all in, less what its idle hours are sold for.
// Nothing where neither is known.
std::optional<OwnerCost> owner_cost_of(const CostCase& terms);

// Load at which a machine with these costs pays against an alternative that is paid for the work
// alone, at `price` for a full plane of work. Infinite where it never does.
double break_even_against(DollarsPerSecond fixed, DollarsPerSecond working, DollarsPerSecond price);

// What a full plane of the work would cost if it were paid by the token, or by the useful hour.
std::optional<DollarsPerSecond> api_price_of_full_plane(const CostCase& terms);
std::optional<DollarsPerSecond> hourly_price_of_full_plane(const CostCase& terms, OptionKind term);

// The price per GPU and time of a rented term, with interruptions and what comes on top.
std::optional<DollarsPerSecond> effective_rent(const CostCase& terms, OptionKind term);

}  // namespace loadfactor::economics
