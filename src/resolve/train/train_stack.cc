#include "resolve/train/train_stack.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/figure_text.h"
#include "config/reader.h"
#include "training/step/machine.h"

namespace loadfactor::engine {
namespace {

using catalog::Dtype;

// Short names people use, and what our rules call it.
struct FrameworkWord {
  std::string_view word;
  std::string_view meaning;
};
constexpr std::array kFrameworkWords{
    FrameworkWord{"megatron", "megatron-core"},       FrameworkWord{"pytorch", "pytorch-compiled"},
    FrameworkWord{"fsdp", "fsdp-compiled"},           FrameworkWord{"jax", "xla"},
    FrameworkWord{"llm-foundry", "llm-foundry-2023"}, FrameworkWord{"nemo", "nemo"},
};
// Frameworks that shard the parameters unless told otherwise.
constexpr std::array<std::string_view, 5> kFullSharders{"fsdp", "torchtitan", "llm-foundry", "xla",
                                                        "automodel"};
// What a scenario without a stack gets, by the software of its chip.
constexpr std::array kUsualStacks{
    FrameworkWord{"xla", "xla"},
    FrameworkWord{"neuron", "neuron"},
};
constexpr std::string_view kUsualStack = "megatron-core-2026";

std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::vector<std::string> framework_words(const training::StackShelf& shelf) {
  std::vector<std::string> words;
  for (const auto& word : kFrameworkWords) words.emplace_back(word.word);
  for (const auto& rule : shelf.rules) {
    if (!rule.framework.empty()) words.push_back(rule.framework);
  }
  for (const auto& stack : shelf.stacks) words.push_back(stack.name);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

// A word of ours, and after it a release at most: `megatron-core 26.02` is known, and
// `megatron-cor-2026` is not a Megatron of some other name.
bool is_known(const std::string& framework, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return framework.starts_with(word) &&
           framework.find_first_not_of("0123456789.- v", word.size()) == std::string::npos;
  });
}

std::string_view meaning_of(const std::string& framework) {
  for (const auto& word : kFrameworkWords) {
    if (word.word == framework) return word.meaning;
  }
  return framework;
}

// Cards whose copies go through their host are trained by the programs that come with PyTorch:
// nothing that overlaps tensor-parallel or expert traffic has anything to overlap it with there.
constexpr std::string_view kUsualOfCards = "fsdp-compiled";

const training::StackTraits* usual_stack(const TrainSetup& setup) {
  if (setup.job.chip->staged) return setup.data->stacks.find(kUsualOfCards);
  for (const auto& row : kUsualStacks) {
    const auto& software = setup.job.chip->stack;
    if (std::find(software.begin(), software.end(), row.word) != software.end())
      return setup.data->stacks.find(row.meaning);
  }
  return setup.data->stacks.find(kUsualStack);
}

const training::StackTraits* asked_stack(const TrainSetup& setup, const config::Stack& stack,
                                         const std::string& framework) {
  const std::string_view meaning = meaning_of(framework);
  if (!stack.release && !stack.year) {
    if (const auto* exact = setup.data->stacks.find(meaning)) return exact;
  }
  training::StackQuery query;
  query.framework = std::string(meaning);
  if (stack.release) query.framework += " " + stack.release->value;
  query.chip_family = setup.job.chip->family;
  query.year = stack.year ? stack.year->value : 0;
  const auto* matched = setup.data->stacks.match(query);
  // The rules speak of generations; a stack without any goes by its name.
  const auto* exact = setup.data->stacks.find(meaning);
  const bool by_rule = std::any_of(
      setup.data->stacks.rules.begin(), setup.data->stacks.rules.end(),
      [&](const training::StackRule& rule) {
        return !rule.framework.empty() && query.framework.find(rule.framework) != std::string::npos;
      });
  return by_rule || exact == nullptr ? matched : exact;
}

struct PrecisionRow {
  std::string_view word;
  Dtype compute;
  bool block_wise = false;
  bool row_wise = false;
  bool pure = false;
};
constexpr std::array kPrecisions{
    PrecisionRow{"bf16", Dtype::kBf16},
    PrecisionRow{"bf16-pure", Dtype::kBf16, false, false, true},
    PrecisionRow{"fp16", Dtype::kFp16},
    PrecisionRow{"fp8", Dtype::kFp8},
    PrecisionRow{"fp8-block", Dtype::kFp8, true},
    PrecisionRow{"fp8-rowwise", Dtype::kFp8, false, true},
    PrecisionRow{"int8", Dtype::kInt8},
    PrecisionRow{"mxfp8", Dtype::kMxfp8, true},
    PrecisionRow{"nvfp4", Dtype::kNvfp4, true},
};

bool has_rate(const catalog::AcceleratorSpec& chip, std::initializer_list<Dtype> any_of) {
  return std::any_of(any_of.begin(), any_of.end(), [&chip](Dtype dtype) {
    return chip.arithmetic.rate(dtype) > FlopsPerSecond();
  });
}

bool computes_in(const catalog::AcceleratorSpec& chip, Dtype dtype) {
  switch (dtype) {
    case Dtype::kFp8:
      return has_rate(chip, {Dtype::kFp8, Dtype::kMxfp8});
    case Dtype::kMxfp8:  // Units that scale blocks of eight bits scale those of four, too.
      return has_rate(chip, {Dtype::kMxfp8, Dtype::kMxfp4, Dtype::kNvfp4, Dtype::kFp4});
    case Dtype::kNvfp4:
      return has_rate(chip, {Dtype::kNvfp4, Dtype::kFp4, Dtype::kMxfp4});
    default:
      return has_rate(chip, {dtype});
  }
}

void note_missing_rate(TrainSetup& setup) {
  const auto& chip = *setup.job.chip;
  const Dtype dtype = setup.job.precision.compute;
  if (computes_in(chip, dtype)) return;
  std::string rate = "16-bit";
  if (dtype == Dtype::kBf16) rate = "fp16";
  if (dtype == Dtype::kFp16) rate = "bf16";
  const bool narrower = dtype == Dtype::kMxfp8 || training::width_of(dtype) == training::Width::k4;
  if (narrower && has_rate(chip, {Dtype::kFp8, Dtype::kMxfp8})) rate = "fp8";
  setup.note(
      {.id = "no-arithmetic",
       .arguments = {{"accelerator", chip.title}, {"format", setup.precision}, {"rate", rate}}});
}

// An older release may lack what the newest one has.
void keep_to_release(TrainSetup& setup, const config::Stack& asked) {
  if (!asked.release) return;
  const training::StackTraits& stack = *setup.job.stack;
  const training::Abilities then = stack.abilities.at(asked.release->value);
  if (then.can == stack.abilities.can) return;
  auto older = std::make_shared<training::StackTraits>(stack);
  older->abilities = then;
  setup.released = older;
  setup.job.stack = older.get();
}

// `gddr6x` and `gddr7` are one kind.
std::string_view memory_kind(const catalog::AcceleratorSpec& chip) {
  const std::string_view type = chip.memory.type;
  return type.substr(0, type.find_first_of("0123456789"));
}

}  // namespace

