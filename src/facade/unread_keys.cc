#include "facade/unread_keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::facade {
namespace {

using Paths = std::span<const std::string_view>;

// `plan` and `serve --search` of several models.
constexpr std::string_view kShared = "shared";
constexpr std::string_view kSharedSearch = "shared-search";

// Risks, rivals and claims, which are weighed where every way to pay is.
constexpr std::array<std::string_view, 7> kWeighed{
    "money.path",         "money.claimed_break_even", "money.alternatives", "money.waiting",
    "money.rent_process", "money.uncertainty",        "money.horizon"};
// What a bill has beside the price of an hour.
constexpr std::array<std::string_view, 10> kBilled{
    "money.people",         "money.as_of",       "money.own.as_of",     "money.rent.as_of",
    "money.rent.commit",    "money.rent.egress", "money.rent.platform", "money.rent.storage",
    "money.rent.surcharge", "money.rent.setup"};
constexpr std::array<std::string_view, 5> kBuilding{"facility.gpu_power", "facility.power_cap",
                                                    "facility.cooling", "facility.network",
                                                    "facility.host"};
// Limits that a service of one size is not held to.
constexpr std::array<std::string_view, 4> kPlanned{"limits.budget", "limits.headroom",
                                                   "limits.rack_power", "limits.site_power"};
constexpr std::array<std::string_view, 4> kNotServing{"train", "capacity", "facility", "money"};
// A pool of several models is held to the GPUs and the budget alone.
constexpr std::array<std::string_view, 5> kNotShared{"capacity", "facility", "limits.headroom",
                                                     "limits.rack_power", "limits.site_power"};
// A search ranks machines by what their hour costs in every way to pay that binds machines.
constexpr std::array<std::string_view, 9> kNotRanking{
    "train",           "capacity",  "money.own.most",       "money.own.resale", "money.spot.wait",
    "money.spot.gang", "money.api", "money.rent.debugging", "money.training"};
constexpr std::array<std::string_view, 17> kNotFilling{
    "train",           "capacity.rate",       "capacity.load_factor",
    "capacity.demand", "capacity.most_load",  "capacity.hours",
    "capacity.mean",   "capacity.deviation",  "capacity.node",
    "money.own.most",  "money.own.resale",    "money.spot.wait",
    "money.api.limit", "money.api.half_life", "money.rent.debugging",
    "money.api.as_of", "money.training"};
constexpr std::array<std::string_view, 10> kNotRunning{"serve",
                                                       "capacity",
                                                       "money.api",
                                                       "money.own.most",
                                                       "money.own.resale",
                                                       "money.as_of",
                                                       "money.own.as_of",
                                                       "money.rent.as_of",
                                                       "money.rent.commit",
                                                       "money.rent.platform"};
constexpr std::array<std::string_view, 1> kSurcharge{"money.rent.surcharge"};
// What is priced has a place in memory already.
constexpr std::array<std::string_view, 1> kNotPriced{"limits.headroom"};
// What is there is written as replicas or a layout, and what may be as limits.
constexpr std::array<std::string_view, 3> kNotPlanned{"capacity", "money.claimed_break_even",
                                                      "money.waiting"};
constexpr std::array<std::string_view, 2> kNotInYears{"capacity", "money.claimed_break_even"};
// What matters as years go by.
constexpr std::array<std::string_view, 5> kYears{"serve.demand.growth", "money.tax",
                                                 "money.revenue", "money.own.lead_time",
                                                 "money.own.depreciation"};
constexpr std::array<std::string_view, 1> kGrowth{"serve.demand.growth"};

// Texts that a run writes itself are as many and as long as its method says.
constexpr std::array<std::string_view, 4> kWrittenByItself{"train.sequence", "train.global_batch",
                                                           "train.tokens", "train.examples"};

// A fleet is planned at the traffic of today, and chooses how many replicas there are.
constexpr std::array<std::string_view, 5> kNotOfFleet{
    "serve.demand.growth", "serve.deployment.replicas", "serve.deployment.filler", "capacity",
    "limits"};

struct Unread {
  std::string_view verb;
  Paths paths;
};
constexpr std::array kUnread{
    Unread{"serve", kNotServing}, Unread{"serve", kPlanned},    Unread{"simulate", kNotServing},
    Unread{"simulate", kPlanned}, Unread{"size", kNotRanking},  Unread{"size", kPlanned},
    Unread{"size", kWeighed},     Unread{"size", kBilled},      Unread{"fill", kNotFilling},
    Unread{"fill", kPlanned},     Unread{"fill", kWeighed},     Unread{"fill", kBilled},
    Unread{"fill", kBuilding},    Unread{"train", kNotRunning}, Unread{"train", kWeighed},
    Unread{"train", kSurcharge},  Unread{"train", kBuilding},   Unread{"search", kNotRunning},
    Unread{"search", kWeighed},   Unread{"search", kSurcharge}, Unread{"search", kBuilding},
    Unread{"scale", kNotRunning}, Unread{"scale", kWeighed},    Unread{"scale", kSurcharge},
    Unread{"scale", kBuilding},   Unread{"cost", kNotPriced},   Unread{"plan", kNotPlanned},
    Unread{"plan", kYears},       Unread{"years", kNotInYears}, Unread{"size", kYears},
    Unread{"fill", kYears},       Unread{"cost", kYears},       Unread{"serve", kGrowth},
    Unread{"simulate", kGrowth},  Unread{kShared, kNotShared},  Unread{kShared, kWeighed},
    Unread{kShared, kBilled},     Unread{kShared, kYears},
};

// Terms of a way to pay, which say nothing where it is not asked for.
struct Terms {
  OptionKind option;
  std::string_view path;
  bool is_billed = false;  // In the bill of the building as well, which `cost` and `plan` have.
};
constexpr std::array kTerms{
    Terms{OptionKind::kOwn, "money.own"},
    Terms{OptionKind::kOwn, "money.electricity", true},
    Terms{OptionKind::kOwn, "money.region", true},
    Terms{OptionKind::kApi, "money.api"},
    Terms{OptionKind::kSpot, "money.spot"},
    Terms{OptionKind::kSpot, "money.rent.spot"},
    Terms{OptionKind::kReserved1y, "money.rent.reserved_1y"},
    Terms{OptionKind::kReserved3y, "money.rent.reserved_3y"},
};

bool is_written(const config::Scenario& scenario, std::string_view path) {
  const auto& values = scenario.source->values;
  return std::any_of(values.begin(), values.end(), [path](const config::WrittenValue& value) {
    const bool is_below = value.path.size() > path.size() && value.path[path.size()] == '.';
    return value.path.starts_with(path) && (value.path.size() == path.size() || is_below);
  });
}

bool writes_its_texts(const config::Scenario& scenario) {
  if (!scenario.train || !scenario.train->method) return false;
  const config::MethodWord kind = scenario.train->method->kind.value;
  return kind == config::MethodWord::kGrpo || kind == config::MethodWord::kPpo;
}

// As it is typed.
std::string_view command_of(std::string_view verb) {
  if (verb == "size") return "serve --search";
  if (verb == "simulate") return "serve --simulate";
  if (verb == kShared) return "plan";
  if (verb == kSharedSearch) return "serve --search";
  if (verb == "years") return "plan --years";
  if (verb == "launch") return "plan --emit";
  if (verb == "search") return "train --search";
  return verb == "scale" ? "train --scale" : verb;
}

// What was written below a path, as YAML on one line; items of lists go by number.
std::string flow_text(const std::vector<config::WrittenValue>& values, const std::string& path,
                      std::span<const std::string_view> without = {}) {
  std::vector<std::string> keys;
  for (const config::WrittenValue& value : values) {
    if (value.path == path) {
      const bool is_plain = value.text.find_first_of(",:{}[]#\"'") == std::string::npos;
      return is_plain ? value.text : fmt::format("\"{}\"", value.text);
    }
    if (!value.path.starts_with(path + ".")) continue;
    const std::string rest = value.path.substr(path.size() + 1);
    const std::string key = rest.substr(0, rest.find('.'));
    const bool is_left_out = std::find(without.begin(), without.end(), key) != without.end();
    if (!is_left_out && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  const bool is_list = !keys.empty() && std::isdigit(static_cast<unsigned char>(keys[0][0])) != 0;
  std::vector<std::string> parts;
  for (const std::string& key : keys) {
    const std::string part = flow_text(values, fmt::format("{}.{}", path, key));
    parts.push_back(is_list ? part : fmt::format("{}: {}", key, part));
  }
  const std::string inside = fmt::format("{}", fmt::join(parts, ", "));
  return is_list ? fmt::format("[{}]", inside) : fmt::format("{{{}}}", inside);
}

// The candidates; else what the deployments say, else a common one.
std::vector<std::string> pools_of(const config::Scenario& scenario) {
  std::vector<std::string> names;
  for (const config::Name& name : scenario.hardware) names.push_back(name.value);
  const auto& deployment = scenario.serve->deployment;
  if (names.empty() && deployment && deployment->pool.gpu)
    names.push_back(deployment->pool.gpu->value);
  if (names.empty()) names.emplace_back("h100-sxm");
  for (std::string& name : names) name = fmt::format("{{name: {0}, accelerator: {0}}}", name);
  return names;
}

// The models of a scenario as workloads of a fleet, line by line.
std::vector<std::string> fleet_lines(const config::Scenario& scenario) {
  constexpr std::array<std::string_view, 2> kNotOfOne{"others", "regions"};
  const auto& values = scenario.source->values;
  std::vector<std::string> lines{"loadfactor: 1", fmt::format("name: {}", scenario.name.value),
                                 fmt::format("pools: [{}]", fmt::join(pools_of(scenario), ", "))};
  if (is_written(scenario, "money"))
    lines.push_back(fmt::format("money: {}", flow_text(values, "money")));
  lines.emplace_back("workloads:");
  lines.push_back(
      fmt::format("- {{name: model-1, serve: {}}}", flow_text(values, "serve", kNotOfOne)));
  for (std::size_t i = 0; i < scenario.serve->others.size(); ++i)
    lines.push_back(fmt::format("- {{name: model-{}, serve: {}}}", i + 2,
                                flow_text(values, fmt::format("serve.others.{}", i))));
  return lines;
}

Error several_models(std::string_view verb, const config::Scenario& scenario) {
  const bool is_fleet = verb == "fleet";
  const bool sizes = verb == "plan" || verb == "size";
  Error error = scenario.error(
      lf::kNotHonoured, scenario.serve->others.front().position,
      sizes ? fmt::format("`{}` sizes one pool for several models, without a run or regions beside "
                          "them",
                          command_of(verb))
            : fmt::format("`{}` answers about one model, and 'serve.others' has {} more",
                          command_of(verb), scenario.serve->others.size()),
      is_fleet
          ? "make each of them a workload of its own"
          : "`loadfactor plan` and `serve --search` size one pool for them, `serve --simulate` "
            "runs them together; write them as workloads of one fleet, as above, to ask more "
            "(`loadfactor fleet FLEET.yaml`); `--set serve.others=` leaves them out");
  if (!is_fleet && scenario.source) error.notes = fleet_lines(scenario);
  return error;
}

Error several_regions(std::string_view verb, const config::Scenario& scenario) {
  return scenario.error(lf::kNotHonoured, scenario.serve->regions.front().name.position,
                        fmt::format("`{}` knows one place, and 'serve.regions' has {}",
                                    command_of(verb), scenario.serve->regions.size()),
                        "`loadfactor plan` weighs them; `--set serve.regions=` leaves them out");
}

// A pool that is sized for several models has neither a run nor regions beside them.
bool honours_others(std::string_view verb, const config::Scenario& scenario) {
  if (verb == "simulate") return true;
  const bool sizes = verb == "plan" || verb == "size";
  return sizes && !scenario.train && scenario.serve->regions.empty();
}

}  // namespace

std::optional<Error> find_unhonoured(std::string_view verb, const config::Scenario& scenario) {
  const bool is_of_run = verb == "train" || verb == "search" || verb == "scale";
  if (!scenario.serve || is_of_run) return std::nullopt;
  if (!scenario.serve->others.empty() && !honours_others(verb, scenario))
    return several_models(verb, scenario);
  // A fleet has the users of each service in regions, and each of its pools in one.
  const bool honours_regions = verb == "plan" || verb == "years" || verb == "fleet";
  if (!scenario.serve->regions.empty() && !honours_regions) return several_regions(verb, scenario);
  return std::nullopt;
}

void note_unread_keys(std::string_view verb, const config::Scenario& scenario,
                      std::vector<Notice>& notices) {
  if (!scenario.source) return;
  std::vector<std::string_view> unread;
  for (const Unread& row : kUnread) {
    const bool is_run = verb == "cost" && scenario.train.has_value();
    const bool is_shared = verb == kSharedSearch && row.verb == kShared;
    if ((row.verb != verb && !is_shared) || is_run) continue;
    for (const std::string_view path : row.paths)
      if (is_written(scenario, path)) unread.push_back(path);
  }
  if (writes_its_texts(scenario))
    for (const std::string_view path : kWrittenByItself)
      if (is_written(scenario, path)) unread.push_back(path);
  const auto is_named = [&](std::string_view path) {
    return std::any_of(unread.begin(), unread.end(), [path](std::string_view name) {
      return path == name || (path.starts_with(name) && path[name.size()] == '.');
    });
  };
  const bool bills = verb == "cost" || verb == "plan" || verb == "years";
  std::vector<std::string_view> unasked;
  for (const Terms& row : kTerms) {
    const bool is_read = scenario.money.asks_for(row.option) || (bills && row.is_billed);
    if (!is_read && is_written(scenario, row.path) && !is_named(row.path))
      unasked.push_back(row.path);
  }
  if (!unread.empty())
    notices.push_back({.id = "unread-keys",
                       .arguments = {{"verb", std::string(command_of(verb))},
                                     {"keys", fmt::format("{}", fmt::join(unread, ", "))}}});
  if (!unasked.empty())
    notices.push_back({.id = "unasked-terms",
                       .arguments = {{unasked.size() == 1 ? "key" : "keys",
                                      fmt::format("{}", fmt::join(unasked, ", "))}}});
}

void note_unplanned_keys(const std::string& workload, const config::Scenario& scenario,
                         std::vector<Notice>& notices) {
  if (!scenario.source) return;
  std::vector<std::string_view> unplanned;
  for (const std::string_view path : kNotOfFleet)
    if (is_written(scenario, path)) unplanned.push_back(path);
  if (!unplanned.empty())
    notices.push_back({.id = "fleet-unread",
                       .severity = Severity::kCaution,
                       .arguments = {{"workload", workload},
                                     {"keys", fmt::format("{}", fmt::join(unplanned, ", "))}}});
}

}  // namespace loadfactor::facade
