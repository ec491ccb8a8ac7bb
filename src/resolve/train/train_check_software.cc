// What the software of a scenario cannot do.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "resolve/train/train_layout.h"

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

}  // namespace

void check_software(TrainSetup& setup, Diagnostics& diagnostics) {
  const auto& stack = *setup.job.stack;
  const config::Layout layout = setup.asked_layout();
  check_chip(setup, diagnostics);
  if (!stack.pipelines && layout.pp && layout.pp->value > 1)
    diagnostics.add(
        setup.error(lf::kContradictoryKeys, layout.pp->position,
                    fmt::format("{} has no pipeline, and pp is {}", stack.title, layout.pp->value),
                    "nearest that it can: pp: 1 with zero: 3; or name a stack with one, such as "
                    "megatron-core"));
  if (!stack.splits_tensors && layout.tp && layout.tp->value > 1)
    diagnostics.add(setup.error(
        lf::kContradictoryKeys, layout.tp->position,
        fmt::format("{} does not split tensors, and tp is {}", stack.title, layout.tp->value),
        "nearest that it can: tp: 1 with zero: 3; or name a stack that does, such as "
        "megatron-core"));
}

}  // namespace loadfactor::engine
