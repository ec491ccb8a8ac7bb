// What the GPU time of a window cost, and what the same work would have cost elsewhere.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/calendar.h"
#include "engine/fill/serving_prices.h"
#include "engine/observe/observe.h"
#include "resolve/terms/api_offers.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {
namespace {

using observe::Cause;
using observe::Loss;
using observe::WorkloadUse;

// The cheapest way that a scenario has for machines that are there all the time.
struct ScenarioPrice {
  GpuPrice price;
  std::string scenario;
};
std::optional<ScenarioPrice> scenario_price(const ObserveInputs& inputs, const Core& engine,
                                            const std::string& chip) {
  for (const CostInputs& given : inputs.money) {
    CostInputs asked = given;
    asked.scenario =
        given.scenario.with({{"hardware", std::vector<std::string>{chip}}, {"capacity"}});
    asked.draws = 0;
    asked.capacity = KnownCapacity{.gpus = 1,
                                   .full_plane = TokensPerSecond::from_base(1),
                                   .load_factor = 1,
                                   .source = "observe"};
    Diagnostics refused;
    const auto setup = make_cost_setup(asked, engine.catalog(), refused);
    if (!setup) continue;
    std::optional<GpuPrice> best;
    for (const GpuPrice& price : prices_of(*setup)) {
      if (price.kind == OptionKind::kSpot) continue;
      if (!best || price.fixed < best->fixed) best = price;
    }
    if (best) return ScenarioPrice{*best, given.scenario.name.value};
  }
  return std::nullopt;
}

PaidPrice find_price(const std::string& accelerator, const ObserveInputs& inputs,
                     const Core& engine) {
  PaidPrice paid{.accelerator = accelerator};
  if (const auto chip = engine.catalog().find_accelerator(accelerator)) paid.chip = (*chip)->name;
  if (const auto* row =
          find_rent(engine.catalog().prices(), paid.chip, catalog::RentTerm::kOnDemand))
    paid.on_demand = row->price;
  if (inputs.price) {
    paid.price = *inputs.price;
    paid.from = "stated";
    return paid;
  }
  if (const auto found = scenario_price(inputs, engine, paid.chip)) {
    paid.price = found->price.fixed / Gpus::from_base(1);
    paid.from = name_of(found->price.kind);
    paid.scenario = found->scenario;
    return paid;
  }
  const auto* reserved =
      find_rent(engine.catalog().prices(), paid.chip, catalog::RentTerm::kReserved1y);
  if (reserved != nullptr) {
    paid.price = reserved->price;
    paid.from = name_of(OptionKind::kReserved1y);
  } else if (paid.on_demand) {
    paid.price = *paid.on_demand;
    paid.from = name_of(OptionKind::kOnDemand);
  }
  return paid;
}

// Prices of tokens that a scenario of the service writes, else those of the provider that `plan`
// takes for the same traffic.
void add_api_cost(const ObserveInputs& inputs, const Core& engine, double seconds,
                  ServiceRow& row) {
  if (row.known_model.empty() || !row.tells_load() || !row.tells_lengths()) return;
  const double all = row.tokens_in_rate + row.tokens_out_rate;
  if (all <= 0) return;
  const auto put = [&](DollarsPerToken input, DollarsPerToken output, std::string name) {
    row.api_cost = Dollars::from_base(
        seconds * (row.tokens_in_rate * input.base() + row.tokens_out_rate * output.base()));
    row.api_name = std::move(name);
  };
  ApiNeed need{.today = inputs.today,
               .input_share = row.tokens_in_rate / all,
               .length = row.tokens_in + row.tokens_out};
  set_model(need, row.model, row.known_model);
  if (const ServeInputs* planned = scenario_of(row, inputs, engine);
      planned != nullptr && planned->scenario.money.api) {
    const auto& ask = *planned->scenario.money.api;
    const std::string own = ask.model ? ask.model->value : std::string();
    if (ask.price) return put(ask.price->value, ask.price->value, own);
    if (ask.input && ask.output) return put(ask.input->value, ask.output->value, own);
    if (ask.provider) need.provider = ask.provider->value;
    if (ask.model) need.model = ask.model->value, need.release.clear();
  }
  const auto offers = find_api_offers(engine.catalog().prices(), need);
  if (offers.empty()) return;
  const catalog::ApiPrice& offer = *offers[offers.size() / 2];
  put(*offer.input, *offer.output, api_name_of(offer));
}

class Biller {
 public:
  Biller(const observe::Account& account, const ObserveInputs& inputs, const Core& engine,
         ObserveAnswer& answer)
      : account_(account), inputs_(inputs), engine_(engine), answer_(answer) {}

