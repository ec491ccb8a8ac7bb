#include "report/plan/page/page_ways.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "report/describe/option_words.h"
#include "report/page/page_words.h"

namespace loadfactor::report {
namespace {

constexpr int kPlaces = 400;      // At which the cheapest way is looked at.
constexpr int kHalvings = 40;     // How near the place of a change is then found.
constexpr double kLasting = 0.1;  // Share of today's volume; shorter changes are no flip.
constexpr std::size_t kMostWays = 7;

// Machines that are bought or reserved are whole; a card for a server that is there is a GPU.
std::string machines_words(double machine, int gpus) {
  if (machine <= 1) return fmt::format("{} GPU{}", count_word(gpus), gpus == 1 ? "" : "s");
  const auto servers = std::llround(gpus / machine);
  return fmt::format("{} server{}", count_word(servers), servers == 1 ? "" : "s");
}

bool is_whole(OptionKind kind) {
  return kind == OptionKind::kOwn || kind == OptionKind::kReserved1y ||
         kind == OptionKind::kReserved3y;
}

}  // namespace

MoneyFactors no_change() {
  MoneyFactors factors;
  factors.fill(1.0);
  return factors;
}

std::string PageWay::id() const {
  return std::string(name_of(kind));
}

const engine::WayStep* PageWay::step_at(double x) const {
  if (steps == nullptr) return nullptr;
  for (const auto& step : steps->steps)
    if (x <= step.to * (1 + 1e-9)) return &step;
  return nullptr;
}

std::optional<Dollars> PageWay::cost(double x, const MoneyFactors& factors) const {
  const engine::WayStep* step = step_at(x);
  if (step == nullptr) return std::nullopt;
  Dollars sum;
  for (std::size_t i = 0; i < engine::kNumMoneyParts; ++i)
    sum = sum + (step->fixed[i] + step->moving[i] * (is_run ? 1 / x : x)) * factors[i];
  return sum * scale;
}

PageWays::PageWays(const engine::PlanAnswer& answer) {
  if (answer.steps_to_pay && !answer.steps_to_pay->ways.empty()) table_ = &*answer.steps_to_pay;
  for (const auto& option : answer.options) {
    const OptionKind kind = option.cost.kind;
    const bool is_known = std::any_of(ways_.begin(), ways_.end(),
                                      [&](const PageWay& way) { return way.kind == kind; });
    const bool is_mixed = is_mix(kind) || kind == OptionKind::kAlternative;
    if (is_known || (is_mixed && !ways_.empty()) || ways_.size() == kMostWays) {
      others_.push_back(&option);
      continue;
    }
    PageWay way{.kind = kind,
                .words = words_of(shown_kind(kind, option.cost.owned), answer.is_training),
                .option = &option,
                .is_run = answer.is_training};
    if (table_ != nullptr) way.steps = table_->find(kind);
    if (const auto today = way.steps ? way.cost(table_->here, no_change()) : std::nullopt)
      way.scale = *today > Dollars() ? option.amount / *today : 1.0;
    else
      way.steps = nullptr;
    ways_.push_back(way);
  }
}

bool PageWays::has(std::string_view colour) const {
  return std::any_of(ways_.begin(), ways_.end(),
                     [&](const PageWay& way) { return way.words.colour == colour; });
}

std::vector<const PageWay*> PageWays::drawn() const {
  std::vector<const PageWay*> drawn;
  for (const auto& way : ways_)
    if (way.steps != nullptr) drawn.push_back(&way);
  return drawn;
}

const PageWay* PageWays::cheapest(double x, const MoneyFactors& factors) const {
  const PageWay* best = nullptr;
  std::optional<Dollars> least;
  for (const auto& way : ways_) {
    const auto cost = way.cost(x, factors);
    if (!cost || (least && *cost >= *least)) continue;
    least = cost;
    best = &way;
  }
  return best;
}

std::optional<PageFlip> PageWays::flip() const {
  if (table_ == nullptr) return std::nullopt;
  const MoneyFactors same = no_change();
  const double here = table_->here;
  const PageWay* now = cheapest(here, same);
  std::optional<PageFlip> nearest;
  for (const double end : {table_->most, std::min(here, table_->most / 50)}) {
    if (end == here) continue;
    double at = here;
    for (int i = 1; i <= kPlaces; ++i) {
      const double x = here + (end - here) * i / kPlaces;
      const PageWay* then = cheapest(x, same);
      const double later = x + (end > here ? 1 : -1) * kLasting * here;
      const bool is_outside = end > here ? later > table_->most : later < end;
      if (then == nullptr || then == now || (!is_outside && cheapest(later, same) == now)) {
        at = x;
        continue;
      }
      double near = at;
      double far = x;
      for (int k = 0; k < kHalvings; ++k) {
        const double middle = (near + far) / 2;
        (cheapest(middle, same) == now ? near : far) = middle;
      }
      if (!nearest || std::abs(far - here) < std::abs(nearest->x - here))
        nearest = PageFlip{far, then};
      break;
    }
  }
  return nearest;
}

std::string have_words(const PageWay& way, const engine::WayStep& step) {
  if (way.kind == OptionKind::kApi) {
    const std::string& seller = way.option->cost.name.of;
    return seller.substr(0, seller.find('/'));
  }
  const std::string chip = chip_word(step.accelerator);
  if (is_mix(way.kind)) return fmt::format("up to {} {}", format_count(step.needed), chip);
  if (way.kind == OptionKind::kAutoscaled)
    return fmt::format("up to {} {}", format_count(step.needed), chip);
  if (is_whole(way.kind) && way.steps->machine > 1)
    return fmt::format("{} of {:.0f} {}", machines_words(way.steps->machine, step.gpus),
                       way.steps->machine, chip);
  return fmt::format("{} {}", format_count(step.gpus), chip);
}

std::string say_words(const PageWay& way, const engine::WayStep* step) {
  const double machine = way.steps != nullptr ? way.steps->machine : 1;
  const int gpus = step != nullptr ? step->gpus : way.option->gpus;
  const std::string machines = machines_words(machine, gpus);
  const std::string some = fmt::format("{} GPU{}", count_word(gpus), gpus == 1 ? "" : "s");
  switch (shown_kind(way.kind, way.option->cost.owned)) {
    case OptionKind::kOwn:
      return way.is_run ? fmt::format("train on your own GPUs") : fmt::format("buy {}", machines);
    case OptionKind::kReserved1y:
      return fmt::format("reserve {} for a year", way.is_run ? "the GPUs" : machines);
    case OptionKind::kReserved3y:
      return fmt::format("reserve {} for 3 years", way.is_run ? "the GPUs" : machines);
    case OptionKind::kOnDemand:
      return fmt::format("rent {} on demand", way.is_run ? "the GPUs" : some);
    case OptionKind::kSpot:
      return fmt::format("rent {} on spot", way.is_run ? "the GPUs" : some);
    case OptionKind::kAutoscaled:
      return "rent GPUs on demand as needed";
    case OptionKind::kApi:
      return "use the API";
    case OptionKind::kManaged:
      return "use a managed platform";
    case OptionKind::kOwnBurst:
      return "own the base, rent peaks";
    case OptionKind::kOwnSpotBurst:
      return "own the base, peaks on spot";
    case OptionKind::kThreeTier:
      return "own, reserve and rent";
    case OptionKind::kAlternative:
      break;
  }
  return "use the other machine";
}

}  // namespace loadfactor::report
