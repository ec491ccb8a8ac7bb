#include "fleet/placing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace loadfactor::fleet {
namespace {

constexpr double kNothing = 1e-9;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int kMostSteps = 400;        // In which the work of a job is counted, about.
constexpr double kThousandths = 1000;  // Lengths are compared in thousandths of an hour.
constexpr double kTie = 1e-6;          // What a preference among equals weighs.
constexpr std::size_t kMostCells =
    3'000'000;  // Cells of a table; longer windows are filled by rule.

// The longest time that divides every slot of the window.
double beat_of(std::span<const double> hours) {
  std::int64_t beat = 0;
  for (const double h : hours) beat = std::gcd(beat, std::llround(h * kThousandths));
  return static_cast<double>(beat) / kThousandths;
}

class Placing {
 public:
  Placing(const PoolPrices& prices, const PlacingQuestion& question)
      : prices_(prices),
        job_(*question.job),
        question_(question),
        slots_(job_.to - job_.from),
        gangs_(static_cast<std::size_t>(job_.most) + 1),
        hours_(prices.hours().subspan(job_.from, slots_)),
        price_(slots_ * gangs_) {
    for (std::size_t t = 0; t < slots_; ++t)
      for (std::size_t a = 0; a < gangs_; ++a)
        price_[t * gangs_ + a] = price_of(t, static_cast<int>(a));
  }

  const std::vector<double>& prices() const { return price_; }

  std::optional<Plan> place() const {
    if (!job_.is_preemptible) return in_one_piece();
    const WorkSteps steps = steps_of(job_, hours_);
    const std::size_t cells = slots_ * gangs_ * gangs_ * (static_cast<std::size_t>(steps.all) + 1);
    return cells <= kMostCells ? by_table(steps) : by_rule();
  }

 private:
  double price(std::size_t t, std::size_t a) const { return price_[t * gangs_ + a]; }

  double price_of(std::size_t t, int a) const {
    const int load = question_.load[job_.from + t];
    const int with = load + a * job_.gang;
    if (a > 0 && !prices_.may_hold(with)) return kNever;
    const double taste = question_.taste[job_.from + t];
    const int rented =
        prices_.rented(with, question_.machines) - prices_.rented(load, question_.machines);
    const auto whole_free = [&](int gpus) {
      return std::max(
          0, question_.machines - (gpus + prices_.pool().machine - 1) / prices_.pool().machine);
    };
    const double broken = whole_free(load) - whole_free(with);
    const double working = prices_.working() * a * job_.gang;
    const double gang = static_cast<double>(a) * job_.gang / prices_.pool().machine;
    return hours_[t] * (rented * prices_.hourly() * (1 + question_.noise * taste) + working +
                        kTie * (broken + gang * taste));
  }

  // Every start is tried.
  std::optional<Plan> in_one_piece() const {
    std::vector<double> until(slots_ + 1, 0.0);
    std::vector<double> time(slots_ + 1, 0.0);
    for (std::size_t t = 0; t < slots_; ++t) {
      until[t + 1] = until[t] + std::min(price(t, 1), kFar * kFar);
      time[t + 1] = time[t] + hours_[t];
    }
    const double needed = job_.work + job_.reload - kNothing;
    double best = kFar;
    std::size_t first = slots_, last = slots_;
    for (std::size_t begin = 0, end = 0; begin < slots_; ++begin) {
      while (end <= slots_ && time[end] - time[begin] < needed) ++end;
      if (end > slots_) break;
      const double cost = until[end] - until[begin];
      if (cost < best - kNothing) {
        best = cost;
        first = begin;
        last = end;
      }
    }
    if (first == slots_) return std::nullopt;
    Plan plan(slots_, 0);
    std::fill(plan.begin() + static_cast<std::ptrdiff_t>(first),
              plan.begin() + static_cast<std::ptrdiff_t>(last), std::uint8_t{1});
    return plan;
  }