const training::ChipConstants* constants_of(const catalog::Catalog& catalog,
                                            const training::Calibration& calibration,
                                            const catalog::AcceleratorSpec& chip) {
  const auto* relative = calibration.find(chip);
  if (relative == nullptr || relative->accelerator == chip.name) return relative;
  const auto is_alike = [&](const training::ChipConstants& other) {
    const auto spec = catalog.find_accelerator(other.accelerator);
    return spec && memory_kind(**spec) == memory_kind(chip);
  };
  const auto find = [&](const auto& is_candidate) -> const training::ChipConstants* {
    const auto found =
        std::find_if(calibration.chips.begin(), calibration.chips.end(),
                     [&](const auto& other) { return is_candidate(other) && is_alike(other); });
    return found == calibration.chips.end() ? nullptr : &*found;
  };
  const auto* same_family = find([&](const training::ChipConstants& other) {
    return other.chip_family == relative->chip_family;
  });
  if (same_family != nullptr) return same_family;
  const auto* same_kernels =
      find([&](const training::ChipConstants& other) { return other.family == relative->family; });
  return same_kernels != nullptr ? same_kernels : relative;
}

std::vector<std::string> other_usual_stacks(const TrainSetup& setup) {
  const auto& software = setup.job.chip->stack;
  const bool has_own = std::any_of(kUsualStacks.begin(), kUsualStacks.end(), [&](const auto& row) {
    return std::find(software.begin(), software.end(), row.word) != software.end();
  });
  std::vector<std::string> others;
  if (has_own) return others;
  for (const std::string_view name : {kUsualStack, kUsualOfCards})
    if (setup.job.stack->name != name) others.emplace_back(name);
  return others;
}

