#include "catalog/import/prices/skypilot_prices.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "catalog/import/prices/price_statistics.h"
#include "catalog/import/prices/skypilot_names.h"

namespace loadfactor::catalog {
namespace {

constexpr double kPlaceholderTimesMedian = 5.0;
constexpr double kMaxPricePerAccelerator = 500.0;  // Dollars per hour.
constexpr std::string_view kGoogle = "gcp";
constexpr std::string_view kAuction = "mithril";

// A row once its names are understood; prices in dollars per accelerator-hour.
struct Quote {
  const SkypilotRow* row = nullptr;
  NamedAccelerator accelerator;
  bool is_tpu = false;
  double count = 1.0;
  std::optional<double> on_demand;
  std::optional<double> spot;
};

// Rows by accelerator that a reader should know of.
struct Remarks {
  std::map<std::string, int> unknown;
  std::map<std::string, int> ambiguous;
  std::map<std::string, int> placeholders;
};

struct HostPrice {
  std::optional<double> price;
  std::optional<double> spot;
};
using Hosts = std::map<std::pair<std::string, std::string>, HostPrice>;

constexpr const char* kHostless = "no host row";

// Google prices hosts and accelerators in rows of their own.
Hosts find_hosts(const std::vector<SkypilotRow>& rows) {
  Hosts hosts;
  for (const SkypilotRow& row : rows) {
    if (row.cloud != kGoogle || !row.accelerator.empty() || row.instance.empty()) continue;
    hosts[{row.place, row.instance}] = {row.price, row.spot};
  }
  return hosts;
}

std::optional<double> sum(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

// 0 stands for "no spot product", and so does the price on demand over again.
std::optional<double> real_spot(const SkypilotRow& row) {
  if (!row.spot || *row.spot == 0.0 || row.spot == row.price) return std::nullopt;
  return row.spot;
}

class SkypilotImporter {
 public:
  SkypilotImporter(const std::vector<SkypilotRow>& rows,
                   const AcceleratorResolver& find_accelerator)
      : rows_(rows), find_accelerator_(find_accelerator), hosts_(find_hosts(rows)) {}

  SkypilotPrices run() {
    for (const SkypilotRow& row : rows_) read(row);
    drop_flat_slices();
    drop_outliers();
    result_.report.read = rows_.size();
    result_.report.used = quotes_.size() + bids_.size();
    result_.rent = aggregate(quotes_);
    result_.bids = aggregate(bids_);
    for (RentPrice& bid : result_.bids) bid.note = "floor of an auction, not a market price";
    add_market();
    add_notices();
    return std::move(result_);
  }

 private:
  void read(const SkypilotRow& row) {
    if (row.accelerator.empty()) return drop("no accelerator");
    if (row.count < 1.0) return drop("a fraction of an accelerator");
    Quote quote{.row = &row, .count = row.count};
    std::string name(common_name(row.accelerator));
    if (const auto tpu = parse_tpu(row.accelerator)) {
      name = tpu->name;
      quote.is_tpu = true;
      quote.count = row.count * tpu->chips;
    }
    HostPrice prices{row.price, real_spot(row)};
    if (row.cloud == kGoogle && row.instance.empty() && !quote.is_tpu) {
      const auto host = hosts_.find({row.place, google_host(row.accelerator, round(row.count))});
      if (host == hosts_.end()) return drop(kHostless);
      prices = {sum(prices.price, host->second.price), sum(prices.spot, host->second.spot)};
    }
    // A price of zero is no price either.
    if (prices.price == 0.0) prices.price = std::nullopt;
    if (!prices.price && !prices.spot) return drop("no price");
    if (!resolve(name, row, quote)) return drop("unknown accelerator");
    if (prices.price) quote.on_demand = *prices.price / quote.count;
    if (prices.spot) quote.spot = *prices.spot / quote.count;
    (row.cloud == kAuction ? bids_ : quotes_).push_back(std::move(quote));
  }

  static int round(double count) { return static_cast<int>(std::lround(count)); }

  // Finds the accelerator; where its form is open, the instance type may tell.
  bool resolve(const std::string& name, const SkypilotRow& row, Quote& quote) {
    auto found = find_accelerator_(name);
    if (!found) {
      ++remarks_.unknown[row.accelerator];
      return false;
    }
    const std::string_view form = form_in(row.instance);
    if (found->ambiguous && !form.empty()) {
      if (auto precise = find_accelerator_(fmt::format("{}-{}", name, form))) found = precise;
    }
    if (found->ambiguous) ++remarks_.ambiguous[found->name];
    quote.accelerator = *found;
    return true;
  }

  void drop(const std::string& reason) { result_.report.drop(reason); }

  // Takes out the quotes for which `is_placeholder` holds, and says so.
  template <typename Test>
  void drop_placeholders(Test is_placeholder) {
    std::vector<Quote> kept;
    for (Quote& quote : quotes_) {
      if (!is_placeholder(quote)) {
        kept.push_back(std::move(quote));
        continue;
      }
      drop("placeholder price");
      ++remarks_.placeholders[quote.accelerator.name];
    }
    quotes_ = std::move(kept);
  }

  // One price for slices of different sizes in the same zone is no price at all.
  void drop_flat_slices() {
    std::map<std::tuple<std::string, std::string, double>, std::set<double>> counts;
    const auto key = [](const Quote& quote) {
      return std::tuple(quote.row->place, quote.accelerator.name, quote.row->price.value_or(0.0));
    };
    for (const Quote& quote : quotes_) {
      if (quote.is_tpu && quote.on_demand) counts[key(quote)].insert(quote.count);
    }
    drop_placeholders([&](const Quote& quote) {
      const auto found = counts.find(key(quote));
      return quote.is_tpu && found != counts.end() && found->second.size() > 1;
    });
  }

  void drop_outliers() {
    std::map<std::string, std::vector<double>> prices;
    for (const Quote& quote : quotes_) {
      if (quote.on_demand) prices[quote.accelerator.name].push_back(*quote.on_demand);
    }
    std::map<std::string, double> limits;
    for (auto& [name, values] : prices) {
      limits[name] =
          std::min(kMaxPricePerAccelerator, kPlaceholderTimesMedian * median_of(std::move(values)));
    }
    drop_placeholders([&](const Quote& quote) {
      return quote.on_demand && *quote.on_demand > limits[quote.accelerator.name];
    });
  }

  static RentPrice rent_of(const std::vector<const Quote*>& quotes, RentTerm term) {
    const Quote& first = *quotes.front();
    std::vector<double> prices;
    bool ambiguous = false;
    for (const Quote* quote : quotes) {
      prices.push_back(term == RentTerm::kSpot ? *quote->spot : *quote->on_demand);
      ambiguous = ambiguous || quote->accelerator.ambiguous;
    }
    const auto per_hour = [](double dollars) {
      return DollarsPerGpuSecond::from_base(dollars / kHour.base());
    };
    RentPrice rent{.provider = first.row->cloud,
                   .accelerator = first.accelerator.name,
                   .region = "any",
                   .term = term};
    rent.price = per_hour(median_of(prices));
    rent.low = per_hour(*std::min_element(prices.begin(), prices.end()));
    rent.high = per_hour(*std::max_element(prices.begin(), prices.end()));
    if (ambiguous) rent.note = "form factor not stated";
    rent.provenance = {.kind = SourceKind::kPublished,
                       .sources = {"skypilot-catalog"},
                       .date = first.row->as_of,
                       .file = first.row->file,
                       .line = first.row->line};
    return rent;
  }

  static std::vector<RentPrice> aggregate(const std::vector<Quote>& quotes) {
    std::map<std::tuple<std::string, std::string, RentTerm>, std::vector<const Quote*>> groups;
    for (const Quote& quote : quotes) {
      const auto add = [&](RentTerm term) {
        groups[{quote.accelerator.name, quote.row->cloud, term}].push_back(&quote);
      };
      if (quote.on_demand) add(RentTerm::kOnDemand);
      if (quote.spot) add(RentTerm::kSpot);
    }
    std::vector<RentPrice> rents;
    rents.reserve(groups.size());
    for (const auto& [key, members] : groups) rents.push_back(rent_of(members, std::get<2>(key)));
    return rents;
  }

  void add_market() {
    std::map<std::pair<std::string, RentTerm>, std::vector<double>> medians;
    for (const RentPrice& rent : result_.rent) {
      medians[{rent.accelerator, rent.term}].push_back(rent.price.base());
    }
    for (const auto& [key, values] : medians) {
      result_.market.push_back({.accelerator = key.first,
                                .term = key.second,
                                .price = DollarsPerGpuSecond::from_base(median_of(values)),
                                .clouds = static_cast<int>(values.size())});
    }
  }

  void notice(int code, std::string_view what, const std::map<std::string, int>& names) {
    constexpr std::size_t kMaxNames = 8;
    std::string list;
    std::size_t listed = 0;
    for (const auto& [name, rows] : names) {
      if (++listed <= kMaxNames)
        list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", name, rows);
    }
    if (names.empty()) return;
    if (listed > kMaxNames) list += fmt::format(" and {} more", listed - kMaxNames);
    result_.report.notices.push_back({code, fmt::format("{}: {}", what, list), 0});
  }

  void add_notices() {
    notice(lf::kUnknownAccelerator, "not in the catalogue (rows)", remarks_.unknown);
    notice(lf::kAmbiguousAccelerator, "form factor not stated (rows)", remarks_.ambiguous);
    notice(lf::kPlaceholderPrice, "left out as placeholders (rows)", remarks_.placeholders);
    const auto hostless = result_.report.dropped.find(std::string(kHostless));
    if (hostless == result_.report.dropped.end()) return;
    result_.report.notices.push_back(
        {lf::kPriceNotFound,
         fmt::format("{} Google rows price accelerators whose host has no row", hostless->second),
         0});
  }

  const std::vector<SkypilotRow>& rows_;
  const AcceleratorResolver& find_accelerator_;
  Hosts hosts_;
  std::vector<Quote> quotes_;
  std::vector<Quote> bids_;
  Remarks remarks_;
  SkypilotPrices result_;
};

}  // namespace

std::optional<SkypilotPrices> import_skypilot_prices(std::vector<SkypilotInput> inputs,
                                                     const AcceleratorResolver& find_accelerator,
                                                     Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  std::vector<SkypilotRow> rows;
  std::string first_file;
  for (SkypilotInput& input : inputs) {
    if (first_file.empty()) first_file = input.file;
    auto more = read_skypilot_rows(std::move(input), diagnostics);
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  }
  if (diagnostics.size() != before) return std::nullopt;
  SkypilotPrices prices = SkypilotImporter(rows, find_accelerator).run();
  if (prices.report.used > 0) return prices;
  diagnostics.add(Error{.code = lf::kNothingUsable,
                        .message = "no row prices an accelerator of the catalogue",
                        .hint = describe(prices.report),
                        .where = {.file = first_file, .line = 0, .column = 0}});
  return std::nullopt;
}

}  // namespace loadfactor::catalog
