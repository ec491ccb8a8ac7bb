// What the software of a scenario cannot do.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "resolve/train/train_layout.h"
#include "search/layout_space.h"

namespace loadfactor::engine {
namespace {

bool shares_a_word(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&b](const std::string& word) {
    return std::find(b.begin(), b.end(), word) != b.end();
  });
}

// Stacks that run on the chip, as a scenario may name them.
std::vector<std::string> stacks_for(const TrainSetup& setup) {
  std::vector<std::string> names;
  for (const auto& stack : setup.data->stacks.stacks) {
    if (shares_a_word(stack.runs_on, setup.job.chip->stack)) names.push_back(stack.name);
  }
  return names;
}

void check_chip(TrainSetup& setup, Diagnostics& diagnostics) {
  const auto& stack = *setup.job.stack;
  const auto& asked = setup.ask().stack;
  const auto& chip = *setup.job.chip;
  if (stack.runs_on.empty() || shares_a_word(stack.runs_on, chip.stack)) return;
  if (asked && asked->framework) {
    const auto others = stacks_for(setup);
    diagnostics.add(setup.error(
        lf::kContradictoryKeys, asked->framework->position,
        fmt::format("{} does not run on {}", stack.title, chip.title),
        others.empty() ? std::string("leave train.stack out: the usual software is assumed")
                       : fmt::format("of those we know these do: {}", fmt::join(others, ", "))));
    return;
  }
  setup.note(
      {.id = "foreign-stack", .arguments = {{"stack", stack.title}, {"accelerator", chip.title}}});
}

using training::Ability;

// A key as it is written, and the ability that it takes.
struct AskedAbility {
  Ability ability;
  config::Position place;
  std::string text;
};

class AbilityCheck {
 public:
  AbilityCheck(const TrainSetup& setup, Diagnostics& diagnostics)
      : setup_(setup), diagnostics_(diagnostics), layout_(setup.asked_layout()) {}

  void run() {
    collect_degrees();
    collect_sharding();
    collect_rest();
    for (const AskedAbility& one : asked_)
      if (!stack().abilities.has(one.ability)) refuse(one);
  }

 private:
  const training::StackTraits& stack() const { return *setup_.job.stack; }

  void collect_degrees() {
    if (layout_.pp && layout_.pp->value > 1 && !stack().abilities.has_pipeline()) refuse_pipeline();
    const auto add = [&](Ability ability, const char* key, const config::Given<int>& degree) {
      if (degree && degree->value > 1)
        asked_.push_back({ability, degree->position, fmt::format("{}: {}", key, degree->value)});
    };
    add(Ability::kTensorParallel, "tp", layout_.tp);
    add(Ability::kContextParallel, "cp", layout_.cp);
    add(Ability::kExpertParallel, "ep", layout_.ep);
    add(Ability::kExpertParallel, "etp", layout_.etp);
    add(Ability::kInterleaved, "vp", layout_.vp);
    if (layout_.schedule) {
      const auto schedule = static_cast<std::size_t>(layout_.schedule->value);
      add_words(static_cast<Ability>(static_cast<std::size_t>(Ability::kGpipe) + schedule),
                layout_.schedule->position);
    }
  }

  void collect_sharding() {
    if (!layout_.zero || layout_.zero->value == 0) return;
    const auto sharding = static_cast<training::Sharding>(layout_.zero->value);
    add_words(*training::ability_of(sharding), layout_.zero->position);
    if (layout_.shard_group)
      add_words(training::group_ability_of(sharding), layout_.shard_group->position);
  }

  void collect_rest() {
    if (layout_.offload)
      for (const auto word : layout_.offload->value)
        add_words(static_cast<Ability>(static_cast<std::size_t>(Ability::kOffloadOptimizer) +
                                       static_cast<std::size_t>(word)),
                  layout_.offload->position);
    if (layout_.recompute)
      if (const auto ability = training::ability_of(search::asked_recompute(layout_)))
        add_words(*ability, layout_.recompute->position);
    if (layout_.compression)
      add_words(layout_.compression->kind->value == config::CompressionWord::kPowerSgd
                    ? Ability::kPowerSgd
                    : Ability::kOneBit,
                layout_.compression->position);
    if (const auto& precision = setup_.ask().precision)
      add_words(training::ability_of(setup_.job.precision), precision->position);
  }

