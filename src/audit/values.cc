#include "audit/values.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "audit/rule.h"
#include "base/error_codes.h"
#include "catalog/load/data_file.h"
#include "catalog/load/fact_loader.h"
#include "loadfactor/estimate.h"

namespace loadfactor::audit {
namespace {

using catalog::Catalog;

std::string place(const Claim& claim, config::Position position) {
  return claim.document == nullptr ? claim.name
                                   : fmt::format("{}:{}", claim.document->file, position.line);
}

void add_stated(const Claim& claim, Values& values) {
  for (const FigureRow& row : figures()) {
    const auto& stated = claim[row.figure];
    if (stated) values.set(row.figure, {stated->value, true, place(claim, stated->position)});
  }
}

// The number at the end of the first run of digits: nvlink-4 is generation 4.
std::optional<double> generation_of(std::string_view link) {
  if (!link.starts_with("nvlink-")) return std::nullopt;
  const auto digits = link.substr(7);
  if (digits.empty() || std::isdigit(static_cast<unsigned char>(digits[0])) == 0)
    return std::nullopt;
  return digits[0] - '0';
}

void add_node(const catalog::AcceleratorSpec& chip, const Catalog& catalog, Values& values) {
  if (chip.node.empty()) return;
  const auto node = catalog.find_node(chip.node);
  if (!node || (*node)->gpus <= 0) return;
  const double gpus = (*node)->gpus;
  values.set(Figure::kNodeGpus, {gpus, false, (*node)->name});
  if ((*node)->power) {
    const auto& power = *(*node)->power;
    values.set(Figure::kNodeRating, {power.max.base() / gpus, false, source_ids(power.provenance)});
  }
  if ((*node)->network) {
    const auto& network = *(*node)->network;
    values.set(Figure::kChipScaleOut, {network.nics * network.bandwidth.base() / gpus, false,
                                       source_ids(network.provenance)});
  }
}

// The fastest rate at which the chip may compute on this format: its own, or that of a wider one
// to which it is converted. Where the claim names no format, the fastest of all.
FlopsPerSecond fastest_rate(const catalog::AcceleratorArithmetic& rates, const Claim& claim) {
  FlopsPerSecond best;
  for (const auto& row : catalog::kDtypes) {
    const bool is_narrower = row.bits < catalog::row(claim.dtype).bits;
    if (!claim.dtype_stated || !is_narrower) best = std::max(best, rates.rate(row.dtype));
  }
  return best;
}

void add_chip(const catalog::AcceleratorSpec& chip, const Claim& claim, Values& values) {
  const catalog::Dtype dtype = claim.dtype;
  const auto set = [&values](Figure figure, double value, const catalog::Provenance& from) {
    if (value > 0) values.set(figure, {value, false, source_ids(from)});
  };
  const auto& rates = chip.arithmetic;
  set(Figure::kChipMemory, chip.memory.nominal.base(), chip.memory.provenance);
  set(Figure::kUsableMemory, std::max(chip.memory.nominal, chip.memory.usable).base(),
      chip.memory.provenance);
  set(Figure::kChipBandwidth, chip.memory.bandwidth.base(), chip.memory.provenance);
  const FlopsPerSecond fastest = fastest_rate(rates, claim);
  const FlopsPerSecond own = rates.rate(dtype);
  set(Figure::kChipPeak, (own > FlopsPerSecond() ? own : fastest).base(), rates.provenance);
  const bool has_own = claim.dtype_stated && own > FlopsPerSecond();
  set(Figure::kPeakLimit, (has_own ? own : fastest).base(), rates.provenance);
  set(Figure::kChipFp32Peak, rates.rate(catalog::Dtype::kFp32).base(), rates.provenance);
  const bool wide = dtype == catalog::Dtype::kBf16 || dtype == catalog::Dtype::kFp16;
  if (chip.measured_matmul && wide)
    set(Figure::kChipMatmul, chip.measured_matmul->base(), chip.measured_provenance);
  set(Figure::kChipPower, chip.power.rated.base(), chip.power.provenance);
  set(Figure::kChipScaleUp, chip.scale_up.bandwidth.base(), chip.scale_up.provenance);
  set(Figure::kChipDomain, chip.scale_up.domain, chip.scale_up.provenance);
  set(Figure::kChipYear, chip.released, chip.lifecycle_provenance);
  if (const auto generation = generation_of(chip.scale_up.link))
    set(Figure::kChipNvlinkGeneration, *generation, chip.scale_up.provenance);
}

// The least that such a chip draws: its own, or the least share of a rating that idle chips draw.
void add_idle_power(const catalog::AcceleratorSpec& chip, const Catalog& catalog, Values& values) {
  const auto& power = chip.power;
  const catalog::Fact* share =
      catalog::find_fact(catalog.facility(), "idle_power", "chip-over-rating");
  if (power.idle) {
    values.set(Figure::kChipIdlePower, {power.idle->base(), false, source_ids(power.provenance)});
  } else if (share != nullptr && power.rated > Watts()) {
    const double least = share->low.value_or(share->value);
    values.set(Figure::kChipIdlePower,
               {(power.rated * least).base(), false,
                merged_sources(source_ids(power.provenance), source_ids(share->provenance))});
  }
}

void add_worst_pue(const Catalog& catalog, Values& values) {
  for (const auto& fact : catalog.facility()) {
    if (fact.name != "pue") continue;
    const Value* so_far = values.find(Figure::kWorstPue);
    const double high = fact.high.value_or(fact.value);
    if (so_far == nullptr || high > so_far->value)
      values.set(Figure::kWorstPue, {high, false, source_ids(fact.provenance)});
  }
}

void add_optimal_tokens(const Catalog& catalog, Values& values) {
  const catalog::Fact* fact =
      catalog::find_fact(catalog.facility(), "training_tokens", "compute-optimal");
  if (fact != nullptr)
    values.set(Figure::kOptimalTokens, {fact->value, false, source_ids(fact->provenance)});
}

Error at(const Claim& claim, const StatedName& name, Error error) {
  if (claim.document == nullptr) return error;
  return claim.document->error(error.code, name.position, std::move(error.message),
                               std::move(error.hint));
}

void add_link(const Claim& claim, const Catalog& catalog, Values& values,
              Diagnostics& diagnostics) {
  if (!claim.link) return;
  auto fabric = catalog.find_fabric(claim.link->value);
  if (!fabric) return diagnostics.add(at(claim, *claim.link, std::move(fabric).error()));
  const auto& spec = **fabric;
  values.set(Figure::kNamedLinkBandwidth,
             {spec.bandwidth.base(), false, source_ids(spec.bandwidth_provenance)});
  if (spec.latency)
    values.set(Figure::kNamedLinkLatency,
               {spec.latency->base(), false, source_ids(spec.latency_provenance)});
}

void add_cooling(const Claim& claim, const Catalog& catalog, Values& values,
                 Diagnostics& diagnostics) {
  if (!claim.cooling) return;
  constexpr double kWattsPerKilowatt = 1e3;
  const catalog::Fact* limit =
      catalog::find_fact(catalog.facility(), "rack_power_limit", claim.cooling->value);
  if (limit == nullptr) {
    std::string known;
    for (const auto& fact : catalog.facility()) {
      if (fact.name == "rack_power_limit") known += (known.empty() ? "" : ", ") + fact.variant;
    }
    diagnostics.add(at(claim, *claim.cooling,
                       Error{.code = lf::kUnknownWord,
                             .message = "'" + claim.cooling->value + "' is no kind of cooling",
                             .hint = "write one of " + known}));
    return;
  }
  values.set(Figure::kCoolingLimit, {limit->high.value_or(limit->value) * kWattsPerKilowatt, false,
                                     source_ids(limit->provenance)});
}

void add_gpu(const Claim& claim, const Catalog& catalog, Values& values, Diagnostics& diagnostics) {
  if (!claim.gpu) return add_market_values(nullptr, catalog, values);
  auto chip = catalog.find_accelerator(claim.gpu->value);
  if (!chip) return diagnostics.add(at(claim, *claim.gpu, std::move(chip).error()));
  add_chip(**chip, claim, values);
  add_idle_power(**chip, catalog, values);
  add_node(**chip, catalog, values);
  add_market_values(*chip, catalog, values);
}

// A chip that the claim describes itself.
void add_described_chip(const Claim& claim, Values& values) {
  const auto use = [&](Figure stated, std::initializer_list<Figure> figures) {
    if (!claim[stated]) return;
    for (const Figure figure : figures) {
      if (values.find(figure) == nullptr)
        values.set(figure, {claim[stated]->value, false, values.find(stated)->source, {stated}});
    }
  };
  use(Figure::kGpuPeak, {Figure::kChipPeak, Figure::kPeakLimit});
  use(Figure::kGpuMemory, {Figure::kUsableMemory});
  use(Figure::kGpuBandwidth, {Figure::kChipBandwidth});
  use(Figure::kGpuPower, {Figure::kChipPower});
}

// What a layout has one of unless it says otherwise.
void add_single_degrees(Values& values) {
  for (const Figure figure : {Figure::kCp, Figure::kVirtualStages}) {
    if (values.find(figure) == nullptr) values.set(figure, {1, false, ""});
  }
}

}  // namespace

std::string source_ids(const catalog::Provenance& provenance) {
  std::string text;
  for (const auto& id : provenance.sources) text += (text.empty() ? "" : ", ") + id;
  return text;
}

Values gather_values(const Claim& claim, const Catalog& catalog, Diagnostics& diagnostics) {
  Values values;
  add_stated(claim, values);
  add_gpu(claim, catalog, values, diagnostics);
  add_described_chip(claim, values);
  add_single_degrees(values);
  values.set(Figure::kBytesPerParameter,
             {catalog::bytes_per_element(claim.dtype), false, std::string(name(claim.dtype))});
  add_model_values(claim, catalog, values);
  add_link(claim, catalog, values, diagnostics);
  add_cooling(claim, catalog, values, diagnostics);
  add_worst_pue(catalog, values);
  if (claim.converged) add_optimal_tokens(catalog, values);
  if (trains(claim)) add_record_values(claim, catalog, values);
  derive_values(values);
  return values;
}

}  // namespace loadfactor::audit
