// What the scripts of training runs share.
#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/quantity_text.h"
#include "launch/emit/shell_text.h"
#include "launch/emit/targets.h"

namespace loadfactor::launch {

std::string torchrun_text(const RunPlan& run, std::string_view program, std::string_view array) {
  std::string text = fmt::format(
      "exec torchrun \\\n  --nnodes \"${{NNODES:-{}}}\" --nproc-per-node {} --node-rank "
      "\"${{NODE_RANK:-${{SLURM_NODEID:-0}}}}\" \\\n  --master-addr "
      "\"${{MASTER_ADDR:-127.0.0.1}}\" "
      "--master-port \"${{MASTER_PORT:-29500}}\" \\\n  {}",
      run.nodes(), run.gpus_on_node(), program);
  if (!array.empty()) text += fmt::format(" \"${{{}[@]}}\"", array);
  return text + " \"$@\"\n";
}

namespace {

std::string recompute_word(const training::Recompute& recompute) {
  using training::RecomputeKind;
  if (recompute.kind == RecomputeKind::kFull && recompute.layers_per_stage > 0)
    return fmt::format("layers:{}", recompute.layers_per_stage);
  if (recompute.kind == RecomputeKind::kFull) return "full";
  if (recompute.kind == RecomputeKind::kSelective) return "selective";
  std::string words;
  const auto add = [&words](bool is, const char* word) {
    if (is) words += (words.empty() ? "" : ",") + std::string(word);
  };
  add(recompute.norms, "norms");
  add(recompute.activation, "activations");
  add(recompute.mlp, "mlp");
  add(recompute.latent_up, "latent-up");
  add(recompute.experts, "experts");
  return words.empty() ? "none" : words;
}

}  // namespace

namespace {

// `a checkpoint takes 112 GB, all 238 of the run 26.7 TB`; empty where its size is not known.
std::string size_remark(const RunPlan& run) {
  if (run.save_size <= Bytes() || !run.save_every) return {};
  const auto shown = [](Bytes size) { return format_display(any(size)); };
  std::string text = "; a checkpoint takes " + shown(run.save_size);
  const std::int64_t saves = run.steps ? *run.steps / *run.save_every : 0;
  if (saves > 1)
    text += fmt::format(", all {} of the run {}", format_count(saves),
                        shown(run.save_size * static_cast<double>(saves)));
  return text;
}

}  // namespace

std::string save_remark(const RunPlan& run, std::string_view retention) {
  constexpr double kLonger = 10;
  constexpr double kHour = 3600;
  const auto loss = [&](Seconds interval) {
    return run.save_stall / interval + 0.5 * (interval / run.stop_every);
  };
  const std::string kept = fmt::format("{}; {}", size_remark(run), retention);
  if (run.save_interval <= Seconds() || run.stop_every <= Seconds())
    return "the best by the goodput model" + kept;
  return fmt::format(
      "the best by the goodput model: every {} s; a save holds the run up {:.2f} s, a stop comes "
      "every {} h; {:.0f} times as many steps lose {} % more{}",
      three_figures(run.save_interval.base()), run.save_stall.base(),
      three_figures(run.stop_every.base() / kHour), kLonger,
      three_figures(100 * (loss(run.save_interval * kLonger) - loss(run.save_interval))), kept);
}

std::string model_remark(const Desk& desk, const ModelShape& model, std::string_view key) {
  const std::string from = desk.from(key);
  if (model.is_file) return from;
  if (model.repository.empty())
    return from + "; no repository of that name is known: set it to the path of your checkpoint";
  return fmt::format("the repository of {}{}, {}; or the path of your checkpoint", model.name,
                     model.repository_is_assumed ? " (assumed)" : "", from);
}

std::string environment_text(const Desk& desk) {
  const RunPlan& run = desk.run();
  std::string text = "# Your training program reads these; no table of flags is known for it.\n";
  const auto set = [&text](std::string_view name, const std::string& value, std::string_view from) {
    text += fmt::format("export {}={}  # {}\n", name, shell_word(value), from);
  };
  const auto count = [&](std::string_view name, std::int64_t value, std::string_view from) {
    set(name, std::to_string(value), from);
  };
  if (!run.model.name.empty())
    text += fmt::format("export LF_MODEL=\"${{LF_MODEL:-{}}}\"  # {}\n", run.model.checkpoint(),
                        model_remark(desk, run.model, "train.model"));
  count("LF_SEQUENCE", run.sequence, desk.from("train.sequence"));
  count("LF_MICRO_BATCH", run.layout.micro_batch, desk.from("train.layout.micro_batch"));
  count("LF_GRADIENT_ACCUMULATION", run.micro_batches(), "global batch over dp and micro-batch");
  count("LF_GLOBAL_BATCH", run.global_batch, desk.from("train.global_batch"));
  set("LF_PRECISION", run.precision, desk.from("train.precision", "default"));
  set("LF_RECOMPUTE", recompute_word(run.layout.recompute), desk.from("train.layout.recompute"));
  if (run.steps) count("LF_STEPS", *run.steps, "tokens over batch times sequence");
  if (run.save_every) {
    count("LF_SAVE_EVERY", *run.save_every,
          save_remark(run, "how many are kept is your program's to say"));
    set("LF_SAVE_MODE", run.saves_apart ? "asynchronous" : "synchronous",
        desk.from("train.failures.checkpoint", "as predicted"));
  }
  return text;
}

void refuse_formats(Desk& desk, const FormatWords& words) {
  constexpr const char* kNoWord = "its files have no word for it";
  const RunPlan& run = desk.run();
  if (run.formats.short_moments && !words.moments)
    desk.refuse("train.layout.moments", "bf16", kNoWord);
  if (run.formats.kept_input > 0)
    desk.refuse("train.layout.kept", run.formats.kept_input < 2 ? "fp8" : "bf16",
                "what is kept follows its precision");
  if (run.formats.compression != training::Compression::kNone)
    desk.refuse("train.layout.compression",
                run.formats.compression == training::Compression::kPowerSgd ? "powersgd" : "1-bit",
                "the program that trains would have to do it");
  if (run.routing.capacity > 0 && !words.capacity)
    desk.refuse("train.layout.moe.capacity_factor", fmt::format("{}", run.routing.capacity),
                kNoWord);
  if (run.routing.dispatched_bytes < 2) desk.refuse("train.layout.moe.dispatch", "fp8", kNoWord);
}

}  // namespace loadfactor::launch
