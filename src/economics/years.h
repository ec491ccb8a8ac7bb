// Years of paying for growing work: what is bought when, and what cash, books and tax make of it.
//
// Months are counted from 0. What is bought is paid at the beginning of a month, what runs at its
// end. Rents and prices of tokens are those of the beginning of their year, so that the first year
// is paid at today's; machines that are bought or sold follow the rent by the month.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "economics/capital.h"
#include "economics/price_path.h"
#include "loadfactor/quantity.h"

namespace loadfactor::economics {

// A month of one way to pay at today's prices.
struct WayMonth {
  double gpus = 0;        // Paid for on average.
  double owned = 0;       // Those of them that are bought, in whole machines.
  Dollars capital = {};   // Their annuity, as a plan of one moment counts it,
  Dollars running = {};   // and what they cost beside it.
  Dollars fixed = {};     // People and the like.
  Dollars floating = {};  // Rent of the day.
  Dollars reserved = {};  // Rent of the day that was signed.
  Dollars tokens = {};    // Paid to an API.
  Joules energy = {};     // Drawn by the machines and their site; zero where not known.

  Dollars all() const { return capital + running + fixed + floating + reserved + tokens; }
};

// One way to pay for all months.
struct LongWay {
  std::vector<WayMonth> months = {};
  CapitalTerms capital = {};  // Terms of one owned GPU, where any is.
  int term = 12;              // Months that a reservation binds.

  bool owns() const;
};

enum class Depreciation : std::uint8_t { kStraightLine, kMacrs };

struct YearTerms {
  double discount = 0;     // Per year.
  PriceCurve rent = {};    // Factors on today's rents, and on what machines are worth.
  Seconds half_life = {};  // In which prices of tokens halve; zero: they stay.
  double tax = 0;
  Depreciation depreciation = Depreciation::kStraightLine;
  std::vector<double> macrs = {};  // Shares of the price that MACRS writes off in a year, by years.
  std::vector<Dollars> revenue = {};  // Month by month; empty: none is counted.
  int lead = 0;                       // Months from an order, which is paid, to machines that work.
  double gain = 1;                    // Work per dollar of machines bought from `gain_from` on.
  int gain_from = 0;
};

struct YearBook {
  Dollars cost;       // As a plan of one moment counts it: machines by their annuity.
  Dollars purchases;  // Paid for machines,
  Dollars resale;     // got for machines,
  Dollars operating;  // and paid for everything else.
  Dollars revenue;
  Dollars cash;          // All of these, before tax; what is paid is negative.
  Dollars depreciation;  // As the books have it.
  Dollars disposal;      // Resale less what the books still had.
  Dollars profit;        // Revenue less operating and depreciation, with disposal.
  Dollars tax;           // On that; negative where it is saved elsewhere.
  double gpus = 0;       // At the end of the year, paid for.
  double owned = 0;      // The same, bought.
  Joules energy;
};

struct YearsResult {
  std::vector<YearBook> years;
  Dollars cash;  // Sum, after tax.
  Dollars npv;   // The same, discounted; without a discount it is the sum.
};

// A way from the beginning on, and perhaps another from some month on, which sells what the first
// has bought. Machines that are not delivered yet are bridged by `bridge`.
struct LongPlan {
  const LongWay* first = nullptr;
  const LongWay* then = nullptr;
  int change = 0;  // The month from which `then` holds.
  const LongWay* bridge = nullptr;
};
YearsResult count_years(const LongPlan& plan, const YearTerms& terms);

}  // namespace loadfactor::economics
