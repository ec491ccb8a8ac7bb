// The dashboard: needles, the week, losses, money, stragglers, predicted against measured.
#include <fmt/format.h>

#include "launch/emit/shell_text.h"
#include "launch/emit/targets.h"
#include "launch/emit/watched_series.h"

namespace loadfactor::launch {
namespace {

enum class Look : std::uint8_t { kCurve, kNeedle, kStack, kWeek, kList };

struct Panel {
  std::string title;
  std::string expression;
  std::string unit;
  Look look = Look::kCurve;
  std::string legend = {};
};

const char* panel_type(Look look) {
  if (look == Look::kNeedle) return "gauge";
  return look == Look::kWeek || look == Look::kList ? "table" : "timeseries";
}

// A table is asked for the present alone; a curve for the whole time shown.
Tree query_of(const Panel& panel) {
  Tree query = Tree::map();
  query.set("refId", "A").set("expr", panel.expression);
  if (!panel.legend.empty()) query.set("legendFormat", panel.legend);
  if (panel.look == Look::kCurve || panel.look == Look::kStack) return query;
  query.set("instant", Tree::flag(true)).set("range", Tree::flag(false));
  if (panel.look != Look::kNeedle) query.set("format", "table");
  return query;
}

Tree field_config(const Panel& panel) {
  Tree defaults = Tree::map();
  defaults.set("unit", panel.unit);
  if (panel.unit == "percentunit" && panel.look != Look::kCurve)
    defaults.set("min", Tree::number(0)).set("max", Tree::number(1));
  Tree custom = Tree::map();
  if (panel.look == Look::kStack) {
    Tree stacking = Tree::map();
    stacking.set("mode", "normal").set("group", "A");
    custom.set("stacking", std::move(stacking)).set("fillOpacity", Tree::number(60));
  } else if (panel.look == Look::kWeek) {
    Tree cell = Tree::map();
    cell.set("type", "color-background");
    // All hours of a day stand side by side; columns are three times as wide by themselves.
    constexpr double kNarrow = 45;
    custom.set("cellOptions", std::move(cell)).set("minWidth", Tree::number(kNarrow));
    defaults.set("decimals", Tree::number(0));
  }
  if (panel.look == Look::kNeedle || panel.look == Look::kWeek) {
    // By itself Grafana paints everything green, and red from 80 % on.
    Tree colour = Tree::map();
    colour.set("mode", "continuous-RdYlGr");
    defaults.set("color", std::move(colour));
  }
  if (!custom.branches.empty()) defaults.set("custom", std::move(custom));
  Tree config = Tree::map();
  config.set("defaults", std::move(defaults)).set("overrides", Tree::list());
  return config;
}

// Rows of an instant answer as a matrix of days and hours.
Tree week_matrix() {
  Tree options = Tree::map();
  options.set("rowField", "day").set("columnField", "hour").set("valueField", "Value");
  Tree transformation = Tree::map();
  transformation.set("id", "groupingToMatrix").set("options", std::move(options));
  return Tree::list({std::move(transformation)});
}

// Panels from left to right and from top to bottom; a week takes a whole row.
class Grid {
 public:
  Tree place(const Panel& panel) {
    const int width = panel.look == Look::kWeek ? kColumns : kColumns / 2;
    if (x_ + width > kColumns) next_row();
    Tree place = Tree::map();
    place.set("h", Tree::number(kHeight)).set("w", Tree::number(width));
    place.set("x", Tree::number(x_)).set("y", Tree::number(y_));
    x_ += width;
    return place;
  }

