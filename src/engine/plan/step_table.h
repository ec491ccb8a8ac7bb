// What each way to pay costs at other volumes, in whole units, by the engine's own formulas: a page
// re-plans from it without the engine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/cost.h"

namespace loadfactor::engine {

// What moves a part of the money.
enum class MoneyPart : std::uint8_t { kPrice, kUpkeep, kRent, kPower, kPeople, kApi, kOther };
inline constexpr std::size_t kNumMoneyParts = 7;
using MoneyParts = std::array<Dollars, kNumMoneyParts>;

// Money at a volume x is `fixed` + x × `moving`, a month, where today's traffic is x = 1. Of a
// training run it is `fixed` + `moving` / x for the run, where x is the share of the machines' life
// in which they work.
struct WayStep {
  double to = 0;                               // The largest x.
  int needed = 0;                              // GPUs that the work takes; 0 for the API.
  int gpus = 0;                                // GPUs that are paid for at the busiest hour.
  std::string accelerator;                     // Empty for the API.
  TokensPerSecond rate;                        // One GPU, saturated.
  std::optional<Dollars> unit = std::nullopt;  // A rented GPU-hour, or an owned GPU installed.
  MoneyParts fixed;
  MoneyParts moving;

  Dollars cost(double x, bool is_run) const;
};

struct PayingWay {
  OptionKind kind = OptionKind::kOnDemand;
  double machine = 1;          // GPUs are paid for in multiples of this.
  std::vector<WayStep> steps;  // Ascending.
};

// What a purchase was spread with, and what comes beside it.
struct OwningTerms {
  double years = 0;
  double interest = 0;
  double left = 0;  // Share of the price at the end.
  Dollars staff;    // One GPU-hour.
  DollarsPerJoule electricity;
};

struct StepTable {
  bool is_run = false;
  double here = 1;  // Today's x.
  double most = 1;  // The largest x of all.
  std::vector<PayingWay> ways;
  std::optional<OwningTerms> own;
  DollarsPerSecond people;     // Beside all ways.
  std::optional<Dollars> api;  // A million tokens.
  Tokens tokens;               // A month at today's traffic, or the whole run.
  double working = 0;          // GPUs that work today, in the mean over the time.

  const PayingWay* find(OptionKind kind) const;
};

}  // namespace loadfactor::engine
