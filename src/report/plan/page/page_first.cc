// The first screen of a page: the decision, the lead, four tiles and the ways to pay.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/quantity_text.h"
#include "engine/plan/plan_figures.h"
#include "report/page/page_pieces.h"
#include "report/page/page_words.h"
#include "report/plan/page/page_parts.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;
using engine::PlanDecision;
using engine::PlanOption;

constexpr std::size_t kMostWords = 12;
constexpr double kClose = 0.8;  // Futures in which the best must win to be more than a close call.

// Words as a reader counts them: also a number and its sign.
std::size_t words_in(std::string text) {
  for (auto at = text.find("\u00a0"); at != text.npos; at = text.find("\u00a0"))
    text.replace(at, 2, " ");
  std::size_t words = 0;
  bool inside = false;
  for (const char letter : text) {
    if (letter != ' ' && !inside) ++words;
    inside = letter != ' ';
  }
  return words;
}

const PageWay& best_way(const PageFacts& facts) {
  return facts.ways.all().front();
}

// What to do at a place of the chart.
std::string say_at(const PageFacts& facts, const PageWay& way, double x) {
  const bool above = facts.ways.has_steps() && x > facts.ways.table().here;
  return say_words(way, way.step_at(above ? x * 1.0001 : x * 0.9999));
}

// A fleet that is there is kept, changed or given up.
std::string present_words(const PlanAnswer& answer) {
  const int present = answer.present_gpus;
  const int gpus = answer.machine ? answer.machine->layout.gpus : 0;
  const auto some = [](int count) { return count_word(count) + (count == 1 ? " GPU" : " GPUs"); };
  switch (answer.pooled ? answer.service_decision : answer.decision) {
    case PlanDecision::kHold:
      return gpus == 1 ? "Keep the GPU" : "Keep the " + some(gpus);
    case PlanDecision::kShrink:
      return fmt::format("Shrink from {} to {}", some(present), count_word(gpus));
    case PlanDecision::kUseApi:
      return "Give the GPUs up and use the API";
    case PlanDecision::kScaleUp:
      return fmt::format("Grow from {} to {}", some(present), count_word(gpus));
    default:
      break;
  }
  return {};
}

// A sign and no word: the decision has twelve.
std::string_view about(const PageFlip& flip) {
  return flip.is_rough ? "~" : "";
}

std::string grows_words(const PageFlip& flip) {
  const double times = flip.x;
  if (times < 1.8) return fmt::format("grows {}{}", about(flip), page_percent(times - 1));
  if (times < 2.3) return "doubles";
  return fmt::format("grows {}{:.3g} times", about(flip), std::round(times * 10) / 10);
}

// Longest first: the first that is short enough is said.
std::string shortest_of(std::initializer_list<std::string> texts) {
  for (const auto& text : texts)
    if (words_in(text) <= kMostWords) return text;
  return *(texts.end() - 1);
}

std::string run_decision(const PageFacts& facts, const std::string& said) {
  const auto& answer = facts.answer;
  if (!answer.duration) return said + ".";
  return fmt::format("{}: {}.", said, days_text(answer.duration->value()));
}

double futures(const PageFacts& facts) {
  return best_way(facts).option->cost.wins;
}

Value pay_tile(const PageFacts& facts) {
  const PlanOption& best = *best_way(facts).option;
  const auto& month = best.cost.per_month;
  const double scale = month.value() > Dollars() ? best.amount / month.value() : 1.0;
  std::string note =
      fmt::format("likely {}", page_range(month.low() * scale, month.high() * scale));
  if (facts.is_run() && facts.answer.duration)
    note += fmt::format("; {}", days_text(facts.answer.duration->value()));
  else if (best.cost.per_mtoken)
    note += fmt::format("; {} per million tokens", page_money(best.cost.per_mtoken->value()));
  return page_tile("pay", "You pay", page_money(best.amount), facts.per(), std::move(note));
}

Value save_tile(const PageFacts& facts) {
  if (facts.ways.all().size() < 2)
    return page_tile("save", "You save", "–", "", "no other way has a price");
  const PageWay& next = facts.ways.all()[1];
  return page_tile("save", "You save",
                   page_money(next.option->amount - best_way(facts).option->amount), facts.per(),
                   fmt::format("against the next best, {} at {}", next.words.noun,
                               page_money(next.option->amount)));
}

Value sure_tile(const PageFacts& facts) {
  const std::string stays = fmt::format("in which {} stays cheapest", best_way(facts).words.noun);
  if (facts.ways.all().size() < 2)
    return page_tile("sure", "How sure", "–", "", "nothing else could be weighed against it");
  return page_tile("sure", "How sure", fmt::format("{:.0f}", 100 * futures(facts)),
                   "in 100 futures", stays);
}

