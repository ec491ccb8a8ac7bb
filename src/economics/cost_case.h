// Everything one evaluation of cost depends on, as plain numbers: what the machine can do, and on
// what terms it can be had.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/instances.h"
#include "economics/api_floor.h"
#include "economics/hourly_need.h"
#include "economics/load_curve.h"
#include "economics/owner_cost.h"
#include "economics/porting.h"
#include "economics/rent.h"
#include "loadfactor/estimate.h"
#include "loadfactor/quantity.h"

namespace loadfactor::economics {

inline constexpr std::size_t kNumRunWays = 5;  // Those that are rented, and owning.

// A training run by one way to pay.
struct RunCapacity {
  double gpus = 0;      // Paid, spares included.
  double relative = 1;  // Its share of useful time over the load factor of the capacity.
};

// Work that ends.
struct RunWork {
  Tokens tokens;           // Zero where its length is not said.
  double owned_bound = 1;  // Share of owned GPUs that are bought for it alone.
  std::array<std::optional<RunCapacity>, kNumRunWays> ways;  // By OptionKind.
};

// What is there to be filled. A serving or training model can supply it, or the scenario states it.
struct Capacity {
  double gpus = 0;             // GPUs paid for.
  TokensPerSecond full_plane;  // Rate of all GPUs, saturated; zero when tokens are not the work.
  double load_factor = 0;      // Share of the full plane that carries work.
  bool is_of_demand = false;   // That work is what is asked for: faster machines are emptier.
  TokensPerSecond unserved;    // Demand beyond the full plane.
  double most_load = 1;        // The highest load that can be reached at all.
  LoadCurve by_hour;           // GPUs that demand keeps busy; empty when only the mean is known.
  std::vector<NeedLevel> on;   // Units of `node` that were on in a simulation; goes before by_hour.
  double demand_scale = 1;     // Factor on the need by the hour.
  double node = 1;          // GPUs of a replica: those by the hour are needed in multiples of it.
  InstanceSizes instances;  // What GPUs by the hour are sold in.
  double machine = 1;       // GPUs that are owned or reserved come in multiples of this.
  std::optional<RunWork> run;  // Nothing where the work does not end.

  // GPUs of the instances that hold so many.
  double in_instances(double needed) const;
};

inline constexpr std::size_t kNumTerms = 4;  // On demand, reserved for one and three years, spot.

// Another machine for the same work: a chip of another vendor, an ASIC, a cheaper system.
struct Alternative {
  std::optional<OwnerTerms> own;           // Terms of buying it, part by part.
  std::optional<DollarsPerSecond> all_in;  // Or one price per GPU and time.
  double gpus = 0;                         // 0: as many as the work needs.
  double performance = 1;                  // Full plane of one GPU over ours.
  std::optional<double> load_factor;       // Load factor of the case if not given.
  Dollars move;                            // One-off cost of porting, validation and delay.
  DollarsPerSecond upkeep;                 // Cost of keeping a second stack.
  Seconds delay;                           // Idle time at the start.
};

struct CostCase {
  Capacity capacity;
  std::array<std::optional<RentTerms>, kNumTerms> rent;  // By OptionKind.
  SpotTerms spot;
  std::optional<OwnerTerms> own;
  std::optional<DollarsPerSecond> own_all_in;  // Price per GPU and time where no parts are known.
  double max_owned = 1e9;
  DollarsPerSecond resale;  // What an idle owned GPU earns.
  std::optional<ApiTerms> api;
  std::optional<double> managed_surcharge;
  DollarsPerSecond people;  // Cost of the staff that runs it.
  DollarsPerSecond delay;   // Cost of the time that a result is late.
  Seconds horizon;
  double discount = 0;
  std::vector<Alternative> alternatives;
};

}  // namespace loadfactor::economics
