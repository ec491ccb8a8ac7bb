#include "report/cost/page/cost_page.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/quantity_text.h"
#include "loadfactor/version.h"
#include "report/cost/cost_tables.h"
#include "report/cost/cost_words.h"
#include "report/page/definitions.h"
#include "report/page/page_html.h"
#include "report/page/page_pieces.h"
#include "report/page/page_words.h"
#include "report/page/way_words.h"

namespace loadfactor::report {
namespace {

constexpr double kClose = 0.8;  // Futures in which the best must win to be more than a close call.
constexpr std::size_t kMostPrices = 12;

bool is_run(const CostAnswer& answer) {
  return !answer.options.empty() && answer.options.front().per_run.has_value();
}

std::string_view per(const CostAnswer& answer) {
  return is_run(answer) ? "for the run" : "a month";
}

Dollars amount_of(const CostOption& option) {
  return option.per_run.value_or(option.per_month.value());
}

WayWords words_of_way(const CostAnswer& answer, const CostOption& option) {
  return words_of(shown_kind(option.kind, option.owned), is_run(answer));
}

std::string gpus_words(const CostOption& option) {
  const auto gpus = static_cast<std::int64_t>(std::ceil(option.gpus - 1e-9));
  return fmt::format("{} GPU{}", count_word(gpus), gpus == 1 ? "" : "s");
}

// What to do, a verb first.
std::string say(const CostOption& option) {
  switch (shown_kind(option.kind, option.owned)) {
    case OptionKind::kOwn:
      return "Own " + gpus_words(option);
    case OptionKind::kReserved1y:
      return fmt::format("Reserve {} for a year", gpus_words(option));
    case OptionKind::kReserved3y:
      return fmt::format("Reserve {} for 3 years", gpus_words(option));
    case OptionKind::kOnDemand:
      return fmt::format("Rent {} on demand", gpus_words(option));
    case OptionKind::kSpot:
      return fmt::format("Rent {} on spot", gpus_words(option));
    case OptionKind::kAutoscaled:
      return "Rent GPUs on demand as needed";
    case OptionKind::kApi:
      return "Use the API";
    case OptionKind::kManaged:
      return "Use a managed platform";
    case OptionKind::kOwnBurst:
      return "Own the base, rent peaks";
    case OptionKind::kOwnSpotBurst:
      return "Own the base, peaks on spot";
    case OptionKind::kThreeTier:
      return "Own, reserve and rent";
    case OptionKind::kAlternative:
      break;
  }
  return "Use the other machine";
}

std::string decision_of(const CostAnswer& answer) {
  if (answer.options.empty()) return "Name a price: no way to pay has one.";
  const CostOption& best = answer.options.front();
  // What is cheapest today alone is said to be so.
  const std::string_view today = answer.verdict.over_horizon != 0 ? " (today)" : "";
  return fmt::format("{}: {} {}{}.", say(best), page_money(amount_of(best)), per(answer), today);
}

Value lead_of(const CostAnswer& answer) {
  Value::List lead;
  if (answer.options.empty()) return lead;
  const CostOption& best = answer.options.front();
  if (answer.options.size() > 1 && best.wins < kClose) {
    lead.push_back(lead_run("", "Close call: "));
    lead.push_back(
        lead_run(fmt::format("it wins in {:.0f} of 100 futures", 100 * best.wins), ". "));
  }
  if (answer.gpus > 0) {
    lead.push_back(lead_run("", fmt::format("{} {} are ", format_count(std::llround(answer.gpus)),
                                            chip_word(answer.accelerator))));
    lead.push_back(lead_run(page_percent(answer.load_factor) + " full", ". "));
  }
  // Prices that are stated to move may make another way the cheapest over the years.
  if (answer.verdict.over_horizon != 0) {
    const CostOption& later = answer.options[answer.verdict.over_horizon];
    const Dollars less = best.expected_present_cost - later.expected_present_cost;
    lead.push_back(lead_run("", fmt::format("Over {:.0f} months, with prices moving as stated, ",
                                            answer.horizon / kMonth)));
    lead.push_back(lead_run(
        fmt::format("{} costs {} less", words_of_way(answer, later).noun, page_money(less)), "."));
  }
  return lead;
}

// The machine whose break-even decides: the best, or the first that is weighed against the API.
const CostOption* weighed(const CostAnswer& answer) {
  for (const auto& option : answer.options)
    if (option.kind != OptionKind::kApi && option.break_even && option.against) return &option;
  return nullptr;
}

Value change_tile(const CostAnswer& answer) {
  constexpr std::string_view kLabel = "It changes at";
  const CostOption* option = weighed(answer);
  if (option == nullptr)
    return page_tile("change", kLabel, "–", "", "no load makes another way the cheapest");
  const double even = option->break_even->value();
  const std::string noun(words_of_way(answer, *option).noun);
  if (!std::isfinite(even) || even > 1)
    return page_tile("change", kLabel, "–", "",
                     fmt::format("{} would not pay even when full", noun));
  return page_tile("change", kLabel, page_percent(even), "full",
                   fmt::format("from there {} pays against {}", noun, words_of(*option->against)));
}

Value tiles_of(const CostAnswer& answer) {
  const CostOption& best = answer.options.front();
  const auto& month = best.per_month;
  const double scale = month.value() > Dollars() ? amount_of(best) / month.value() : 1.0;
  std::string note =
      fmt::format("likely {}", page_range(month.low() * scale, month.high() * scale));
  if (best.per_mtoken)
    note += fmt::format("; {} per million tokens", page_money(best.per_mtoken->value()));
  Value save = page_tile("save", "You save", "–", "", "no other way has a price");
  Value sure = page_tile("sure", "How sure", "–", "", "nothing else could be weighed against it");
  if (answer.options.size() > 1) {
    const CostOption& next = answer.options[1];
    save = page_tile("save", "You save", page_money(amount_of(next) - amount_of(best)), per(answer),
                     fmt::format("against the next best, {} at {}", words_of_way(answer, next).noun,
                                 page_money(amount_of(next))));
    sure = page_tile("sure", "How sure", fmt::format("{:.0f}", 100 * best.wins), "in 100 futures",
                     fmt::format("in which {} stays cheapest", words_of_way(answer, best).noun));
  }
  return Value::Object{
      {"rows", Value::List{page_tile("pay", "You pay", page_money(amount_of(best)), per(answer),
                                     std::move(note)),
                           std::move(save), std::move(sure), change_tile(answer)}}};
}

Value way_row(const CostAnswer& answer, const CostOption& option, Dollars most) {
  const auto& month = option.per_month;
  const Dollars amount = amount_of(option);
  const double scale = month.value() > Dollars() ? amount / month.value() : 1.0;
  const bool best = &option == &answer.options.front();
  const auto& even = option.break_even;
  return Value::Object{
      {"id", name_of(shown_kind(option.kind, option.owned))},
      {"kind", words_of_way(answer, option).colour},
      {"name", words_of_way(answer, option).name},
      {"detail", words_of(option.name)},
      {"cost", amount.base()},
      {"cost_text", page_money(amount)},
      {"low", (month.low() * scale).base()},
      {"high", (month.high() * scale).base()},
      {"best", best},
      {"strong", best ? "Cheapest." : ""},
      {"why",
       best ? std::string() : page_money(amount - amount_of(answer.options.front())) + " more"},
      {"full", option.load_factor ? Value(option.load_factor->value()) : Value()},
      {"pays_from", even && std::isfinite(even->value()) ? Value(even->value()) : Value()},
      {"bar", page_bar(amount, std::pair(month.low() * scale, month.high() * scale), most)}};
}

Value ways_of(const CostAnswer& answer) {
  constexpr double kScale = 4;     // Times the best: what is dearer is cut.
  constexpr double kBeside = 1.3;  // Room beside a bar.
  const Dollars least = amount_of(answer.options.front());
  Dollars most = least;
  for (const auto& option : answer.options) {
    const Dollars amount = amount_of(option);
    if (amount >= least * kScale) continue;
    const auto& month = option.per_month;
    const double scale = month.value() > Dollars() ? amount / month.value() : 1.0;
    most = std::max({most, amount * kBeside, month.high() * scale});
  }
  Value::List rows;
  for (const auto& option : answer.options) rows.push_back(way_row(answer, option, most));
  Value::List unpriced;
  for (const auto& option : answer.unpriced)
    unpriced.push_back(
        Value::Object{{"name", option.name}, {"cost_text", "–"}, {"why", option.why}});
  Value more;
  if (!unpriced.empty())
    more = Value::Object{{"title", "Ways without a price"}, {"rows", std::move(unpriced)}};
  return Value::Object{{"title", "Ways to pay, cheapest first"},
                       {"sub", "The same work by every way. Thin line: nine of ten futures."},
                       {"per", fmt::format("$ {}", per(answer))},
                       {"rows", std::move(rows)},
                       {"note", ""},
                       {"more", std::move(more)}};
}

Value details_of(const CostAnswer& answer, const CostAsked& asked) {
  Value::List panels;
  const auto add = [&](std::string title, bool wide, std::string_view csv, const Table& table) {
    if (!table.rows().empty())
      panels.push_back(page_panel(std::move(title), wide, page_table_of(csv, table)));
  };
  if (!answer.lines.empty())
    add(fmt::format("The bill of {}, a month", words_of(answer.bill_of)), true, "bill",
        bill_table(answer));
  add("How full must it be?", true, "break-even", break_even_table(answer));
  add("What would change it", true, "changes", tornado_table(answer));
  if (panels.empty()) return {};
  Value words = words_within(asked.words, panels);
  return Value::Object{{"sub", "the bill, break-evens and what would change them"},
                       {"lead", ""},
                       {"panels", std::move(panels)},
                       {"words", std::move(words)}};
}

Value rests_of(const CostAnswer& answer) {
  Value::List rows;
  Value::List all;
  for (const auto& price : answer.prices) {
    if (rows.size() < kMostPrices) rows.push_back(page_price(price));
    all.push_back(Value::Object{
        {"name", price.what},
        {"value", price.price},
        {"from", price.date.empty() ? price.source : price.source + ", " + page_date(price.date)}});
  }
  Value more;
  if (all.size() > rows.size())
    more = Value::Object{{"title", fmt::format("All {} prices", all.size())},
                         {"rows", std::move(all)}};
  return Value::Object{{"title", "What this rests on"},
                       {"sub", "The prices that were used."},
                       {"rows", std::move(rows)},
                       {"more", std::move(more)}};
}

Value again_of(const CostAsked& asked) {
  std::string command = "loadfactor cost " + asked.file;
  for (const auto& value : asked.set) command += fmt::format(" --set '{}'", value);
  return Value::Object{
      {"title", "How to get this again"},
      {"sub", ""},
      {"commands", Value::List{Value::Object{{"text", command + " -o cost.html"}}}},
      {"set", Value::List(asked.set.begin(), asked.set.end())},
      {"file", asked.file},
      {"note",
       fmt::format("loadfactor {}. Every table above can be saved as CSV.", LOADFACTOR_VERSION)}};
}

std::string what_of(const CostAnswer& answer) {
  std::string text =
      answer.gpus > 0
          ? fmt::format("{} × {}", format_count(std::llround(answer.gpus)), answer.accelerator)
          : std::string("tokens of an API");
  if (answer.tokens_per_month)
    text += fmt::format(" · {} tokens a month", page_amount(answer.tokens_per_month->base()));
  return text;
}

std::string dates_of(const CostAnswer& answer) {
  std::string latest;
  for (const auto& price : answer.prices)
    if (price.date.starts_with("2")) latest = std::max(latest, price.date);
  if (latest.empty()) return latest;
  std::string text = "Prices to " + page_date(latest);
  if (!answer.today.empty()) text += " · report of " + page_date(answer.today);
  return text;
}

}  // namespace

Value cost_page_data(const CostAnswer& answer, const CostAsked& asked) {
  const bool priced = !answer.options.empty();
  const std::string decision = decision_of(answer);
  Value::Object page{{"contract", kPageContract},
                     {"kind", "cost"},
                     {"title", fmt::format("{}: {}", answer.scenario, decision)},
                     {"loadfactor", LOADFACTOR_VERSION},
                     {"top", Value::Object{{"name", answer.scenario},
                                           {"what", what_of(answer)},
                                           {"dates", dates_of(answer)}}},
                     {"decision", decision},
                     {"lead", lead_of(answer)},
                     {"first", priced},
                     {"pairs", false},
                     {"tiles", priced ? tiles_of(answer) : Value()},
                     {"ways", priced ? ways_of(answer) : Value()}};
  for (const char* absent : {"needles", "own", "sliders", "levers", "chart", "sizes", "week",
                             "full", "sides", "limits", "ways_out"})
    page.push_back({absent, Value()});
  page.push_back({"engineering", details_of(answer, asked)});
  page.push_back({"rests", rests_of(answer)});
  page.push_back({"before", page_notices("Before you sign", answer.notices)});
  page.push_back({"again", again_of(asked)});
  page.push_back({"foot", "A month is 730 hours."});
  page.push_back({"words", money_definitions()});
  return page;
}

std::string cost_page(const CostAnswer& answer, const CostAsked& asked) {
  return page_html(cost_page_data(answer, asked));
}

}  // namespace loadfactor::report
