#include "fleet/bill.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/calendar.h"
#include "decide/ways_to_pay.h"

namespace loadfactor::fleet {
namespace {

constexpr int kFinestGrid = 1000;  // Steps of capacity; a larger pool is weighed in groups.

double per_hour(DollarsPerGpuSecond price) {
  return (price * Gpus::from_base(1) * kHour).base();
}

// Slots of equal load are alike, whenever they are.
std::map<int, double> load_duration(std::span<const double> hours, std::span<const int> load) {
  std::map<int, double> time;
  for (std::size_t t = 0; t < load.size(); ++t) time[load[t]] += hours[t];
  return time;
}

int grid_step(const Pool& pool, int peak) {
  int step = std::gcd(pool.machine, pool.rented_by);
  while (peak / step > kFinestGrid && step < pool.machine) step *= 2;
  return step;
}

decide::PaymentQuestion question_of(const Pool& pool, const std::map<int, double>& time) {
  decide::PaymentQuestion question;
  question.replica = grid_step(pool, time.rbegin()->first);
  Seconds all;
  decide::Stage stage;
  for (const auto& [gpus, hours] : time) {
    all += kHour * hours;
    stage.hours.push_back({.time = kHour * hours, .gpus = gpus});
  }
  const Gpus machine = Gpus::from_base(pool.machine);
  for (const CommittedWay& way : pool.committed) {
    decide::Purchase unit;
    unit.gpus = pool.machine;
    unit.cost = way.fixed * machine * all;
    if (way.most) unit.most = *way.most / pool.machine;
    unit.working = way.working;
    if (way.kind == OptionKind::kOwn)
      question.purchase = unit;
    else
      question.commitments.push_back(unit);
  }
  for (const HourlyWay& way : pool.hourly) {
    decide::Rental rental;
    rental.gpus = std::max(pool.rented_by, question.replica);
    rental.price = way.price * Gpus::from_base(rental.gpus);
    stage.rentals.push_back(rental);
  }
  question.stages.push_back(std::move(stage));
  return question;
}

// What is rented, by way. Units of the optimiser are shared out over the hours they are paid for.
void add_rented(const Pool& pool, const decide::PaymentQuestion& question,
                const decide::StageChoice& stage, int peak, Bill& bill) {
  for (std::size_t i = 0; i < pool.hourly.size(); ++i) {
    const decide::Rental& rental = question.stages[0].rentals[i];
    const double hours = stage.rentals[i] / kHour;
    if (hours <= 0) continue;
    const int most = std::max(0, peak - bill.committed);
    bill.rows.push_back({.kind = pool.hourly[i].kind,
                         .gpus = (most + rental.gpus - 1) / rental.gpus * rental.gpus,
                         .gpu_hours = hours * rental.gpus,
                         .cost = rental.price * stage.rentals[i]});
  }
}

void add_committed(const Pool& pool, const decide::PaymentQuestion& question,
                   const decide::PaymentChoice& choice, double all_hours, Bill& bill) {
  std::size_t next = 0;
  for (const CommittedWay& way : pool.committed) {
    const bool is_own = way.kind == OptionKind::kOwn;
    const int units = is_own ? choice.purchased : choice.commitments[next];
    const Dollars each = is_own ? question.purchase->cost : question.commitments[next].cost;
    if (!is_own) ++next;
    if (units == 0) continue;
    const int gpus = units * pool.machine;
    bill.committed += gpus;
    bill.rows.push_back(
        {.kind = way.kind, .gpus = gpus, .gpu_hours = gpus * all_hours, .cost = each * units});
  }
}

// What no way to pay avoids while a GPU works: what the cheapest commitment pays then. Ways that
// pay it in advance count as if they paid it hour by hour, so that none of them gets too dear.
double working_price(const Pool& pool) {
  if (pool.committed.empty()) return 0;
  const auto cheapest =
      std::min_element(pool.committed.begin(), pool.committed.end(),
                       [](const auto& a, const auto& b) { return a.fixed < b.fixed; });
  double working = per_hour(cheapest->working);
  for (const CommittedWay& way : pool.committed)
    working = std::min(working, per_hour(way.fixed) + per_hour(way.working));
  for (const HourlyWay& way : pool.hourly) working = std::min(working, per_hour(way.price));
  return working;
}

}  // namespace

std::optional<Bill> cheapest_bill(const Pool& pool, std::span<const double> hours,
                                  std::span<const int> load) {
  const auto time = load_duration(hours, load);
  if (time.empty() || time.rbegin()->first == 0) return Bill{};
  const int peak = time.rbegin()->first;
  if (pool.most && peak > *pool.most) return std::nullopt;
  const decide::PaymentQuestion question = question_of(pool, time);
  const auto choice = decide::cheapest_payment(question);
  if (!choice) return std::nullopt;
  Bill bill{.cost = choice->cost};
  const double all_hours = std::accumulate(hours.begin(), hours.end(), 0.0);
  add_committed(pool, question, *choice, all_hours, bill);
  add_rented(pool, question, choice->stages[0], peak, bill);
  Dollars listed;
  for (const BillRow& row : bill.rows) {
    listed += row.cost;
    bill.gpu_hours += row.gpu_hours;
  }
  // Power that owned machines draw only while they work.
  for (BillRow& row : bill.rows)
    if (row.kind == OptionKind::kOwn) row.cost += bill.cost - listed;
  return bill;
}

PoolPrices::PoolPrices(const Pool& pool, std::span<const double> hours)
    : pool_(&pool),
      hours_(hours),
      all_hours_(std::accumulate(hours.begin(), hours.end(), 0.0)),
      working_(working_price(pool)) {
  for (const HourlyWay& way : pool.hourly)
    hourly_ = std::min(hourly_, per_hour(way.price) - working_);
  for (const CommittedWay& way : pool.committed) {
    const double in_advance = std::max(0.0, working_ - per_hour(way.working));
    machine_ = std::min(machine_, (per_hour(way.fixed) - in_advance) * pool.machine * all_hours_);
  }
}

int PoolPrices::rented(int load, int machines) const {
  const int beyond = load - machines * pool_->machine;
  if (beyond <= 0) return 0;
  return (beyond + pool_->rented_by - 1) / pool_->rented_by * pool_->rented_by;
}

double PoolPrices::cost(std::span<const int> load, int machines) const {
  double rent = 0, held = 0;
  for (std::size_t t = 0; t < load.size(); ++t) {
    rent += hours_[t] * rented(load[t], machines);
    held += hours_[t] * load[t];
  }
  const double committed = machines > 0 ? machine_ * machines : 0.0;
  return committed + working_ * held + (rent > 0 ? hourly_ * rent : 0.0);
}

}  // namespace loadfactor::fleet
