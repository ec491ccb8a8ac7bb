// The JSON form of a cost answer. Ratios, money and times are quantities; counts and shares of
// draws are plain numbers. Money of a month, of a million tokens or of an hour is in USD.
#include <cmath>
#include <string>
#include <utility>

#include "report/cost/cost_report.h"
#include "report/json_answer.h"

namespace loadfactor::report {
namespace {

// Figures that are computed from the options' own; their interval is not drawn.
template <typename Q>
Json plain(Q value, const CostAnswer& answer) {
  const Basis basis =
      answer.options.empty() ? Basis::kModelled : answer.options[0].per_month.basis();
  const std::string source =
      answer.options.empty() ? "catalogue" : answer.options[0].per_month.source();
  return quantity(EstimateOf<Q>::exact(value, basis, source).erased());
}

template <typename Q>
Json maybe(const std::optional<EstimateOf<Q>>& value) {
  return value ? quantity(value->erased()) : Json(nullptr);
}

// A load that may be beyond any: null where no load suffices.
Json load_of(double load, const CostAnswer& answer) {
  return std::isfinite(load) ? plain(load, answer) : Json(nullptr);
}

// A figure in a unit that has no dimension of its own: kg, m2, kWh, M tokens.
Json in_unit(double value, const std::string& unit, const CostAnswer& answer) {
  Json json = plain(value, answer);
  json["unit"] = unit;
  return json;
}

Json option_of(const CostOption& option, const CostAnswer& answer) {
  Json json;
  json["name"] = option.name;
  json["gpus"] = option.gpus;
  json["load_factor"] = maybe(option.load_factor);
  json["break_even"] = maybe(option.break_even);
  json["per_month"] = quantity(option.per_month.erased());
  json["per_mtoken"] = maybe(option.per_mtoken);
  json["kind"] = option.kind;
  json["break_even_life"] = maybe(option.break_even_life);
  json["against"] = option.against;
  json["verdict"] = option.verdict;
  json["per_useful_gpu_hour"] = quantity(option.per_useful_gpu_hour.erased());
  const auto money = [&](const char* key, const std::optional<Dollars>& value) {
    if (value) json[key] = plain(*value, answer);
  };
  money("per_mtoken_in", option.per_mtoken_in);
  money("per_mtoken_cached", option.per_mtoken_cached);
  money("per_mtoken_out", option.per_mtoken_out);
  money("per_run", option.per_run);
  if (option.payback) json["payback"] = plain(*option.payback, answer);
  json["present_cost"] = plain(option.present_cost, answer);
  json["expected_present_cost"] = plain(option.expected_present_cost, answer);
  json["wins_pct"] = 100 * option.wins;
  json["p50_per_month"] = plain(option.p50_per_month, answer);
  json["mean_per_month"] = plain(option.mean_per_month, answer);
  money("p50_per_mtoken", option.p50_per_mtoken);
  return json;
}

Json bill_of(const CostAnswer& answer) {
  Json lines = Json::array();
  for (const auto& line : answer.lines) {
    Json json{{"name", line.name}, {"depth", line.depth}};
    if (line.quantity) json["quantity"] = in_unit(*line.quantity, line.unit, answer);
    if (line.unit_price) json["unit_price"] = plain(*line.unit_price, answer);
    json["per_month"] = plain(line.monthly, answer);
    json["assumed"] = line.assumed;
    lines.push_back(std::move(json));
  }
  return {
      {"of", answer.bill_of}, {"lines", std::move(lines)}, {"total", plain(answer.total, answer)}};
}

void add_options(const CostAnswer& answer, Json& json) {
  json["options"] = Json::array();
  for (const auto& option : answer.options) json["options"].push_back(option_of(option, answer));
  json["unpriced"] = Json::array();
  for (const auto& option : answer.unpriced)
    json["unpriced"].push_back(
        {{"name", option.name}, {"code", "LF" + std::to_string(option.code)}, {"why", option.why}});
  json["break_evens"] = Json::array();
  for (const auto& row : answer.break_evens)
    json["break_evens"].push_back({{"option", row.option},
                                   {"against", row.against},
                                   {"today", load_of(row.today, answer)},
                                   {"life", load_of(row.life, answer)},
                                   {"verdict", row.verdict}});
  json["loads"] = Json::array();
  for (const auto& row : answer.loads) {
    Json out{{"load_factor", plain(row.load_factor, answer)},
             {"per_useful_gpu_hour", plain(row.per_useful_gpu_hour, answer)},
             {"multiple", plain(row.multiple, answer)}};
    if (row.per_mtoken) out["per_mtoken"] = plain(*row.per_mtoken, answer);
    json["loads"].push_back(std::move(out));
  }
}

void add_decisions(const CostAnswer& answer, Json& json) {
  if (answer.rent_or_own) {
    const auto& row = *answer.rent_or_own;
    Json out{{"saving", plain(row.saving, answer)},
             {"break_even_rent", plain(row.break_even_rent, answer)},
             {"break_even_load", load_of(row.break_even_load, answer)},
             {"rent", plain(row.rent, answer)},
             {"saving_around_clock", plain(row.saving_around_clock, answer)},
             {"months", row.months}};
    if (row.payback) out["payback"] = plain(*row.payback, answer);
    json["rent_or_own"] = std::move(out);
  }
  if (answer.marginal)
    json["marginal_gpu"] = {{"add_per_month", plain(answer.marginal->add, answer)},
                            {"give_up_per_month", plain(answer.marginal->give_up, answer)},
                            {"sentence", answer.marginal->sentence}};
  if (answer.mix) {
    const auto& mix = *answer.mix;
    Json out{{"owned", mix.owned},
             {"burst", mix.burst},
             {"idle", mix.idle},
             {"per_day", plain(mix.per_day, answer)},
             {"all_rented_per_day", plain(mix.all_rented_per_day, answer)},
             {"peak_owned_per_day", plain(mix.peak_owned_per_day, answer)},
             {"critical_time", plain(mix.critical_time, answer)}};
    if (mix.solved_per_day) {
      out["solved_per_day"] = plain(*mix.solved_per_day, answer);
      out["solved_agrees"] = mix.solved_exactly;
    }
    if (mix.tiers_per_day) {
      out["tiers_per_day"] = plain(*mix.tiers_per_day, answer);
      out["tiers"] = Json::array();
      for (const auto& tier : mix.tiers)
        out["tiers"].push_back({{"name", tier.name},
                                {"committed", tier.committed},
                                {"most", tier.most},
                                {"mean", tier.mean},
                                {"by_hour", tier.by_hour}});
    }
    json["mix"] = std::move(out);
  }
  if (answer.training) {
    const auto& size = *answer.training;
    Json out{{"gpus", size.gpus},
             {"cost", plain(size.cost, answer)},
             {"time", plain(size.time, answer)},
             {"next_gpu", plain(size.next_gpu, answer)}};
    if (std::isfinite(size.best_gpus)) {
      out["best_gpus"] = size.best_gpus;
      out["cost_at_best"] = plain(size.cost_at_best, answer);
    }
    json["training"] = std::move(out);
  }
  if (answer.claim)
    json["claim"] = {{"claimed", plain(answer.claim->claimed, answer)},
                     {"computed", load_of(answer.claim->computed, answer)},
                     {"price_factor", load_of(answer.claim->price_factor, answer)},
                     {"sentence", answer.claim->sentence}};
}

void add_moves(const CostAnswer& answer, Json& json) {
  json["porting"] = Json::array();
  for (const auto& row : answer.porting) {
    Json out{{"name", row.name}};
    if (row.break_even_work) out["break_even_work"] = plain(*row.break_even_work, answer);
    out["least_performance"] = plain(row.least_performance, answer);
    out["price_after_delay"] = plain(row.price_after_delay, answer);
    out["incumbent"] = plain(row.incumbent, answer);
    out["longest_delay"] = plain(row.longest_delay, answer);
    out["longest_delay_discounted"] = plain(row.longest_delay_discounted, answer);
    out["option_value_per_month"] = plain(row.option_value, answer);
    out["cost"] = plain(row.cost, answer);
    json["porting"].push_back(std::move(out));
  }
  if (!answer.waiting) return;
  Json out{{"value", plain(answer.waiting->value, answer)}};
  if (answer.waiting->least_gain) out["least_gain"] = plain(*answer.waiting->least_gain, answer);
  json["waiting"] = std::move(out);
}

Json rent_paths_of(const RentPaths& paths, const CostAnswer& answer) {
  Json json{{"paths", paths.paths},
            {"basis", paths.basis},
            {"drift", plain(paths.drift, answer)},
            {"volatility", plain(paths.volatility, answer)},
            {"reversion", plain(paths.reversion, answer)},
            {"jumps", plain(paths.jumps, answer)},
            {"jump_down", plain(paths.jump_down, answer)},
            {"jump_up", plain(paths.jump_up, answer)},
            {"end_p10", plain(paths.end_p10, answer)},
            {"end_p50", plain(paths.end_p50, answer)},
            {"end_p90", plain(paths.end_p90, answer)}};
  json["options"] = Json::array();
  for (const auto& row : paths.options)
    json["options"].push_back({{"name", row.option},
                               {"p10", plain(row.p10, answer)},
                               {"p50", plain(row.p50, answer)},
                               {"p90", plain(row.p90, answer)},
                               {"mean_regret", plain(row.mean_regret, answer)},
                               {"wins_pct", 100 * row.wins}});
  return json;
}

void add_risk(const CostAnswer& answer, Json& json) {
  json["tornado"] = Json::array();
  for (const auto& row : answer.tornado)
    json["tornado"].push_back({{"input", row.input},
                               {"low", plain(row.low, answer)},
                               {"high", plain(row.high, answer)},
                               {"at_low", plain(row.at_low, answer)},
                               {"at_high", plain(row.at_high, answer)},
                               {"cheapest_low", row.cheapest_low},
                               {"cheapest_high", row.cheapest_high}});
  Json inputs = Json::array();
  for (const auto& row : answer.inputs)
    inputs.push_back({{"input", row.input},
                      {"variation_pct", 100 * row.variation},
                      {"first_pct", 100 * row.first},
                      {"total_pct", 100 * row.total},
                      {"worth_per_month", plain(row.worth, answer)}});
  json["uncertainty"] = {{"draws", answer.draws},
                         {"inputs", std::move(inputs)},
                         {"worth_of_knowing_all", plain(answer.worth_of_knowing_all, answer)}};
  json["regret"] = Json::array();
  for (const auto& row : answer.regret) {
    Json out{{"path", row.path}, {"options", Json::array()}};
    for (std::size_t i = 0; i < row.cost.size(); ++i)
      out["options"].push_back({{"name", answer.options[i].name},
                                {"present_cost", plain(row.cost[i], answer)},
                                {"regret", plain(row.regret[i], answer)}});
    json["regret"].push_back(std::move(out));
  }
  if (answer.rent_paths) json["rent_paths"] = rent_paths_of(*answer.rent_paths, answer);
}

void add_views(const CostAnswer& answer, Json& json) {
  if (answer.capital) {
    const auto& views = *answer.capital;
    Json out{{"annuity", plain(views.annuity, answer)}, {"book", plain(views.book, answer)}};
    if (views.market) out["market"] = plain(*views.market, answer);
    out["discount"] = plain(views.discount, answer);
    out["basis"] = views.basis;
    if (views.debt_share) out["debt_share"] = plain(*views.debt_share, answer);
    if (views.debt_rate) out["debt_rate"] = plain(*views.debt_rate, answer);
    if (views.equity_rate) out["equity_rate"] = plain(*views.equity_rate, answer);
    json["capital"] = std::move(out);
  }
  if (!answer.spot) return;
  const auto& spot = *answer.spot;
  Json out{{"gang", spot.gang},
           {"between_interruptions", plain(spot.between_interruptions, answer)},
           {"multiplier", plain(spot.multiplier, answer)},
           {"waiting_share", plain(spot.waiting_share, answer)}};
  if (spot.delay_per_month) out["delay_per_month"] = plain(*spot.delay_per_month, answer);
  json["spot"] = std::move(out);
}

Json host_of(const HostAnswer& host, const CostAnswer& answer) {
  Json json{{"cores", host.cores}, {"memory", plain(host.memory, answer)}, {"nics", host.nics}};
  if (host.checkpoint) json["checkpoint"] = plain(*host.checkpoint, answer);
  if (host.nvme) json["nvme"] = plain(*host.nvme, answer);
  if (host.drives) json["drives"] = *host.drives;
  if (host.checkpoint_bandwidth)
    json["checkpoint_bandwidth"] = plain(*host.checkpoint_bandwidth, answer);
  if (host.checkpoint_within) json["checkpoint_within"] = plain(*host.checkpoint_within, answer);
  if (host.loading) json["loading"] = plain(*host.loading, answer);
  json["falls_short"] = host.falls_short;
  return json;
}

Json facility_of(const FacilityAnswer& facility, const CostAnswer& answer) {
  Json json{{"node", facility.node},
            {"nodes", facility.nodes},
            {"gpus_only", plain(facility.gpus_only, answer)},
            {"rated", plain(facility.rated, answer)},
            {"typical", plain(facility.typical, answer)},
            {"idle", plain(facility.idle, answer)},
            {"energy_per_month", plain(facility.energy_per_month, answer)},
            {"energy_cost_per_month", plain(facility.energy_cost_per_month, answer)},
            {"pue", plain(facility.pue, answer)},
            {"floor", in_unit(facility.floor_area, "m2", answer)},
            {"host", host_of(facility.host, answer)},
            {"assumed", facility.assumed}};
  if (facility.carbon_kg_per_month)
    json["carbon_per_month"] = in_unit(*facility.carbon_kg_per_month, "kg", answer);
  json["cooling"] = Json::array();
  for (const auto& row : facility.cooling)
    json["cooling"].push_back({{"cooling", row.cooling},
                               {"legal", row.legal},
                               {"why_not", row.why_not},
                               {"nodes_per_rack", row.nodes_per_rack},
                               {"racks", row.racks},
                               {"pue", plain(row.pue, answer)},
                               {"site_power", plain(row.site_power, answer)},
                               {"per_month", plain(row.per_month, answer)},
                               {"chosen", row.chosen}});
  json["networks"] = Json::array();
  for (const auto& row : facility.networks)
    json["networks"].push_back(
        {{"topology", row.topology},
         {"possible", row.possible},
         {"levels", row.levels},
         {"switches", row.switches},
         {"leaves", row.leaves},
         {"cables", row.cables},
         {"optics", row.optics},
         {"oversubscription",
          row.oversubscription ? plain(*row.oversubscription, answer) : Json(nullptr)},
         {"hops", row.hops},
         {"failure_domain", row.failure_domain},
         {"price", plain(row.price, answer)},
         {"power", plain(row.power, answer)}});
  json["caps"] = Json::array();
  for (const auto& row : facility.caps)
    json["caps"].push_back({{"cap", plain(row.cap, answer)},
                            {"rate", plain(row.rate, answer)},
                            {"work_per_joule", plain(row.work_per_joule, answer)},
                            {"racks", row.racks},
                            {"asked", row.asked}});
  return json;
}

}  // namespace

std::string cost_json(const CostAnswer& answer, const std::string& file) {
  Json json;
  json["verdict"] = answer.verdict;
  json["accelerator"] = answer.accelerator;
  json["gpus"] = answer.gpus;
  json["load_factor"] = plain(answer.load_factor, answer);
  json["horizon"] = plain(answer.horizon, answer);
  if (answer.full_plane) json["full_plane"] = plain(*answer.full_plane, answer);
  if (answer.tokens_per_month) json["tokens_per_month"] = plain(*answer.tokens_per_month, answer);
  add_options(answer, json);
  json["bill"] = bill_of(answer);
  add_decisions(answer, json);
  add_moves(answer, json);
  add_views(answer, json);
  add_risk(answer, json);
  if (answer.facility) json["facility"] = facility_of(*answer.facility, answer);
  json["prices"] = Json::array();
  for (const auto& price : answer.prices) {
    Json out{{"what", price.what}, {"price", price.price}, {"date", price.date}};
    if (price.age_days) out["age_days"] = *price.age_days;
    out["source"] = price.source;
    json["prices"].push_back(std::move(out));
  }
  return envelope("cost", Json{{"name", answer.scenario}, {"file", file}}, std::move(json),
                  answer.notices, answer.facts);
}

}  // namespace loadfactor::report
