// Any bytes as a SkyPilot catalogue: rents that agree with one another, or an error.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/error_codes.h"
#include "catalog/import/prices/price_csv.h"
#include "catalog/import/prices/skypilot_prices.h"

namespace {

namespace catalog = loadfactor::catalog;

// Knows every accelerator whose name begins with a capital, and finds short names ambiguous.
std::optional<catalog::NamedAccelerator> find_accelerator(std::string_view name) {
  if (name.empty() || name[0] < 'A' || name[0] > 'Z') return std::nullopt;
  return catalog::NamedAccelerator{std::string(name), name.size() < 5};
}

void check_rent(const catalog::RentPrice& rent) {
  LF_CHECK(rent.price.base() > 0, "nothing is free");
  LF_CHECK(rent.low && rent.high, "a median has bounds");
  LF_CHECK(*rent.low <= rent.price && rent.price <= *rent.high, "and lies between them");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loadfactor::Diagnostics diagnostics;
  const auto prices = catalog::import_skypilot_prices({{.file = "vms.csv",
                                                        .text = std::string(data, data + size),
                                                        .cloud = "aws",
                                                        .as_of = "2026-08-22"}},
                                                      find_accelerator, diagnostics);
  LF_CHECK(prices.has_value() == diagnostics.empty(), "prices or an error, never both");
  for (const loadfactor::Error& error : diagnostics.errors()) {
    LF_CHECK(loadfactor::find_error_code(error.code) != nullptr, "the code is registered");
    LF_CHECK(!loadfactor::render(error).empty(), "an error can be shown");
  }
  if (!prices) return 0;
  const auto& report = prices->report;
  LF_CHECK(report.read == report.used + report.num_dropped(), "every row is accounted for");
  for (const auto& rent : prices->rent) check_rent(rent);
  for (const auto& bid : prices->bids) check_rent(bid);
  LF_CHECK(prices->market.size() <= prices->rent.size(), "the market sums up the clouds");
  LF_CHECK(!catalog::rent_csv(prices->rent).empty(), "prices can be saved");
  return 0;
}
