// The page of a plan: one JSON blob in place of a marker in the page's text.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "catalog/embedded_file.h"
#include "loadfactor/version.h"
#include "report/json_answer.h"
#include "report/plan_report.h"

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

Json slider_of(const engine::PlanSlider& slider) {
  return {{"name", slider.name},
          {"kind", slider.kind},
          {"fixed", slider.fixed.base()},
          {"rent", slider.rent.base()},
          {"working", slider.working.base()},
          {"per_mtoken", slider.per_mtoken ? Json(slider.per_mtoken->base()) : Json(nullptr)}};
}

void add_sliders(const PlanAnswer& answer, Json& page) {
  page["sliders"] = nullptr;
  if (answer.sliders.empty() || !answer.load_factor) return;
  Json sliders{{"load", answer.cost ? answer.cost->load_factor : answer.load_factor->value()},
               {"full_plane", answer.full_plane.base()},
               {"api_per_mtoken", nullptr},
               {"options", Json::array()}};
  for (const auto& slider : answer.sliders) {
    if (slider.kind == "api" && slider.per_mtoken)
      sliders["api_per_mtoken"] = slider.per_mtoken->base();
    sliders["options"].push_back(slider_of(slider));
  }
  page["sliders"] = std::move(sliders);
}

void add_fleet(const PlanAnswer& answer, Json& page) {
  page["week"] = answer.week;
  page["losses"] = Json::array();
  for (const auto& [name, share] : answer.losses)
    page["losses"].push_back({{"name", name}, {"points", share}});
  page["curve"] = Json::array();
  for (const auto& point : answer.curve)
    page["curve"].push_back({{"gpus", point.gpus}, {"load_factor", point.load_factor}});
  page["knee"] = answer.knee;
  page["layout"] = nullptr;
  if (!answer.machine) return;
  const auto& machine = *answer.machine;
  page["layout"] = {{"nodes", machine.nodes},
                    {"gpus_per_node", machine.gpus_per_node},
                    {"gpus", machine.gpus},
                    {"tp", machine.tp},
                    {"pp", machine.pp},
                    {"link", machine.link.empty() ? "node" : machine.link},
                    {"words", machine.layout + "."}};
}

// The page stays small: a step of thousands of spans shows its first ones.
constexpr std::size_t kMostSpans = 2500;

void add_training(const PlanAnswer& answer, Json& page) {
  page["pipeline"] = Json::array();
  page["memory"] = Json::array();
  if (!answer.training) return;
  for (const auto& line : answer.training->lines)
    page["memory"].push_back(
        {{"name", line.name}, {"gib", line.bytes.value().base() / (1024.0 * 1024 * 1024)}});
  const auto& trace = answer.training->trace;
  for (std::size_t i = 0; i < std::min(trace.size(), kMostSpans); ++i)
    page["pipeline"].push_back({{"track", trace[i].track},
                                {"name", trace[i].name},
                                {"kind", trace[i].kind},
                                {"start", trace[i].start.base()},
                                {"duration", trace[i].duration.base()}});
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
  page["cash"] = Json::array();
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
  for (const auto& fact : answer.facts)
    page["assumptions"].push_back(
        {{"what", fact.what}, {"basis", fact.kind}, {"source", fact.source}, {"date", fact.date}});
  page["notices"] = Json::array();
  for (const auto& notice : answer.notices) page["notices"].push_back(notice.text);
  page["accuracy"] =
      "Intervals are 90 % intervals of the calibration for this kind of hardware and work; "
      "`loadfactor validate` shows the errors against published and measured runs.";
  page["reproduce"] = fmt::format("loadfactor plan {} -o report.html", file);
}

// `</script>` inside the data would end it.
std::string safe(std::string text) {
  for (std::size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at + 3))
    text.replace(at, 2, "<\\/");
  return text;
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
  page["what"] = answer.title;
  page["version"] = LOADFACTOR_VERSION;
  page["prices_as_of"] = prices_as_of(answer);
  page["verdict"] = answer.verdict;
  page["because"] = answer.because;
  page["decision"] = std::string(words_of(answer.decision));
  page["load_factor"] = triple(answer.load_factor);
  page["break_even"] = triple(answer.break_even);
  page["against"] = answer.against;
  page["close_call"] = answer.is_close;
  page["per"] = answer.is_training ? "$ for the run" : "$ a month";
  add_options(answer, page);
  add_sliders(answer, page);
  add_fleet(answer, page);
  add_training(answer, page);
  add_risk(answer, page);
  add_words(answer, file, page);
  const auto files = embedded_files();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [](const auto& each) { return each.path == "report.html"; });
  if (found == files.end()) return {};
  std::string text(found->begin, found->end);
  constexpr std::string_view kMarker = "/*DATA*/";
  const auto at = text.find(kMarker);
  if (at == std::string::npos) return {};
  return text.replace(at, kMarker.size(),
                      safe(page.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

}  // namespace loadfactor::report