Value change_tile(const PageFacts& facts) {
  constexpr std::string_view kLabel = "It changes at";
  if (!facts.flip) {
    std::string note = "the same answer at every volume that was tried";
    if (facts.answer.is_open_above || facts.answer.is_open_below)
      note = fmt::format("far {} traffic may change it; no plan settled where",
                         facts.answer.is_open_above ? "more" : "less");
    else if (facts.ways.has_steps())
      note = facts.is_run() ? std::string("the same answer however busy the machines stay")
                            : fmt::format("the same answer up to {}",
                                          facts.place_words(facts.ways.table().most));
    return page_tile("change", kLabel, "–", "", std::move(note));
  }
  const double x = facts.flip->x;
  const bool above = x > facts.ways.table().here;
  const std::string then = say_at(facts, *facts.flip->to, x);
  if (facts.is_run())
    return page_tile("change", kLabel, page_percent(x), "of their life busy",
                     fmt::format("{}, {}", above ? "above" : "below", then));
  return page_tile("change", kLabel, above ? page_times(x) : page_percent(x),
                   above ? "today’s traffic" : "of today’s traffic",
                   fmt::format("{} {}{} {}", above ? "from" : "below", about(*facts.flip),
                               facts.place_words(x), then));
}

// ---- The table.

std::string why_words(const PageFacts& facts, const PageWay& way) {
  const PlanOption& option = *way.option;
  const Dollars more = option.amount - best_way(facts).option->amount;
  std::string text = fmt::format("{} more", page_money(more));
  if (option.cost.term)
    return fmt::format("{}: {} are paid for, the run takes {}", text,
                       days_text(option.cost.term->commitment), days_text(option.cost.term->run));
  if (best_way(facts).kind != OptionKind::kApi || !option.cost.load_factor) return text;
  const double full = option.cost.load_factor->value();
  const auto& even = option.cost.break_even;
  if (!even || even->value() > 1) return "dearer than the API even when full";
  return fmt::format("{} full, pays from {}", page_percent(full), page_percent(even->value()));
}

// Eight of ten futures of what a way costs.
std::pair<Dollars, Dollars> likely(const PlanOption& option) {
  const auto& month = option.cost.per_month;
  const double scale = month.value() > Dollars() ? option.amount / month.value() : 1.0;
  return {month.low() * scale, month.high() * scale};
}

Value row_of(const PageFacts& facts, const PageWay& way, Dollars most) {
  const PlanOption& option = *way.option;
  const auto [low, high] = likely(option);
  const bool best = &way == &best_way(facts);
  const engine::WayStep* step =
      way.steps != nullptr ? way.step_at(facts.ways.table().here) : nullptr;
  const auto& full = option.cost.load_factor;
  const auto& even = option.cost.break_even;
  return Value::Object{
      {"id", way.id()},
      {"kind", way.words.colour},
      {"name", way.words.name},
      {"detail", step != nullptr ? have_words(way, *step) : words_of(option.machines())},
      {"cost", option.amount.base()},
      {"cost_text", page_money(option.amount)},
      {"low", low.base()},
      {"high", high.base()},
      {"best", best},
      {"strong", best ? "Cheapest." : ""},
      {"why", best ? std::string() : why_words(facts, way)},
      {"full", full ? Value(full->value()) : Value()},
      {"pays_from", even && std::isfinite(even->value()) ? Value(even->value()) : Value()},
      {"bar", page_bar(option.amount, std::pair(low, high), most)}};
}

Value other_rows(const PageFacts& facts) {
  Value::List rows;
  const Dollars best = best_way(facts).option->amount;
  for (const PlanOption* option : facts.ways.others())
    rows.push_back(Value::Object{{"name", words_of(option->machines())},
                                 {"cost_text", page_money(option->amount)},
                                 {"why", page_money(option->amount - best) + " more"}});
  if (facts.answer.cost)
    for (const auto& option : facts.answer.cost->unpriced)
      rows.push_back(Value::Object{{"name", option.name}, {"cost_text", "–"}, {"why", option.why}});
  if (rows.empty()) return {};
  return Value::Object{{"title", "Other machines, mixes and ways without a price"},
                       {"rows", std::move(rows)}};
}

}  // namespace