  void add_words(Ability ability, config::Position place) {
    asked_.push_back({ability, place, training::words_of(ability)});
  }

  void refuse_pipeline() {
    diagnostics_.add(setup_.error(
        lf::kContradictoryKeys, layout_.pp->position,
        fmt::format("{} has no pipeline, and pp is {}", stack().title, layout_.pp->value),
        fmt::format("nearest that it can: pp: 1{}; {}", instead(), others(Ability::k1F1B))));
  }

  void refuse(const AskedAbility& one) {
    const auto since = stack().abilities.since(one.ability);
    std::string hint = since ? fmt::format("it can from release {} on; ", *since) : std::string();
    if (one.ability == Ability::kTensorParallel)
      hint += fmt::format("nearest that it can: tp: 1{}; ", instead());
    diagnostics_.add(setup_.error(lf::kContradictoryKeys, one.place,
                                  fmt::format("{} cannot run {}", stack().title, one.text),
                                  hint + others(one.ability)));
  }

  // What makes up for layers or tensors that are not split.
  std::string instead() const {
    return stack().abilities.has(Ability::kZero3) ? " with zero: 3" : "";
  }

  // Stacks for this chip that have an ability.
  std::string others(Ability ability) const {
    constexpr std::size_t kMaxNames = 8;
    std::vector<std::string> names;
    for (const auto& other : setup_.data->stacks.stacks) {
      const bool can = other.abilities.known && other.abilities.has(ability);
      if (can && shares_a_word(other.runs_on, setup_.job.chip->stack)) names.push_back(other.name);
    }
    if (names.empty()) return "no stack that we know for this chip can; leave it out";
    const bool more = names.size() > kMaxNames;
    names.resize(std::min(names.size(), kMaxNames));
    return fmt::format("stacks that can: {}{}", fmt::join(names, ", "), more ? " and others" : "");
  }

  const TrainSetup& setup_;
  Diagnostics& diagnostics_;
  config::Layout layout_;
  std::vector<AskedAbility> asked_;
};

}  // namespace

void check_software(TrainSetup& setup, Diagnostics& diagnostics) {
  check_chip(setup, diagnostics);
  AbilityCheck(setup, diagnostics).run();
}

std::optional<Notice> note_abilities(const TrainSetup& setup) {
  using training::AbilityWord;
  const auto& abilities = setup.job.stack->abilities;
  const config::Layout layout = setup.asked_layout();
  std::vector<std::string> lacking;
  // Number formats and releases are no dimension of a search.
  const auto is_open = [&](const AbilityWord& row) {
    if (row.list == "schedules") return !layout.schedule && !(layout.pp && layout.pp->value == 1);
    if (row.ability == Ability::kTensorParallel) return !layout.tp;
    if (row.ability == Ability::kContextParallel) return !layout.cp;
    if (row.ability == Ability::kExpertParallel)
      return !layout.ep && setup.job.model->has_experts();
    if (row.list == "zero") return !layout.zero;
    if (row.ability == Ability::kGroupsOfZero3) return !layout.zero;
    if (row.list == "offload") return !layout.offload;
    return row.list == "recompute" && !layout.recompute;
  };
  for (const AbilityWord& row : training::ability_words())
    if (is_open(row) && !abilities.has(row.ability))
      lacking.push_back(training::words_of(row.ability));
  if (lacking.empty()) return std::nullopt;
  return Notice{.id = "left-out-by-stack",
                .arguments = {{"stack", setup.job.stack->title},
                              {"abilities", fmt::format("{}", fmt::join(lacking, ", "))}}};
}

}  // namespace loadfactor::engine
