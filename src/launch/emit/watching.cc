// What watches a deployment: scrapes, rules, a dashboard; and the proxy with its price.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "launch/emit/shell_text.h"
#include "launch/emit/targets.h"

namespace loadfactor::launch {
namespace {

// Series of an engine that our rules and pictures use, held to the table of its metrics.
struct Series {
  std::string running, waiting, cache, first_token, per_token, generated;
};

Series series_of(Desk& desk) {
  const bool is_sglang = desk.plan().service && desk.service().engine == "sglang";
  Series series = is_sglang ? Series{"sglang:num_running_reqs",
                                     "sglang:num_queue_reqs",
                                     "sglang:token_usage",
                                     "sglang:time_to_first_token_seconds_bucket",
                                     "sglang:inter_token_latency_seconds_bucket",
                                     "sglang:generation_tokens_total"}
                            : Series{"vllm:num_requests_running",
                                     "vllm:num_requests_waiting",
                                     "vllm:kv_cache_usage_perc",
                                     "vllm:time_to_first_token_seconds_bucket",
                                     "vllm:inter_token_latency_seconds_bucket",
                                     "vllm:generation_tokens_total"};
  const auto metrics = read_metrics();
  for (const std::string* name : {&series.running, &series.waiting, &series.cache,
                                  &series.first_token, &series.per_token, &series.generated}) {
    const bool is_known = std::any_of(metrics.begin(), metrics.end(), [&](const Metric& metric) {
      return std::find(metric.scraped_as.begin(), metric.scraped_as.end(), *name) !=
             metric.scraped_as.end();
    });
    if (!is_known) desk.fault(fmt::format("no metric {}", *name));
  }
  return series;
}

constexpr const char* kTensorActive = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE";
constexpr const char* kPower = "DCGM_FI_DEV_POWER_USAGE";

Tree rule(const char* kind, const std::string& name, const std::string& expression) {
  Tree tree = Tree::map();
  tree.set(kind, name).set("expr", expression);
  return tree;
}

Tree alert(const std::string& name, const std::string& expression, const char* lasting,
           const std::string& summary) {
  Tree tree = rule("alert", name, expression);
  tree.set("for", lasting);
  tree.set("labels", Tree::map({{"severity", Tree::text("warning"), ""}}));
  tree.set("annotations", Tree::map({{"summary", Tree::text(summary), ""}}));
  return tree;
}

std::string quantile(const std::string& series, double share) {
  return fmt::format("histogram_quantile({}, sum by (le) (rate({}[5m])))", share, series);
}

void add_service_rules(Desk& desk, Tree& rules) {
  const Series series = series_of(desk);
  const ServicePlan& service = desk.service();
  const ReplicaPool& pool = service.pools.back();
  constexpr double kNearlyFull = 0.9;
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
  items.push_back(
      alert("ReplicasFull",
            // One series a batch, so that it holds however many replicas there are.
            fmt::format("loadfactor:requests:running > {:.6g} * count({})",
                        kNearlyFull * static_cast<double>(pool.max_seqs), series.running),
            "10m", "batches are nine tenths full: the next request waits"));
  if (const auto& slo = desk.plan().scenario.serve->slo)
    for (const auto& bound : slo->bounds) {
      const bool is_first = bound.metric == config::SloMetric::kTimeToFirstToken;
      if (!is_first && bound.metric != config::SloMetric::kTimePerOutputToken) continue;
      items.push_back(alert(
          is_first ? "FirstTokenLate" : "NextTokenLate",
          fmt::format("{} > {:.6g}",
                      quantile(is_first ? series.first_token : series.per_token, bound.quantile),
                      bound.most.value.base()),
          "10m", "the promise of the scenario is not kept"));
    }
}

struct Panel {
  std::string title;
  std::string expression;
  std::string unit;
};

Tree panel_of(const Panel& panel, int index) {
  Tree place = Tree::map();
  place.set("h", Tree::number(8)).set("w", Tree::number(12));
  place.set("x", Tree::number(index % 2 * 12)).set("y", Tree::number(index / 2 * 8));
  Tree source = Tree::map();
  source.set("type", "prometheus").set("uid", "${datasource}");
  Tree query = Tree::map();
  query.set("refId", "A").set("expr", panel.expression);
  Tree defaults = Tree::map();
  defaults.set("unit", panel.unit);
  Tree config = Tree::map();
  config.set("defaults", std::move(defaults)).set("overrides", Tree::list());
  Tree tree = Tree::map();
  tree.set("id", Tree::number(index + 1)).set("type", "timeseries").set("title", panel.title);
  tree.set("gridPos", std::move(place)).set("datasource", std::move(source));
  tree.set("targets", Tree::list({std::move(query)}));
  tree.set("fieldConfig", std::move(config)).set("options", Tree::map());
  return tree;
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

void emit_rules(Desk& desk) {
  Tree rules = Tree::list();
  if (desk.plan().service) add_service_rules(desk, rules);
  rules.items.push_back(rule("record", "loadfactor:tensor_active:avg1h",
                             fmt::format("avg(avg_over_time({}[1h]))", kTensorActive)));
  rules.items.push_back(
      rule("record", "loadfactor:power_watts:sum", fmt::format("sum({})", kPower)));
  rules.items.push_back(alert("TensorCoresIdle",
                              fmt::format("avg_over_time({}[1h]) < 0.05", kTensorActive), "6h",
                              "a GPU that is paid for computes nothing"));
  rules.items.push_back(
      alert("FleetBelowBreakEven",
            "loadfactor_load_ratio < on(cluster, workload) group_left() loadfactor_breakeven_ratio",
            "24h", "{{ $labels.workload }} flies below its break-even load factor"));
  rules.items.push_back(alert("Stragglers", "loadfactor_stragglers > 0", "1h",
                              "a GPU is slower than its peers, which wait for it"));
  rules.items.push_back(alert("AllocatedAndIdle", "loadfactor_loss_ratio{loss=\"idle\"} > 0.2",
                              "24h", "a fifth of the bill pays for GPUs that are held and idle"));
  Tree group = Tree::map();
  group.set("name", "loadfactor").set("interval", "60s").set("rules", std::move(rules));
  Tree file = Tree::map();
  file.set("groups", Tree::list({std::move(group)}));
  desk.add("rules.yml", Role::kRules,
           file_head(desk.plan(), {"promtool check rules rules.yml"}) + to_yaml(file));
}

void emit_grafana(Desk& desk) {
  std::vector<Panel> panels;
  if (desk.plan().service) {
    const Series series = series_of(desk);
    panels.push_back({"Requests running", fmt::format("sum({})", series.running), "short"});
    panels.push_back({"Requests waiting", fmt::format("sum({})", series.waiting), "short"});
    panels.push_back({"Time to first token, 95 %", quantile(series.first_token, 0.95), "s"});
    panels.push_back({"Time per token, 95 %", quantile(series.per_token, 0.95), "s"});
    panels.push_back(
        {"Output tokens per second", fmt::format("sum(rate({}[5m]))", series.generated), "short"});
    panels.push_back({"Cache in use", fmt::format("avg({})", series.cache), "percentunit"});
  }
  panels.push_back({"Load factor", "loadfactor_load_ratio", "percentunit"});
  panels.push_back({"Break-even load factor", "loadfactor_breakeven_ratio", "percentunit"});
  panels.push_back({"Losses, as shares of the bill", "loadfactor_loss_ratio", "percentunit"});
  panels.push_back({"Cost per hour", "loadfactor_cost_usd_per_hour", "currencyUSD"});
  panels.push_back({"Paid for nothing per hour", "loadfactor_idle_usd_per_hour", "currencyUSD"});
  panels.push_back({"Stragglers", "loadfactor_stragglers", "short"});
  panels.push_back({"Measured over predicted time per token, less one",
                    "loadfactor_prediction_error_ratio", "percentunit"});
  panels.push_back({"Tensor cores active", fmt::format("avg({})", kTensorActive), "percentunit"});
  panels.push_back({"Power", fmt::format("sum({})", kPower), "watt"});
  Tree list = Tree::list();
  for (std::size_t i = 0; i < panels.size(); ++i)
    list.items.push_back(panel_of(panels[i], static_cast<int>(i)));
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