  void bill() {
    find_weights();
    for (const WorkloadUse& use : account_.uses) {
      const Dollars cost = cost_of(use, use.use.total());
      bill_ += cost;
      for (std::size_t i = 0; i < observe::kCauses; ++i) {
        causes_[i] += cost_of(use, use.use.seconds[i]);
        hours_[i] += use.use.seconds[i] / kHour.base();
      }
      add_groups(use, cost);
      find_lie(use, cost);
    }
    add_losses();
    add_services();
    add_break_even();
    for (auto& [name, price] : prices_) answer_.prices.push_back(price);
    note_prices();
    sort_groups();
  }

 private:
  // What sensors showed of a group, and how much of its time was seen or is assumed, in hours.
  struct Sensors {
    observe::SensorMean busy, tensor, dram;
    double active_seconds = 0;
    observe::SeenSeconds seen;
    double assumed = 0;

    // While the group worked; of all its time where it never did.
    std::optional<double> mean_of(const observe::SensorMean& sensor) const {
      return active_seconds > 0 ? sensor.at_work() : sensor.overall();
    }
  };

  PaidPrice& price_of(const std::string& accelerator) {
    const auto found = prices_.find(accelerator);
    if (found != prices_.end()) return found->second;
    return prices_.emplace(accelerator, find_price(accelerator, inputs_, engine_)).first->second;
  }
  Dollars cost_of(const WorkloadUse& use, double seconds) {
    return price_of(use.accelerator).price * Gpus::from_base(1) * Seconds::from_base(seconds);
  }

  // By what shares are weighted: the bill, or the GPU time where any kind has no price.
  double weight_of(const std::string& accelerator) {
    return is_priced_ ? price_of(accelerator).price.base() : 1;
  }
  void find_weights() {
    for (const WorkloadUse& use : account_.uses)
      is_priced_ = is_priced_ && (use.use.total() <= 0 ||
                                  price_of(use.accelerator).price > DollarsPerGpuSecond());
  }

  // Time by cause, weighted, with what is known of it.
  struct Weighted {
    observe::CauseSeconds causes;
    double seen = 1;
    bool is_bound = false;  // Work may have been less full than it is counted.

    double share(Cause cause) const { return share_of(causes[cause]); }
    double share_of(double part) const {
      const double all = causes.total();
      return all > 0 ? part / all : 0;
    }
    EstimateOf<double> load_factor() const {
      const double load = share_of(causes.of(Loss::kLoad));
      const double assumed = share(Cause::kHeldUnseen);
      const LoadRange range = range_of(load, assumed, seen);
      return {load, range.low, range.high, Basis::kModelled,
              assumed > 0 || is_bound ? "upper bound" : "metrics"};
    }
  };
  // Whether a service is measured by its own fullest minutes, which may not have been full.
  bool is_peak_service(const WorkloadUse& use) const {
    return use.is_service && use.use[Cause::kLoad] > 0 &&
           std::any_of(answer_.services.begin(), answer_.services.end(),
                       [&](const ServiceRow& row) {
                         return row.team == use.team && row.name == use.name && !row.predicted;
                       });
  }
  bool has_peak_service() const {
    return std::any_of(account_.uses.begin(), account_.uses.end(),
                       [&](const WorkloadUse& use) { return is_peak_service(use); });
  }
  // Whether work is measured by the best of few hours, none of which may have been full.
  bool has_guessed_level() const {
    return std::any_of(account_.uses.begin(), account_.uses.end(),
                       [](const WorkloadUse& use) { return use.is_full_guessed; });
  }
  Weighted window() {
    Weighted out{.seen = seen_share(account_),
                 .is_bound = account_.load_is_busy || has_peak_service() || has_guessed_level()};
    for (const WorkloadUse& use : account_.uses)
      out.causes += use.use.scaled(weight_of(use.accelerator));
    return out;
  }
  std::optional<EstimateOf<double>> last_hour() {
    const observe::HourUse& now = account_.now;
    Weighted out{.seen = seen_share(now),
                 .is_bound = now.load_is_busy || has_peak_service() || has_guessed_level()};
    for (const auto& [kind, use] : now.kinds) out.causes += use.scaled(weight_of(kind));
    if (out.causes.total() <= 0) return std::nullopt;
    return out.load_factor();
  }

