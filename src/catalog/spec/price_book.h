// Dated prices: rent by provider and term, capital, API tokens, ownership, the history of rent, and
// the sizes of what is rented.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/spec/provenance.h"
#include "loadfactor/quantity.h"

namespace loadfactor::catalog {

enum class RentTerm : std::uint8_t { kOnDemand, kSpot, kReserved1y, kReserved3y };

// One quote. Unknown bounds are empty, never zero.
struct RentPrice {
  std::string provider;
  std::string accelerator;
  std::string region;
  RentTerm term = RentTerm::kOnDemand;
  DollarsPerGpuSecond price;
  std::optional<DollarsPerGpuSecond> low;
  std::optional<DollarsPerGpuSecond> high;
  std::string note;
  Provenance provenance;
};

struct CapexPrice {
  std::string accelerator;
  Dollars price;
  std::optional<Dollars> low;
  std::optional<Dollars> high;
  std::string note;
  Provenance provenance;
};

struct ApiPrice {
  std::string provider;
  std::string model_id;
  std::string model;  // Our name of an open model, or empty.
  std::optional<DollarsPerToken> input;
  std::optional<DollarsPerToken> cached;
  std::optional<DollarsPerToken> output;
  std::optional<DollarsPerToken> batch_input;
  std::int64_t context = 0;
  std::string deprecated;  // Date, or empty.
  Provenance provenance;
};

struct RentHistoryPoint {
  std::string provider;
  std::string accelerator;
  std::string date;
  std::optional<DollarsPerGpuSecond> lowest;
  std::optional<DollarsPerGpuSecond> median;
  std::optional<DollarsPerGpuSecond> spot_lowest;
  std::optional<DollarsPerGpuSecond> spot_median;
  Provenance provenance;  // Read off a price list: kind published.
};

// What one GPU costs its owner per hour, all in, as a published model of ownership has it.
struct OwnershipCost {
  std::string accelerator;
  std::string tier;  // hyperscaler | neocloud.
  DollarsPerGpuSecond price;
  Watts power_per_gpu;  // All in, at the meter.
  Provenance provenance;
};

// A machine that a provider rents out, by the number of its GPUs.
struct RentedInstance {
  std::string provider;
  std::string accelerator;
  std::string name;
  int gpus = 1;
  Provenance provenance;
};

struct PriceBook {
  std::vector<RentPrice> rent;
  std::vector<CapexPrice> capex;
  std::vector<ApiPrice> api;
  std::vector<RentHistoryPoint> history;
  std::vector<OwnershipCost> ownership;
  std::vector<RentedInstance> instances;
};

}  // namespace loadfactor::catalog
