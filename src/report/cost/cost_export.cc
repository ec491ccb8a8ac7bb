// The bill for other programs: FOCUS 1.2 rows, and the shape of an Infracost breakdown.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/calendar.h"
#include "report/cost/cost_report.h"
#include "report/cost/cost_words.h"
#include "report/describe/tree.h"

namespace loadfactor::report {
namespace {

constexpr double kHoursPerMonth = kMonth / kHour;

constexpr const char* kFocusHeader =
    "BilledCost,BillingAccountId,BillingAccountName,BillingCurrency,BillingPeriodEnd,"
    "BillingPeriodStart,ChargeCategory,ChargeClass,ChargeDescription,ChargeFrequency,"
    "ChargePeriodEnd,ChargePeriodStart,CommitmentDiscountCategory,CommitmentDiscountId,"
    "CommitmentDiscountName,CommitmentDiscountStatus,CommitmentDiscountType,ContractedCost,"
    "EffectiveCost,InvoiceIssuerName,ListCost,PricingCategory,PricingQuantity,PricingUnit,"
    "ProviderName,PublisherName,RegionId,RegionName,ResourceId,ResourceName,ResourceType,"
    "ServiceCategory,ServiceName,ServiceSubcategory,"
    "ConsumedQuantity,ConsumedUnit,Tags";

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

// How long a run takes by the way that is billed; nothing where it is no run.
std::optional<Seconds> run_time(const CostAnswer& answer) {
  for (const CostOption& option : answer.options)
    if (option.name == answer.bill_of) return option.run_time;
  return std::nullopt;
}

// How much of a month a run is billed for, or how many months; 1 where it is no run.
double months_of(const CostAnswer& answer) {
  const auto time = run_time(answer);
  return time ? time->base() / kMonth.base() : 1.0;
}

// A run is billed for its hours, where the answer has a month of its machines.
CostAnswer as_billed(const CostAnswer& answer, double share) {
  CostAnswer billed = answer;
  for (CostLine& line : billed.lines) {
    line.monthly = line.monthly * share;
    line.quantity = line.quantity.value_or(1.0) * share;
  }
  billed.total = billed.total * share;
  return billed;
}

constexpr const char* kStandard = "Standard";
constexpr const char* kCommitted = "Committed";
constexpr const char* kDynamic = "Dynamic";
constexpr const char* kOther = "Other";

// How FOCUS calls the way that a line is priced. Own machines have no price of a list.
const char* pricing_category(const CostAnswer& answer, const CostLine& line) {
  switch (line.item) {
    case BillItem::kSpotBurst:
      return kDynamic;
    case BillItem::kReservedBase:
    case BillItem::kLongReservedBase:
      return kCommitted;
    case BillItem::kOnDemandBurst:
      return kStandard;
    case BillItem::kOwnedBase:
    case BillItem::kPeople:
      return kOther;
    default:
      break;
  }
  switch (answer.bill_of.kind) {
    case OptionKind::kSpot:
      return kDynamic;
    case OptionKind::kReserved1y:
    case OptionKind::kReserved3y:
      return kCommitted;
    case OptionKind::kOwn:
      return kOther;
    default:
      return kStandard;
  }
}

struct Period {
  std::string start;
  std::string end;
  std::string charged;  // Until when; a run ends before its month does, or after it.
};

// The month after today's, or the months that a run takes from there; a plan is never billed in the
// past.
Period next_month(const std::string& today, std::optional<Seconds> run) {
  int year = 2000;
  int month = 1;
  if (today.size() >= 7) {
    year = std::atoi(today.substr(0, 4).c_str());
    month = std::atoi(today.substr(5, 2).c_str());
  }
  const auto text = [](int months) {
    return fmt::format("{:04}-{:02}-01T00:00:00Z", months / 12, months % 12 + 1);
  };
  const int index = year * 12 + month;  // Months from year 0; `month` counts from 1, so the next.
  if (!run) return {text(index), text(index + 1), text(index + 1)};
  using namespace std::chrono;
  const sys_days first = std::chrono::year{index / 12} / (index % 12 + 1) / 1;
  const auto end = first + std::chrono::seconds(static_cast<std::int64_t>(std::ceil(run->base())));
  const auto day = floor<days>(end);
  const year_month_day date(day);
  const hh_mm_ss time(end - day);
  const int last = static_cast<int>(date.year()) * 12 + static_cast<int>(unsigned{date.month()});
  return {text(index), text(last),
          fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                      unsigned{date.month()}, unsigned{date.day()}, time.hours().count(),
                      time.minutes().count(), time.seconds().count())};
}

std::string tags(const CostAnswer& answer) {
  return print_compact_json(
      Value::Object{{"lf:scenario", answer.scenario},
                    {"lf:load_factor", fmt::format("{:.4g}", answer.load_factor)},
                    {"lf:forecast", "true"}});
}

// FOCUS knows hours, not GPU-hours, as a unit of price.
std::string focus_unit(BillUnit unit) {
  switch (unit) {
    case BillUnit::kFlat:
      return "Months";
    case BillUnit::kGpuHours:
      return "Hours";
    case BillUnit::kMillionTokens:
      return "1000000 Tokens";
    case BillUnit::kKilowattHours:
      break;
  }
  return std::string(unit_words(unit));
}

std::string unit_or(const CostLine& line, const char* other) {
  return line.unit == BillUnit::kFlat ? other : std::string(unit_words(line.unit));
}

constexpr double kCents = 100;

// A line of the bill, or the part of it that a commitment covers and that carried work or did not.
struct FocusPart {
  double cents = 0;
  double quantity = 0;
  std::optional<double> used;  // None: nothing is consumed.
  const char* status = "";     // That of the commitment; empty: there is none.
};

// The hours of a commitment that nobody used are a row of their own; cents are lost between the two
// rows by neither.
std::vector<FocusPart> parts_of(const CostAnswer& answer, const CostLine& line, double used) {
  const double quantity = line.quantity.value_or(1.0);
  const double cents = std::round(line.monthly.base() * kCents);
  const bool is_committed = std::string_view(pricing_category(answer, line)) == kCommitted;
  if (!is_committed) return {{cents, quantity, used, ""}};
  if (!(used > 0 && used < quantity)) return {{cents, quantity, used, "Used"}};
  const double share = std::round(cents * used / quantity);
  return {{share, used, used, "Used"}, {cents - share, quantity - used, std::nullopt, "Unused"}};
}

// CommitmentDiscountCategory, Id, Name, Status and Type: all of a commitment, or none of them.
std::vector<std::string> commitment_cells(const CostAnswer& answer, const CostLine& line,
                                          const char* status) {
  if (*status == '\0') return std::vector<std::string>(5);
  const bool is_long =
      line.item == BillItem::kLongReservedBase ||
      (line.item != BillItem::kReservedBase && answer.bill_of.kind == OptionKind::kReserved3y);
  const char* const term = is_long ? "3y" : "1y";
  return {"Usage", fmt::format("lf-reserved-{}/{}", term, answer.accelerator),
          fmt::format("{} reserved, {}", answer.accelerator, term), status, "Reservation"};
}

std::string focus_row(const CostAnswer& answer, const CostLine& line, const FocusPart& part) {
  const Period period = next_month(answer.today, run_time(answer));
  const std::string cost = fmt::format("{:.2f}", part.cents / kCents);
  const bool compute = line.unit == BillUnit::kGpuHours;
  const std::string name = words_of(line, answer.bill_of);
  const std::string provider = "loadfactor forecast";
  std::vector<std::string> cells{cost,
                                 "lf-" + answer.scenario,
                                 answer.scenario,
                                 "USD",
                                 period.end,
                                 period.start,
                                 "Usage",
                                 "",
                                 fmt::format("{}: {}, forecast", words_of(answer.bill_of), name),
                                 "Usage-Based",
                                 period.charged,
                                 period.start};
  const auto commitment = commitment_cells(answer, line, part.status);
  cells.insert(cells.end(), commitment.begin(), commitment.end());
  const std::vector<std::string> rest{cost,
                                      cost,
                                      provider,
                                      cost,
                                      pricing_category(answer, line),
                                      fmt::format("{:.6g}", part.quantity),
                                      focus_unit(line.unit),
                                      provider,
                                      provider,
                                      "",
                                      "",
                                      "pool/" + answer.accelerator,
                                      answer.accelerator,
                                      "GPU pool",
                                      "AI and Machine Learning",
                                      compute ? "GPU compute" : name,
                                      "Generative AI",
                                      part.used ? fmt::format("{:.6g}", *part.used) : "",
                                      part.used ? unit_or(line, "Months") : "",
                                      tags(answer)};
  cells.insert(cells.end(), rest.begin(), rest.end());
  std::string row;
  for (const auto& cell : cells) row += (row.empty() ? "" : ",") + csv_quoted(cell);
  return row + "\r\n";
}

// What of a line carried work: its first child where it has one.
double used_of(const CostAnswer& answer, std::size_t index) {
  const bool has_child =
      index + 1 < answer.lines.size() && answer.lines[index + 1].depth > answer.lines[index].depth;
  const CostLine& line = has_child ? answer.lines[index + 1] : answer.lines[index];
  return line.quantity.value_or(1.0);
}

std::string decimal(double value) {
  return fmt::format("{:.6f}", value);
}

// What one of its unit costs, so that price times quantity is the cost.
double price_of(const CostLine& line) {
  const double quantity = line.quantity.value_or(1.0);
  return quantity != 0 ? line.monthly.base() / quantity
                       : line.unit_price.value_or(Dollars()).base();
}

Value component(const CostAnswer& answer, const CostLine& line) {
  return Value::Object{{"name", words_of(line, answer.bill_of)},
                       {"unit", unit_or(line, "months")},
                       {"hourlyQuantity", decimal(line.quantity.value_or(1.0) / kHoursPerMonth)},
                       {"monthlyQuantity", decimal(line.quantity.value_or(1.0))},
                       {"price", decimal(price_of(line))},
                       {"hourlyCost", decimal(line.monthly.base() / kHoursPerMonth)},
                       {"monthlyCost", decimal(line.monthly.base())}};
}

// A line and its parts, as one resource.
Value subresource(const CostAnswer& answer, std::size_t at) {
  const CostLine& line = answer.lines[at];
  Value::List parts;
  for (std::size_t i = at + 1; i < answer.lines.size() && answer.lines[i].depth > 0; ++i)
    parts.push_back(component(answer, answer.lines[i]));
  return Value::Object{{"name", words_of(line, answer.bill_of)},
                       {"metadata", Value::Object()},
                       {"hourlyCost", decimal(line.monthly.base() / kHoursPerMonth)},
                       {"monthlyCost", decimal(line.monthly.base())},
                       {"costComponents", std::move(parts)}};
}

Value resources_of(const CostAnswer& answer) {
  Value::List components, subresources;
  for (std::size_t i = 0; i < answer.lines.size(); ++i) {
    const CostLine& line = answer.lines[i];
    if (line.depth > 0) continue;
    const bool has_children = i + 1 < answer.lines.size() && answer.lines[i + 1].depth > 0;
    if (has_children)
      subresources.push_back(subresource(answer, i));
    else
      components.push_back(component(answer, line));
  }
  return Value::List{Value::Object{{"name", words_of(answer.bill_of)},
                                   {"resourceType", "loadfactor_capacity"},
                                   {"metadata", Value::Object()},
                                   {"hourlyCost", decimal(answer.total.base() / kHoursPerMonth)},
                                   {"monthlyCost", decimal(answer.total.base())},
                                   {"costComponents", std::move(components)},
                                   {"subresources", std::move(subresources)}}};
}

}  // namespace

