#include "engine/plan/plan_traffic.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "economics/evaluate.h"
#include "engine/cost/cost_answer.h"
#include "engine/plan/plan_close.h"
#include "engine/plan/plan_limits.h"
#include "resolve/model/node_power.h"

namespace loadfactor::engine {
namespace {

// Between the multiples that are tried one after the other: small near today's traffic, where a
// narrow flip matters most.
constexpr double kStep = 1.15;
constexpr double kSmallStep = 1.03;
constexpr double kNear = 1.6;     // Up to here by small steps.
constexpr double kWidth = 1.002;  // How near the flip is then found.

// The next multiple, upwards or downwards.
double beyond(double near, bool upwards) {
  const double step = std::max(near, 1 / near) < kNear ? kSmallStep : kStep;
  constexpr double kLast = TrafficPlans::kWidestChange;
  return upwards ? std::min(kLast, near * step) : std::max(1 / kLast, near / step);
}

PlanFlip flip_to(double traffic, const ServiceOutcome& then) {
  const bool by_machines = then.machines && then.decision != PlanDecision::kUseApi &&
                           then.decision != PlanDecision::kNotFeasible;
  return {
      .traffic = traffic, .decision = then.decision, .gpus = by_machines ? then.working_gpus : 0};
}

}  // namespace

TrafficPlans::TrafficPlans(const Core& engine, const PlanInputs& question, const SizeAnswer& found,
                           const ServingPlanner& planner, int present)
    : engine_(engine),
      found_(found),
      planner_(planner),
      limits_(limits_of(question)),
      present_(present) {}

// The cheapest way to pay for one fleet, where it is cheaper than what is known.
void TrafficPlans::price(const ResizedRow& row, ServiceOutcome& answer) const {
  const auto& rows = planner_.rows();
  const auto priced = std::find_if(rows.begin(), rows.end(), [&](const PricedRow& each) {
    return each.row->accelerator == row.accelerator;
  });
  if (priced == rows.end()) return;
  CostInputs request = priced->request;
  request.capacity = KnownCapacity{.gpus = static_cast<double>(row.gpus),
                                   .full_plane = row.full_plane,
                                   .load_factor = row.load_factor,
                                   .busy_by_hour = row.busy_by_hour,
                                   .source = "fill",
                                   .replica = static_cast<double>(row.replica),
                                   .on = row.on};
  Diagnostics unread;
  const auto setup = make_cost_setup(request, engine_.catalog(), unread);
  if (!setup) return;
  const auto figures = economics::evaluate(setup->terms, setup->asked);
  for (const auto& option : figures.all()) {
    const Dollars cost = monthly(option.cost);
    if (option.kind == OptionKind::kApi) {
      answer.api = answer.api ? std::min(*answer.api, cost) : cost;
      continue;
    }
    if (answer.machines && cost >= answer.per_month) continue;
    answer.machines = PaidMachines{.kind = option.kind,
                                   .name = option_name(*setup, option),
                                   .accelerator = row.accelerator,
                                   .gpus = row.gpus,
                                   .paid = option.gpus,
                                   .owned = option.owned,
                                   .reserved = option.reserved};
    answer.load_factor = option.load_factor;
    answer.per_month = cost;
  }
}

ServiceOutcome TrafficPlans::at(double traffic) const {
  ServiceOutcome answer;
  std::vector<int> least;
  for (const auto& row : found_.at_traffic(traffic)) {
    const auto chip = engine_.catalog().find_accelerator(row.accelerator);
    const bool is_beyond = (limits_.gpus && row.gpus > limits_.gpus->value) ||
                           (chip && power_objection(engine_.catalog(), **chip, row.gpus, limits_));
    if (is_beyond) continue;
    least.push_back(row.gpus);
    price(row, answer);
  }
  // Where no machines are within the limits, tokens still cost what they do today.
  if (!answer.api && traffic != 1) {
    const auto today = at(1).api;
    if (today) answer.api = *today * traffic;
  }
  const bool by_api = answer.api && (!answer.machines || *answer.api < answer.per_month);
  if (by_api)
    answer.decision = PlanDecision::kUseApi;
  else if (answer.machines)
    answer.decision = serving_decision(answer.machines->gpus, present_, least);
  if (!least.empty()) answer.fewest_gpus = *std::min_element(least.begin(), least.end());
  if (answer.machines) answer.working_gpus = answer.machines->gpus;
  const Dollars cost = by_api ? *answer.api : answer.per_month;
  if (limits_.budget && cost > limits_.budget->value) answer.decision = PlanDecision::kNotFeasible;
  return answer;
}

bool TrafficPlans::is_same(PlanDecision a, PlanDecision b) const {
  const auto kind = [&](PlanDecision decision) {
    return present_ == 0 && decision == PlanDecision::kOneBiggerGpu ? PlanDecision::kScaleUp
                                                                    : decision;
  };
  return kind(a) == kind(b);
}

// A flip is bracketed by steps and then halved down.
std::optional<PlanFlip> TrafficPlans::first_flip(PlanDecision now, bool upwards,
                                                 double from) const {
  const double last = upwards ? kWidestChange : 1 / kWidestChange;
  double near = from;
  while (upwards ? near < last : near > last) {
    double far = beyond(near, upwards);
    ServiceOutcome then = at(far);
    if (is_same(then.decision, now)) {
      near = far;
      continue;
    }
    while (std::max(far / near, near / far) > kWidth) {
      const double middle = std::sqrt(near * far);
      ServiceOutcome there = at(middle);
      if (is_same(there.decision, now)) {
        near = middle;
      } else {
        far = middle;
        then = std::move(there);
      }
    }
    return flip_to(far, then);
  }
  return std::nullopt;
}

namespace {

constexpr double kSide = 1.019;   // Plans on either side of a flip are no farther apart.
constexpr double kPlanned = 2;    // Farther from today's traffic a flip is a rough one.
constexpr double kOn = 1.15;      // Where plans do not flip yet, they are tried farther out.
constexpr int kMostPlans = 5;     // In one direction: each is a search and a simulation.
constexpr int kFarPlans = 4;      // Places of a rough flip that are planned, with its break-even.
constexpr int kFarPlaces = 2;     // The same of far more traffic, which takes longer to simulate,
constexpr int kMostFarPlans = 4;  // and all plans there, which pin it down.

double ratio(double a, double b) {
  return std::max(a / b, b / a);
}

// A search for one flip: traffic that was planned and decided as today, and traffic that was not.
class FlipFinder {
 public:
  FlipFinder(PlanDecision now, bool upwards, const TrafficPlans& plans,
             const TrafficPlans::Replans& replans)
      : now_(now), upwards_(upwards), plans_(plans), replans_(replans) {}

