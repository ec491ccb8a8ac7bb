// The page of a plan: one JSON blob in place of a marker in the page's text.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "catalog/load/embedded_file.h"
#include "engine/plan/plan_figures.h"
#include "loadfactor/version.h"
#include "report/cost/cost_words.h"
#include "report/describe/notice_register.h"
#include "report/describe/tree.h"
#include "report/plan/plan_report.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {

// The files of web/; cmake/embed_files.cmake writes the definition.
std::span<const catalog::EmbeddedFile> embedded_files();

namespace {

using engine::PlanAnswer;

// The page's data, key by key.
class Page {
 public:
  void add(std::string key, Value value) { members_.push_back({std::move(key), std::move(value)}); }
  // A list, made of the rows one by one.
  template <typename Rows, typename Make>
  void add_rows(std::string key, const Rows& rows, const Make& make) {
    Value::List list;
    for (const auto& row : rows) list.push_back(make(row));
    add(std::move(key), std::move(list));
  }
  Value value() && { return std::move(members_); }

 private:
  Value::Object members_;
};

template <typename T>
Value number_or_null(const std::optional<T>& figure) {
  if (!figure) return {};
  if constexpr (std::is_same_v<T, EstimateOf<double>>)
    return figure->value();
  else
    return figure->base();
}

Value triple(const std::optional<EstimateOf<double>>& figure) {
  if (!figure) return {};
  return Value::Object{
      {"value", figure->value()}, {"low", figure->low()}, {"high", figure->high()}};
}

void add_options(const PlanAnswer& answer, Page& page) {
  page.add_rows("options", answer.options, [](const auto& option) {
    const auto& cost = option.cost;
    return Value::Object{
        {"name", words_of(option.machines())},
        {"gpus", cost.gpus},
        {"load_factor", number_or_null(cost.load_factor)},
        {"break_even", number_or_null(cost.break_even)},
        {"cost", option.amount.base()},
        {"per_mtoken", cost.per_mtoken ? Value(cost.per_mtoken->value().base()) : Value()},
        {"why", why_not(option)}};
  });
}

Value sliders_of(const engine::PlanSliders& all) {
  Value::List options;
  for (const auto& option : all.options)
    options.push_back(Value::Object{{"name", words_of(option.name)},
                                    {"kind", name_of(option.kind)},
                                    {"base", option.base.base()},
                                    {"fixed", option.fixed.base()},
                                    {"rent", option.rent.base()},
                                    {"working", option.working.base()},
                                    {"machine", option.machine},
                                    {"price", number_or_null(option.price)}});
  return Value::Object{{"gpus", all.gpus},
                       {"gpus_per_replica", all.gpus_per_replica},
                       {"load", all.load},
                       {"rate", all.rate.base()},
                       {"people", all.people.base()},
                       {"api", number_or_null(all.api)},
                       {"hourly", number_or_null(all.hourly)},
                       {"run", number_or_null(all.run)},
                       {"options", std::move(options)}};
}

void add_sliders(const PlanAnswer& answer, Page& page) {
  page.add("sliders", answer.sliders ? sliders_of(*answer.sliders) : Value());
  constexpr std::size_t kMostLines = 6;  // As many as there are colours.
  const std::size_t lines = std::min(kMostLines, answer.cash.size());
  page.add_rows("cash", std::span(answer.cash).first(lines), [](const auto& cash) {
    Value::List points;
    for (const auto& spent : cash.spent) points.push_back(spent.base());
    return Value::Object{{"name", words_of(cash.name)}, {"points", std::move(points)}};
  });
}

Value layout_of(const PlanAnswer& answer) {
  const auto& machine = *answer.machine;
  return Value::Object{{"accelerator", machine.accelerator},
                       {"nodes", machine.nodes},
                       {"nodes_per_rack", machine.nodes_per_rack},
                       {"gpus_per_node", machine.gpus_per_node},
                       {"gpus", machine.layout.gpus},
                       {"tp", machine.layout.tp},
                       {"pp", machine.layout.pp},
                       {"link", link_words(machine.link)},
                       {"fabric", link_words(machine.fabric)},
                       {"words", layout_words(answer) + "."}};
}

void add_fleet(const PlanAnswer& answer, Page& page) {
  page.add_rows("week", answer.week,
                [](double share) { return share < 0 ? Value() : Value(share); });
  page.add_rows("losses", answer.losses, [](const auto& loss) {
    return Value::Object{{"name", loss.name}, {"points", loss.share}};
  });
  page.add_rows("curve", answer.curve, [](const auto& point) {
    return Value::Object{
        {"gpus", point.gpus}, {"load_factor", point.load_factor}, {"efficiency", point.efficiency}};
  });
  page.add("knee", answer.knee);
  page.add_rows("plan", plan_rows(answer), [](const auto& row) {
    return Value::Object{{"name", row.first}, {"words", row.second}};
  });
  page.add("layout", answer.machine ? layout_of(answer) : Value());
}

// The page stays small: a step of thousands of spans shows its first ones.
constexpr std::size_t kMostSpans = 9000;

// Microseconds are finer than a pixel.
double rounded(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

Value part_value(const engine::PlanPart& part) {
  return Value::Object{{"group", part.group}, {"name", part.name}, {"amount", part.amount}};
}

void add_steps(const PlanAnswer& answer, Page& page) {
  page.add_rows("memory", answer.memory, part_value);
  page.add_rows("steps", answer.steps, part_value);
  Value::List spans;
  std::vector<std::string> known;
  std::size_t all = 0;
  if (answer.training) {
    all = answer.training->trace.size();
    for (const auto& span : answer.training->trace) {
      if (spans.size() == kMostSpans) break;
      auto kind = std::find(known.begin(), known.end(), span.kind);
      if (kind == known.end()) kind = known.insert(known.end(), span.kind);
      spans.push_back(Value::List{span.track, kind - known.begin(), span.micro_batch,
                                  rounded(span.start.base()), rounded(span.duration.base())});
    }
  }
  page.add("pipeline", Value::Object{{"kinds", Value::List(known.begin(), known.end())},
                                     {"spans", std::move(spans)},
                                     {"all", all}});
}

void add_risk(const PlanAnswer& answer, Page& page) {
  Value::List points;
  for (const auto& dot : answer.front)
    points.push_back(Value::Object{
        {"name", front_dot_words(dot)}, {"x", dot.x}, {"y", dot.y}, {"chosen", dot.chosen}});
  page.add("pareto", Value::Object{{"xname", front_x_words(answer)},
                                   {"yname", front_y_words(answer)},
                                   {"points", std::move(points)}});
  page.add("tornado_unit",
           answer.cost && answer.cost->full_plane ? "$ per M tokens" : "$ per useful GPU-hour");
  page.add_rows("tornado", answer.cost ? answer.cost->tornado : std::vector<TornadoRow>(),
                [](const auto& row) {
                  return Value::Object{{"name", words_of(row.input)},
                                       {"low", row.at_low.base()},
                                       {"high", row.at_high.base()}};
                });
}

// What the command line replaced in the scenario.
std::vector<std::string> values_set(const engine::PlanAnswer& answer) {
  std::vector<std::string> values;
  for (const auto& each : answer.assumptions)
    if (!each.set.empty() && std::find(values.begin(), values.end(), each.set) == values.end())
      values.push_back(each.set);
  return values;
}

void add_words(const PlanAnswer& answer, const std::string& file, Page& page) {
  page.add_rows("levers", answer.levers, [](const auto& lever) {
    const LeverWords words = lever_words(lever);
    return Value::Object{{"name", words.name}, {"effect", words.effect}};
  });
  page.add_rows("runners", answer.runner_ups, [&](const auto& other) {
    const RunnerUpWords words = runner_up_words(other, answer);
    return Value::Object{{"name", words.name},
                         {"cost", other.cost > Dollars() ? Value(other.cost.base()) : Value()},
                         {"why", words.why}};
  });
  page.add_rows("assumptions", answer.assumptions, [](const auto& each) {
    return Value::Object{{"what", each.what},     {"value", each.value}, {"basis", each.basis},
                         {"source", each.source}, {"date", each.date},   {"where", each.where}};
  });
  page.add_rows("notices", answer.notices, [](const Notice& notice) { return text_of(notice); });
  page.add("accuracy", answer.accuracy);
  const auto set = values_set(answer);
  page.add("set", Value::List(set.begin(), set.end()));
  std::string command = fmt::format("loadfactor plan {}", file);
  for (const auto& value : set) command += fmt::format(" --set '{}'", value);
  page.add("reproduce",
           fmt::format("loadfactor {}\n{} -o report.html", LOADFACTOR_VERSION, command));
}

// `</script>` inside the data would end it.
std::string safe(std::string text) {
  for (std::size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at + 3))
    text.replace(at, 2, "<\\/");
  return text;
}

std::string asset(std::string_view path) {
  for (const auto& file : embedded_files())
    if (file.path == path) return std::string(file.begin, file.end);
  return {};
}

void put(std::string& text, std::string_view marker, const std::string& body) {
  const auto at = text.find(marker);
  if (at != std::string::npos) text.replace(at, marker.size(), body);
}

std::string prices_as_of(const PlanAnswer& answer) {
  std::string latest;
  if (!answer.cost) return latest;
  for (const auto& price : answer.cost->prices)
    if (price.date.starts_with("2")) latest = std::max(latest, price.date);
  return latest;
}

}  // namespace