 private:
  static constexpr int kColumns = 24;
  static constexpr int kHeight = 8;
  void next_row() {
    x_ = 0;
    y_ += kHeight;
  }
  int x_ = 0;
  int y_ = 0;
};

Tree panel_of(const Panel& panel, int index, Tree place) {
  Tree source = Tree::map();
  source.set("type", "prometheus").set("uid", "${datasource}");
  Tree tree = Tree::map();
  tree.set("id", Tree::number(index + 1)).set("type", panel_type(panel.look));
  tree.set("title", panel.title);
  tree.set("gridPos", std::move(place)).set("datasource", std::move(source));
  tree.set("targets", Tree::list({query_of(panel)}));
  if (panel.look == Look::kWeek) tree.set("transformations", week_matrix());
  tree.set("fieldConfig", field_config(panel)).set("options", Tree::map());
  return tree;
}

void add_fleet_panels(std::vector<Panel>& panels) {
  const std::string all = "{workload=\"all\"}";
  panels.push_back({"Load factor", "loadfactor_load_ratio" + all, "percentunit", Look::kNeedle});
  panels.push_back(
      {"Break-even load factor", "loadfactor_breakeven_ratio" + all, "percentunit", Look::kNeedle});
  panels.push_back({"Load factor by hour of the week", "loadfactor_week_load_ratio", "percentunit",
                    Look::kWeek});
  panels.push_back({"Load factor by workload", "loadfactor_load_ratio", "percentunit", Look::kCurve,
                    "{{workload}}"});
  panels.push_back({"Losses, as shares of the bill", "loadfactor_loss_ratio", "percentunit",
                    Look::kStack, "{{loss}}"});
  panels.push_back({"Cost per hour", "loadfactor_cost_usd_per_hour", "currencyUSD", Look::kCurve,
                    "{{workload}}"});
  panels.push_back({"Paid for nothing per hour", "loadfactor_idle_usd_per_hour", "currencyUSD",
                    Look::kCurve, "{{workload}}"});
  panels.push_back(
      {"Stragglers", "loadfactor_straggler or loadfactor_stragglers", "short", Look::kList});
  panels.push_back({"Measured over predicted, less one", "loadfactor_prediction_error_ratio",
                    "percentunit", Look::kCurve, "{{workload}}"});
  panels.push_back({"Tensor cores active", kTensorMean, "percentunit"});
  panels.push_back({"Power", kPowerSum, "watt"});
}

void add_engine_panels(Desk& desk, std::vector<Panel>& panels) {
  const WatchedSeries series = series_of(desk);
  panels.push_back({"Requests running", fmt::format("sum({})", series.running), "short"});
  panels.push_back({"Requests waiting", fmt::format("sum({})", series.waiting), "short"});
  panels.push_back({"Time to first token, 95 %", quantile(series.first_token, 0.95), "s"});
  panels.push_back({"Time per token, 95 %", quantile(series.per_token, 0.95), "s"});
  panels.push_back(
      {"Output tokens per second", fmt::format("sum(rate({}[5m]))", series.generated), "short"});
  panels.push_back({"Cache in use", fmt::format("avg({})", series.cache), "percentunit"});
}

}  // namespace

void emit_grafana(Desk& desk) {
  std::vector<Panel> panels;
  add_fleet_panels(panels);
  if (desk.plan().service) add_engine_panels(desk, panels);
  Tree list = Tree::list();
  Grid grid;
  for (std::size_t i = 0; i < panels.size(); ++i)
    list.items.push_back(panel_of(panels[i], static_cast<int>(i), grid.place(panels[i])));
  Tree variable = Tree::map();
  variable.set("name", "datasource").set("type", "datasource").set("query", "prometheus");
  Tree time = Tree::map();
  time.set("from", "now-7d").set("to", "now");
  Tree board = Tree::map();
  board.set("title", desk.plan().name + " (loadfactor)")
      .set("uid", plain_name("lf-" + desk.plan().name).substr(0, 40));
  board.set("schemaVersion", Tree::number(39)).set("tags", Tree::texts({"gpu", "cost"}));
  board.set("time", std::move(time));
  board.set("templating", Tree::map({{"list", Tree::list({std::move(variable)}), ""}}));
  board.set("panels", std::move(list));
  desk.add("dashboard.json", Role::kDashboard, to_json(board));
}

}  // namespace loadfactor::launch