  // What the closed form finds is planned on both sides. Where plans say otherwise, the flip lies
  // nearer to today or farther out.
  FlipSearch run() {
    while (planned_ < kMostPlans) {
      const auto guess = next_guess();
      if (!guess) return {};
      if (ratio(guess->traffic, 1) > kPlanned)
        return upwards_ ? far_above(*guess) : far_below(*guess);
      if (!try_at(out(guess->traffic, std::sqrt(kSide)))) continue;
      while (ratio(flip_.traffic, same_) > kSide * (1 + 1e-9)) {
        if (planned_ >= kMostPlans) {
          flip_.is_rough = true;
          break;
        }
        try_at(between());
      }
      return {.flip = flip_};
    }
    return {.gave_up = true};
  }

 private:
  double out(double from, double by) const { return upwards_ ? from * by : from / by; }
  bool is_beyond(double a, double b) const { return upwards_ ? a > b : a < b; }

  // Whether the plan there decides otherwise than today's; with one chip alone where it is named.
  bool try_at(double traffic, const std::string& chip = {}) {
    ++planned_;
    if (traffic > kPlanned) far_ += traffic;
    const auto outcome = replans_.at(traffic, chip);
    even_ = outcome ? break_even(*outcome, traffic) : std::nullopt;
    const bool flips = outcome && !plans_.is_same(outcome->decision, now_);
    if (flips)
      flip_ = flip_to(traffic, *outcome);
    else
      same_ = traffic;
    return flips;
  }

  // Up to the break-even of the last plan nothing flips: machines cost no less for more traffic.
  std::optional<PlanFlip> next_guess() const {
    if (even_ && is_beyond(*even_, out(same_, kSide))) return flip_to(*even_, plans_.at(*even_));
    return plans_.first_flip(now_, upwards_, planned_ == 0 ? same_ : out(same_, kOn));
  }

  // A break-even where today's decision still holds is no flip: that lies farther out, if anywhere.
  std::optional<PlanFlip> rough_from(const PlanFlip& guess) const {
    auto rough = plans_.is_same(guess.decision, now_)
                     ? plans_.first_flip(now_, upwards_, guess.traffic)
                     : std::optional(guess);
    if (rough) rough->is_rough = true;
    return rough;
  }

