// The description of the ways to have the work done: options, and the machines of the best.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "report/plan/plan_parts.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

using engine::PlanMachine;
using engine::PlanOption;

constexpr std::string_view kKinds[] = {"own",     "reserved-1y", "reserved-3y", "on-demand",
                                       "spot",    "api",         "mix",         "autoscaled",
                                       "managed", "alternative"};

constexpr std::string_view kMix = "mix";

template <auto member>
constexpr auto kCost = [](const PlanOption& o) { return std::invoke(member, o.cost); };

constexpr auto kPerMonth = [](const PlanOption& o) {
  return priced<PricedWork::kMonth>(o.cost.per_month);
};
constexpr auto kPerMillion = [](const PlanOption& o) {
  return priced<PricedWork::kMillionTokens>(o.cost.per_mtoken);
};

// A mix of several is one kind; its parts are in the name.
std::string_view kind_of(const PlanOption& o) {
  const OptionKind kind = shown_kind(o.cost.kind, o.cost.owned);
  const bool mixed = o.cost.owned > 0 || o.cost.reserved > 0 || is_mix(kind);
  return mixed ? kMix : name_of(kind);
}
std::string against_of(const PlanOption& o) {
  return o.cost.against ? words_of(*o.cost.against) : std::string();
}
std::string name_of_option(const PlanOption& o) {
  return words_of(o.machines());
}
// Only where machines come and go is less than all of them paid for.
std::optional<double> mean_gpus(const PlanOption& o) {
  const bool same = o.cost.gpus >= static_cast<double>(o.gpus) - 1e-9;
  return same ? std::nullopt : std::optional(o.cost.gpus);
}
EstimateOf<Dollars> amount_of(const PlanOption& o) {
  return o.estimate();
}

template <auto member>
constexpr auto kMachine =
    [](const NamedMachine& m) { return std::invoke(member, *m.answer.machine); };
std::string machine_layout(const NamedMachine& m) {
  return layout_words(m.answer);
}
std::string machine_option(const NamedMachine& m) {
  return option_words(*m.answer.machine);
}
std::string machine_cooling(const NamedMachine& m) {
  return cooling_words(*m.answer.machine);
}
std::string machine_network(const NamedMachine& m) {
  return network_words(*m.answer.machine);
}

}  // namespace

template <>
constexpr auto kFields<PlanOption> = fields<PlanOption>(
    field<name_of_option>("name", "The option as people read it"),
    field<kind_of>("kind", "The way to pay").one_of(kKinds),
    field<&PlanOption::accelerator>("accelerator", "Catalogue name; empty for the API"),
    field<&PlanOption::gpus>("gpus", "Whole machines' GPUs at the busiest hour; 0 for the API"),
    known_field<mean_gpus>("mean_gpus", "GPUs paid for on average, where machines come and go")
        .at_least(0),
    field<PlanOption>("load_factor", kCost<&CostOption::load_factor>,
                      "Work delivered over work paid for; null for the API"),
    field<PlanOption>("break_even", kCost<&CostOption::break_even>,
                      "Load factor from which it pays today; null where there is none"),
    field<PlanOption>("break_even_life", kCost<&CostOption::break_even_life>,
                      "The same averaged over what it binds"),
    field<against_of>("against", "What the break-even is against"),
    field<PlanOption>("per_month", kPerMonth, "Cost of a month"),
    field<amount_of>("cost", "Cost of a month, or of the whole run"),
    field<PlanOption>("per_mtoken", kPerMillion,
                      "Cost of a million tokens; null where tokens are not the work"),
    field<why_not>("why", "Why it was not chosen; empty for the first"));

Value to_value(const PlanOption& option) {
  return described_value<PlanOption>(option, kFields<PlanOption>);
}
Value schema_of(Type<PlanOption>) {
  return described_schema<PlanOption>(kFields<PlanOption>);
}

template <>
constexpr auto kFields<NamedMachine> = fields<NamedMachine>(
    field<NamedMachine>("accelerator", kMachine<&PlanMachine::accelerator>, "Catalogue name"),
    spliced<NamedMachine>(kMachine<&PlanMachine::layout>),
    field<NamedMachine>("prompts", kMachine<&PlanMachine::prompts>,
                        "Replicas that only compute prompts; null where there are none"),
    field<NamedMachine>("nodes", kMachine<&PlanMachine::nodes>,
                        "Whole nodes; 0: cards that fill a part of one"),
    field<NamedMachine>("precision", kMachine<&PlanMachine::precision>,
                        "Format of the weights or matrix products"),
    field<NamedMachine>("kv", kMachine<&PlanMachine::kv_format>,
                        "Format of the KV cache; empty for a training run"),
    field<machine_layout>("layout", "The layout in words"),
    field<machine_option>("procurement", "How the machines are paid for"),
    field<machine_cooling>("cooling", "How they are cooled; empty where not known"),
    field<machine_network>("network", "What joins the nodes; empty where not known"));

Value to_value(const NamedMachine& machine) {
  return described_value<NamedMachine>(machine, kFields<NamedMachine>);
}
Value schema_of(Type<NamedMachine>) {
  return described_schema<NamedMachine>(kFields<NamedMachine>);
}

}  // namespace loadfactor::report