  // The least cost to end from each slot, gangs that run and work that is done.
  std::optional<Plan> by_table(const WorkSteps& steps) const {
    const std::size_t width = static_cast<std::size_t>(steps.all) + 1;
    std::vector<double> value(gangs_ * width, kNever);
    for (std::size_t a = 0; a < gangs_; ++a) value[a * width + width - 1] = 0;
    std::vector<std::uint8_t> moves(slots_ * gangs_ * width, 0);
    std::vector<double> before(gangs_ * width);
    for (std::size_t t = slots_; t-- > 0;) {
      std::uint8_t* move = &moves[t * gangs_ * width];
      for (std::size_t a = 0; a < gangs_; ++a)
        least_from(steps, t, a, width, value, &before[a * width], move + a * width);
      value.swap(before);
    }
    if (!(value[0] < kFar)) return std::nullopt;
    return walk(steps, moves, width);
  }

  void least_from(const WorkSteps& steps, std::size_t t, std::size_t a, std::size_t width,
                  const std::vector<double>& value, double* least, std::uint8_t* move) const {
    std::fill(least, least + width, kNever);
    for (std::size_t to = 0; to < gangs_; ++to) {
      const int started = std::max(0, static_cast<int>(to) - static_cast<int>(a));
      const auto made = static_cast<std::size_t>(
          steps.made(hours_[t], static_cast<int>(to), started, job_.reload));
      const double paid = price(t, to);
      const double* then = &value[to * width];
      const std::size_t open = width - 1 - std::min(width - 1, made);  // Not done by this slot.
      const auto way = static_cast<std::uint8_t>(to);
      keep_less(paid, then + (width - 1 - open), way, least, move, open);
      const double ended = paid + then[width - 1];
      for (std::size_t done = open; done < width; ++done) {
        const bool is_less = ended < least[done];
        least[done] = is_less ? ended : least[done];
        move[done] = is_less ? way : move[done];
      }
    }
  }

  static void keep_less(double paid, const double* then, std::uint8_t way, double* least,
                        std::uint8_t* move, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const double cost = paid + then[i];
      const bool is_less = cost < least[i];
      least[i] = is_less ? cost : least[i];
      move[i] = is_less ? way : move[i];
    }
  }

  Plan walk(const WorkSteps& steps, const std::vector<std::uint8_t>& moves,
            std::size_t width) const {
    Plan plan(slots_, 0);
    std::size_t running = 0, done = 0;
    for (std::size_t t = 0; t < slots_; ++t) {
      const std::size_t to = moves[(t * gangs_ + running) * width + done];
      const int started = std::max(0, static_cast<int>(to) - static_cast<int>(running));
      const int made = steps.made(hours_[t], static_cast<int>(to), started, job_.reload);
      done = std::min(width - 1, done + static_cast<std::size_t>(made));
      plan[t] = static_cast<std::uint8_t>(to);
      running = to;
    }
    return plan;
  }

  // Long windows: one gang after another takes the cheapest slots, early ones first among equals,
  // and a dearer one only where all cheaper ones do not suffice.
  std::optional<Plan> by_rule() const {
    Plan plan(slots_, 0);
    std::vector<double> levels;
    for (std::size_t t = 0; t < slots_; ++t)
      for (std::size_t a = 1; a < gangs_; ++a)
        if (const double each = added(t, a); each < kFar) levels.push_back(each);
    std::sort(levels.begin(), levels.end());
    levels.erase(
        std::unique(levels.begin(), levels.end(), [](double x, double y) { return y - x < 1e-3; }),
        levels.end());
    for (const double level : levels)
      for (std::size_t a = 1; a < gangs_; ++a)
        if (extend(a, level + 1e-3, plan)) return plan;
    return std::nullopt;
  }

  // What one more gang costs in a slot, preferences left out.
  double added(std::size_t t, std::size_t a) const {
    const double each = price(t, a) - price(t, a - 1);
    return std::isfinite(each) ? std::floor(each * 1e3) / 1e3 : kNever;
  }