  void add_losses() {
    const Weighted all = window();
    for (std::size_t i = 0; i < observe::kCauses; ++i) {
      LossLeaf leaf{static_cast<Cause>(i)};
      leaf.gpu_hours = hours_[i];
      leaf.cost = causes_[i];
      leaf.share = all.share(leaf.cause);
      answer_.losses[static_cast<std::size_t>(loss_of(leaf.cause))] += leaf.share;
      if (leaf.gpu_hours > 0) answer_.leaves.push_back(leaf);
    }
    answer_.load_factor = all.load_factor();
    answer_.load_now = last_hour();
    const double window = std::max(1.0, answer_.to - answer_.from);
    answer_.bill = EstimateOf<Dollars>::exact(bill_, Basis::kModelled, "metrics");
    answer_.per_hour = bill_ * (kHour.base() / window);
    Dollars worked;
    for (const LossLeaf& leaf : answer_.leaves)
      if (loss_of(leaf.cause) == Loss::kLoad) worked += leaf.cost;
    answer_.idle_per_hour = (bill_ - worked) * (kHour.base() / window);
  }

  void add_groups(const WorkloadUse& use, Dollars cost) {
    const bool is_nobody = use.workload < 0;
    add_group(GroupBy::kTeam, is_nobody ? "" : use.team, use, cost);
    if (!is_nobody) add_group(GroupBy::kWorkload, use.team + "/" + use.name, use, cost);
    if (!use.model.empty()) add_group(GroupBy::kModel, use.model, use, cost);
    add_group(GroupBy::kAccelerator, use.accelerator, use, cost);
  }
  void add_group(GroupBy by, const std::string& name, const WorkloadUse& use, Dollars cost) {
    auto& [group, load, sensors] = groups_[{by, name}];
    group.by = by;
    group.name = name;
    group.gpu_hours += use.use.total() / kHour.base();
    group.cost += cost;
    load += use.use.of(Loss::kLoad) / kHour.base();
    group.empty += cost_of(use, use.use.total() - use.use.of(Loss::kLoad));
    group.is_bound = group.is_bound || use.use[Cause::kHeldUnseen] > 0 || use.is_full_guessed ||
                     use.is_busy_only || is_peak_service(use);
    sensors.seen.paid += use.seen.paid;
    sensors.seen.known += use.seen.known;
    sensors.assumed += use.use[Cause::kHeldUnseen] / kHour.base();
    sensors.busy += use.busy;
    sensors.tensor += use.tensor;
    sensors.dram += use.dram;
    sensors.active_seconds += use.active_seconds;
  }
  // What was not seen may have been empty, or full.
  static LoadRange range_of(double load, double assumed, double seen) {
    const double low = (load - assumed) * seen;
    return {low, std::min(1.0, low + assumed + (1 - assumed) * (1 - seen))};
  }
  static void set_load(double load_hours, const Sensors& sensors, UseGroup& group) {
    if (group.gpu_hours <= 0) return;
    group.load_factor = load_hours / group.gpu_hours;
    group.load_range =
        range_of(group.load_factor, sensors.assumed / group.gpu_hours, sensors.seen.share());
  }
  void sort_groups() {
    for (auto& [key, sums] : groups_) {
      auto& [group, load, sensors] = sums;
      set_load(load, sensors, group);
      group.busy = sensors.mean_of(sensors.busy);
      group.tensor = sensors.mean_of(sensors.tensor);
      group.dram = sensors.mean_of(sensors.dram);
      answer_.groups.push_back(group);
    }
    std::stable_sort(answer_.groups.begin(), answer_.groups.end(),
                     [](const UseGroup& a, const UseGroup& b) {
                       return a.by != b.by ? a.by < b.by : a.empty > b.empty;
                     });
  }

