#include "decide/ways_to_pay.h"

#include <algorithm>
#include <queue>

#include "decide/stage_tables.h"

namespace loadfactor::decide {
namespace {

// The question with its tables made once; every number of purchased units is then one evaluation.
class Payment {
 public:
  explicit Payment(const PaymentQuestion& question);

  int most_purchased() const { return most_purchased_; }
  // The least cost with so many units purchased.
  double cost(int purchased) const { return walk(purchased, nullptr); }
  PaymentChoice choice(int purchased) const;
  // Units and resale of the purchase alone.
  double purchase_cost(int purchased) const;
  // What cost may rise by, beyond the purchase itself, when more units are there.
  double rise() const;

 private:
  double walk(int purchased, PaymentChoice* choice) const;
  std::vector<double> stage_cost(std::size_t stage, int purchased) const;
  int delivered(std::size_t stage, int purchased) const {
    return question_.stages[stage].before_delivery ? 0 : purchased;
  }

  const PaymentQuestion& question_;
  CapacityGrid grid_;
  Way purchase_;
  double resale_ = 0;   // Per replica and second.
  double working_ = 0;  // The same: power of a replica that works, and the resale that it forgoes.
  int most_purchased_ = 0;
  double delivered_time_ = 0;
  std::vector<Way> commitments_;
  std::vector<std::vector<Way>> stage_commitments_;
  std::vector<StageTables> stages_;
};

Payment::Payment(const PaymentQuestion& question) : question_(question), grid_(question) {
  const auto& purchase = question.purchase;
  if (purchase && purchase->gpus >= question.replica) {
    purchase_ = grid_.way(*purchase);
    most_purchased_ = grid_.most_units(purchase_);
    resale_ = purchase->resale.base() * grid_.replica();
    working_ = purchase->working.base() * grid_.replica() + resale_;
  }
  for (const Commitment& commitment : question.commitments)
    commitments_.push_back(grid_.way(commitment));
  stages_.reserve(question.stages.size());
  for (const Stage& stage : question.stages) {
    stages_.emplace_back(stage, grid_);
    if (!stage.before_delivery) delivered_time_ += stages_.back().time();
    stage_commitments_.emplace_back();
    for (const Commitment& commitment : stage.commitments)
      stage_commitments_.back().push_back(grid_.way(commitment));
  }
}

double Payment::purchase_cost(int purchased) const {
  return purchase_.units_cost(purchased) -
         resale_ * purchased * purchase_.step.replicas * delivered_time_;
}

// Commitments work first, purchased machines next; what is then missing is paid by the hour.
std::vector<double> Payment::stage_cost(std::size_t stage, int purchased) const {
  const StageTables& tables = stages_[stage];
  const int there = delivered(stage, purchased);
  const Capacity end = grid_.end();
  std::vector<double> value(grid_.size());
  for (int q = 0; q <= end.nodes; ++q)
    for (int c = 0; c <= end.replicas; ++c) {
      const std::size_t here = grid_.index({q, c});
      const std::size_t after = grid_.index(grid_.after({q, c}, purchase_.step, there));
      value[here] =
          tables.cost()[after] + working_ * (tables.above()[here] - tables.above()[after]);
    }
  return value;
}

double Payment::walk(int purchased, PaymentChoice* choice) const {
  std::vector<double> total(grid_.size(), question_.people.base() + purchase_cost(purchased));
  std::vector<std::vector<Step>> paths(stages_.size());
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    std::vector<double> value = stage_cost(i, purchased);
    buy(value, stage_commitments_[i], grid_, choice ? &paths[i] : nullptr);
    for (std::size_t at = 0; at < total.size(); ++at) total[at] += value[at];
  }
  std::vector<Step> steps;
  buy(total, commitments_, grid_, choice ? &steps : nullptr);
  if (!choice) return total[0];

  Capacity committed;
  choice->commitments = units_on_path(steps, commitments_, grid_, committed);
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    Capacity at = committed;
    const auto units = units_on_path(paths[i], stage_commitments_[i], grid_, at);
    choice->stages.push_back(
        stages_[i].choice(grid_.after(at, purchase_.step, delivered(i, purchased))));
    choice->stages.back().commitments = units;
  }
  return total[0];
}

