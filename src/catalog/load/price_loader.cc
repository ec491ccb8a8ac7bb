#include "catalog/load/price_loader.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "catalog/load/table_reader.h"

namespace loadfactor::catalog {
namespace {

using config::Range;
using config::Word;

struct TableRow {
  std::string_view stem;
  PriceTable table;
};
constexpr std::array kTables{
    TableRow{"rent_history", PriceTable::kRentHistory},
    TableRow{"rent", PriceTable::kRent},
    TableRow{"capex", PriceTable::kCapex},
    TableRow{"api", PriceTable::kApi},
    TableRow{"tco", PriceTable::kOwnership},
    TableRow{"instances", PriceTable::kInstances},
};

constexpr std::array kTerms{
    Word<RentTerm>{"on-demand", RentTerm::kOnDemand},
    Word<RentTerm>{"spot", RentTerm::kSpot},
    Word<RentTerm>{"reserved-1y", RentTerm::kReserved1y},
    Word<RentTerm>{"reserved-3y", RentTerm::kReserved3y},
};

// What an hour of one accelerator, one accelerator, and a million tokens may cost in dollars.
constexpr Range kHourly{0.001, 500.0, true};
constexpr Range kBoard{10.0, 5e6, true};
constexpr Range kMegatoken{1e-5, 2000.0, true};

DollarsPerGpuSecond per_gpu_hour(double dollars) {
  return DollarsPerGpuSecond::from_base(dollars / kHour.base());
}

DollarsPerToken per_megatoken(double dollars) {
  return DollarsPerToken::from_base(dollars / 1e6);
}

template <typename Q, typename Unit>
std::optional<Q> maybe(std::optional<double> value, Unit unit) {
  if (!value) return std::nullopt;
  return unit(*value);
}

RentPrice read_rent(RowReader& row) {
  RentPrice rent;
  rent.provider = row.text("provider");
  rent.accelerator = row.text("accelerator");
  rent.region = row.text("region");
  rent.term = row.word<RentTerm>("term", kTerms, RentTerm::kOnDemand);
  const double price = row.price("usd_per_gpu_hour", kHourly);
  const auto low = row.maybe_price("low", kHourly);
  const auto high = row.maybe_price("high", kHourly);
  row.check_bounds("usd_per_gpu_hour", price, low, high);
  rent.price = per_gpu_hour(price);
  rent.low = maybe<DollarsPerGpuSecond>(low, per_gpu_hour);
  rent.high = maybe<DollarsPerGpuSecond>(high, per_gpu_hour);
  rent.note = row.maybe_text("note");
  rent.provenance = row.provenance("as_of");
  return rent;
}

CapexPrice read_capex(RowReader& row) {
  CapexPrice capex;
  capex.accelerator = row.text("accelerator");
  const double price = row.price("usd_per_gpu", kBoard);
  const auto low = row.maybe_price("low", kBoard);
  const auto high = row.maybe_price("high", kBoard);
  row.check_bounds("usd_per_gpu", price, low, high);
  capex.price = Dollars::from_base(price);
  capex.low = maybe<Dollars>(low, Dollars::from_base);
  capex.high = maybe<Dollars>(high, Dollars::from_base);
  capex.note = row.maybe_text("note");
  capex.provenance = row.provenance("as_of");
  return capex;
}

ApiPrice read_api(RowReader& row) {
  ApiPrice api;
  api.provider = row.text("provider");
  api.model_id = row.text("model_id");
  api.model = row.maybe_text("model");
  const auto price = [&row](std::string_view column) {
    return maybe<DollarsPerToken>(row.maybe_price(column, kMegatoken), per_megatoken);
  };
  api.input = price("usd_per_mtok_in");
  api.cached = price("usd_per_mtok_cached");
  api.output = price("usd_per_mtok_out");
  api.batch_input = price("usd_per_mtok_batch_in");
  if (!api.input && !api.output && row.good()) {
    row.report("usd_per_mtok_in", lf::kNothingUsable, "the row states neither price",
               "give the price of input or of output tokens");
  }
  api.context = static_cast<std::int64_t>(row.maybe_number("context", {1, 1e9, true}).value_or(0));
  api.deprecated = row.maybe_date("deprecated");
  api.provenance = row.provenance("as_of");
  return api;
}

RentHistoryPoint read_history(RowReader& row) {
  RentHistoryPoint point;
  point.provider = row.text("provider");
  point.accelerator = row.text("accelerator");
  point.date = row.maybe_text("date");
  const auto price = [&row](std::string_view column) {
    return maybe<DollarsPerGpuSecond>(row.maybe_price(column, kHourly), per_gpu_hour);
  };
  point.lowest = price("usd_per_gpu_hour_min");
  point.median = price("usd_per_gpu_hour_median");
  point.spot_lowest = price("spot_min");
  point.spot_median = price("spot_median");
  point.provenance = row.provenance("date");
  if (point.lowest.value_or(DollarsPerGpuSecond()) >
      point.median.value_or(point.lowest.value_or(DollarsPerGpuSecond()))) {
    row.report("usd_per_gpu_hour_median", lf::kInconsistentFigures,
               "the median is below the lowest price");
  }
  return point;
}

OwnershipCost read_ownership(RowReader& row) {
  OwnershipCost cost;
  cost.accelerator = row.text("accelerator");
  cost.tier = row.text("tier");
  cost.price = per_gpu_hour(row.price("usd_per_gpu_hour", kHourly));
  if (const auto power = row.maybe_number("kw_per_gpu", {0.01, 100.0, true})) {
    cost.power_per_gpu = Watts::from_base(*power * 1e3);
  }
  cost.provenance = row.provenance("as_of");
  return cost;
}

RentedInstance read_instance(RowReader& row) {
  RentedInstance instance;
  instance.provider = row.text("provider");
  instance.accelerator = row.text("accelerator");
  instance.name = row.text("instance");
  const double gpus = row.number("gpus", {1, 1024, true});
  instance.gpus = static_cast<int>(gpus);
  if (row.good() && gpus != instance.gpus)
    row.report("gpus", lf::kWrongType, "an instance has whole GPUs", "write 1, 2, 4 or 8");
  instance.provenance = row.provenance("as_of");
  return instance;
}

using Key = std::vector<std::string>;
Key key_of(const RentPrice& row) {
  return {row.provider, row.accelerator, row.region, std::to_string(static_cast<int>(row.term))};
}
Key key_of(const CapexPrice& row) {
  return {row.accelerator};
}
Key key_of(const ApiPrice& row) {
  return {row.provider, row.model_id};
}
Key key_of(const RentHistoryPoint& row) {
  return {row.provider, row.accelerator, row.date};
}
Key key_of(const OwnershipCost& row) {
  return {row.accelerator, row.tier};
}

Key key_of(const RentedInstance& row) {
  return {row.provider, row.accelerator, row.name};
}

// Rows in order of their keys; a row of a later file takes the place of an earlier one.
template <typename Row>
void merge(std::vector<Row>& rows, std::map<Key, Row> added) {
  for (auto& row : rows) added.try_emplace(key_of(row), std::move(row));
  rows.clear();
  for (auto& [key, row] : added) rows.push_back(std::move(row));
}

template <typename Row>
void load_table(const DataFile& file, std::span<const std::string_view> columns,
                Row (*read)(RowReader&), std::vector<Row>& rows, Diagnostics& diagnostics) {
  const auto table = open_table(file, columns, diagnostics);
  if (!table) return;
  std::map<Key, Row> added;
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    RowReader reader(*table, i, diagnostics);
    Row row = read(reader);
    if (!reader.good()) continue;
    if (!added.try_emplace(key_of(row), row).second) {
      reader.report(columns.front(), lf::kDuplicateName, "this row stands twice",
                    "keep the newer of the two");
    }
  }
  merge(rows, std::move(added));
}

constexpr std::array<std::string_view, 11> kRentColumns{
    "provider", "accelerator", "region", "term", "usd_per_gpu_hour", "low", "high",
    "as_of",    "kind",        "source", "note"};
constexpr std::array<std::string_view, 8> kCapexColumns{
    "accelerator", "usd_per_gpu", "low", "high", "as_of", "kind", "source", "note"};
constexpr std::array<std::string_view, 12> kApiColumns{"provider",
                                                       "model_id",
                                                       "model",
                                                       "usd_per_mtok_in",
                                                       "usd_per_mtok_cached",
                                                       "usd_per_mtok_out",
                                                       "usd_per_mtok_batch_in",
                                                       "context",
                                                       "deprecated",
                                                       "as_of",
                                                       "kind",
                                                       "source"};
constexpr std::array<std::string_view, 8> kHistoryColumns{
    "provider", "accelerator", "date",  "usd_per_gpu_hour_min", "usd_per_gpu_hour_median",
    "spot_min", "spot_median", "source"};
constexpr std::array<std::string_view, 7> kOwnershipColumns{
    "accelerator", "tier", "usd_per_gpu_hour", "kw_per_gpu", "as_of", "kind", "source"};
constexpr std::array<std::string_view, 7> kInstanceColumns{
    "provider", "accelerator", "instance", "gpus", "as_of", "kind", "source"};

}  // namespace

