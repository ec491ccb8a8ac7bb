// Arguments of torchtitan, and what its configurations convert.
#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "launch/findings/flags.h"
#include "launch/read/readers.h"
#include "launch/read/train_flags.h"
#include "launch/vocabulary/reading_tables.h"
#include "launch/vocabulary/titan_models.h"

namespace loadfactor::launch {
namespace {

constexpr const char* kConverters = "--model.converters";

// Sections of what a configuration converts, by the releases that have them.
constexpr std::array<std::string_view, 5> kConvertedSections{
    "float8", "mx", "quantize.linear.float8", "quantize.linear.mx", "quantize.dense.float8"};

// The flags of torchtitan, with those of the releases that read a TOML.
Program titan_flags(const std::vector<TitanKey>& keys) {
  const Program today = read_program("torchtitan");
  std::vector<Flag> known = today.flags();
  const auto add = [&](const std::string& name, FlagKind kind) {
    if (!today.find(name)) known.push_back({name, {}, kind, {}, {}});
  };
  for (const TitanKey& row : keys)
    add("--" + row.section + "." + row.name,
        row.choices.empty() ? FlagKind::kInteger : FlagKind::kText);
  for (const char* name : {"--job.config_file", "--model.name", "--model.flavor"})
    add(name, FlagKind::kText);
  add(kConverters, FlagKind::kText);
  for (const std::string_view section : kConvertedSections) {
    for (const char* name : {"recipe_name", "filter_fqns", "fqns"})
      add(fmt::format("--{}.{}", section, name), FlagKind::kText);
    for (const char* name : {"emulate", "enable_float8_linear", "enable_fsdp_float8_all_gather",
                             "precompute_float8_dynamic_scale_for_fsdp"})
      add(fmt::format("--{}.{}", section, name), FlagKind::kSwitch);
  }
  return {"torchtitan", today.origin(), std::move(known)};
}

// Keys that a word which is set elsewhere may give: all of the layout, the batch and the length.
void ask_for_open_titan_words(const GivenFlags& flags, const std::vector<TitanKey>& keys) {
  std::vector<std::string> names;
  for (const TitanKey& row : keys) names.push_back("--" + row.section + "." + row.name);
  std::vector<GivenFlags::FlagKey> open;
  // Sections of older releases say what those of today do.
  std::set<std::string> said;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (flags.find(names[i]) != nullptr) said.insert(keys[i].key);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].name != "batch_size" && keys[i].name != "pipeline_parallel_microbatch_size" &&
        said.insert(keys[i].key).second)
      open.push_back({names[i], keys[i].key});
  flags.leave_rest_open(false, open);
}

void read_titan_model(const GivenFlags& flags, Findings& findings) {
  const auto model = titan_model_of(flags.text("--config"));
  if (!model.model.empty())
    findings.guess("train.model", model.model, "the configuration " + flags.text("--config"));
  else if (!flags.text("--config").empty())
    findings.remark(fmt::format("--config {}: a configuration of torchtitan that we do not know",
                                flags.text("--config")),
                    flags.place("--config"));
  std::string precision = model.precision;
  if (precision.empty() && flags.text("--training.dtype") == "bfloat16") precision = "bf16-pure";
  if (precision.empty() && flags.text("--training.mixed_precision_param") == "float32")
    precision = "fp32";
  if (flags.find("--training.mixed_precision_param") != nullptr || !precision.empty())
    flags.say(!model.precision.empty()   ? "--config"
              : precision == "bf16-pure" ? "--training.dtype"
                                         : "--training.mixed_precision_param",
              "train.precision", precision.empty() ? "bf16" : precision);
  else
    findings.guess("train.precision", "bf16", "torchtitan's default");
}

// Products in 8 bits, which a configuration converts, whatever the rest is computed in.
void read_titan_products(GivenFlags& flags, Findings& findings) {
  if (flags.leaves_open(kConverters, "train.precision")) return;
  if (flags.find(kConverters) != nullptr)
    flags.say(kConverters, kTitanProducts, titan_products(flags.text(kConverters)));
  for (const std::string_view section : kConvertedSections) {
    const std::string prefix = fmt::format("--{}.", section);
    const std::string gathers = prefix + "enable_fsdp_float8_all_gather";
    if (flags.has(gathers)) remark_titan_gather(flags.place(gathers), findings);
    const std::string linear = prefix + "enable_float8_linear";
    if (flags.has(linear)) flags.say(linear, kTitanProducts, "fp8");
    flags.word(prefix + "recipe_name", kTitanRecipe);
    // Which products are converted is not predicted apart.
    for (const char* name : {"filter_fqns", "fqns", "precompute_float8_dynamic_scale_for_fsdp"})
      flags.find(prefix + name);
  }
}

