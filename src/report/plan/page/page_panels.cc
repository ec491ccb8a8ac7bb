// What a page shows below its first screen: sizes, the week, the empty share.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/quantity_text.h"
#include "engine/plan/plan_figures.h"
#include "report/page/page_words.h"
#include "report/plan/page/page_parts.h"

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;

constexpr int kHours = 24;
constexpr int kDays = 7;
constexpr std::array<std::string_view, kDays> kDayNames{"Mon", "Tue", "Wed", "Thu",
                                                        "Fri", "Sat", "Sun"};

std::string hour_words(std::size_t hour) {
  return fmt::format("{} {}:00", kDayNames[hour / kHours], hour % kHours);
}

// Requests a second by hour of the week; negative: not known.
class WeekRates {
 public:
  explicit WeekRates(const PlanAnswer& answer) {
    double sum = 0;
    int known = 0;
    for (const double share : answer.week)
      if (share >= 0) {
        sum += share;
        ++known;
      }
    const double mean = known > 0 ? sum / known : 0;
    for (std::size_t i = 0; i < answer.week.size(); ++i) {
      const double share = answer.week[i];
      rates.push_back(share < 0 || mean <= 0 ? -1 : share / mean * answer.rate.base());
      if (rates[i] < 0) continue;
      if (is_empty_ || rates[i] > rates[busiest]) busiest = i;
      if (is_empty_ || rates[i] < rates[quietest]) quietest = i;
      is_empty_ = false;
    }
  }
  bool is_flat() const {
    return rates.size() != kDays * kHours || is_empty_ || rates[busiest] < 1.05 * rates[quietest];
  }
  std::string words(double rate) const {
    return rates[busiest] < 100 ? fmt::format("{:.1f}", rate) : format_count(std::llround(rate));
  }

  std::vector<double> rates;
  std::size_t busiest = 0;
  std::size_t quietest = 0;

 private:
  bool is_empty_ = true;
};

Value hour_cell(const WeekRates& week, std::size_t hour) {
  const double rate = week.rates[hour];
  const double low = week.rates[week.quietest];
  const double high = week.rates[week.busiest];
  const int tone = std::clamp(static_cast<int>(8 * (rate - low) / (high - low)), 0, 7);
  return Value::Object{{"tone", rate < 0 ? std::string("none") : fmt::format("q{}", tone)},
                       {"mark", hour == week.busiest    ? "pk"
                                : hour == week.quietest ? "lw"
                                                        : ""},
                       {"words", fmt::format("{}: {}", hour_words(hour),
                                             rate < 0 ? "not in the data" : week.words(rate))}};
}

Value days_of(const WeekRates& week) {
  Value::List days;
  for (std::size_t day = 0; day < kDays; ++day) {
    Value::List cells;
    for (std::size_t hour = 0; hour < kHours; ++hour)
      cells.push_back(hour_cell(week, day * kHours + hour));
    days.push_back(Value::Object{{"name", kDayNames[day]}, {"cells", std::move(cells)}});
  }
  return days;
}

struct Share {
  std::string name;
  double share = 0;
  std::string_view tone;
};

std::string_view loss_name(engine::ServiceLoss loss) {
  switch (loss) {
    case engine::ServiceLoss::kSlo:
      return "Kept free so that answers stay fast";
    case engine::ServiceLoss::kShape:
      return "Quiet hours: nights, weekends";
    case engine::ServiceLoss::kHeadroom:
      return "Bursts within the busiest hour";
    case engine::ServiceLoss::kDemand:
      return "Traffic that never came";
    case engine::ServiceLoss::kRounding:
      return "GPUs this work does not need";
    case engine::ServiceLoss::kNone:
      break;
  }
  return "";
}

std::string run_loss_name(const std::string& loss) {
  if (loss == "restarts") return "Restarts after a stop";
  if (loss == "repairs") return "Machines under repair";
  if (loss == "detection") return "Time until a fault is seen";
  if (loss == "lost work") return "Work done twice";
  if (loss == "checkpoints") return "Saving checkpoints";
  return capital(loss);
}

// The time of the plan's own fleet: work, and what the rest goes to. They sum to one.
std::vector<Share> shares_of(const PlanAnswer& answer) {
  constexpr std::array<std::string_view, 5> kTones{"e4", "e3", "e2", "e1", "e5"};
  constexpr double kShown = 0.0005;
  std::vector<Share> shares{{"Carries work", 1, "work"}};
  for (const auto& loss : answer.losses) {
    if (loss.share < kShown) continue;
    const bool is_spare = loss.service == engine::ServiceLoss::kRounding;
    shares.push_back(
        {loss.service == engine::ServiceLoss::kNone ? run_loss_name(loss.name)
                                                    : std::string(loss_name(loss.service)),
         loss.share, is_spare ? "hatch" : kTones[std::min<std::size_t>(shares.size() - 1, 4)]});
    shares[0].share -= loss.share;
  }
  return shares;
}