std::string plan_page(const PlanAnswer& answer, const std::string& file) {
  Page page;
  page.add("scenario", answer.scenario);
  page.add("file", file);
  page.add("training", answer.is_training);
  page.add("what", plan_title(answer));
  page.add("version", LOADFACTOR_VERSION);
  page.add("prices_as_of", prices_as_of(answer));
  page.add("verdict", plan_verdict(answer));
  page.add("because", plan_because(answer));
  page.add("decision", name_of(answer.decision));
  page.add("load_factor", triple(answer.load_factor));
  page.add("break_even", triple(answer.break_even));
  page.add("uses_api", uses_api(answer));
  page.add("against", answer.against ? words_of(*answer.against) : std::string());
  page.add("close_call", answer.is_close);
  page.add("per", answer.is_training ? "$ for the run" : "$ a month");
  add_options(answer, page);
  add_sliders(answer, page);
  add_fleet(answer, page);
  add_steps(answer, page);
  add_risk(answer, page);
  add_words(answer, file, page);
  std::string text = asset("report.html");
  put(text, "/*STYLE*/", asset("report.css"));
  put(text, "/*SCRIPT*/", asset("charts.js") + asset("report.js"));
  put(text, "/*DATA*/", safe(print_compact_json(std::move(page).value())));
  return text;
}

}  // namespace loadfactor::report
