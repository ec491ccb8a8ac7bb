// The description of the years of a plan: the books of each way to have the work done.
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "report/plan/plan_parts.h"
#include "report/plan/years_words.h"

namespace loadfactor::report {
namespace {

using economics::YearBook;

// A year of the books, with the lowest and the highest of its figures.
struct BookSpan {
  const YearBook& book;
  const YearBook& low;
  const YearBook& high;
};
template <typename Q>
EstimateOf<Q> between(Q value, Q low, Q high) {
  return EstimateOf<Q>(value, low, high, Basis::kModelled, "plan");
}
template <auto figure>
constexpr auto kSpan = [](const BookSpan& span) {
  return between(span.book.*figure, span.low.*figure, span.high.*figure);
};
// What follows from the scenario alone, and is not modelled.
template <auto figure>
constexpr auto kStated = [](const BookSpan& span) {
  using Figure = std::decay_t<decltype(span.book.*figure)>;
  return EstimateOf<Figure>::exact(span.book.*figure, Basis::kAssumed, "scenario");
};
template <auto figure>
constexpr auto kWhole = [](const engine::LongRunPlan& plan) {
  return between(plan.money.*figure, plan.lowest.*figure, plan.highest.*figure);
};
std::vector<BookSpan> books_of(const engine::LongRunPlan& plan) {
  std::vector<BookSpan> books;
  for (std::size_t i = 0; i < plan.money.years.size(); ++i)
    books.push_back({plan.money.years[i], plan.lowest.years[i], plan.highest.years[i]});
  return books;
}
// Electricity as the scenario or the catalogue has it.
constexpr auto kAmountOfEnergy = [](DollarsPerJoule price) {
  return EstimateOf<DollarsPerJoule>::exact(price, Basis::kAssumed, "scenario or region");
};
std::string_view long_kind(const engine::LongRunWay& way) {
  return name_of(way.kind);
}

}  // namespace

template <>
constexpr auto kFields<BookSpan> = fields<BookSpan>(
    field<BookSpan>("cost", kSpan<&YearBook::cost>,
                    "Cost as a plan of one moment counts it: machines by their annuity"),
    field<BookSpan>("purchases", kSpan<&YearBook::purchases>, "Paid for machines"),
    field<BookSpan>("resale", kSpan<&YearBook::resale>, "Got for machines that are sold"),
    field<BookSpan>("operating", kSpan<&YearBook::operating>, "Paid for everything else"),
    field<BookSpan>("revenue", kStated<&YearBook::revenue>,
                    "Earned with tokens: the stated price of the stated demand"),
    field<BookSpan>("cash", kSpan<&YearBook::cash>, "All cash before tax; paid is negative"),
    field<BookSpan>("depreciation", kSpan<&YearBook::depreciation>, "Written off in the books"),
    field<BookSpan>("disposal", kSpan<&YearBook::disposal>, "Resale less what the books still had"),
    field<BookSpan>("profit", kSpan<&YearBook::profit>, "Profit before tax"),
    field<BookSpan>("tax", kSpan<&YearBook::tax>, "Tax on it; negative where it is saved"),
    field<BookSpan>(
        "gpus", [](const BookSpan& span) { return span.book.gpus; },
        "GPUs paid for on average in its last month"),
    field<BookSpan>(
        "owned", [](const BookSpan& span) { return span.book.owned; },
        "GPUs owned in its last month"),
    field<BookSpan>("energy", kSpan<&YearBook::energy>, "Energy of the machines and the site"));

template <>
constexpr auto kFields<engine::LongRunWay> = fields<engine::LongRunWay>(
    field<long_kind>("kind", "The way to pay"),
    field<&engine::LongRunWay::accelerator>("accelerator", "Catalogue name; empty for the API"),
    field<&engine::LongRunWay::seller>("seller", "Who sells the tokens; empty for machines"));

template <>
constexpr auto kFields<engine::LongRunPlan> = fields<engine::LongRunPlan>(
    field<long_plan_words>("name", "The plan in words"),
    field<&engine::LongRunPlan::first>("first", "The way from the beginning on"),
    field<&engine::LongRunPlan::then>("then", "The way from a month on; null: the first stays"),
    field<&engine::LongRunPlan::change>("change_month", "That month, from 0"),
    field<engine::LongRunPlan>("npv", kWhole<&economics::YearsResult::npv>,
                               "Net present value of the cash after tax"),
    field<engine::LongRunPlan>("cash", kWhole<&economics::YearsResult::cash>,
                               "Sum of the cash after tax"),
    field<books_of>("years", "The books of each year"));

template <>
constexpr auto kFields<engine::OutgrownWay> = fields<engine::OutgrownWay>(
    field<engine::OutgrownWay>(
        "way", [](const engine::OutgrownWay& out) { return long_way_words(out.way); },
        "A way to pay"),
    field<&engine::OutgrownWay::month>("month", "The month, from 0, in which GPUs are too few"));

template <>
constexpr auto kFields<engine::ComingChip> = fields<engine::ComingChip>(
    field<&engine::ComingChip::accelerator>("accelerator", "Catalogue name"),
    field<&engine::ComingChip::year>("year", "For which it is announced"),
    field<&engine::ComingChip::month>("month", "From which on it is counted to be there, from 0"));

template <>
constexpr auto kFields<engine::PlanYears> = fields<engine::PlanYears>(
    field<&engine::PlanYears::traffic>("traffic", "Mean of each year over today's"),
    field<&engine::PlanYears::plans>("plans", "Ways to have the work done, the highest NPV first"),
    field<&engine::PlanYears::outgrown>("outgrown", "Ways that growth makes impossible"),
    field<&engine::PlanYears::coming>("coming", "Chips that are announced and not there yet"),
    field<&engine::PlanYears::buy_now>("buy_now", "Owning at once; null where nothing is owned"),
    field<&engine::PlanYears::wait>("wait", "Owning after some months of another way"),
    field<&engine::PlanYears::wait_months>("wait_months", "These months"),
    field<&engine::PlanYears::discount>("discount", "Per year"),
    field<&engine::PlanYears::tax>("tax_rate", "On profit"),
    field<&engine::PlanYears::is_macrs>("macrs", "Whether the books write off by MACRS"),
    field<&engine::PlanYears::lead>("lead_months", "From an order to machines that work"),
    field<&engine::PlanYears::rent_drift>("rent_drift",
                                          "Change of rents per year; null where a path is stated"),
    field<&engine::PlanYears::electricity, kAmountOfEnergy>("electricity",
                                                            "Today's price of electricity"),
    field<&engine::PlanYears::grams_per_kwh>(
        "carbon_g_per_kwh", "Carbon of the region's electricity; null where it is not known"));

Value to_value(const engine::PlanYears& years) {
  return described_value<engine::PlanYears>(years, kFields<engine::PlanYears>);
}
Value schema_of(Type<engine::PlanYears>) {
  return described_schema<engine::PlanYears>(kFields<engine::PlanYears>);
}

template <>
constexpr auto kFields<engine::SiteYears> = fields<engine::SiteYears>(
    field<&engine::SiteYears::best>("best", "The way to have its machines with the highest NPV"),
    field<&engine::SiteYears::electricity, kAmountOfEnergy>("electricity",
                                                            "What electricity costs there"),
    field<&engine::SiteYears::grams_per_kwh>(
        "carbon_g_per_kwh", "Carbon of that electricity; null where it is not known"));

Value to_value(const engine::SiteYears& years) {
  return described_value<engine::SiteYears>(years, kFields<engine::SiteYears>);
}
Value schema_of(Type<engine::SiteYears>) {
  return described_schema<engine::SiteYears>(kFields<engine::SiteYears>);
}

}  // namespace loadfactor::report
