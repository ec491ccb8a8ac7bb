#include "report/cost/cost_words.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/quantity_text.h"

namespace loadfactor::report {
namespace {

struct ItemRow {
  BillItem item;
  std::string_view words;
};
constexpr ItemRow kItems[] = {
    {BillItem::kOwnAllIn, "owning, all in"},
    {BillItem::kOwnedBase, "owning the base, all in"},
    {BillItem::kReservedBase, "reserved for a year"},
    {BillItem::kLongReservedBase, "reserved for three years"},
    {BillItem::kSpotBurst, "burst on spot"},
    {BillItem::kOnDemandBurst, "burst on demand"},
    {BillItem::kCarryingWork, "carrying work"},
    {BillItem::kFlyingEmpty, "flying empty"},
    {BillItem::kElectricity, "electricity"},
    {BillItem::kSpace, "space and power rating"},
    {BillItem::kMaintenance, "maintenance"},
    {BillItem::kInsurance, "insurance"},
    {BillItem::kStaff, "staff"},
    {BillItem::kSoftware, "software"},
    {BillItem::kOutOfOrder, "hours out of order"},
    {BillItem::kInterruptions, "work lost to interruptions"},
    {BillItem::kWaiting, "waiting for capacity"},
    {BillItem::kPlatform, "surcharge of the platform"},
    {BillItem::kSupport, "support"},
    {BillItem::kLostHours, "hours lost to the provider"},
    {BillItem::kStorage, "storage"},
    {BillItem::kEgress, "egress"},
    {BillItem::kDebugging, "debugging"},
    {BillItem::kSetUp, "set-up, spread"},
    {BillItem::kBesideHours, "beside the hours"},
    {BillItem::kSoldHours, "idle hours sold"},
    {BillItem::kTokens, "tokens"},
    {BillItem::kTokensIn, "tokens in"},
    {BillItem::kTokensCached, "tokens in, cached"},
    {BillItem::kTokensOut, "tokens out"},
    {BillItem::kPeople, "people"},
};

constexpr std::string_view kFactors[] = {
    "rents", "price of the hardware", "residual value", "price of electricity",
    "PUE",   "tokens per second",     "load factor",    "price of the API"};

std::string usd_a_month(Dollars amount) {
  return fmt::format("{} USD a month", format_count(std::llround(amount.base())));
}

}  // namespace

std::string words_of(const CostLine& line, const OptionName& option) {
  if (line.item == BillItem::kOption) return words_of(option);
  if (line.item == BillItem::kCapital)
    return fmt::format("capital over {:.0f} months", line.life / kMonth);
  if (line.item == BillItem::kRent)
    return fmt::format("rent of {}, {}", option.of.empty() ? std::string("GPU") : option.of,
                       name_of(option.kind));
  const auto* row = std::find_if(std::begin(kItems), std::end(kItems),
                                 [&](const ItemRow& each) { return each.item == line.item; });
  return std::string(row->words);
}

std::string_view unit_words(BillUnit unit) {
  switch (unit) {
    case BillUnit::kFlat:
      return "";
    case BillUnit::kGpuHours:
      return "GPU-hours";
    case BillUnit::kKilowattHours:
      return "kWh";
    case BillUnit::kMillionTokens:
      return "M tokens";
  }
  return "";
}

std::string_view name_of(BreakEvenVerdict verdict) {
  switch (verdict) {
    case BreakEvenVerdict::kPays:
      return "pays";
    case BreakEvenVerdict::kShort:
      return "short";
    case BreakEvenVerdict::kNever:
      return "never";
  }
  return "";
}

std::string rival_of(const BreakEven& row) {
  if (row.against.kind == OptionKind::kApi) return words_of(row.against);
  return fmt::format("{}, paid only while it works", kind_words(row.against.kind));
}

std::string_view words_of(CostFactor input) {
  return kFactors[static_cast<std::size_t>(input)];
}

std::string words_of(const RentPath& path) {
  const double change = 100 * path.change;
  switch (path.kind) {
    case RentPath::Kind::kStay:
      return "rents stay";
    case RentPath::Kind::kStated:
      return "your curve";
    case RentPath::Kind::kDrift:
      return fmt::format("rents {} {:.0f} % a year", change < 0 ? "fall" : "rise",
                         std::abs(change));
    case RentPath::Kind::kJump:
      return fmt::format("rents drop {:.0f} % after a year", -change);
    case RentPath::Kind::kHistory:
      return fmt::format("as rents moved so far ({:+.0f} % a year)", change);
  }
  return {};
}

std::string label_of(const RentPath& path) {
  switch (path.kind) {
    case RentPath::Kind::kStay:
      return "stay";
    case RentPath::Kind::kStated:
      return "yours";
    case RentPath::Kind::kDrift:
      return fmt::format("{:+.0f} %", 100 * path.change);
    case RentPath::Kind::kJump:
      return "drop";
    case RentPath::Kind::kHistory:
      return "so far";
  }
  return {};
}

std::string_view words_of(RentPaths::Basis basis) {
  switch (basis) {
    case RentPaths::Basis::kHistory:
      return "as rents moved so far";
    case RentPaths::Basis::kCatalogue:
      return "as the catalogue assumes";
    case RentPaths::Basis::kStated:
      return "as stated";
  }
  return "";
}

std::string_view words_of(DiscountBasis basis) {
  switch (basis) {
    case DiscountBasis::kStated:
      return "as stated";
    case DiscountBasis::kUsual:
      return "usual of a GPU cloud";
    case DiscountBasis::kWeighted:
      return "weighted from debt and equity";
  }
  return "";
}

std::string_view tier_words(OptionKind option) {
  switch (option) {
    case OptionKind::kOwn:
      return "own";
    case OptionKind::kReserved1y:
      return "reserved for a year";
    case OptionKind::kReserved3y:
      return "reserved for three years";
    case OptionKind::kOnDemand:
      return "on demand";
    case OptionKind::kSpot:
      return "on spot";
    default:
      return kind_words(option);
  }
}

std::string words_of(const MarginalGpu& marginal) {
  const Dollars add = marginal.add;
  const Dollars give_up = marginal.give_up;
  if (!marginal.is_demand_met)
    return add > Dollars() ? "demand is not met: one more GPU returns " + usd_a_month(add)
                           : "demand is not met, but one more GPU loses " + usd_a_month(-add);
  if (std::abs(give_up.base()) < 0.5) return "every GPU is needed, and its work is worth its price";
  return give_up > Dollars()
             ? fmt::format("demand is met: one more only adds {}; one less saves {}",
                           usd_a_month(-add), usd_a_month(give_up))
             : fmt::format("every GPU is needed: one less would cost {}", usd_a_month(-give_up));
}

std::string words_of(const ClaimAnswer& claim) {
  if (claim.holds)
    return fmt::format("the claim of {:.0f} % holds at this price", 100 * claim.claimed);
  return fmt::format(
      "the claim of {:.0f} % needs a price {:.1f} times today's, or a machine that much faster or "
      "cheaper: break-even goes with cost over price × rate, so at one price a slower model breaks "
      "even later, never sooner; two floors that differ otherwise are floors at two prices",
      100 * claim.claimed, claim.price_factor);
}

std::string words_of(const CoolingObjection& objection) {
  if (objection.kind == CoolingObjection::Kind::kLiquidOnly)
    return "the node is cooled by liquid only";
  return fmt::format("a node of {} exceeds the {} of a rack", format_display(any(objection.node)),
                     format_display(any(objection.rack)));
}

std::string words_of(const HostShortfall& shortfall) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (shortfall.cores) add(fmt::format("{} cores", *shortfall.cores));
  if (shortfall.memory) add(fmt::format("{} of memory", format_display(any(*shortfall.memory))));
  if (shortfall.nvme) add(fmt::format("{} of NVMe", format_display(any(*shortfall.nvme))));
  return fmt::format("{} has only {}", shortfall.node, text);
}

}  // namespace loadfactor::report