  // The closed form may be off by more than a flip is wide: with far less traffic, which is quickly
  // simulated, a rough flip is one where a plan there decides so. Where none does, the break-even
  // of that plan is tried, and what lies farther out, by wider and wider steps. Where all tries
  // fail it is not known where the decision changes.
  FlipSearch far_below(const PlanFlip& guess) {
    auto rough = rough_from(guess);
    double step = kOn;
    for (int tries = 0; rough && tries < kFarPlans; ++tries, step *= step) {
      if (try_at(out(rough->traffic, std::sqrt(kSide)))) return at_place(rough->traffic);
      const double even = even_.value_or(0) * std::sqrt(kSide);
      if (even > 0 && even < 1 / kPlanned && try_at(even)) return at_place(even);
      rough = plans_.first_flip(now_, upwards_, out(rough->traffic, step));
    }
    return {.gave_up = rough.has_value()};
  }

  // Far more traffic takes far longer to simulate than today's: few places are planned, which have
  // no more requests together than are ever simulated of a week.
  bool is_affordable(double traffic) const { return far_ + traffic <= replans_.most; }

  // Nothing is a flip there without a plan that says so.
  FlipSearch far_above(const PlanFlip& guess) {
    auto place = rough_from(guess);
    double step = kOn;
    for (int tries = 0; place && tries < kFarPlaces; ++tries, step *= step) {
      const double traffic = out(place->traffic, std::sqrt(kSide));
      if (!is_affordable(traffic)) break;
      if (try_at(traffic, winner(place->traffic))) {
        flip_.decision = place->decision;  // Beside the chips that were left out.
        return pinned();
      }
      place = plans_.first_flip(now_, upwards_, out(place->traffic, step));
    }
    return {.gave_up = place.has_value()};
  }

  // The chip whose machines would beat the API there. A plan of it alone that does so says enough:
  // more chips to choose from are never dearer.
  std::string winner(double traffic) const {
    const ServiceOutcome there = plans_.at(traffic);
    const bool is_enough = now_ == PlanDecision::kUseApi && plans_.present() == 0;
    return is_enough && there.machines ? there.machines->accelerator : std::string();
  }

  // The flip that was found, with a plan that decides as today's near below it; rough where plans
  // do not bring both so near to each other.
  FlipSearch pinned() {
    double step = kSide;
    while (ratio(flip_.traffic, same_) > kSide * (1 + 1e-9)) {
      const double even = even_.value_or(0);
      double below = std::max(flip_.traffic / step, std::sqrt(same_ * flip_.traffic));
      if (even > same_ && even < below) below = between();
      if (planned_ >= kMostFarPlans || !is_affordable(below)) {
        flip_.is_rough = true;
        break;
      }
      if (try_at(below)) step = kOn;
    }
    return {.flip = flip_};
  }

  // What the last plan decided, as a rough flip.
  FlipSearch at_place(double traffic) const {
    PlanFlip flip = flip_;
    flip.traffic = traffic;
    flip.is_rough = true;
    return {.flip = flip};
  }

  // On either side of the break-even where that lies between the two, else half-way.
  double between() const {
    const double side = std::sqrt(kSide);
    const auto is_inside = [&](double traffic) {
      return is_beyond(traffic, out(same_, 1 + 1e-9)) &&
             is_beyond(flip_.traffic, out(traffic, 1 + 1e-9));
    };
    if (even_ && is_inside(*even_)) {
      if (is_inside(out(*even_, side))) return out(*even_, side);
      if (is_inside(out(*even_, 1 / side))) return out(*even_, 1 / side);
    }
    return std::sqrt(same_ * flip_.traffic);
  }

  // Where a fleet of this cost and the API cost the same.
  static std::optional<double> break_even(const ServiceOutcome& outcome, double traffic) {
    if (!outcome.machines || !outcome.api || *outcome.api <= Dollars()) return std::nullopt;
    return traffic * (outcome.per_month / *outcome.api);
  }

  const PlanDecision now_;
  const bool upwards_;
  const TrafficPlans& plans_;
  const TrafficPlans::Replans& replans_;
  int planned_ = 0;
  double far_ = 0;   // Traffic of plans far above today's, together.
  double same_ = 1;  // Planned, and as today.
  PlanFlip flip_;
  std::optional<double> even_;
};

}  // namespace

FoundFlips TrafficPlans::flips(PlanDecision now, const Replans& replans) const {
  FoundFlips found;
  // Machines are whole, so that less traffic may bring them back, and more of it the API.
  for (const bool upwards : {true, false}) {
    const FlipSearch search = FlipFinder(now, upwards, *this, replans).run();
    if (search.flip) found.flips.push_back(*search.flip);
    if (search.gave_up) (upwards ? found.is_open_above : found.is_open_below) = true;
  }
  return found;
}

}  // namespace loadfactor::engine
