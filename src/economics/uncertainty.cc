#include "economics/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/distributions.h"

namespace loadfactor::economics {
namespace {

constexpr std::array<FactorRow, kNumFactors> kRows{
    FactorRow{Factor::kRent, "rent"},         FactorRow{Factor::kCapital, "capital"},
    FactorRow{Factor::kResidual, "residual"}, FactorRow{Factor::kElectricity, "electricity"},
    FactorRow{Factor::kPue, "pue"},           FactorRow{Factor::kRate, "rate"},
    FactorRow{Factor::kLoad, "load_factor"},  FactorRow{Factor::kApiPrice, "api"},
};

// Nine of ten lie between these shares; every interval that is printed holds so many.
constexpr double kLow = 0.05;
constexpr double kHigh = 0.95;
constexpr double kLowScore = -1.6448536269514722;  // The normal score of the first of them.

std::size_t at(Factor factor) {
  return static_cast<std::size_t>(factor);
}

std::array<UncertainInput, kNumFactors> inputs_of(const CostCase& base,
                                                  const Variations& variations) {
  std::array<UncertainInput, kNumFactors> inputs;
  for (std::size_t i = 0; i < kNumFactors; ++i) inputs[i] = {.variation = variations[i]};
  inputs[at(Factor::kLoad)] = {base.capacity.load_factor, variations[at(Factor::kLoad)],
                               Spread::kBeta};
  return inputs;
}

using Row = std::array<double, kNumFactors>;

Row values_of(const InputQuantiles& quantiles, std::span<const double> scores) {
  Row row{};
  for (std::size_t i = 0; i < kNumFactors; ++i) row[i] = quantiles.value(i, scores[i]);
  return row;
}

void scale_owner(const CostCase& base, std::span<const double> values, OwnerTerms& moved) {
  moved.capital.price = base.own->capital.price * values[at(Factor::kCapital)];
  moved.capital.residual =
      std::min(1.0, base.own->capital.residual * values[at(Factor::kResidual)]);
  moved.electricity = base.own->electricity * values[at(Factor::kElectricity)];
  moved.pue = std::max(1.0, base.own->pue * values[at(Factor::kPue)]);
}

// Costs of all options in one draw, and what the intervals need.
class Collector {
 public:
  Collector(std::size_t options, std::size_t draws)
      : rates_(options, std::vector<double>(draws)),
        costs_(options, std::vector<double>(draws)),
        per_work_(options, std::vector<double>(draws)),
        break_even_(options, std::vector<double>(draws)),
        best_(draws) {}

  void add(std::size_t draw, const CostFigures& figures, double work) {
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      const auto& option = figures.options[i];
      rates_[i][draw] = option.cost.base();
      costs_[i][draw] = option.compared.base();
      per_work_[i][draw] = work > 0 ? option.compared.base() / work : 0.0;
      break_even_[i][draw] = option.break_even;
    }
    best_[draw] = figures.cheapest;
  }

  std::vector<OptionSpread> spreads() {
    std::vector<OptionSpread> rows(costs_.size());
    const auto draws = static_cast<double>(best_.size());
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      OptionSpread& row = rows[i];
      row.mean = std::accumulate(costs_[i].begin(), costs_[i].end(), 0.0) / draws;
      row.mean_rate = std::accumulate(rates_[i].begin(), rates_[i].end(), 0.0) / draws;
      row.wins = static_cast<double>(std::count(best_.begin(), best_.end(), i)) / draws;
      row.low = quantile(rates_[i], kLow);
      row.p50 = quantile(rates_[i], 0.5);
      row.high = quantile(rates_[i], kHigh);
      row.per_work_low = quantile(per_work_[i], kLow);
      row.per_work_p50 = quantile(per_work_[i], 0.5);
      row.per_work_high = quantile(per_work_[i], kHigh);
      row.break_even_low = quantile(break_even_[i], kLow);
      row.break_even_high = quantile(break_even_[i], kHigh);
    }
    return rows;
  }

  // min over options of the mean, less the mean of the min.
  double value_of_knowing_all(const std::vector<OptionSpread>& rows) const {
    double least = rows[0].mean;
    for (const auto& row : rows) least = std::min(least, row.mean);
    double best = 0;
    for (std::size_t draw = 0; draw < best_.size(); ++draw) best += costs_[best_[draw]][draw];
    return std::max(0.0, least - best / static_cast<double>(best_.size()));
  }