  void find_lie(const WorkloadUse& use, Dollars cost) {
    constexpr double kBusy = 0.8, kTensor = 0.1, kDram = 0.2;
    if (use.workload < 0 || use.active_seconds < kHour.base()) return;
    const double busy = use.busy.at_work().value_or(0);
    const auto tensor = use.tensor.at_work();
    const auto dram = use.dram.at_work();
    if (busy < kBusy || !tensor || *tensor >= kTensor || dram.value_or(0) >= kDram) return;
    if (*tensor + dram.value_or(0) <= 0) return;
    answer_.lying.push_back({use.team, use.name, busy, *tensor, dram, cost, use.busy_counter});
  }

  void add_services() {
    const double seconds = answer_.to - answer_.from;
    for (ServiceRow& row : answer_.services) {
      for (const auto& [key, sums] : groups_)
        if (key.first == GroupBy::kWorkload && key.second == row.team + "/" + row.name)
          row.cost = std::get<0>(sums).cost;
      add_api_cost(inputs_, engine_, seconds, row);
    }
  }

  // Fixed cost over what the same capacity, when full, would cost elsewhere: tokens of services at
  // an API, hours of everything else on demand.
  void add_break_even() {
    Dollars elsewhere;
    for (const WorkloadUse& use : account_.uses) {
      const PaidPrice& price = price_of(use.accelerator);
      std::optional<Dollars> full;
      for (const ServiceRow& row : answer_.services)
        if (use.is_service && row.team == use.team && row.name == use.name && row.api_cost &&
            row.load_factor > 0)
          full = *row.api_cost * (1 / row.load_factor);
      if (!full && price.on_demand)
        full = *price.on_demand * Gpus::from_base(1) * Seconds::from_base(use.use.total());
      if (!full) return;
      elsewhere += *full;
    }
    if (elsewhere > Dollars() && bill_ > Dollars())
      answer_.break_even =
          EstimateOf<double>::exact(bill_ / elsewhere, Basis::kModelled, "price list");
  }

  void note_price(const PaidPrice& price) {
    Notice notice{
        .id = price.scenario.empty() ? "catalogue-price" : "scenario-price",
        .arguments = {{"accelerator", price.chip},
                      {"term", price.from},
                      {"price", fmt::format("{:.2f} USD", price.price.base() * kHour.base())}}};
    if (!price.scenario.empty())
      notice.arguments.push_back({.name = "scenario", .text = price.scenario});
    answer_.notices.push_back(std::move(notice));
  }
  void note_prices() {
    for (const PaidPrice& price : answer_.prices) {
      if (price.price <= DollarsPerGpuSecond()) {
        answer_.notices.push_back(
            {.id = "no-gpu-price",
             .arguments = {
                 {"accelerator", price.accelerator.empty() ? "not told" : price.accelerator}}});
      } else if (price.from != "stated") {
        note_price(price);
      }
    }
    if (!is_priced_ && bill_ > Dollars()) answer_.notices.push_back({.id = "weighted-by-hours"});
  }

  const observe::Account& account_;
  const ObserveInputs& inputs_;
  const Core& engine_;
  ObserveAnswer& answer_;
  bool is_priced_ = true;  // Every kind of GPU is.
  Dollars bill_;
  std::array<Dollars, observe::kCauses> causes_{};
  std::array<double, observe::kCauses> hours_{};
  std::map<std::string, PaidPrice> prices_;
  std::map<std::pair<GroupBy, std::string>, std::tuple<UseGroup, double, Sensors>> groups_;
};

}  // namespace

void add_money(const observe::Account& account, const ObserveInputs& inputs, const Core& engine,
               ObserveAnswer& answer) {
  Biller(account, inputs, engine, answer).bill();
}

}  // namespace loadfactor::engine