std::string cost_focus_csv(const CostAnswer& given) {
  const CostAnswer answer = as_billed(given, months_of(given));
  std::string text = std::string(kFocusHeader) + "\r\n";
  for (std::size_t i = 0; i < answer.lines.size(); ++i) {
    const CostLine& line = answer.lines[i];
    if (line.depth > 0) continue;
    for (const FocusPart& part : parts_of(answer, line, used_of(answer, i)))
      text += focus_row(answer, line, part);
  }
  return text;
}

std::string cost_infracost_json(const CostAnswer& given) {
  // Its figures are of a month: those of a longer run are one of its months.
  const double months = months_of(given);
  const CostAnswer answer = as_billed(given, std::min(1.0, months));
  const std::string monthly = decimal(answer.total.base());
  const std::string hourly = decimal(answer.total.base() / kHoursPerMonth);
  Value breakdown = Value::Object{{"resources", resources_of(answer)},
                                  {"totalHourlyCost", hourly},
                                  {"totalMonthlyCost", monthly}};
  Value::Object metadata{{"type", "loadfactor_scenario"}};
  if (const auto time = run_time(given)) {
    metadata.push_back({"runHours", decimal(*time / kHour)});
    metadata.push_back({"runCost", decimal(given.total.base() * months)});
  }
  Value project = Value::Object{{"name", answer.scenario},
                                {"metadata", std::move(metadata)},
                                {"breakdown", std::move(breakdown)}};
  return print_json(Value::Object{{"version", "0.2"},
                                  {"currency", "USD"},
                                  {"projects", Value::List{std::move(project)}},
                                  {"totalHourlyCost", hourly},
                                  {"totalMonthlyCost", monthly}});
}

}  // namespace loadfactor::report