// The run as it is paid for, beside the steady step.
std::string run_time_words(const PlanAnswer& answer) {
  const std::string of = "Of the paid time of the run.";
  if (!answer.training || !answer.training->whole) return of;
  const WholeRun& run = *answer.training->whole;
  const auto hours = [](GpuTime time) {
    return format_count(static_cast<long long>(time / GpuTime::from_base(kHour.base()) + 0.5));
  };
  return fmt::format("{} {} GPU-hours for a trillion tokens; the steady step says {}.", of,
                     hours(run.paid.value()), hours(run.steady.value()));
}

}  // namespace

Value page_week(const PageFacts& facts) {
  const WeekRates week(facts.answer);
  if (week.is_flat()) return {};
  const double low = week.rates[week.quietest];
  const double high = week.rates[week.busiest];
  const std::string words =
      fmt::format("Busiest {} ({} a second); quietest {} ({}).", hour_words(week.busiest),
                  week.words(high), hour_words(week.quietest), week.words(low));
  Value::List hours;
  for (int hour = 0; hour < kHours; ++hour)
    hours.push_back(
        Value::Object{{"name", hour % 6 == 0 ? fmt::format("{}:00", hour) : std::string()}});
  return Value::Object{
      {"title", low > 0 ? fmt::format("The week: the busiest hour is {} the quietest",
                                      page_times(high / low))
                        : std::string("The week: some hours are silent")},
      {"sub", "Requests a second by hour, UTC."},
      {"alt", "Requests a second by hour of the week, UTC. " + words},
      {"hours", std::move(hours)},
      {"days", days_of(week)},
      {"low", week.words(low)},
      {"high", week.words(high) + " requests a second"},
      {"note", words}};
}

Value page_full(const PageFacts& facts) {
  const PlanAnswer& answer = facts.answer;
  const auto shares = shares_of(answer);
  if (shares.size() < 2 || shares[0].share <= 0 || !answer.machine) return {};
  const int digits = shares[0].share > 0.9 ? 1 : 0;
  const auto largest =
      std::max_element(shares.begin() + 1, shares.end(),
                       [](const Share& a, const Share& b) { return a.share < b.share; });
  Value::List rows;
  for (const auto& each : shares)
    rows.push_back(Value::Object{{"name", each.name},
                                 {"share", each.share},
                                 {"share_text", page_percent(each.share, digits)},
                                 {"width", std::round(1e4 * each.share) / 100},
                                 {"tone", each.tone}});
  const std::string work = page_percent(shares[0].share, digits);
  const std::string fleet = fmt::format("{} {}", format_count(answer.machine->layout.gpus),
                                        chip_word(answer.machine->accelerator));
  return Value::Object{
      {"title", facts.is_run() ? fmt::format("Time that carries work: {}", work)
                               : fmt::format("Where the empty {} of {} {}",
                                             page_percent(1 - shares[0].share, digits), fleet,
                                             engine::uses_api(answer) ? "would go" : "goes")},
      {"sub", facts.is_run() ? run_time_words(answer)
                             : fmt::format("Always on. Most of it: {}, {}.", largest->name,
                                           page_percent(largest->share, digits))},
      {"alt", fmt::format("{} of the paid time carries work.", work)},
      {"of", facts.is_run() ? std::string("of the paid time") : "of " + fleet},
      {"rows", std::move(rows)}};
}

Value page_sizes(const PageFacts& facts) {
  const PlanAnswer& answer = facts.answer;
  if (!facts.is_run() || !answer.duration || answer.options.empty()) return {};
  const auto now = std::find_if(answer.curve.begin(), answer.curve.end(), [&](const auto& point) {
    return point.gpus == answer.machine->layout.gpus;
  });
  if (answer.curve.size() < 2 || now == answer.curve.end() || now->efficiency <= 0) return {};
  Value::List rows;
  std::string spoken;
  // Short runs are told in hours.
  const bool in_days = answer.duration->value() >= 2 * kDay;
  const char* unit = in_days ? "days" : "hours";
  const double here = answer.duration->value() / (in_days ? kDay : kDay / 24);
  for (const auto& point : answer.curve) {
    if (point.efficiency <= 0) continue;
    const double work = now->efficiency / point.efficiency;
    const double takes = here * work * now->gpus / point.gpus;
    const Dollars cost = answer.options[0].amount * work;
    rows.push_back(Value::Object{{"gpus", format_count(point.gpus)},
                                 {"x", takes},
                                 {"y", cost.base()},
                                 {"x_text", fmt::format("{:.1f}", takes)},
                                 {"y_text", page_money(cost)},
                                 {"chosen", point.gpus == now->gpus}});
    spoken += fmt::format("{}{} GPUs {:.1f} {} {}", spoken.empty() ? "" : "; ",
                          format_count(point.gpus), takes, unit, page_money(cost));
  }
  return Value::Object{
      {"title", fmt::format("More GPUs, fewer {}", unit)},
      {"sub", "The same layout at other sizes, rented for as long as the run takes."},
      {"alt", fmt::format("Cost of the run against its {}: {}.", unit, spoken)},
      {"x_name", unit},
      {"y_name", "$ for the run"},
      {"open", false},
      {"rows", std::move(rows)}};
}

}  // namespace loadfactor::report
