// The page of a plan: one JSON blob in place of a marker in the page's text.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "catalog/load/embedded_file.h"
#include "engine/plan/plan_figures.h"
#include "loadfactor/version.h"
#include "report/json_answer.h"
#include "report/plan/plan_report.h"

namespace loadfactor::report {

// Of web/; cmake/embed_files.cmake writes the definition.
std::span<const catalog::EmbeddedFile> embedded_files();

namespace {

using engine::PlanAnswer;

Json triple(const std::optional<EstimateOf<double>>& figure) {
  if (!figure) return nullptr;
  return {{"value", figure->value()}, {"low", figure->low()}, {"high", figure->high()}};
}

Json value_of(const std::optional<EstimateOf<double>>& figure) {
  return figure ? Json(figure->value()) : Json(nullptr);
}

void add_options(const PlanAnswer& answer, Json& page) {
  page["options"] = Json::array();
  for (const auto& option : answer.options) {
    const auto& cost = option.cost;
    page["options"].push_back(
        {{"name", cost.name},
         {"gpus", cost.gpus},
         {"load_factor", value_of(cost.load_factor)},
         {"break_even", value_of(cost.break_even)},
         {"cost", option.amount.base()},
         {"per_mtoken", cost.per_mtoken ? Json(cost.per_mtoken->value().base()) : Json(nullptr)},
         {"why", option.why}});
  }
}

template <typename Q>
Json base_of(const std::optional<Q>& figure) {
  return figure ? Json(figure->base()) : Json(nullptr);
}

void add_sliders(const PlanAnswer& answer, Json& page) {
  page["sliders"] = nullptr;
  page["cash"] = Json::array();
  constexpr std::size_t kMostLines = 6;  // As many as there are colours.
  for (const auto& cash : answer.cash) {
    if (page["cash"].size() == kMostLines) break;
    Json points = Json::array();
    for (const auto& spent : cash.spent) points.push_back(spent.base());
    page["cash"].push_back({{"name", cash.name}, {"points", std::move(points)}});
  }
  if (!answer.sliders) return;
  const engine::PlanSliders& all = *answer.sliders;
  Json sliders{{"gpus", all.gpus},
               {"gpus_per_replica", all.gpus_per_replica},
               {"load", all.load},
               {"rate", all.rate.base()},
               {"people", all.people.base()},
               {"api", base_of(all.api)},
               {"hourly", base_of(all.hourly)},
               {"run", base_of(all.run)},
               {"options", Json::array()}};
  for (const auto& option : all.options)
    sliders["options"].push_back({{"name", option.name},
                                  {"kind", option.kind},
                                  {"base", option.base.base()},
                                  {"fixed", option.fixed.base()},
                                  {"rent", option.rent.base()},
                                  {"working", option.working.base()},
                                  {"price", base_of(option.price)}});
  page["sliders"] = std::move(sliders);
}

void add_fleet(const PlanAnswer& answer, Json& page) {
  page["week"] = Json::array();
  for (const double share : answer.week)
    page["week"].push_back(share < 0 ? Json(nullptr) : Json(share));
  page["losses"] = Json::array();
  for (const auto& [name, share] : answer.losses)
    page["losses"].push_back({{"name", name}, {"points", share}});
  page["curve"] = Json::array();
  for (const auto& point : answer.curve)
    page["curve"].push_back({{"gpus", point.gpus},
                             {"load_factor", point.load_factor},
                             {"efficiency", point.efficiency}});
  page["knee"] = answer.knee;
  page["plan"] = Json::array();
  for (const auto& [name, words] : plan_rows(answer))
    page["plan"].push_back({{"name", name}, {"words", words}});
  page["layout"] = nullptr;
  if (!answer.machine) return;
  const auto& machine = *answer.machine;
  page["layout"] = {{"accelerator", machine.accelerator},
                    {"nodes", machine.nodes},
                    {"nodes_per_rack", machine.nodes_per_rack},
                    {"gpus_per_node", machine.gpus_per_node},
                    {"gpus", machine.layout.gpus},
                    {"tp", machine.layout.tp},
                    {"pp", machine.layout.pp},
                    {"link", machine.link_words},
                    {"fabric", machine.fabric_words},
                    {"words", machine.layout_words + "."}};
}

// The page stays small: a step of thousands of spans shows its first ones.
constexpr std::size_t kMostSpans = 9000;

// Microseconds are finer than a pixel.
double rounded(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

Json parts_of(const std::vector<engine::PlanPart>& parts) {
  Json out = Json::array();
  for (const auto& part : parts)
    out.push_back({{"group", part.group}, {"name", part.name}, {"amount", part.amount}});
  return out;
}

void add_steps(const PlanAnswer& answer, Json& page) {
  page["memory"] = parts_of(answer.memory);
  page["steps"] = parts_of(answer.steps);
  Json kinds = Json::array();
  Json spans = Json::array();
  std::vector<std::string> known;
  std::size_t all = 0;
  if (answer.training) {
    all = answer.training->trace.size();
    for (const auto& span : answer.training->trace) {
      if (spans.size() == kMostSpans) break;
      auto kind = std::find(known.begin(), known.end(), span.kind);
      if (kind == known.end()) kind = known.insert(known.end(), span.kind);
      spans.push_back(Json::array({span.track, kind - known.begin(), span.micro_batch,
                                   rounded(span.start.base()), rounded(span.duration.base())}));
    }
  }
  for (const auto& kind : known) kinds.push_back(kind);
  page["pipeline"] = {{"kinds", kinds}, {"spans", spans}, {"all", all}};
}

void add_risk(const PlanAnswer& answer, Json& page) {
  page["pareto"] = {
      {"xname", answer.front_x}, {"yname", answer.front_y}, {"points", Json::array()}};
  for (const auto& dot : answer.front)
    page["pareto"]["points"].push_back(
        {{"name", dot.name}, {"x", dot.x}, {"y", dot.y}, {"chosen", dot.chosen}});
  page["tornado"] = Json::array();
  page["tornado_unit"] =
      answer.cost && answer.cost->full_plane ? "$ per M tokens" : "$ per useful GPU-hour";
  if (answer.cost)
    for (const auto& row : answer.cost->tornado)
      page["tornado"].push_back(
          {{"name", row.input}, {"low", row.at_low.base()}, {"high", row.at_high.base()}});
}

// What the command line replaced in the scenario.
std::vector<std::string> values_set(const engine::PlanAnswer& answer) {
  constexpr std::string_view kFlag = "--set ";
  std::vector<std::string> values;
  for (const auto& each : answer.assumptions) {
    if (!each.where.starts_with(kFlag)) continue;
    const std::string value = each.where.substr(kFlag.size());
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

void add_words(const PlanAnswer& answer, const std::string& file, Json& page) {
  page["levers"] = Json::array();
  for (const auto& lever : answer.levers)
    page["levers"].push_back({{"name", lever.name}, {"effect", lever.effect}});
  page["runners"] = Json::array();
  for (const auto& runner : answer.runners)
    page["runners"].push_back(
        {{"name", runner.name},
         {"cost", runner.cost > Dollars() ? Json(runner.cost.base()) : Json(nullptr)},
         {"why", runner.why}});
  page["assumptions"] = Json::array();
  for (const auto& each : answer.assumptions)
    page["assumptions"].push_back({{"what", each.what},
                                   {"value", each.value},
                                   {"basis", each.basis},
                                   {"source", each.source},
                                   {"date", each.date},
                                   {"where", each.where}});
  page["notices"] = Json::array();
  for (const auto& notice : answer.notices) page["notices"].push_back(notice.text);
  page["accuracy"] = answer.accuracy;
  page["set"] = values_set(answer);
  std::string command = fmt::format("loadfactor plan {}", file);
  for (const auto& value : values_set(answer)) command += fmt::format(" --set '{}'", value);
  page["reproduce"] = fmt::format("loadfactor {}\n{} -o report.html", LOADFACTOR_VERSION, command);
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
  Json page;
  page["scenario"] = answer.scenario;
  page["file"] = file;
  page["training"] = answer.is_training;
  page["what"] = answer.title;
  page["version"] = LOADFACTOR_VERSION;
  page["prices_as_of"] = prices_as_of(answer);
  page["verdict"] = answer.verdict;
  page["because"] = answer.because;
  page["decision"] = std::string(words_of(answer.decision));
  page["load_factor"] = triple(answer.load_factor);
  page["break_even"] = triple(answer.break_even);
  page["uses_api"] = uses_api(answer);
  page["against"] = answer.against;
  page["close_call"] = answer.is_close;
  page["per"] = answer.is_training ? "$ for the run" : "$ a month";
  add_options(answer, page);
  add_sliders(answer, page);
  add_fleet(answer, page);
  add_steps(answer, page);
  add_risk(answer, page);
  add_words(answer, file, page);
  std::string text = asset("report.html");
  put(text, "/*STYLE*/", asset("report.css"));
  put(text, "/*SCRIPT*/", asset("charts.js") + asset("report.js"));
  put(text, "/*DATA*/", safe(page.dump(-1, ' ', false, Json::error_handler_t::replace)));
  return text;
}

}  // namespace loadfactor::report