  // The same where only one input is known: the choice is made within slices of its values.
  double value_of_knowing(std::span<const double> input,
                          const std::vector<OptionSpread>& rows) const {
    constexpr std::size_t kSlices = 32;
    const std::size_t draws = best_.size();
    std::vector<std::uint32_t> order(draws);
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return input[a] < input[b]; });
    double best = 0;
    for (std::size_t slice = 0; slice < kSlices; ++slice)
      best += least_in(order, slice * draws / kSlices, (slice + 1) * draws / kSlices);
    double least = rows[0].mean;
    for (const auto& row : rows) least = std::min(least, row.mean);
    return std::max(0.0, least - best / static_cast<double>(draws));
  }

 private:
  // The value at a share of the way; partially sorts.
  static double quantile(std::vector<double>& values, double q) {
    const auto place = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
  }

  // The sum of costs of the option that is cheapest over a slice.
  double least_in(std::span<const std::uint32_t> order, std::size_t from, std::size_t to) const {
    double least = 0;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      double sum = 0;
      for (std::size_t k = from; k < to; ++k) sum += costs_[i][order[k]];
      if (i == 0 || sum < least) least = sum;
    }
    return least;
  }

  std::vector<std::vector<double>> rates_;
  std::vector<std::vector<double>> costs_;  // What is compared.
  std::vector<std::vector<double>> per_work_;
  std::vector<std::vector<double>> break_even_;
  std::vector<std::size_t> best_;
};

}  // namespace

double work_of(const Capacity& capacity) {
  const bool tokens = capacity.full_plane > TokensPerSecond();
  return (tokens ? capacity.full_plane.base() : capacity.gpus) * capacity.load_factor;
}

std::span<const FactorRow> factor_rows() {
  return kRows;
}

void apply_factors(const CostCase& base, std::span<const double> values, CostCase& moved) {
  const double rent = values[at(Factor::kRent)];
  for (std::size_t i = 0; i < kNumTerms; ++i) {
    if (base.rent[i]) moved.rent[i]->price = base.rent[i]->price * rent;
  }
  moved.resale = base.resale * rent;
  if (base.own) scale_owner(base, values, *moved.own);
  if (base.own_all_in) moved.own_all_in = *base.own_all_in * values[at(Factor::kCapital)];
  const double rate = values[at(Factor::kRate)];
  const double load = values[at(Factor::kLoad)] / (base.capacity.is_of_demand ? rate : 1.0);
  moved.capacity.full_plane = base.capacity.full_plane * rate;
  moved.capacity.load_factor = load;
  if (base.capacity.load_factor > 0)
    moved.capacity.demand_scale = base.capacity.demand_scale * load / base.capacity.load_factor;
  if (base.api) {
    const double price = values[at(Factor::kApiPrice)];
    moved.api->input = base.api->input * price;
    moved.api->cached = base.api->cached * price;
    moved.api->output = base.api->output * price;
  }
  for (std::size_t i = 0; i < base.alternatives.size(); ++i) {
    if (base.alternatives[i].all_in)
      moved.alternatives[i].all_in = *base.alternatives[i].all_in * values[at(Factor::kCapital)];
    if (base.alternatives[i].own)
      moved.alternatives[i].own->capital.price =
          base.alternatives[i].own->capital.price * values[at(Factor::kCapital)];
  }
}

Spreads simulate(const CostCase& base, OptionSet asked, const DrawPlan& plan) {
  const auto inputs = inputs_of(base, plan.variations);
  const InputQuantiles quantiles(inputs);
  const Sample scores = normal_scores(kNumFactors, plan.correlations, plan.draws, plan.seed);
  const CostFigures centre = evaluate(base, asked);
  Spreads spreads;
  spreads.draws = plan.draws;
  if (centre.count == 0) return spreads;
  Collector collector(centre.count, plan.draws);
  CostCase moved = base;
  for (std::size_t draw = 0; draw < plan.draws; ++draw) {
    const Row values = values_of(quantiles, scores.row(draw));
    apply_factors(base, values, moved);
    collector.add(draw, reprice(moved, asked, centre), work_of(moved.capacity));
  }
  spreads.options = collector.spreads();
  spreads.value_of_knowing_all = collector.value_of_knowing_all(spreads.options);
  std::vector<double> column(plan.draws);
  for (std::size_t i = 0; i < kNumFactors; ++i) {
    if (plan.variations[i] == 0) continue;
    for (std::size_t draw = 0; draw < plan.draws; ++draw) column[draw] = scores.row(draw)[i];
    spreads.value_of_knowing[i] = collector.value_of_knowing(column, spreads.options);
  }
  return spreads;
}

