// How rows of a cost answer become fields. Only .cc files that describe one include it.
//
// Figures that are computed from the options' own have their basis and source; their interval is
// not drawn.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/cost.h"
#include "report/describe/describe.h"

namespace loadfactor::report {

// A row, and the answer that it is part of.
template <typename Row>
struct In {
  const Row& row;
  const CostAnswer& answer;
};

template <typename Q>
EstimateOf<Q> of_options(Q value, const CostAnswer& answer) {
  if (answer.options.empty()) return EstimateOf<Q>::exact(value, Basis::kModelled, "catalogue");
  const auto& first = answer.options[0].per_month;
  return EstimateOf<Q>::exact(value, first.basis(), first.source());
}
template <typename Q>
std::optional<EstimateOf<Q>> of_options(const std::optional<Q>& value, const CostAnswer& answer) {
  return value ? std::optional(of_options(*value, answer)) : std::nullopt;
}

template <auto member>
using RowOf = In<typename OwnerOf<decltype(member)>::type>;

// A member as it is.
template <auto member>
constexpr auto kPlain = [](const RowOf<member>& in) { return std::invoke(member, in.row); };
// A member as a figure.
template <auto member>
constexpr auto kFigure =
    [](const RowOf<member>& in) { return of_options(std::invoke(member, in.row), in.answer); };
// A load that may be beyond any: nothing where no load suffices.
template <auto member>
constexpr auto kLoad = [](const RowOf<member>& in) {
  const double load = std::invoke(member, in.row);
  return std::isfinite(load) ? std::optional(of_options(load, in.answer)) : std::nullopt;
};
// The rows of a list, and a part that may be missing.
template <auto member>
constexpr auto kRows = [](const RowOf<member>& in) {
  using Row = typename std::remove_cvref_t<decltype(in.row.*member)>::value_type;
  std::vector<In<Row>> out;
  for (const Row& row : in.row.*member) out.push_back({row, in.answer});
  return out;
};
template <auto member>
constexpr auto kPart = [](const RowOf<member>& in) {
  using Row = typename std::remove_cvref_t<decltype(in.row.*member)>::value_type;
  return in.row.*member ? std::optional(In<Row>{*(in.row.*member), in.answer}) : std::nullopt;
};

// A price of a million tokens, or of a GPU-hour: drawn, or as a figure.
template <PricedWork work, auto member>
constexpr auto kPriceOf = [](const RowOf<member>& in) {
  const auto& price = std::invoke(member, in.row);
  using Price = std::remove_cvref_t<decltype(price)>;
  constexpr bool is_plain =
      std::is_same_v<Price, Dollars> || std::is_same_v<Price, std::optional<Dollars>>;
  if constexpr (is_plain)
    return priced<work>(of_options(price, in.answer));
  else
    return priced<work>(price);
};

template <auto member>
constexpr auto plain(std::string_view name, std::string_view meaning) {
  return field<RowOf<member>>(name, kPlain<member>, meaning);
}
template <auto member>
constexpr auto known_plain(std::string_view name, std::string_view meaning) {
  return known_field<RowOf<member>>(name, kPlain<member>, meaning);
}
template <auto member>
constexpr auto figure(std::string_view name, std::string_view meaning) {
  return field<RowOf<member>>(name, kFigure<member>, meaning);
}
template <auto member>
constexpr auto known_figure(std::string_view name, std::string_view meaning) {
  return known_field<RowOf<member>>(name, kFigure<member>, meaning);
}
template <PricedWork work, auto member>
constexpr auto price_of(std::string_view name, std::string_view meaning) {
  return field<RowOf<member>>(name, kPriceOf<work, member>, meaning);
}
template <PricedWork work, auto member>
constexpr auto known_price_of(std::string_view name, std::string_view meaning) {
  return known_field<RowOf<member>>(name, kPriceOf<work, member>, meaning);
}
template <auto member>
constexpr auto load(std::string_view name, std::string_view meaning) {
  return field<RowOf<member>>(name, kLoad<member>, meaning);
}
template <auto member>
constexpr auto percent(std::string_view name, std::string_view meaning) {
  return field<RowOf<member>>(
             name, [](const RowOf<member>& in) { return 100 * (in.row.*member); }, meaning)
      .in("%")
      .at_least(0);
}
template <auto member>
constexpr auto rows(std::string_view name, std::string_view meaning) {
  return field<RowOf<member>>(name, kRows<member>, meaning);
}
template <auto member>
constexpr auto part(std::string_view name, std::string_view meaning) {
  return known_field<RowOf<member>>(name, kPart<member>, meaning);
}

// Parts that are described in files of their own.
Value to_value(const In<FacilityAnswer>& facility);
Value schema_of(Type<In<FacilityAnswer>>);
Value to_value(const In<RentPaths>& paths);
Value schema_of(Type<In<RentPaths>>);
Value to_value(const In<BaseAndBurst>& mix);
Value schema_of(Type<In<BaseAndBurst>>);
Value to_value(const In<PortingAnswer>& move);
Value schema_of(Type<In<PortingAnswer>>);

}  // namespace loadfactor::report