void choose_stack(TrainSetup& setup, Diagnostics& diagnostics) {
  const auto& asked = setup.ask().stack;
  if (!asked || !asked->framework) {
    if (asked && asked->year) {
      training::StackQuery query;
      query.framework = "megatron-core";
      query.chip_family = setup.job.chip->family;
      query.year = asked->year->value;
      setup.job.stack = setup.data->stacks.match(query);
      setup.job.year = asked->year->value;
    }
    if (setup.job.stack == nullptr) setup.job.stack = usual_stack(setup);
    setup.note({.id = "default-stack", .arguments = {{"stack", setup.job.stack->title}}});
    setup.shards_parameters = setup.job.stack->compiler || setup.job.chip->staged.has_value();
    return;
  }
  const std::string framework = lower(asked->framework->value);
  const auto words = framework_words(setup.data->stacks);
  if (!is_known(framework, words)) {
    const auto nearest = config::suggest(framework, words);
    diagnostics.add(
        setup.error(lf::kUnknownWord, asked->framework->position,
                    fmt::format("no framework '{}'", asked->framework->value),
                    (nearest ? fmt::format("did you mean '{}'? ", *nearest) : std::string()) +
                        fmt::format("one of: {}", fmt::join(words, ", "))));
    return;
  }
  setup.job.stack = asked_stack(setup, *asked, framework);
  keep_to_release(setup, *asked);
  setup.job.year = asked->year ? asked->year->value : 0;
  setup.shards_parameters =
      setup.job.stack->compiler ||
      std::any_of(kFullSharders.begin(), kFullSharders.end(),
                  [&](std::string_view word) { return framework.find(word) != std::string::npos; });
  setup.note({.id = "stack", .arguments = {{"stack", setup.job.stack->title}}});
}

namespace {

void set_wire_gradient(TrainSetup& setup) {
  const auto& layout = setup.ask().layout;
  if (!layout || !layout->gradients) return;
  constexpr std::array kBytes{4.0, 2.0, 2.0, 1.0, 1.0};  // As GradientWord lists them.
  setup.job.precision.wire_gradient = kBytes[static_cast<std::size_t>(layout->gradients->value)];
  if (setup.job.precision.wire_gradient < 2.0) setup.note({.id = "lossy-gradients"});
}

// How state, kept inputs, gradients and tokens are written down where the layout says so.
void set_formats(TrainSetup& setup) {
  const config::Layout layout = setup.asked_layout();
  training::Precision& precision = setup.job.precision;
  precision.short_moments = layout.moments && layout.moments->value == config::MomentWord::kBf16;
  if (layout.kept) precision.kept_input = layout.kept->value == config::KeptWord::kFp8 ? 1.0 : 2.0;
  if (!layout.compression) return;
  precision.compression = layout.compression->kind->value == config::CompressionWord::kPowerSgd
                              ? training::Compression::kPowerSgd
                              : training::Compression::kOneBit;
  if (layout.compression->rank) precision.compression_rank = layout.compression->rank->value;
  setup.note({.id = "lossy-gradients"});
}

void set_routing(TrainSetup& setup) {
  const config::Layout layout = setup.asked_layout();
  if (!layout.moe) return;
  training::ExpertRouting& routing = setup.job.routing;
  if (layout.moe->imbalance) routing.imbalance = layout.moe->imbalance->value;
  if (layout.moe->spread) routing.spread = layout.moe->spread->value;
  if (layout.moe->capacity_factor) routing.capacity = layout.moe->capacity_factor->value;
  routing.padded = layout.moe->padded && layout.moe->padded->value;
  if (layout.moe->dispatch && layout.moe->dispatch->value == config::DispatchWord::kFp8)
    routing.dispatched_bytes = 1;
  constexpr double kSeen = 0.001;
  if (routing.dropped() > kSeen)
    setup.note({.id = "dropped-tokens",
                .severity = Severity::kCaution,
                .arguments = {{"share", percent_text(routing.dropped())}}});
}

}  // namespace

std::optional<Error> unknown_precision(const std::string& word) {
  std::vector<std::string> words;
  for (const auto& row : kPrecisions) words.emplace_back(row.word);
  if (std::find(words.begin(), words.end(), lower(word)) != words.end()) return std::nullopt;
  const auto nearest = config::suggest(lower(word), words);
  return Error{.code = lf::kUnsupportedDtype,
               .message = fmt::format("no precision '{}' to train in", word),
               .hint = (nearest ? fmt::format("did you mean '{}'? ", *nearest) : std::string()) +
                       fmt::format("one of: {}", fmt::join(words, ", "))};
}

void choose_precision(TrainSetup& setup, Diagnostics& diagnostics) {
  const auto& asked = setup.ask().precision;
  const std::string word = asked ? lower(asked->value) : "bf16";
  const auto* found = std::find_if(kPrecisions.begin(), kPrecisions.end(),
                                   [&](const PrecisionRow& row) { return row.word == word; });
  if (const auto error = unknown_precision(word)) {
    diagnostics.add(setup.error(error->code, asked->position, error->message, error->hint));
    return;
  }
  setup.precision = word;
  setup.job.precision = {found->compute, found->row_wise, found->block_wise, found->pure};
  set_wire_gradient(setup);
  set_formats(setup);
  set_routing(setup);
  if (!asked) setup.note({.id = "default-precision"});
  if (setup.job.chip != nullptr) note_missing_rate(setup);
}

}  // namespace loadfactor::engine
