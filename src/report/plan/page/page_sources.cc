// What a page rests on, what to do before acting on it, and how to get it again.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "loadfactor/version.h"
#include "report/describe/notice_register.h"
#include "report/page/definitions.h"
#include "report/page/page_pieces.h"
#include "report/page/page_words.h"
#include "report/plan/page/page_parts.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;

constexpr std::size_t kMostRows = 12;

// What the scenario gives, in plain words.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kGiven{
    {{"serve.demand.requests_per_month", "Requests a month"},
     {"serve.demand.tokens_in", "Tokens in a request"},
     {"serve.demand.tokens_out", "Tokens of an answer"},
     {"serve.slo.ttft_p95", "First token, for 95 of 100"},
     {"serve.slo.tpot_p95", "Time per token, for 95 of 100"},
     {"train.tokens", "Tokens of the run"},
     {"train.deadline", "Deadline"},
     {"limits.budget", "Budget"},
     {"limits.gpus", "GPUs at most"},
     {"money.own.life", "Life of the machines"},
     {"money.own.residual", "Value left at the end"},
     {"money.own.discount", "Interest"},
     {"money.electricity", "Electricity"},
     {"money.people", "People"}}};

Value row_of(std::string name, std::string value, std::string from, std::string doubt) {
  return Value::Object{{"name", std::move(name)},
                       {"value", unbroken(std::move(value))},
                       {"from", std::move(from)},
                       {"doubt", std::move(doubt)}};
}

// What the command line replaced in the scenario.
std::vector<std::string> values_set(const PlanAnswer& answer) {
  std::vector<std::string> values;
  for (const auto& each : answer.assumptions)
    if (!each.set.empty() && std::find(values.begin(), values.end(), each.set) == values.end())
      values.push_back(each.set);
  return values;
}

}  // namespace

Value page_rests(const PageFacts& facts) {
  const PlanAnswer& answer = facts.answer;
  Value::List rows;
  for (const auto& [key, name] : kGiven)
    for (const auto& each : answer.assumptions)
      if (each.is_given && each.what == key && rows.size() < kMostRows / 2)
        rows.push_back(row_of(std::string(name), each.value, each.source, ""));
  if (answer.cost)
    for (const auto& price : answer.cost->prices)
      if (rows.size() < kMostRows) rows.push_back(page_price(price));
  Value::List all;
  for (const auto& each : answer.assumptions)
    all.push_back(Value::Object{
        {"name", each.what},
        {"value", unbroken(each.value)},
        {"from", each.date.empty() ? each.source
                                   : fmt::format("{}, {}", each.source, page_date(each.date))}});
  Value more;
  if (!all.empty())
    more = Value::Object{{"title", fmt::format("All {} inputs", all.size())},
                         {"rows", std::move(all)}};
  return Value::Object{{"title", "What this rests on"},
                       {"sub", "The inputs with the most weight."},
                       {"rows", std::move(rows)},
                       {"more", std::move(more)}};
}

Value page_before(const PageFacts& facts) {
  constexpr std::size_t kMostNotices = 8;
  const PlanAnswer& answer = facts.answer;
  Value::List rows;
  const auto add = [&](std::string_view strong, std::string text) {
    if (rows.size() < kMostNotices)
      rows.push_back(Value::Object{{"strong", strong}, {"text", unbroken(std::move(text))}});
  };
  for (const auto& call : answer.close_calls) add("Close call:", close_call_words(call) + ".");
  if (!facts.ways.all().empty() && facts.ways.all().front().kind == OptionKind::kApi)
    add("Ask the API provider for its speed.",
        "The price says nothing about how fast answers come.");
  for (const bool cautions : {true, false})
    for (const auto& notice : answer.notices)
      if ((severity_of(notice) == Severity::kCaution) == cautions)
        add(cautions ? "Caution:" : "", capital(text_of(notice)) + ".");
  if (rows.empty()) return {};
  return Value::Object{{"title", facts.is_run() ? "Before you start" : "Before you sign"},
                       {"rows", std::move(rows)}};
}

Value page_again(const PageFacts& facts) {
  std::string command = fmt::format("loadfactor plan {}", facts.file);
  for (const auto& value : values_set(facts.answer)) command += fmt::format(" --set '{}'", value);
  Value::List commands{Value::Object{{"text", command + " -o report.html"}}};
  for (const auto& other : facts.answer.commands)
    if (other.find(" plan ") == other.npos) commands.push_back(Value::Object{{"text", other}});
  return Value::Object{{"title", "How to get this again"},
                       {"sub", ""},
                       {"commands", std::move(commands)},
                       {"set",
                        [&] {
                          const auto set = values_set(facts.answer);
                          return Value::List(set.begin(), set.end());
                        }()},
                       {"file", facts.file},
                       {"note", fmt::format("loadfactor {}. Every table above can be saved as CSV.",
                                            LOADFACTOR_VERSION)}};
}

Value page_definitions(const PageFacts& facts) {
  return facts.is_run() ? run_definitions() : service_definitions();
}

}  // namespace loadfactor::report
