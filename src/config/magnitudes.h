// Bands of what exists in the world, wide enough for the next decade, narrow enough to catch a
// wrong prefix. A value of the right sign outside its band is LF205.
#pragma once

#include "base/calendar.h"
#include "config/reader.h"

namespace loadfactor::config::magnitude {

constexpr Range band(double low, double high, std::string_view hint = {}) {
  return {low, high, true, hint};
}

// The calendar as plain seconds, which bands are written in.
inline constexpr double kMinute = loadfactor::kMinute.base();
inline constexpr double kHour = loadfactor::kHour.base();
inline constexpr double kDay = loadfactor::kDay.base();
inline constexpr double kMonth = loadfactor::kMonth.base();
inline constexpr double kYear = loadfactor::kYear.base();
inline constexpr double kJoulesPerKwh = 3.6e6;

// Chips. Base units: bytes, bytes/s, FLOP/s, watts, hertz, seconds.
inline constexpr Range kChipMemory =
    band(1e6, 1e13, "memory of one chip is between 1 MB and 10 TB; check the prefix");
inline constexpr Range kHostMemory = band(1e6, 1e16, "check the prefix: 2 TB, not 2 PB");
inline constexpr Range kBandwidth =
    band(1e6, 1e18, "check the prefix, and b (bits) against B (bytes)");
inline constexpr Range kArithmeticRate =
    band(1e9, 1e19, "write the dense rate of one chip, such as 989 TFLOP/s");
inline constexpr Range kChipPower = band(1.0, 1e5, "power of one chip is between 1 W and 100 kW");
inline constexpr Range kNodePower = band(1.0, 1e7, "check the prefix: 10.2 kW, not 10.2 MW");
inline constexpr Range kRackPower = band(100.0, 1e7, "check the prefix: 40 kW, not 40 MW");
inline constexpr Range kSitePower = band(100.0, 1e11, "check the prefix: 5 MW, not 5 mW");
inline constexpr Range kClock = band(1e6, 1e11, "check the prefix: 1.98 GHz, not 1.98 MHz");

// Times.
inline constexpr Range kLinkLatency = band(1e-9, 1.0, "check the prefix: 2 us, not 2 s");
inline constexpr Range kTimeToFirstToken = band(1e-4, kHour);
inline constexpr Range kTimePerToken = band(1e-6, kMinute);
inline constexpr Range kDeadline = band(kMinute, 100 * kYear, "check the unit: days, months");
inline constexpr Range kServiceLife =
    band(30 * kDay, 50 * kYear, "hardware lives 3 to 6 years: '4 years'");

// Money, in dollars per base unit.
inline constexpr Range kPricePerGpuHour =
    band(0.001 / kHour, 1000.0 / kHour, "a chip rents for 0.1 to 20 USD per hour");
inline constexpr Range kUpkeepPerGpuHour =
    band(0.0, 1000.0 / kHour, "people, software and the like are 0 to 2 USD per GPU-hour");
inline constexpr Range kPricePerNodeHour =
    band(0.001 / kHour, 100'000.0 / kHour, "check the unit: USD/h");
inline constexpr Range kPerDollar =
    band(1e-3, 1e7, "what a US dollar is worth: per_usd: 0.92 for the euro");
inline constexpr Range kChipPrice = band(1.0, 1e8, "check the unit: 30000 USD, or 30 K USD");
inline constexpr Range kBudget = band(1.0, 1e13, "check the unit: '20 M USD'");
inline constexpr Range kElectricityPrice =
    band(1e-4 / kJoulesPerKwh, 10.0 / kJoulesPerKwh, "electricity is 0.02 to 0.5 USD/kWh");
inline constexpr Range kPricePerToken =
    band(1e-12, 0.1, "prices are per million tokens: '2.5 USD/M tokens'");

inline constexpr Range kRunningCost = band(1e-12, 1e9 / kHour, "money over time: '7500 USD/month'");
inline constexpr Range kSpacePrice =
    band(0.1 / (1e3 * kMonth), 1e5 / (1e3 * kMonth), "space is 100 to 300 USD/kW/month");
inline constexpr Range kPerformance =
    band(0.001, 1000.0, "how much work one does over the other: 0.95");
inline constexpr Range kPriceFactor = band(0.001, 1000.0, "a factor on today's price: 0.8");
inline constexpr Range kPue = band(1.0, 5.0, "power of the site over power of the machines: 1.3");

// Counts.
inline constexpr Range kGpuTime = band(kHour, 1e12 * kHour, "check the suffix: '1 M GPU-hours'");
inline constexpr Range kPeople = band(0.0, 1e6, "a number of people");
inline constexpr Range kRadix = band(2.0, 100'000.0, "the ports of a switch: 64");
inline constexpr Range kOversubscription = band(1.0, 1000.0, "down over up at the leaf: 2");
inline constexpr Range kParameters = band(1e3, 1e16, "check the suffix: 70 B");
inline constexpr Range kTrainingTokens = band(1.0, 1e18, "check the suffix: 10 T");
inline constexpr Range kTokenRate = band(1e-3, 1e15, "check the suffix: 20 M tokens/s");
inline constexpr Range kSequenceTokens = band(1.0, 1e9, "tokens of one request or sequence");
inline constexpr Range kRequestsPerMonth =
    band(1e-3, 1e13, "check the suffix: 9.6 M; a thousand a month for everyone alive is 8 T");
inline constexpr Range kRecovery = band(1e-3, kYear, "check the unit: s, min, h, days");
inline constexpr Range kInstanceGpus = band(1.0, 1024.0, "the GPUs of one rented machine");
inline constexpr Range kNumGpus = band(1.0, 1e8, "the number of accelerators");
inline constexpr Range kDegree = band(1.0, 1e6, "a degree of parallelism is a number of GPUs");

}  // namespace loadfactor::config::magnitude
