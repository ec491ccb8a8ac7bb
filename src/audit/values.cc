#include "audit/values.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/load/data_file.h"
#include "catalog/load/fact_loader.h"
#include "config/csv.h"

namespace loadfactor::audit {
namespace {

using catalog::Catalog;

std::string ids(const catalog::Provenance& provenance) {
  std::string text;
  for (const auto& id : provenance.sources) text += (text.empty() ? "" : ", ") + id;
  return text;
}

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

void add_rents(const catalog::AcceleratorSpec& chip, const Catalog& catalog, Values& values) {
  std::optional<double> lowest;
  std::optional<double> highest;
  for (const auto& rent : catalog.prices().rent) {
    if (rent.accelerator != chip.name) continue;
    const double low = rent.low.value_or(rent.price).base();
    const double high = rent.high.value_or(rent.price).base();
    lowest = std::min(lowest.value_or(low), low);
    highest = std::max(highest.value_or(high), high);
  }
  if (!lowest) return;
  values.set(Figure::kLowestRent, {*lowest, false, "catalogue of rents"});
  values.set(Figure::kHighestRent, {*highest, false, "catalogue of rents"});
}

void add_node(const catalog::AcceleratorSpec& chip, const Catalog& catalog, Values& values) {
  if (chip.node.empty()) return;
  const auto node = catalog.find_node(chip.node);
  if (!node || (*node)->gpus <= 0) return;
  const double gpus = (*node)->gpus;
  values.set(Figure::kNodeGpus, {gpus, false, (*node)->name});
  if ((*node)->power) {
    const auto& power = *(*node)->power;
    values.set(Figure::kNodeRating, {power.max.base() / gpus, false, ids(power.provenance)});
  }
  if ((*node)->network) {
    const auto& network = *(*node)->network;
    values.set(Figure::kChipScaleOut,
               {network.nics * network.bandwidth.base() / gpus, false, ids(network.provenance)});
  }
}

void add_chip(const catalog::AcceleratorSpec& chip, catalog::Dtype dtype, Values& values) {
  const auto set = [&values](Figure figure, double value, const catalog::Provenance& from) {
    if (value > 0) values.set(figure, {value, false, ids(from)});
  };
  const auto& rates = chip.arithmetic;
  set(Figure::kChipMemory, chip.memory.nominal.base(), chip.memory.provenance);
  set(Figure::kChipBandwidth, chip.memory.bandwidth.base(), chip.memory.provenance);
  set(Figure::kChipPeak, rates.rate(dtype).base(), rates.provenance);
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

// The best model FLOPs utilisation that anyone published for products of this width.
void add_record(const Claim& claim, const Catalog& catalog, Values& values) {
  const catalog::DataFile* file = catalog.find_file("published/training.csv");
  if (file == nullptr) return;
  Diagnostics ignored;
  const auto table = config::parse_csv(file->shown_as, std::string(file->text), ignored);
  if (!table) return;
  const auto mfu = table->column("mfu_percent");
  const auto precision = table->column("precision");
  const auto id = table->column("id");
  if (!mfu || !precision || !id) return;
  const bool narrow = catalog::bytes_per_element(claim.dtype) < 2.0;
  double best = 0;
  std::string which;
  for (const auto& row : table->rows) {
    const bool fp8 = row[*precision].text.find("fp8") != std::string::npos;
    if (fp8 != narrow || row[*mfu].text.empty()) continue;
    const double value = std::strtod(row[*mfu].text.c_str(), nullptr) / 100.0;
    if (value <= best) continue;
    best = value;
    which = row[*id].text;
  }
  if (best > 0) values.set(Figure::kBestMfu, {best, false, "published/training.csv " + which});
}

void add_worst_pue(const Catalog& catalog, Values& values) {
  for (const auto& fact : catalog.facility()) {
    if (fact.name != "pue") continue;
    const Value* so_far = values.find(Figure::kWorstPue);
    const double high = fact.high.value_or(fact.value);
    if (so_far == nullptr || high > so_far->value)
      values.set(Figure::kWorstPue, {high, false, ids(fact.provenance)});
  }
}

void add_optimal_tokens(const Catalog& catalog, Values& values) {
  const catalog::Fact* fact =
      catalog::find_fact(catalog.facility(), "training_tokens", "compute-optimal");
  if (fact != nullptr)
    values.set(Figure::kOptimalTokens, {fact->value, false, ids(fact->provenance)});
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
             {spec.bandwidth.base(), false, ids(spec.bandwidth_provenance)});
  if (spec.latency)
    values.set(Figure::kNamedLinkLatency,
               {spec.latency->base(), false, ids(spec.latency_provenance)});
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
                                     ids(limit->provenance)});
}

void add_gpu(const Claim& claim, const Catalog& catalog, Values& values, Diagnostics& diagnostics) {
  if (!claim.gpu) return;
  auto chip = catalog.find_accelerator(claim.gpu->value);
  if (!chip) return diagnostics.add(at(claim, *claim.gpu, std::move(chip).error()));
  add_chip(**chip, claim.dtype, values);
  add_node(**chip, catalog, values);
  add_rents(**chip, catalog, values);
}

// A model that is named brings its published size; what the claim says of it stands first.
void add_model(const Claim& claim, const Catalog& catalog, Values& values) {
  if (!claim.model || claim[Figure::kParameters]) return;
  const auto model = catalog.find_model(claim.model->value);
  if (!model || (*model)->published_parameters <= 0) return;
  const auto& spec = **model;
  const std::string source = ids(spec.published_provenance);
  values.set(Figure::kParameters, {spec.published_parameters, false, source});
  if (spec.published_active > 0 && !claim[Figure::kActiveParameters])
    values.set(Figure::kActiveParameters, {spec.published_active, false, source});
}

}  // namespace

Values gather_values(const Claim& claim, const Catalog& catalog, Diagnostics& diagnostics) {
  Values values;
  add_stated(claim, values);
  add_gpu(claim, catalog, values, diagnostics);
  add_model(claim, catalog, values);
  add_link(claim, catalog, values, diagnostics);
  add_cooling(claim, catalog, values, diagnostics);
  if (claim[Figure::kSitePower]) add_worst_pue(catalog, values);
  if (claim.converged) add_optimal_tokens(catalog, values);
  if (claim[Figure::kMfu]) add_record(claim, catalog, values);
  values.set(Figure::kBytesPerParameter,
             {catalog::bytes_per_element(claim.dtype), false, std::string(name(claim.dtype))});
  return values;
}

}  // namespace loadfactor::audit