  // Gang `a` works in every slot up to a price where the gangs before it do, in runs that are worth
  // their start; whether the work is done then.
  bool extend(std::size_t a, double most, Plan& plan) const {
    for (std::size_t t = 0; t < slots_;) {
      std::size_t end = t;
      while (end < slots_ && plan[end] + 1U >= a && (plan[end] >= a || added(end, a) <= most))
        ++end;
      if (end == t) {
        ++t;
        continue;
      }
      const double run = std::accumulate(hours_.begin() + static_cast<std::ptrdiff_t>(t),
                                         hours_.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
      if (run > job_.reload + kNothing)
        for (std::size_t i = t; i < end; ++i)
          plan[i] = std::max(plan[i], static_cast<std::uint8_t>(a));
      t = end;
    }
    if (figures_of(job_, plan, prices_.hours()).work < job_.work - kNothing) return false;
    drop_surplus(a, most, plan);
    return true;
  }

  // Leaves out the latest of the dearest slots as long as the work is done without them.
  void drop_surplus(std::size_t a, double most, Plan& plan) const {
    double done = figures_of(job_, plan, prices_.hours()).work;
    for (const bool dear : {true, false}) {
      for (std::size_t t = slots_; t-- > 0;) {
        if (plan[t] != a || (dear && added(t, a) < most - 2e-3)) continue;
        const bool is_edge = t + 1 == slots_ || plan[t + 1] < a;
        if (!is_edge) continue;
        const bool is_whole = t == 0 || plan[t - 1] < a;
        const double gives = hours_[t] - (is_whole ? job_.reload : 0.0);
        if (done - gives < job_.work - kNothing) continue;
        plan[t] = static_cast<std::uint8_t>(a - 1);
        done -= gives;
      }
    }
  }

  const PoolPrices& prices_;
  const Job& job_;
  const PlacingQuestion& question_;
  std::size_t slots_;
  std::size_t gangs_;
  std::span<const double> hours_;
  std::vector<double> price_;
};

}  // namespace

int WorkSteps::made(double hours, int now, int started, double reload) const {
  const double time = hours * now - std::min(reload, hours) * started;
  return time <= 0 ? 0 : static_cast<int>(std::floor(time / length + 1e-6));
}

WorkSteps steps_of(const Job& job, std::span<const double> hours) {
  const double beat = beat_of(hours);
  const auto exact =
      std::gcd(std::llround(beat * kThousandths), std::llround(job.reload * kThousandths));
  double length = static_cast<double>(exact) / kThousandths;
  const double least = job.work / kMostSteps;
  if (length < least) length = beat / std::max(1.0, std::floor(beat / least));
  const double steps = std::ceil(job.work / length - 1e-6);
  return {static_cast<int>(std::min(steps, 1e7)), length};
}

std::optional<Plan> place(const PoolPrices& prices, const PlacingQuestion& question) {
  return Placing(prices, question).place();
}

namespace {

// Whether the plans of two jobs are the same where their slots cost the same.
bool is_alike(const Job& a, const Job& b, std::span<const double> hours) {
  const auto of = [&](const Job& job) { return hours.subspan(job.from, job.to - job.from); };
  return a.gang == b.gang && a.most == b.most && a.work == b.work && a.reload == b.reload &&
         a.is_preemptible == b.is_preemptible && std::ranges::equal(of(a), of(b));
}

std::size_t hash_of(std::span<const double> numbers) {
  std::size_t hash = numbers.size();
  for (const double each : numbers)
    hash = (hash ^ std::bit_cast<std::uint64_t>(each)) * 0x9E3779B97F4A7C15ULL;
  return hash ^ hash >> 32;
}

}  // namespace

std::optional<Plan> PlacedBefore::place(const PoolPrices& prices, const PlacingQuestion& question) {
  constexpr std::size_t kMostHeld = 4'000'000;
  const Placing placing(prices, question);
  const std::size_t key = hash_of(placing.prices());
  const auto [first, last] = answers_.equal_range(key);
  for (auto each = first; each != last; ++each)
    if (each->second.price == placing.prices() &&
        is_alike(each->second.job, *question.job, prices.hours()))
      return each->second.plan;
  if (held_ + placing.prices().size() > kMostHeld) {
    answers_.clear();
    held_ = 0;
  }
  held_ += placing.prices().size();
  auto plan = placing.place();
  answers_.emplace(key, Answer{*question.job, placing.prices(), plan});
  return plan;
}

PlanFigures figures_of(const Job& job, const Plan& plan, std::span<const double> hours) {
  PlanFigures figures;
  int before = 0;
  for (std::size_t t = 0; t < plan.size(); ++t) {
    const double length = hours[job.from + t];
    const int started = std::max(0, plan[t] - before);
    figures.starts += started;
    figures.gang_hours += length * plan[t];
    figures.work +=
        length * plan[t] - std::min(job.reload, length * (started > 0 ? 1 : 0)) * started;
    before = plan[t];
  }
  if (!job.is_preemptible) figures.work = figures.gang_hours - job.reload * figures.starts;
  return figures;
}

}  // namespace loadfactor::fleet
