// SkyPilot's catalogues of instances as rent prices per accelerator.
//
// Rows are per zone and per instance, and each cloud writes its own way; the rules that make them
// comparable are in the .cc file, one function each. What is left out is counted by reason.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/import/import_report.h"
#include "catalog/import/prices/skypilot_rows.h"
#include "catalog/spec/price_book.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

struct NamedAccelerator {
  std::string name;        // Name of the entry in our catalogue.
  bool ambiguous = false;  // Form factor or memory was not said and more than one exists.
};
// Finds an accelerator by the catalogue's rule of names; nothing when there is none.
using AcceleratorResolver = std::function<std::optional<NamedAccelerator>(std::string_view)>;

// Over all clouds: the median of the clouds' medians, so that a cloud that repeats one price in
// hundreds of zones counts once.
struct MarketPrice {
  std::string accelerator;
  RentTerm term = RentTerm::kOnDemand;
  DollarsPerGpuSecond price;
  int clouds = 0;
};

struct SkypilotPrices {
  std::vector<RentPrice> rent;  // One per cloud, accelerator and term: the median, low and high.
  std::vector<RentPrice> bids;  // Floors of auctions: products, but not market prices.
  std::vector<MarketPrice> market;
  ImportReport report;
};

// Nothing exactly when something was reported; LF518 when no row could be used.
std::optional<SkypilotPrices> import_skypilot_prices(std::vector<SkypilotInput> inputs,
                                                     const AcceleratorResolver& find_accelerator,
                                                     Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