std::optional<PriceTable> price_table_of(std::string_view path) {
  if (!path.starts_with("prices/") || !path.ends_with(".csv")) return std::nullopt;
  const std::string_view name = stem(path);
  for (const auto& row : kTables) {
    if (name == row.stem) return row.table;
    if (name.starts_with(row.stem) && name[row.stem.size()] == '-') return row.table;
  }
  return std::nullopt;
}

void load_prices(const DataFile& file, PriceBook& book, Diagnostics& diagnostics) {
  const auto table = price_table_of(file.path);
  if (!table) return;
  switch (*table) {
    case PriceTable::kRent:
      return load_table(file, kRentColumns, read_rent, book.rent, diagnostics);
    case PriceTable::kCapex:
      return load_table(file, kCapexColumns, read_capex, book.capex, diagnostics);
    case PriceTable::kApi:
      return load_table(file, kApiColumns, read_api, book.api, diagnostics);
    case PriceTable::kRentHistory:
      return load_table(file, kHistoryColumns, read_history, book.history, diagnostics);
    case PriceTable::kOwnership:
      return load_table(file, kOwnershipColumns, read_ownership, book.ownership, diagnostics);
    case PriceTable::kInstances:
      return load_table(file, kInstanceColumns, read_instance, book.instances, diagnostics);
  }
}

}  // namespace loadfactor::catalog