PaymentChoice Payment::choice(int purchased) const {
  PaymentChoice choice;
  choice.purchased = purchased;
  choice.cost = Dollars::from_base(walk(purchased, &choice));
  return choice;
}

double Payment::rise() const {
  double sum = 0;
  for (const StageTables& stage : stages_) {
    double lowest = kImpossible;
    double largest = 0;
    for (std::size_t at = 0; at < stage.cost().size(); ++at) {
      const double value = stage.cost()[at] - working_ * stage.above()[at];
      lowest = std::min(lowest, value);
      if (lowest < kImpossible) largest = std::max(largest, value - lowest);
    }
    sum += largest;
  }
  return sum;
}

struct Span {
  double bound = 0;  // No number inside costs less.
  int low = 0;       // Both ends are known, what lies between is not.
  int high = 0;
  double high_cost = 0;

  bool operator<(const Span& other) const { return bound > other.bound; }  // Least bound first.
};

// Halves spans of purchased units, best bound first. The purchase itself costs more with every unit
// and the rest hardly ever more, so the far end of a span bounds what lies inside.
int best_by_spans(const Payment& payment) {
  const double rise = payment.rise();
  int best = 0;
  double least = payment.cost(0);
  const auto evaluate = [&](int purchased) {
    const double cost = payment.cost(purchased);
    if (cost < least || (cost == least && purchased < best)) {
      least = cost;
      best = purchased;
    }
    return cost;
  };
  std::priority_queue<Span> open;
  const auto add = [&](int low, int high, double high_cost) {
    if (high - low < 2) return;
    const double bound =
        payment.purchase_cost(low + 1) + high_cost - payment.purchase_cost(high) - rise;
    open.push({bound, low, high, high_cost});
  };
  const int most = payment.most_purchased();
  if (most > 0) add(0, most, evaluate(most));
  while (!open.empty() && open.top().bound < least) {
    const Span span = open.top();
    open.pop();
    const int middle = span.low + (span.high - span.low) / 2;
    const double cost = evaluate(middle);
    add(span.low, middle, cost);
    add(middle, span.high, span.high_cost);
  }
  return best;
}

int best_of_all(const Payment& payment) {
  int best = 0;
  double least = payment.cost(0);
  for (int purchased = 1; purchased <= payment.most_purchased(); ++purchased) {
    const double cost = payment.cost(purchased);
    if (!(cost < least)) continue;
    least = cost;
    best = purchased;
  }
  return best;
}

bool purchase_cost_rises(const Payment& payment) {
  for (int k = 1; k <= payment.most_purchased(); ++k)
    if (payment.purchase_cost(k) < payment.purchase_cost(k - 1)) return false;
  return true;
}

PaymentChoice api_alone(const PaymentQuestion& question) {
  PaymentChoice choice;
  const CapacityGrid grid(question);
  choice.api_alone = true;
  choice.commitments.assign(question.commitments.size(), 0);
  for (const Stage& stage : question.stages) {
    const StageTables tables(stage, grid, /*machines=*/false);
    choice.cost += Dollars::from_base(tables.cost()[0]);
    choice.stages.push_back({.commitments = std::vector<int>(stage.commitments.size(), 0),
                             .rentals = std::vector<Seconds>(stage.rentals.size()),
                             .rent = {},
                             .api = Dollars::from_base(tables.cost()[0]),
                             .api_share = tables.cost()[0] > 0 ? 1.0 : 0.0});
  }
  return choice;
}

}  // namespace

std::optional<PaymentChoice> cheapest_payment(const PaymentQuestion& question) {
  const Payment payment(question);
  bool wide = false;
  for (const Stage& stage : question.stages)
    for (const AlikeHours& hours : stage.hours) wide = wide || hours.wide > 0;
  const bool spans = !wide && purchase_cost_rises(payment);
  PaymentChoice choice = payment.choice(spans ? best_by_spans(payment) : best_of_all(payment));
  PaymentChoice alone = api_alone(question);
  if (alone.cost <= choice.cost) choice = std::move(alone);
  if (choice.cost.base() == kImpossible) return std::nullopt;
  return choice;
}

}  // namespace loadfactor::decide
