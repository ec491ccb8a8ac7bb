#include "base/dimension_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/quantity_text.h"

namespace loadfactor {
namespace {

using Units = DisplayUnit;

constexpr std::array kTimeUnits{
    Units{"ns"},       Units{"µs"},     Units{"ms"},        Units{"s"},
    Units{"min", 2.0}, Units{"h", 2.0}, Units{"days", 2.0}, Units{"years", 2.0},
};
constexpr std::array kFrequencyUnits{Units{"Hz"}, Units{"kHz"}, Units{"MHz"}, Units{"GHz"}};
constexpr std::array kDataUnits{Units{"B"},  Units{"kB"}, Units{"MB"}, Units{"GB"},
                                Units{"TB"}, Units{"PB"}, Units{"EB"}};
constexpr std::array<std::string_view, 5> kBinary{"KiB", "MiB", "GiB", "TiB", "PiB"};
constexpr std::array kWorkUnits{Units{"FLOP"},  Units{"kFLOP"}, Units{"MFLOP"},
                                Units{"GFLOP"}, Units{"TFLOP"}, Units{"PFLOP"},
                                Units{"EFLOP"}, Units{"ZFLOP"}, Units{"YFLOP"}};
constexpr std::array kEnergyUnits{Units{"J"}, Units{"kJ"}, Units{"kWh"}, Units{"MWh"},
                                  Units{"GWh"}};
constexpr std::array<std::string_view, 2> kJoules{"MJ", "Wh"};
constexpr std::array kMoneyUnits{Units{"USD"}, Units{"k USD"}, Units{"M USD"}, Units{"B USD"},
                                 Units{"T USD"}};
constexpr std::array kTokenUnits{Units{"tokens"}, Units{"K tokens"}, Units{"M tokens"},
                                 Units{"B tokens"}, Units{"T tokens"}};
constexpr std::array kGpuUnits{Units{"GPUs"}, Units{"K GPUs"}, Units{"M GPUs"}};
constexpr std::array kDataRateUnits{Units{"B/s"},  Units{"kB/s"}, Units{"MB/s"},
                                    Units{"GB/s"}, Units{"TB/s"}, Units{"PB/s"}};
constexpr std::array<std::string_view, 2> kBitRate{"Gb/s", "Tb/s"};
constexpr std::array kDataPerTokenUnits{Units{"B/token"}, Units{"kB/token"}, Units{"MB/token"},
                                        Units{"GB/token"}};
constexpr std::array<std::string_view, 2> kBinaryPerToken{"KiB/token", "MiB/token"};
constexpr std::array kWorkRateUnits{Units{"FLOP/s"},  Units{"kFLOP/s"}, Units{"MFLOP/s"},
                                    Units{"GFLOP/s"}, Units{"TFLOP/s"}, Units{"PFLOP/s"},
                                    Units{"EFLOP/s"}, Units{"ZFLOP/s"}};
constexpr std::array kWorkPerTokenUnits{Units{"FLOP/token"}, Units{"kFLOP/token"},
                                        Units{"MFLOP/token"}, Units{"GFLOP/token"},
                                        Units{"TFLOP/token"}};
constexpr std::array kPowerUnits{Units{"W"}, Units{"kW"}, Units{"MW"}, Units{"GW"}};
constexpr std::array kTokenRateUnits{Units{"tokens/s"}, Units{"K tokens/s"}, Units{"M tokens/s"},
                                     Units{"B tokens/s"}};
constexpr std::array kTokenRatePerGpuUnits{Units{"tokens/s/GPU"}, Units{"K tokens/s/GPU"}};
constexpr std::array kTokenPriceUnits{Units{"USD/M tokens"}, Units{"k USD/M tokens"}};
constexpr std::array<std::string_view, 1> kTokenPriceBase{"USD/token"};
constexpr std::array kMoneyRateUnits{Units{"USD/h"}, Units{"k USD/h"}, Units{"M USD/h"}};
constexpr std::array<std::string_view, 3> kMoneyRateOther{"USD/s", "USD/month", "USD/year"};
constexpr std::array kRentUnits{Units{"USD/GPU-hour"}, Units{"k USD/GPU-hour"}};
constexpr std::array<std::string_view, 1> kRentBase{"USD/GPU/s"};
constexpr std::array kElectricityUnits{Units{"USD/kWh"}, Units{"k USD/kWh"}};
constexpr std::array<std::string_view, 1> kElectricityBase{"USD/J"};
constexpr std::array kGpuTimeUnits{Units{"GPU-s"}, Units{"GPU-hours"}, Units{"K GPU-hours"},
                                   Units{"M GPU-hours"}};
constexpr std::array kEnergyPerTokenUnits{Units{"J/token"}, Units{"kJ/token"}};

constexpr std::array kDimensions{
    DimensionRow{kNone, "a plain number", "1", "write '{}'", {}, {}},
    DimensionRow{Dimension{.time = 1},
                 "a time",
                 "s",
                 "write '{0} s', or '{0} ms', '{0} min', '{0} h', '{0} days'",
                 kTimeUnits,
                 {}},
    DimensionRow{Dimension{.time = -1},
                 "a frequency",
                 "Hz",
                 "write '{0} Hz', '{0} GHz' or '{0}/s'",
                 kFrequencyUnits,
                 {}},
    DimensionRow{Dimension{.data = 1}, "an amount of data", "B",
                 "write '{0} GB' (10^9 bytes) or '{0} GiB' (2^30 bytes)", kDataUnits, kBinary},
    DimensionRow{Dimension{.work = 1},
                 "a number of operations",
                 "FLOP",
                 "write '{0} TFLOP' or '{0} FLOP'",
                 kWorkUnits,
                 {}},
    DimensionRow{Dimension{.energy = 1}, "an energy", "J", "write '{0} kWh' or '{0} J'",
                 kEnergyUnits, kJoules},
    DimensionRow{Dimension{.money = 1},
                 "an amount of money",
                 "USD",
                 "write '{0} USD' (US dollars of the stated date)",
                 kMoneyUnits,
                 {}},
    DimensionRow{Dimension{.token = 1},
                 "a number of tokens",
                 "tokens",
                 "write '{0} tokens'",
                 kTokenUnits,
                 {}},
    DimensionRow{Dimension{.gpu = 1}, "a number of GPUs", "GPU", "write '{0} GPUs'", kGpuUnits, {}},
    DimensionRow{Dimension{.time = -1, .data = 1}, "a bandwidth", "B/s",
                 "write '{0} Gb/s' (bits, as fabrics are sold) or '{0} GB/s' (bytes)",
                 kDataRateUnits, kBitRate},
    DimensionRow{Dimension{.data = 1, .token = -1}, "a size per token", "B/token",
                 "write '{0} B/token' or '{0} kB/token'", kDataPerTokenUnits, kBinaryPerToken},
    DimensionRow{Dimension{.time = -1, .work = 1},
                 "a rate of arithmetic",
                 "FLOP/s",
                 "write '{0} TFLOP/s' (the dense rate)",
                 kWorkRateUnits,
                 {}},
    DimensionRow{Dimension{.work = 1, .token = -1},
                 "operations per token",
                 "FLOP/token",
                 "write '{0} GFLOP/token'",
                 kWorkPerTokenUnits,
                 {}},
    DimensionRow{Dimension{.time = -1, .energy = 1},
                 "a power",
                 "W",
                 "write '{0} W', '{0} kW' or '{0} MW'",
                 kPowerUnits,
                 {}},
    DimensionRow{Dimension{.time = -1, .token = 1},
                 "a token rate",
                 "tokens/s",
                 "write '{0} tokens/s'",
                 kTokenRateUnits,
                 {}},
    DimensionRow{Dimension{.time = -1, .token = 1, .gpu = -1},
                 "a token rate per GPU",
                 "tokens/s/GPU",
                 "write '{0} tokens/s/GPU'",
                 kTokenRatePerGpuUnits,
                 {}},
    DimensionRow{Dimension{.money = 1, .token = -1}, "a price of tokens", "USD/token",
                 "write '{0} USD/M tokens'", kTokenPriceUnits, kTokenPriceBase},
    DimensionRow{Dimension{.time = -1, .money = 1}, "a cost over time", "USD/s",
                 "write '{0} USD/h', '{0} USD/month' or '{0} USD/year'", kMoneyRateUnits,
                 kMoneyRateOther},
    DimensionRow{Dimension{.time = -1, .money = 1, .gpu = -1}, "a rent per GPU", "USD/GPU/s",
                 "write '{0} USD/GPU-hour'", kRentUnits, kRentBase},
    DimensionRow{Dimension{.energy = -1, .money = 1}, "a price of energy", "USD/J",
                 "write '{0} USD/kWh'", kElectricityUnits, kElectricityBase},
    DimensionRow{Dimension{.time = 1, .gpu = 1},
                 "an amount of GPU time",
                 "GPU-s",
                 "write '{0} GPU-hours'",
                 kGpuTimeUnits,
                 {}},
    DimensionRow{Dimension{.energy = 1, .token = -1},
                 "an energy per token",
                 "J/token",
                 "write '{0} J/token'",
                 kEnergyPerTokenUnits,
                 {}},
};

}  // namespace

const DimensionRow* find_dimension(Dimension dimension) {
  const auto* row =
      std::find_if(kDimensions.begin(), kDimensions.end(),
                   [&](const DimensionRow& candidate) { return candidate.dimension == dimension; });
  return row == kDimensions.end() ? nullptr : &*row;
}

std::string noun_of(Dimension dimension) {
  const DimensionRow* row = find_dimension(dimension);
  return row != nullptr ? std::string(row->noun) : "a value in " + base_unit(dimension);
}

std::string unit_help(Dimension dimension, std::string_view number) {
  const DimensionRow* row = find_dimension(dimension);
  if (row == nullptr) return fmt::format("write '{} {}'", number, base_unit(dimension));
  return fmt::format(fmt::runtime(row->help), number);
}

}  // namespace loadfactor
