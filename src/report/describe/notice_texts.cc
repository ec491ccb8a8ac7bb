// The texts of notices that are raised as an id with arguments.
#include <algorithm>

#include "report/describe/notice_register.h"

namespace loadfactor::report {
namespace {

// Sorted by id. An id has a text for each set of arguments that it is raised with.
constexpr NoticeText kTexts[] = {
    {"api-sells-no-training",
     "money.options lists the API alone, which sells served tokens and no training: priced rented "
     "on demand instead; write money.options: [on-demand]"},
    {"beyond-limits", "GPUs instead: {machines} {objection}"},
    {"beyond-limits", "GPUs instead: at least {refusal}"},
    {"budget-missed", "{limit} is missed"},
    {"budget-without-rent", "limits.budget cannot be judged: no way to pay has a price"},
    {"budget-without-rent",
     "{accelerator} has no rent in our price list: the budget does not bind it"},
    {"budget-without-tokens",
     "limits.budget binds no layout: write train.tokens, so that a run has a length and a cost"},
    {"checkpoint-interval",
     "train.failures.interval of {asked} is shorter than a step or than the writing of a "
     "checkpoint: counted as one every {every}"},
    {"checkpoint-interval",
     "a checkpoint every {every} is what {as}, and oftener than most stacks manage; "
     "train.failures.interval sets it"},
    {"checkpoint-interval",
     "a checkpoint every {every} is what {as}, and oftener than most stacks manage (usual: "
     "{usual}); train.failures.interval sets it"},
    {"chosen-layout", "chosen: {keys}"},
    {"chosen-layout", "chosen, the shortest step of {layouts} layouts: {keys}"},
    {"deadline-missed", "{limit} is missed"},
    {"deadline-missed", "the fastest takes {time} of the {deadline} that the deadline leaves"},
    {"dear-spot",
     "{accelerator} on spot costs more than on demand: it pays {hours_paid} hours for each useful "
     "one, being taken away every {interval}"},
    {"default-batch",
     "a global batch of {batch} sequences assumed (about 4 M tokens); train.global_batch sets it"},
    {"default-batch",
     "a global batch of {batch_of_all} sequences at every size assumed, about 4 M tokens on the "
     "smallest; train.global_batch sets it"},
    {"efficiency-as-paid",
     "{accelerator}: efficiencies count every size as paid {option}, as the smallest is, so that "
     "they compare; days and cost are of each size's own way to pay"},
    {"few-spares",
     "train.failures.spares: {replaced} of {in_repair} in repair on average {verb} replaced at "
     "once, so that the job waits {waiting} of its time; {spares} would leave a goodput of "
     "{goodput}"},
    {"goodput-counted",
     "days and cost count failures, restarts and checkpoints ({share} of the paid time); "
     "evaluations and warm-up are not counted"},
    {"headroom", "{share} of the memory of every GPU stay free, as asked"},
    {"hours-paid",
     "{option} pays for {paid} of the {gpus} GPUs on average: {load} of those hours carry work, "
     "and {fleet_load} of all hours of {gpus} GPUs"},
    {"less-than-a-step",
     "{tokens} tokens are less than one step of {step}: time and cost are of that part of a step; "
     "give train.tokens as a count of all tokens, or a smaller train.global_batch"},
    {"limit-missed", "{limit} is missed"},
    {"limits-without-tokens",
     "{limits} cannot be judged: write train.tokens, so that the run has a length and a cost"},
    {"no-deadline",
     "the run takes {time}, and no deadline is written: `train.deadline: 90 days` asks for the "
     "best within it"},
    {"no-price", "{what} is left out: {why}"},
    {"no-progress",
     "failures, restarts and checkpoints leave no time to train: the run would not end, so that it "
     "has no days and no cost"},
    {"not-priced", "{refusal}"},
    {"not-simulated",
     "simulated was {simulated}, the cheapest to rent; {chosen} is sized by the {by}"},
    {"nothing-to-shard", "zero: {zero} has no effect: there is one data-parallel rank"},
    {"owned-share",
     "owned machines are charged for the run's share of their life: that holds if they are as busy "
     "for the rest of it"},
    {"rent-of-another-term",
     "{accelerator}: our price list has no rent {term}; {price} stand for it"},
    {"rent-over-budget",
     "the cheapest {run} costs {cost} at the rent, and the budget is {budget}: only {option} is "
     "within it"},
    {"rent-over-budget",
     "the cheapest {run} costs {cost} at the rent, and the budget is {budget}; within it the "
     "soonest takes {soonest}: only {option} is within it"},
    {"sizes-searched",
     "no number of GPUs is given: searched on {gpus}, the fewest on which {where}; --gpus names "
     "other numbers"},
    {"spares-apart",
     "the options pay for {gpus} GPUs; the {spares} that the goodput counts on would add {more}"},
    {"starved-pipeline", "{micro_batches} micro-batches do not fill {stages} stages"},
    {"tight-memory", "memory is tight: {needed} is needed, and fragmentation may end it"},
    {"trace-too-long", "a step has too many events to draw: no trace was made"},
    {"unpaired-stages",
     "DualPipe pairs the stages of two directions, and pp is {pp}: counted as if the middle one "
     "were its own; nearest that pairs: pp: {less} or {more}"},
    {"weak-curve-ends",
     "{accelerator}: no weak efficiency from {gpus} GPUs on: a batch that had grown with them "
     "would be beyond the critical one of {critical} tokens"},
    {"weeks",
     "fluid limit: of {weeks} weeks made with other seeds {kept} keep the SLO on {machines}, and "
     "{kept_with_fewer} with one replica fewer"},
    {"whole-machines",
     "{option}: the service needs {gpus} GPUs, and what binds for years is sold in whole machines; "
     "{load} of what is paid for carries work"},
};

std::vector<std::string_view> sorted(std::vector<std::string_view> names) {
  std::sort(names.begin(), names.end());
  return names;
}

const NoticeText* find_text(const Notice& notice) {
  std::vector<std::string_view> given;
  for (const auto& argument : notice.arguments) given.push_back(argument.name);
  given = sorted(std::move(given));
  for (const NoticeText& row : kTexts)
    if (row.id == notice.id && sorted(argument_names(row.text)) == given) return &row;
  return nullptr;
}

}  // namespace

std::span<const NoticeText> notice_texts() {
  return kTexts;
}

std::vector<std::string_view> argument_names(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t open = text.find('{'); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    const auto name = text.substr(open + 1, text.find('}', open) - open - 1);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string text_of(const Notice& notice) {
  if (!notice.text.empty()) return notice.text;
  const NoticeText* row = find_text(notice);
  if (row == nullptr) {
    const NoticeKind* kind = find_notice(notice.id);
    return kind != nullptr ? std::string(kind->meaning) : notice.id;
  }
  std::string out;
  std::string_view rest = row->text;
  for (std::size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    const std::size_t close = rest.find('}', open);
    const auto name = rest.substr(open + 1, close - open - 1);
    const auto argument =
        std::find_if(notice.arguments.begin(), notice.arguments.end(),
                     [&](const Notice::Argument& each) { return each.name == name; });
    out += rest.substr(0, open);
    out += argument->text;
    rest.remove_prefix(close + 1);
  }
  return out.append(rest);
}

Severity severity_of(const Notice& notice) {
  const NoticeKind* kind = notice.text.empty() ? find_notice(notice.id) : nullptr;
  return kind != nullptr ? kind->severity : notice.severity;
}

Notice told(Notice notice) {
  notice.severity = severity_of(notice);
  notice.text = text_of(notice);
  return notice;
}

}  // namespace loadfactor::report
