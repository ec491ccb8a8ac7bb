// The description of the cheapest deployments of a service.
#include <string>
#include <utility>

#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/serve/fill_words.h"
#include "report/serve/serve_search_report.h"
#include "resolve/serve/served_layout.h"

namespace loadfactor::report {
namespace {

using engine::CheaperRow;
using engine::DeploymentRow;
using engine::PromisedTime;
using engine::RelaxRow;
using engine::SizeAnswer;
using TokensPerDollar = Quantity<Dimension{.money = -1, .token = 1}>;
using GpuTimePerToken = Quantity<Dimension{.time = 1, .token = -1, .gpu = 1}>;

template <typename Q>
EstimateOf<Q> modelled(Q value, const char* source) {
  return EstimateOf<Q>::exact(value, Basis::kModelled, source);
}
constexpr auto kModelled = [](auto value) { return modelled(value, "serving model"); };
constexpr auto kDemand = [](Hertz value) { return modelled(value, "demand"); };
constexpr auto kGpus = [](double gpus) { return kModelled(Gpus::from_base(gpus)); };
constexpr auto kPrice = [](const std::optional<Dollars>& price) {
  return price ? std::optional(modelled(*price, "prices")) : std::nullopt;
};
constexpr auto kPerMillion = [](const std::optional<Dollars>& price) {
  return priced<PricedWork::kMillionTokens>(kPrice(price));
};
constexpr auto kTokenRate = [](double rate) { return kModelled(TokensPerSecond::from_base(rate)); };
constexpr auto kTokensPerDollar = [](const std::optional<double>& tokens) {
  return tokens ? std::optional(modelled(TokensPerDollar::from_base(*tokens), "prices"))
                : std::nullopt;
};
constexpr auto kGpuTime = [](double gpu_hours_per_mtoken) {
  return kModelled(GpuTimePerToken::from_base(3600e-6 * gpu_hours_per_mtoken));
};

ServeLayout layout_of(const DeploymentRow& row) {
  ServeLayout out = engine::served_layout(row.layout, row.replicas);
  out.gpus = row.gpus;
  return out;
}
// Machines that only compute prompts.
std::optional<ServeLayout> prompts_of(const DeploymentRow& row) {
  if (row.prompt_replicas == 0) return std::nullopt;
  return engine::served_layout(row.prompt_layout, row.prompt_replicas);
}

std::string change_of(const RelaxRow& row) {
  return relaxation_words(row.what);
}
std::optional<std::string> way_of(const DeploymentRow& row) {
  return row.way.empty() ? std::nullopt : std::optional(row.way);
}

}  // namespace

template <>
constexpr auto kFields<search::WeekCount> = fields<search::WeekCount>(
    field<&search::WeekCount::weeks>("weeks", "Weeks that were simulated"),
    field<&search::WeekCount::kept>("kept", "Weeks in which the SLO was kept"));

template <>
constexpr auto kFields<search::ScaledFleet> = fields<search::ScaledFleet>(
    field<&search::ScaledFleet::gpus, kGpus>("gpus", "GPUs paid for on average"),
    field<&search::ScaledFleet::target_load>("target_load",
                                             "Requests per replica that scaling aims at"),
    field<&search::ScaledFleet::within_slo, kModelled>("within_slo",
                                                       "Share of requests within the SLO"),
    field<&search::ScaledFleet::kept>("kept", "Whether the SLO was kept"));

template <>
constexpr auto kFields<DeploymentRow> = fields<DeploymentRow>(
    field<&DeploymentRow::accelerator>("accelerator", "Catalogue name"),
    field<&DeploymentRow::precision>("precision", "Format of the weights"),
    field<&DeploymentRow::kv_format>("kv", "Format of the KV cache"), spliced<layout_of>(),
    field<prompts_of>("prompts", "Replicas that only compute prompts; null where there are none"),
    field<&DeploymentRow::max_seqs>("max_seqs", "Sequences that run at once on a rank"),
    field<&DeploymentRow::chunk>("chunk", "Tokens of the largest step"),
    field<&DeploymentRow::spares>("spares", "Replicas among them that stand by"),
    field<&DeploymentRow::enough, kModelled>(
        "availability", "Share of the time in which no more replicas are out than stand by for it"),
    field<&DeploymentRow::paid_gpus>("paid_gpus",
                                     "GPUs that are paid for, in the machines that the way below "
                                     "sells"),
    field<way_of>("kind", "The cheapest way to pay for all of it; null where none has a price"),
    field<&DeploymentRow::per_hour, kPrice>("per_hour",
                                            "Cost of an hour in that way; null where it has none"),
    field<&DeploymentRow::per_mtoken, kPerMillion>("per_mtoken", "Cost of a million tokens"),
    field<&DeploymentRow::gpu_hours_per_mtoken, kGpuTime>("gpu_time_per_token",
                                                          "GPU time that a token takes"),
    field<&DeploymentRow::goodput_per_dollar, kTokensPerDollar>(
        "goodput_per_dollar",
        "Output tokens within the SLO for a dollar; tokens that are read where none is written"),
    field<&DeploymentRow::load_factor, kModelled>("load_factor",
                                                  "Work delivered over work possible"),
    field<&DeploymentRow::rate_per_replica, kModelled>("rate_per_replica",
                                                       "Requests that a replica takes"),
    field<&DeploymentRow::most_mean, kModelled>("most_mean_rate",
                                                "Requests on average that the fleet could take"),
    field<&DeploymentRow::tokens_per_gpu, kTokenRate>(
        "tokens_per_gpu",
        "Output tokens of a GPU at that rate; tokens that are read where none is written"),
    field<&DeploymentRow::ttft, kModelled>(
        "ttft", "Time to the first token: at its quantile where simulated, else the mean"),
    field<&DeploymentRow::tpot, kModelled>(
        "tpot", "Time per output token: at its quantile where simulated, else the mean"),
    field<&DeploymentRow::autoscaled_gpus, kGpus>(
        "autoscaled_gpus", "GPUs on average if replicas came and went without delay"),
    field<&DeploymentRow::scaled>("autoscaled",
                                  "The fleet with scaling, simulated; null: it was not"),
    field<&DeploymentRow::is_calibrated>("calibrated", "Whether measured runs cover this hardware"),
    field<&DeploymentRow::is_confirmed>("confirmed", "Whether a simulation kept the SLO"),
    field<&DeploymentRow::simulated>("simulated", "Weeks that were simulated"),
    field<&DeploymentRow::weeks_kept>("fluid_weeks_kept", "Weeks kept as computed, not simulated"),
    field<&DeploymentRow::weeks_kept_with_fewer>("fluid_weeks_kept_with_fewer",
                                                 "The same with one replica fewer"));

template <>
constexpr auto kFields<CheaperRow> = fields<CheaperRow>(
    field<&CheaperRow::row>("deployment", "The fleet"),
    field<&CheaperRow::is_fluid>("fluid", "Whether its weeks were computed and not simulated"),
    field<&CheaperRow::simulated>("simulated", "Its weeks"));

template <>
constexpr auto kFields<PromisedTime> = fields<PromisedTime>(
    known_field<&PromisedTime::asked>("asked", "Share of the time that is promised"),
    field<&PromisedTime::zones>("zones", "Zones of which any one may be lost; 0: none"),
    field<&PromisedTime::deployed>("spare", "Replicas that a deploy takes out at once"),
    known_field<&PromisedTime::plain>("plain", "The cheapest fleet without the promise"));

template <>
constexpr auto kFields<RelaxRow> = fields<RelaxRow>(
    field<change_of>("change", "What gives way"),
    field<&RelaxRow::per_hour, kPrice>("per_hour", "Cost of an hour of the deployment it allows"),
    field<&RelaxRow::saving, kModelled>("saving", "Share of the answer's cost that it saves"));

template <>
constexpr auto kFields<SizeAnswer> = fields<SizeAnswer>(
    field<size_verdict>("verdict", "The answer as one sentence").at_least(1),
    field<&SizeAnswer::mean, kDemand>("mean_rate", "Requests of the demand on average"),
    field<&SizeAnswer::peak, kDemand>("peak_rate", "Requests in the busiest 10 minutes"),
    field<&SizeAnswer::enumerated>("enumerated", "Deployments that were thought of"),
    field<&SizeAnswer::fitting>("evaluated", "Deployments that fit"),
    field<&SizeAnswer::meeting>("meeting", "Deployments that keep the SLO"),
    field<&SizeAnswer::simulated_requests>("simulated_requests", "Requests that were simulated"),
    known_field<SizeAnswer>(
        "seconds", [](const SizeAnswer& a) { return std::optional(a.seconds); },
        "CPU time after reading; left out by --reproducible")
        .in("seconds")
        .at_least(0),
    field<&SizeAnswer::rows>("deployments", "The cheapest deployment of each kind, best first"),
    field<&SizeAnswer::is_smallest>("nothing_cheaper", "Whether no cheaper fleet exists"),
    known_field<&SizeAnswer::next_cheaper>("next_cheaper",
                                           "The dearest fleet below the answer that was tried"),
    known_field<&SizeAnswer::promised>("promised",
                                       "An availability, zones or deploys that are promised"),
    known_field<&SizeAnswer::most>("most_for_fleet", "The most that the GPUs asked about carry"),
    field<&SizeAnswer::pareto>("pareto", "Deployments that nothing beats in cost and speed"),
    field<&SizeAnswer::relaxed>("relaxed", "What giving way in one thing saves"));

Value to_value(const SizeAnswer& answer) {
  return described_value<SizeAnswer>(answer, kFields<SizeAnswer>);
}
Value schema_of(Type<SizeAnswer>) {
  return described_schema<SizeAnswer>(kFields<SizeAnswer>);
}

AnswerSchema size_schema() {
  return {"sizing",
          "serve",
          "Answer of `loadfactor serve --search`",
          "The cheapest deployments that serve a demand within its SLO.",
          scenario_schema(),
          schema_of(Type<SizeAnswer>())};
}

std::string search_json(const SizeAnswer& answer, const std::string& file, bool reproducible) {
  Value value = to_value(answer);
  if (reproducible) value = without(std::move(value), {"seconds"});
  return print_json(envelope("serve", scenario_value(answer.scenario, file), std::move(value),
                             answer.notices, {}));
}

std::string search_csv(const SizeAnswer& answer) {
  return csv_list(schema_of(Type<SizeAnswer>()), to_value(answer), "deployments");
}

}  // namespace loadfactor::report
