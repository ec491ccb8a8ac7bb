// What follows from what was found, and what contradicts it.
#include <array>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

constexpr std::int64_t kMostCount =
    100'000'000;  // Beyond it nobody builds, and products would overflow.

class Completion {
 public:
  explicit Completion(Findings& findings) : findings_(findings) {}

  void run() {
    refuse_absurd();
    service();
    if (!trains()) return hardware_alone();
    degrees();
    sequences();
    pipeline();
    world();
    batch();
    sharding();
    tokens();
  }

 private:
  bool trains() const {
    return findings_.find("program") != nullptr || findings_.find("train.global_batch") != nullptr;
  }
  std::optional<std::int64_t> number(std::string_view key) const { return findings_.number(key); }
  std::int64_t degree(std::string_view name) const {
    return number("train.layout." + std::string(name)).value_or(1);
  }
  Place place(std::string_view key) const {
    const Finding* found = findings_.find(key);
    return found == nullptr ? Place{} : found->place;
  }
  void refuse_absurd() {
    std::vector<std::string> wrong;
    for (const auto& [key, found] : findings_.all()) {
      const auto value = whole_number(found.value);
      const bool may_be_none = key == "shares" || key == "first_less" || key == "last_less" ||
                               key == "train.layout.shard_group" || key == "train.layout.zero" ||
                               key == "step_tokens" ||
                               key.starts_with("serve.deployment.scaling") || key == "array";
      constexpr std::int64_t kMostTokens = 1'000'000'000'000'000;
      const bool is_large = key.ends_with("tokens") || key == "steps" || key == "save_every";
      if (value && ((*value < 1 && !may_be_none) || *value > (is_large ? kMostTokens : kMostCount)))
        wrong.push_back(key);
    }
    for (const auto& key : wrong) {
      const Finding found = *findings_.find(key);
      findings_.error(lf::kOutOfRange, found.place,
                      fmt::format("{} is no size that exists", found.value));
      findings_.erase(key);
    }
  }
  void service() {
    if (const auto ranks = number("ranks")) {
      const Finding* copies = findings_.find("attention_dp");
      const bool is_copied = copies != nullptr && copies->value == "true";
      findings_.set("serve.deployment.tp", is_copied ? 1 : *ranks, place("ranks"));
      if (is_copied) findings_.set("serve.deployment.dp", *ranks, place("ranks"));
    }
    if (findings_.find("serve.deployment.engine") == nullptr) return;
    if (const auto jobs = number("array"))
      findings_.set("serve.deployment.replicas", *jobs, place("array"));
    const auto scales = findings_.find("serve.deployment.scaling.most") != nullptr;
    if (scales) findings_.erase("serve.deployment.replicas");
    check_replica("serve.deployment.", "replica_gpus");
    check_replica("serve.deployment.prefill.", "prefill_gpus");
    check_replica("serve.deployment.decode.", "decode_gpus");
  }
  // The ranks of a replica are the GPUs that its pods get.
  void check_replica(const std::string& keys, std::string_view gpus) {
    const auto given = number(gpus);
    if (!given) return;
    const std::int64_t nodes = number("replica_nodes").value_or(1);
    const std::int64_t ranks = number(keys + "tp").value_or(1) * number(keys + "pp").value_or(1) *
                               number(keys + "dp").value_or(1);
    if (ranks != *given * nodes)
      findings_.error(
          lf::kContradictoryKeys, place(gpus),
          fmt::format("the pod gets {} GPUs, and the engine is cut over {}", *given * nodes, ranks),
          "tp · pp · dp is the number of GPUs of a replica");
  }
  void hardware_alone() {
    if (findings_.find("serve.deployment.engine") != nullptr) return;
    const auto nodes = number("nodes");
    const auto each = number("gpus_per_node");
    if (each) findings_.set("limits.gpus", nodes.value_or(1) * *each, place("gpus_per_node"));
  }
  void degrees() {
    const Finding* program = findings_.find("program");
    if (program == nullptr) return;
    for (const char* name : {"tp", "pp", "cp"})
      findings_.guess("train.layout." + std::string(name), "1", program->value + "'s default");
  }
  void sequences() {
    const auto sequence = number("train.sequence");
    if (!sequence) return;
    const auto divide = [&](std::string_view tokens, std::string_view key) {
      const auto value = number(tokens);
      if (!value || *value <= 0) return;
      if (*value % *sequence != 0)
        return findings_.error(
            lf::kContradictoryKeys, place(tokens),
            fmt::format("{} tokens are no whole sequences of {}", *value, *sequence));
      findings_.set(key, *value / *sequence, place(tokens));
    };
    divide("micro_tokens", "train.layout.micro_batch");
    divide("step_tokens", "train.global_batch");
  }
  void pipeline() {
    const std::int64_t pp = degree("pp");
    const auto layers = number("dims.layers");
    if (const auto each = number("virtual_layers"); each && layers) {
      if (*layers % (pp * *each) != 0)
        return findings_.error(
            lf::kContradictoryKeys, place("virtual_layers"),
            fmt::format("{} layers are no {} stages of chunks of {}", *layers, pp, *each));
      findings_.set("train.layout.vp", *layers / (pp * *each), place("virtual_layers"));
    }
    counted_ends(pp);
    titan_stages(pp);
    if (pp == 1) {
      if (number("train.layout.vp").value_or(1) > 1)
        findings_.error(lf::kContradictoryKeys, place("train.layout.vp"),
                        "virtual stages need a pipeline, and there is none");
      findings_.erase("train.layout.vp");
      return;
    }
    const bool is_chunked = number("train.layout.vp").value_or(1) > 1;
    findings_.guess("train.layout.schedule", is_chunked ? "interleaved" : "1f1b", "by its stages");
    if (findings_.find("program") != nullptr)
      findings_.guess("train.layout.vp", "1", "no flag cuts stages");
  }
  // Where the embedding or the loss counts as a layer, the stage that has it is one layer short.
  void counted_ends(std::int64_t pp) {
    const std::int64_t first = number("counts.embedding").value_or(0);
    const std::int64_t last = number("counts.loss").value_or(0);
    const auto layers = number("dims.layers");
    if (pp == 1 || !layers || first + last == 0) return;
    const Place at = place(first > 0 ? "counts.embedding" : "counts.loss");
    const std::int64_t all = *layers + first + last;
    if (all % pp != 0)
      return findings_.error(
          lf::kContradictoryKeys, at,
          fmt::format("{} layers with the ends counted are no {} equal stages", all, pp));
    // Chunks of such stages are the usual ones, which a scenario has where it leaves the ends out.
    if (number("train.layout.vp").value_or(1) > 1) return;
    findings_.set("train.layout.first_layers", all / pp - first, at);
    findings_.set("train.layout.last_layers", all / pp - last, at);
  }
  void titan_stages(std::int64_t pp) {
    struct ScheduleRow {
      std::string_view theirs, ours;
    };
    constexpr std::array kSchedules{ScheduleRow{"GPipe", "gpipe"}, ScheduleRow{"1F1B", "1f1b"},
                                    ScheduleRow{"Interleaved1F1B", "interleaved"},
                                    ScheduleRow{"ZBVZeroBubble", "zero-bubble-v"}};
    if (const Finding* found = findings_.find("titan_schedule")) {
      bool is_known = false;
      for (const auto& [theirs, ours] : kSchedules) {
        if (theirs != found->value) continue;
        is_known = true;
        if (pp > 1) findings_.set("train.layout.schedule", std::string(ours), found->place);
      }
      if (!is_known)
        findings_.remark(fmt::format("the schedule {} has no word in a scenario", found->value),
                         found->place);
    }
    const auto each = number("stage_layers");
    if (!each || pp == 1) return;
    const std::int64_t first = number("first_less").value_or(1);
    const std::int64_t last = number("last_less").value_or(1);
    if (first == 0 && last == 0) {
      const Finding* model = findings_.find("stage_layers");
      findings_.set("chunk_layers", *each, model->place);
      return;
    }
    if (first >= *each || last >= *each)
      return findings_.error(lf::kContradictoryKeys, place("stage_layers"),
                             "the first or the last stage would be empty");
    findings_.set("train.layout.first_layers", *each - first, place("stage_layers"));
    findings_.set("train.layout.last_layers", *each - last, place("stage_layers"));
  }
  void world() {
    const auto nodes = number("nodes");
    const auto each = number("gpus_per_node");
    if (nodes && each) findings_.set("world", *nodes * *each, place("nodes"));
    const std::int64_t fixed = degree("tp") * degree("pp") * degree("cp");
    const auto copies = number("copies");
    const auto shares = number("shares");
    if (copies && shares && *shares > 0)
      findings_.set("train.layout.dp", *copies * *shares, place("copies"));
    if (fixed > kMostCount) return;
    // The batch says the ranks where nothing else does.
    const auto global = number("train.global_batch");
    const auto micro = number("train.layout.micro_batch");
    const auto steps = number("accumulation");
    if (!number("world") && !number("train.layout.dp") && global && micro && steps) {
      if (*global % (*micro * *steps) == 0)
        findings_.guess("train.layout.dp", std::to_string(*global / (*micro * *steps)),
                        "by the batch");
    }
    if (const auto all = number("world")) {
      if (*all % fixed != 0)
        return findings_.error(
            lf::kContradictoryKeys, place("world"),
            fmt::format("{} GPUs are no multiple of tp · pp · cp = {}", *all, fixed),
            "gpus = tp · pp · cp · dp");
      findings_.set("train.layout.gpus", *all, place("world"));
      findings_.set("train.layout.dp", *all / fixed, place("world"));
    } else if (const auto dp = number("train.layout.dp")) {
      findings_.guess("train.layout.gpus", std::to_string(*dp * fixed), "tp · pp · cp · dp");
    }
  }
  void batch() {
    const auto dp = number("train.layout.dp");
    const auto micro = number("train.layout.micro_batch");
    const auto steps = number("accumulation");
    const auto global = number("train.global_batch");
    if (dp && micro && steps && *dp * *micro < kMostCount && *steps < kMostCount) {
      const std::int64_t product = *dp * *micro * *steps;
      if (global && *global != product)
        return findings_.error(
            lf::kContradictoryKeys, place("train.global_batch"),
            fmt::format("a batch of {} is not {} ranks of {} sequences in {} steps", *global, *dp,
                        *micro, *steps),
            fmt::format("global batch = dp · micro-batch · accumulation = {}", product));
      findings_.guess("train.global_batch", std::to_string(product),
                      "dp · micro-batch · accumulation");
    }
    if (dp && global && micro && *global % (*dp * *micro) != 0)
      findings_.error(
          lf::kContradictoryKeys, place("train.global_batch"),
          fmt::format("a batch of {} is no whole number of micro-batches of {} on {} ranks",
                      *global, *micro, *dp),
          "global batch = dp · micro-batch · a whole number");
    if (dp && !micro)
      if (const auto local = number("local_batch"))
        findings_.set("train.layout.micro_batch", *local, place("local_batch"));
    if (dp && !global && number("local_batch"))
      findings_.guess("train.global_batch", std::to_string(*dp * *number("local_batch")),
                      "dp · local batch, without accumulation");
  }
  void sharding() {
    const auto copies = number("copies");
    const auto shares = number("shares");
    const auto dp = number("train.layout.dp");
    const Finding* reshard = findings_.find("reshard");
    if (shares && findings_.find("train.layout.zero") == nullptr) {
      const bool keeps = reshard != nullptr && reshard->value == "never";
      const bool is_sharded = *shares != 1 || (dp && *dp == 1);
      findings_.set("train.layout.zero", !is_sharded ? "0" : keeps ? "2" : "3", place("shares"));
    }
    if (copies && *copies > 1 && shares && *shares > 1)
      findings_.set("train.layout.shard_group", *shares, place("shares"));
    if (const auto groups = number("shard_copies"); groups && *groups > 1 && dp) {
      if (*dp % *groups == 0)
        findings_.set("train.layout.shard_group", *dp / *groups, place("shard_copies"));
    }
    if (const auto group = number("train.layout.shard_group");
        group && (*group < 1 || (dp && *group >= *dp)))
      findings_.erase("train.layout.shard_group");
  }
  void tokens() {
    const auto steps = number("steps");
    const auto global = number("train.global_batch");
    const auto sequence = number("train.sequence");
    if (!steps || !global || !sequence || *steps > 1'000'000'000) return;
    const double all =
        static_cast<double>(*steps) * static_cast<double>(*global) * static_cast<double>(*sequence);
    findings_.guess("train.tokens", fmt::format("{:.0f}", all), "steps · batch · sequence");
  }

  Findings& findings_;
};

}  // namespace

void complete(Findings& findings) {
  Completion(findings).run();
}

}  // namespace loadfactor::launch
