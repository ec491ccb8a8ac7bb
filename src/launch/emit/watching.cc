// What watches a deployment: scrapes and rules; and the proxy with its price.
#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "launch/emit/shell_text.h"
#include "launch/emit/targets.h"
#include "launch/emit/watched_series.h"
#include "launch/vocabulary/table.h"

namespace loadfactor::launch {
namespace {

Tree rule(const char* kind, const std::string& name, const std::string& expression) {
  Tree tree = Tree::map();
  tree.set(kind, name).set("expr", expression);
  return tree;
}

Tree alert(const std::string& name, const std::string& expression, const std::string& lasting,
           const std::string& summary) {
  Tree tree = rule("alert", name, expression);
  tree.set("for", lasting);
  tree.set("labels", Tree::map({{"severity", Tree::text("warning"), ""}}));
  tree.set("annotations", Tree::map({{"summary", Tree::text(summary), ""}}));
  return tree;
}

// From which figures, and for how long, an alert is raised: data/integrations/alerts.csv.
class AlertLimits {
 public:
  double limit(std::string_view alert) const {
    return std::strtod(row_of(alert).at(1).c_str(), nullptr);
  }
  const std::string& lasting(std::string_view alert) const { return row_of(alert).at(2); }

 private:
  const std::vector<std::string>& row_of(std::string_view alert) const {
    return *std::find_if(rows_.begin(), rows_.end(),
                         [&](const auto& row) { return row.front() == alert; });
  }
  std::vector<std::vector<std::string>> rows_ = read_table("alerts.csv");
};

// The share of the time in which a promise is broken, over a long window and a short one: the long
// one says that it matters, the short one that it still goes on.
Tree burn(const std::string& name, const AlertLimits& limits, const char* alert_name,
          const std::array<const char*, 2>& windows, const std::string& promise) {
  const double most = limits.limit(alert_name) * limits.limit("SloBudget");
  Tree tree = alert(name,
                    fmt::format("avg_over_time(loadfactor:{0}:late[{1}]) > {3:.6g} and "
                                "avg_over_time(loadfactor:{0}:late[{2}]) > {3:.6g}",
                                promise, windows[0], windows[1], most),
                    limits.lasting(alert_name),
                    fmt::format("the promise is broken {:.3g} times as often as its budget allows",
                                limits.limit(alert_name)));
  tree.at("labels").set("promise", promise);
  return tree;
}

void add_promise(const config::SloBound& bound, const WatchedSeries& series,
                 const AlertLimits& limits, std::vector<Tree>& items) {
  const bool is_first = bound.metric == config::SloMetric::kTimeToFirstToken;
  if (!is_first && bound.metric != config::SloMetric::kTimePerOutputToken) return;
  std::string promise = fmt::format("{}_p{:.6g}", is_first ? "ttft" : "tpot", 100 * bound.quantile);
  std::replace(promise.begin(), promise.end(), '.', '_');
  const std::string name = is_first ? "FirstToken" : "NextToken";
  items.push_back(
      rule("record", fmt::format("loadfactor:{}:late", promise),
           fmt::format("{} > bool {:.6g}",
                       quantile(is_first ? series.first_token : series.per_token, bound.quantile),
                       bound.most.value.base())));
  items.push_back(burn(name + "BudgetBurnsFast", limits, "SloBurnFast", {"1h", "5m"}, promise));
  items.push_back(burn(name + "BudgetBurnsSlowly", limits, "SloBurnSlow", {"6h", "30m"}, promise));
}

void add_service_rules(Desk& desk, const AlertLimits& limits, Tree& rules) {
  const WatchedSeries series = series_of(desk);
  const ServicePlan& service = desk.service();
  const ReplicaPool& pool = service.pools.back();
  auto& items = rules.items;
  items.push_back(
      rule("record", "loadfactor:requests:running", fmt::format("sum({})", series.running)));
  items.push_back(
      rule("record", "loadfactor:requests:waiting", fmt::format("sum({})", series.waiting)));
  items.push_back(rule("record", "loadfactor:output_tokens:rate5m",
                       fmt::format("sum(rate({}[5m]))", series.generated)));
  items.push_back(
      rule("record", "loadfactor:ttft_seconds:p95", quantile(series.first_token, 0.95)));
  items.push_back(rule("record", "loadfactor:tpot_seconds:p95", quantile(series.per_token, 0.95)));
  items.push_back(alert("ReplicasFull",
                        // One series a batch, so that it holds however many replicas there are.
                        fmt::format("loadfactor:requests:running > {:.6g} * count({})",
                                    limits.limit("ReplicasFull") * pool.slots, series.running),
                        limits.lasting("ReplicasFull"),
                        "batches or caches are nearly full: the next request waits"));
  if (const auto& slo = desk.plan().scenario.serve->slo)
    for (const auto& bound : slo->bounds) add_promise(bound, series, limits, items);
}

}  // namespace

void emit_litellm(Desk& desk) {
  const ServicePlan& service = desk.service();
  Tree parameters = Tree::map();
  parameters.set("model", "openai/" + service.model.checkpoint(), "as the server was given it");
  parameters.set("api_base",
                 fmt::format("http://{}:{}/v1", plain_name(desk.plan().name),
                             service.engine == "sglang" ? 30000 : 8000),
                 "the Service of emit kubernetes");
  parameters.set("api_key", "os.environ/SELF_HOSTED_API_KEY");
  Tree info = Tree::map();
  info.set("mode", "chat");
  info.set("max_input_tokens", Tree::number(service.pools.back().context), "what the cache holds");
  if (service.prices) {
    info.set("input_cost_per_token", Tree::word(fmt::format("{:.6g}", service.prices->input)),
             service.prices->from);
    info.set("output_cost_per_token", Tree::word(fmt::format("{:.6g}", service.prices->output)),
             service.prices->from);
  }
  Tree model = Tree::map();
  model.set("model_name", service.model.name, desk.from("serve.model"));
  model.set("litellm_params", std::move(parameters)).set("model_info", std::move(info));
  Tree config = Tree::map();
  config.set("model_list", Tree::list({std::move(model)}));
  desk.add("litellm.yaml", Role::kConfig,
           file_head(desk.plan(), {"litellm --config litellm.yaml"}) + to_yaml(config));
}

void emit_prometheus(Desk& desk) {
  const auto job = [](const char* name, const std::string& target) {
    Tree targets = Tree::map();
    targets.set("targets", Tree::texts({target}), "yours");
    Tree tree = Tree::map();
    tree.set("job_name", name).set("static_configs", Tree::list({std::move(targets)}));
    return tree;
  };
  Tree jobs = Tree::list();
  if (desk.plan().service) {
    const bool is_sglang = desk.service().engine == "sglang";
    jobs.items.push_back(
        job(is_sglang ? "sglang" : "vllm",
            fmt::format("{}:{}", plain_name(desk.plan().name), is_sglang ? 30000 : 8000)));
  }
  jobs.items.push_back(job("dcgm", "dcgm-exporter:9400"));
  jobs.items.push_back(job("loadfactor", "127.0.0.1:9911"));
  Tree config = Tree::map();
  Tree global = Tree::map();
  global.set("scrape_interval", "15s");
  config.set("global", std::move(global));
  config.set("rule_files", Tree::texts({"rules.yml"}), "of emit prometheus-rules");
  config.set("scrape_configs", std::move(jobs));
  desk.add("prometheus.yml", Role::kConfig,
           file_head(desk.plan(), {"prometheus --config.file=prometheus.yml"}) + to_yaml(config));
}

namespace {

void add_fleet_rules(const AlertLimits& limits, Tree& rules) {
  auto& items = rules.items;
  items.push_back(
      rule("record", "loadfactor:tensor_active:avg1h",
           fmt::format("avg(max by (UUID) (avg_over_time({}[1h]) <= 1))", kTensorActive)));
  items.push_back(rule("record", "loadfactor:power_watts:sum", kPowerSum));
  items.push_back(alert(
      "TensorCoresIdle",
      fmt::format("avg_over_time({}[1h]) < {:.6g}", kTensorActive, limits.limit("TensorCoresIdle")),
      limits.lasting("TensorCoresIdle"), "a GPU that is paid for computes nothing"));
  items.push_back(alert("FleetBelowBreakEven",
                        fmt::format("loadfactor_load_ratio < on(cluster, workload) group_left() "
                                    "({:.6g} * loadfactor_breakeven_ratio)",
                                    limits.limit("FleetBelowBreakEven")),
                        limits.lasting("FleetBelowBreakEven"),
                        "{{ $labels.workload }} flies below its break-even load factor"));
  items.push_back(
      alert("Stragglers", fmt::format("loadfactor_stragglers > {:.6g}", limits.limit("Stragglers")),
            limits.lasting("Stragglers"), "a GPU is slower than its peers, which wait for it"));
  items.push_back(alert("AllocatedAndIdle",
                        fmt::format("loadfactor_loss_ratio{{loss=\"idle\"}} > {:.6g}",
                                    limits.limit("AllocatedAndIdle")),
                        limits.lasting("AllocatedAndIdle"),
                        "much of the bill pays for GPUs that are held and idle"));
}

// One sample an hour of what `observe` asks of each GPU: a year of a large cluster stays small.
Tree hourly_rules() {
  Tree rules = Tree::list();
  for (const auto& row : read_table("hourly.csv"))
    rules.items.push_back(rule("record", row[0], fmt::format("avg_over_time({}[1h])", row[1])));
  Tree group = Tree::map();
  group.set("name", "loadfactor-hourly").set("interval", "1h").set("rules", std::move(rules));
  return group;
}

}  // namespace

void emit_rules(Desk& desk) {
  const AlertLimits limits;
  Tree rules = Tree::list();
  if (desk.plan().service) add_service_rules(desk, limits, rules);
  add_fleet_rules(limits, rules);
  Tree group = Tree::map();
  group.set("name", "loadfactor").set("interval", "60s").set("rules", std::move(rules));
  Tree file = Tree::map();
  file.set("groups", Tree::list({std::move(group), hourly_rules()}));
  desk.add("rules.yml", Role::kRules,
           file_head(desk.plan(), {"promtool check rules rules.yml"}) + to_yaml(file));
}

void emit_focus(Desk& desk) {
  if (desk.plan().bill_focus.empty())
    return desk.refuse("money.options", "no price", "`loadfactor cost` says what is missing");
  desk.add("focus.csv", Role::kTable, desk.plan().bill_focus);
}

void emit_infracost(Desk& desk) {
  if (desk.plan().bill_infracost.empty())
    return desk.refuse("money.options", "no price", "`loadfactor cost` says what is missing");
  desk.add("infracost.json", Role::kTable, desk.plan().bill_infracost);
}

}  // namespace loadfactor::launch