// Compiled kernels, and eager ones, are predicted as two frameworks. A command line overrides the
// file that it names.
void read_titan_compiler(const GivenFlags& flags, bool is_file, Findings& findings) {
  constexpr const char* kKey = "train.stack.framework";
  constexpr const char* kCompile = "--compile.enable";
  if (flags.find(kCompile) == nullptr) return;
  if (!is_file && findings.is_guess(kKey)) findings.erase(kKey);
  const bool overlaps = flags.has("--compile.enable_async_tensor_parallel");
  if (!flags.has(kCompile))
    findings.guess(kKey, "torchtitan-eager", "compile.enable is false");
  else
    findings.guess(kKey, overlaps ? "torchtitan-async" : "torchtitan", "compile.enable is given");
}

}  // namespace

std::string titan_products(std::string_view converters) {
  // Experts alone are a part of the products.
  const auto has = [&](std::string_view word) {
    return converters.find(word) != std::string_view::npos;
  };
  if (has("float8")) return "fp8";
  std::string words(converters);
  std::replace_if(
      words.begin(), words.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, ' ');
  return (" " + words + " ").find(" mx ") == std::string::npos ? "none" : "mxfp8";
}

void remark_titan_gather(const Place& place, Findings& findings) {
  findings.remark(
      "enable_fsdp_float8_all_gather: shards travel in 8 bits, and the prediction gathers them in "
      "16",
      place);
}

void convert_titan_products(Findings& findings) {
  const Finding* products = findings.find(kTitanProducts);
  if (products == nullptr || products->value == "none") return;
  Finding converted = *products;
  const Finding* recipe = findings.find(kTitanRecipe);
  const bool is_by_row = recipe != nullptr && recipe->value.starts_with("rowwise");
  if (converted.value == "fp8" && is_by_row) converted.value = "fp8-rowwise";
  const Finding* precision = findings.find("train.precision");
  if (precision != nullptr && precision->value == "bf16-pure")
    findings.remark(
        "weights rest in bfloat16 beside converted products: the prediction has their master "
        "copies in 32 bits",
        precision->place);
  findings.erase("train.precision");
  findings.take("train.precision", converted.value, converted.place, converted.why);
}

void read_torchtitan(const Invocation& call, Findings& findings) {
  findings.has_launch = true;
  const auto keys = read_titan_keys();
  GivenFlags flags(titan_flags(keys), call.source, call.words, findings);
  read_titan_compiler(flags, call.is_dump, findings);
  findings.guess("program", "torchtitan", "by its flags");
  for (const TitanKey& row : keys) {
    const std::string name = "--" + row.section + "." + row.name;
    row.choices.empty() ? flags.count(name, row.key) : flags.word(name, row.key);
  }
  const std::string section = "--parallelism.";
  if (flags.find(section + "data_parallel_replicate_degree") != nullptr &&
      flags.find(section + "data_parallel_shard_degree") == nullptr)
    findings.guess("shares", "-1", "torchtitan shards over what is left");
  flags.count(section + "pipeline_parallel_layers_per_stage", "stage_layers");
  flags.count(section + "pipeline_parallel_first_stage_less_layers", "first_less");
  flags.count(section + "pipeline_parallel_last_stage_less_layers", "last_less");
  flags.count("--training.max_context_length", "train.sequence");
  flags.count("--training.num_tokens_per_microbatch_per_dp_rank", "micro_tokens");
  flags.count("--training.num_tokens_per_train_step", "step_tokens");
  if (const GivenFlag* given = flags.find(section + "enable_sequence_parallel"))
    flags.say(given->name, layout_key("sequence_parallel"), given->says_no ? "false" : "true");
  else
    findings.guess(layout_key("sequence_parallel"), "true", "torchtitan's default");
  if (flags.has("--training.enable_cpu_offload"))
    flags.say("--training.enable_cpu_offload", layout_key("offload"), "[optimizer, parameters]");
  remark_saves(call, flags, "--checkpoint.interval", findings);
  if (flags.text("--checkpoint.async_mode") == "disabled")
    flags.say("--checkpoint.async_mode", "train.failures.checkpoint", "synchronous");
  ask_for_open_titan_words(flags, keys);
  read_titan_model(flags, findings);
  read_titan_products(flags, findings);
  flags.word("--model.name", kTitanName);
  flags.word("--model.flavor", kTitanFlavor);
  ask_for_file(flags, "--job.config_file",
               {layout_key("tp"), layout_key("pp"), layout_key("cp"), layout_key("zero")},
               findings);
  if (!call.is_dump) flags.tell();
  flags.remark_rest("torchtitan", call.is_dump);
}

}  // namespace loadfactor::launch