std::string page_decision(const PageFacts& facts) {
  const PlanAnswer& answer = facts.answer;
  const PageWay& best = best_way(facts);
  const double here = facts.ways.has_steps() ? facts.ways.table().here : 1;
  std::string said = capital(say_words(best, best.step_at(here)));
  if (answer.present_gpus > 0 && !facts.is_run())
    if (const std::string kept = present_words(answer); !kept.empty()) said = kept;
  if (facts.is_run()) return run_decision(facts, said);
  if (answer.pooled)
    return shortest_of({fmt::format("{}; {}.", said,
                                    answer.pooled->fits ? "train in its idle hours"
                                                        : "train on machines of its own"),
                        said + "."});
  if (!facts.flip) return shortest_of({said + ", at any traffic near today’s.", said + "."});
  const PageFlip& flip = *facts.flip;
  const std::string then = say_at(facts, *flip.to, flip.x);
  if (flip.x > here)
    return shortest_of({fmt::format("{} until traffic {}, then {}.", said, grows_words(flip), then),
                        fmt::format("{} until traffic {}.", said, grows_words(flip)), said + "."});
  const std::string falls = fmt::format("{}{}", about(flip), page_percent(1 - flip.x));
  return shortest_of({fmt::format("{}; {} if traffic falls {}.", said, then, falls),
                      fmt::format("{} unless traffic falls {}.", said, falls), said + "."});
}

Value page_lead(const PageFacts& facts) {
  const PlanAnswer& answer = facts.answer;
  Value::List lead;
  if (facts.ways.all().size() > 1 && futures(facts) < kClose) {
    lead.push_back(lead_run("", "Close call: "));
    lead.push_back(
        lead_run(fmt::format("it wins in {:.0f} of 100 futures", 100 * futures(facts)), ". "));
  }
  if (facts.is_run()) {
    if (answer.machine && answer.load_factor) {
      lead.push_back(lead_run(
          "", fmt::format("{} {} carry work in ", format_count(answer.machine->layout.gpus),
                          chip_word(answer.machine->accelerator))));
      lead.push_back(lead_run(page_percent(answer.load_factor->value()), " of the run’s time"));
    }
    const std::string_view deadline = !answer.deadline_met   ? "no deadline was given"
                                      : *answer.deadline_met ? "the deadline is met"
                                                             : "the deadline is missed";
    lead.push_back(lead_run("", "; "));
    lead.push_back(lead_run(deadline, ". "));
  } else if (answer.load_factor) {
    const bool api = engine::uses_api(answer);
    lead.push_back(lead_run(
        "", api ? "Machines instead of the API would be " : "The machines that are paid for are "));
    lead.push_back(lead_run(page_percent(answer.load_factor->value()) + " full", ""));
    if (answer.break_even && answer.break_even->value() <= 1) {
      lead.push_back(lead_run(
          "", api ? "; they pay from " : "; against the API or rented hours they pay from "));
      lead.push_back(lead_run(page_percent(answer.break_even->value()), ""));
    } else if (answer.break_even) {
      lead.push_back(lead_run("", "; they would not pay even when full"));
    }
    lead.push_back(lead_run("", ". "));
  }
  if (answer.within_slo && !engine::uses_api(answer))
    lead.push_back(lead_run("", "",
                            fmt::format("{:.0f} of 100 answers come in time.",
                                        std::floor(100 * answer.within_slo->value()))));
  if (answer.pooled)
    lead.push_back(lead_run("", "", " " + capital(pooled_words(*answer.pooled)) + "."));
  return lead;
}

Value page_tiles(const PageFacts& facts) {
  return Value::Object{{"rows", Value::List{pay_tile(facts), save_tile(facts), sure_tile(facts),
                                            change_tile(facts)}}};
}

Value page_table(const PageFacts& facts) {
  constexpr double kScale = 4;  // Times the best: what is dearer is cut.
  const auto& all = facts.ways.all();
  Dollars most = all.front().option->amount;
  for (const auto& way : all)
    if (way.option->amount < all.front().option->amount * kScale)
      most = std::max(most, way.option->amount);
  most = std::max(most * 1.3, likely(*all.front().option).second);
  Value::List rows;
  for (const auto& way : all) rows.push_back(row_of(facts, way, most));
  return Value::Object{
      {"title",
       facts.is_run() ? "Ways to pay for the run, cheapest first" : "Ways to pay, cheapest first"},
      {"sub", facts.is_run() ? "The same run on the same machines. Thin line: nine of ten futures."
                             : "A month of the same work at the same speed. Thin line: nine of "
                               "ten futures."},
      {"per", fmt::format("$ {}", facts.per())},
      {"rows", std::move(rows)},
      {"note", ""},
      {"more", other_rows(facts)}};
}

}  // namespace loadfactor::report