Sensitivity sensitivity(const CostCase& base, OptionSet asked, std::size_t option,
                        const DrawPlan& plan) {
  const InputQuantiles quantiles(inputs_of(base, plan.variations));
  const Sample a = normal_scores(kNumFactors, {}, plan.draws, plan.seed);
  const Sample b = normal_scores(kNumFactors, {}, plan.draws, plan.seed + 1);
  const CostFigures decided = evaluate(base, asked);
  CostCase moved = base;
  const auto cost_of = [&](std::span<const double> scores) {
    apply_factors(base, values_of(quantiles, scores), moved);
    return reprice(moved, asked, decided).options[option].compared.base() / work_of(moved.capacity);
  };
  std::vector<double> of_a(plan.draws);
  std::vector<double> of_b(plan.draws);
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < plan.draws; ++i) {
    of_a[i] = cost_of(a.row(i));
    of_b[i] = cost_of(b.row(i));
    sum += of_a[i] + of_b[i];
    squares += of_a[i] * of_a[i] + of_b[i] * of_b[i];
  }
  const double n = 2.0 * static_cast<double>(plan.draws);
  const double variance = squares / n - sum / n * (sum / n);
  Sensitivity result;
  if (variance <= 1e-12 * squares / n) return result;
  for (std::size_t input = 0; input < kNumFactors; ++input) {
    if (plan.variations[input] == 0) continue;
    double same = 0;
    double other = 0;
    for (std::size_t i = 0; i < plan.draws; ++i) {
      Row mixed{};
      std::copy(a.row(i).begin(), a.row(i).end(), mixed.begin());
      mixed[input] = b.row(i)[input];
      const double cost = cost_of(mixed);
      same += (of_b[i] - cost) * (of_b[i] - cost);
      other += (of_a[i] - cost) * (of_a[i] - cost);
    }
    result.first[input] = std::max(0.0, 1.0 - same / n / variance);
    // Sampling may carry a share a little beyond all of it.
    result.total[input] = std::min(1.0, other / n / variance);
  }
  return result;
}

std::vector<CaseAtEnds> cases_at_ends(const CostCase& base, const Variations& variations) {
  const InputQuantiles quantiles(inputs_of(base, variations));
  Row middle{};
  middle.fill(1.0);
  middle[at(Factor::kLoad)] = base.capacity.load_factor;
  std::vector<CaseAtEnds> ends;
  for (const auto& row : kRows) {
    const std::size_t input = at(row.factor);
    if (variations[input] == 0) continue;
    CaseAtEnds& both =
        ends.emplace_back(CaseAtEnds{.factor = row.factor,
                                     .low_value = quantiles.value(input, kLowScore),
                                     .high_value = quantiles.value(input, -kLowScore),
                                     .low = base,
                                     .high = base});
    Row values = middle;
    values[input] = both.low_value;
    apply_factors(base, values, both.low);
    values[input] = both.high_value;
    apply_factors(base, values, both.high);
  }
  return ends;
}

FactorEnds ends_of(Factor factor, const Variations& variations) {
  const std::array inputs{UncertainInput{.variation = variations[at(factor)]}};
  const InputQuantiles quantiles(inputs);
  // The mean of what is skewed may lie beyond an end; what is expected lies within.
  return {std::min(1.0, quantiles.value(0, kLowScore)),
          std::max(1.0, quantiles.value(0, -kLowScore))};
}

FactorEnds pue_ends(double pue, const Variations& variations) {
  FactorEnds ends = ends_of(Factor::kPue, variations);
  if (pue > 0) ends.low = std::max(ends.low, std::min(1.0, 1 / pue));
  return ends;
}

std::vector<TornadoBar> tornado(const CostCase& base, OptionSet asked, std::size_t option,
                                const Variations& variations) {
  const CostFigures decided = evaluate(base, asked);
  std::vector<TornadoBar> bars;
  for (const CaseAtEnds& ends : cases_at_ends(base, variations)) {
    const CostFigures low = reprice(ends.low, asked, decided);
    const CostFigures high = reprice(ends.high, asked, decided);
    const auto per_work = [option](const CostFigures& figures, const CostCase& moved) {
      return figures.options[option].compared.base() / work_of(moved.capacity);
    };
    const TornadoBar bar{.factor = ends.factor,
                         .low_value = ends.low_value,
                         .high_value = ends.high_value,
                         .at_low = per_work(low, ends.low),
                         .at_high = per_work(high, ends.high),
                         .cheapest_low = low.cheapest,
                         .cheapest_high = high.cheapest};
    // What differs by the last digit of a sum alone changes nothing.
    constexpr double kRounding = 1e-12;
    const bool moves = std::abs(bar.at_high - bar.at_low) > kRounding * std::abs(bar.at_low);
    if (moves || bar.cheapest_low != bar.cheapest_high) bars.push_back(bar);
  }
  const auto width = [](const TornadoBar& bar) { return std::abs(bar.at_high - bar.at_low); };
  std::stable_sort(bars.begin(), bars.end(),
                   [&](const auto& x, const auto& y) { return width(x) > width(y); });
  return bars;
}

Spreads without_draws(const CostCase& base, const CostFigures& figures) {
  Collector collector(figures.count, 1);
  collector.add(0, figures, work_of(base.capacity));
  return {.options = collector.spreads(), .draws = 1};
}

std::vector<Correlation> usual_correlations(double rent_residual, double api_rate) {
  return {{at(Factor::kRent), at(Factor::kResidual), rent_residual},
          {at(Factor::kRate), at(Factor::kApiPrice), api_rate}};
}

}  // namespace loadfactor::economics
