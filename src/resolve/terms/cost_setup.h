// From a scenario's words to a case that can be evaluated: names resolved, prices found and dated.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "economics/evaluate.h"
#include "economics/uncertainty.h"
#include "loadfactor/cost.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"

namespace loadfactor::engine {

// The id of a rent as a fact: by its term, and of whose; of nobody where the scenario writes it.
std::string rent_fact_id(std::string_view term, std::string_view accelerator);

struct CostSetup {
  config::Scenario scenario;
  const catalog::Catalog* catalog = nullptr;
  const catalog::AcceleratorSpec* chip = nullptr;
  const catalog::NodeSpec* node = nullptr;
  const catalog::RegionSpec* region = nullptr;
  economics::CostCase terms;
  economics::OptionSet asked = 0;
  std::optional<KnownDemand> demand;
  std::optional<KnownRun> run;             // As whoever predicts it has it; nothing for a service.
  std::optional<EstimateOf<double>> load;  // The load factor with its interval, likewise.
  double rate_variation = 0;  // How what GPUs deliver varies, by who predicts it; 0: nobody.
  std::vector<double> hours;  // Demand in the order of the day; empty when not given.
  std::string api_name;       // Provider and model that tokens would be bought from.
  std::string today;
  std::uint64_t seed = 1;
  std::int64_t draws = 0;
  economics::DrawPlan plan;
  std::vector<UnpricedOption> unpriced;
  std::vector<UsedPrice> prices;
  std::vector<UsedFact> facts;
  std::vector<Notice> notices;
  std::vector<std::string> assumed;  // Facts without a document behind them.
  Diagnostics missing;               // Facts that the catalogue lacks.
  std::optional<economics::Financing> financing;
  DiscountBasis discount_basis = DiscountBasis::kUsual;
  std::string bill_of;  // Kind of the option whose bill is asked for.

  const config::Money& money() const { return scenario.money; }
  Error error(int code, config::Position at, std::string message, std::string hint = {}) const {
    return scenario.error(code, at, std::move(message), std::move(hint));
  }
  void note(Notice notice) { notices.push_back(std::move(notice)); }
  void note(std::string id, std::string text, Severity severity = Severity::kNote) {
    notices.push_back({std::move(id), severity, std::move(text)});
  }
  // A figure of the facility table; it is recorded as used. One that is not there is LF314, and
  // no answer is given.
  double fact(std::string_view name, std::string_view variant);
  const catalog::Fact* find_fact(std::string_view name, std::string_view variant) const;
  // Records a price with its date; the id says which one it is, whatever it is called.
  void use_price(std::string id, std::string what, std::string price,
                 const catalog::Provenance& from);
  void use_written_price(std::string id, std::string what, std::string price, config::Position at,
                         const config::Given<std::string>& as_of);
};

// Reports everything that is wrong with the scenario, at its place in the file.
std::unique_ptr<CostSetup> make_cost_setup(const CostInputs& request,
                                           const catalog::Catalog& catalog,
                                           Diagnostics& diagnostics);

// LF521 where `capacity.gpus` is another number of GPUs than the deployment, or the run, that the
// scenario writes.
std::optional<Error> find_gpus_fault(const config::Scenario& scenario, double deployed);

// The parts of it, in the order they need each other.
void read_capacity(CostSetup& setup, const CostInputs& request, Diagnostics& diagnostics);
void choose_machine(CostSetup& setup, Diagnostics& diagnostics);
void read_owning(CostSetup& setup);
// As written, else of the region, else the usual one; recorded as used.
DollarsPerJoule electricity_price(CostSetup& setup);
void read_renting(CostSetup& setup);
// What GPUs by the hour are sold in.
void read_instances(CostSetup& setup);
void read_api(CostSetup& setup);
void read_alternatives(CostSetup& setup, Diagnostics& diagnostics);
void read_uncertainty(CostSetup& setup);
// Says which written prices are far from any that the catalogue knows of the same thing.
void question_prices(CostSetup& setup);

// The row of the provider asked for, else of the market as a whole, else the middle one.
const catalog::RentPrice* find_rent(const CostSetup& setup, const catalog::AcceleratorSpec& chip,
                                    catalog::RentTerm term);
// The same among prices; an empty provider: none is asked for. Rows of the region come first.
const catalog::RentPrice* find_rent(const catalog::PriceBook& prices, std::string_view chip,
                                    catalog::RentTerm term, std::string_view provider = "",
                                    std::string_view region = "");
// Whether any rent of the chip is of this very region.
bool has_rent_in(const catalog::PriceBook& prices, std::string_view chip, std::string_view region);

// A rent over that on demand: as this setup pays them, nothing where one of them is not rented; and
// of every provider that sells both for this chip.
std::optional<double> rent_over_on_demand(const CostSetup& setup, OptionKind kind);
std::vector<double> quoted_ratios(const CostSetup& setup, OptionKind kind);

// The price of one GPU instead of a price per GPU.
inline DollarsPerSecond of_one(DollarsPerGpuSecond price) {
  return price * Gpus::from_base(1.0);
}
std::string per_hour_text(DollarsPerSecond price);
// The assumed facts recorded so far, each once.
std::vector<std::string> take_assumed(CostSetup& setup);

}  // namespace loadfactor::engine
