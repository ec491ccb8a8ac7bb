// What follows from what was found, and what contradicts it.
#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

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
    choose_hosts(findings_);
    refuse_absurd();
    refuse_words();
    join_pools(findings_);
    name_titan_model(findings_);
    convert_titan_products(findings_);
    settle_maxtext(findings_);
    settle_neuronx(findings_);
    service();
    join_machine(findings_);
    if (!trains()) {
      check_shapes(findings_);
      return hardware_alone();
    }
    degrees();
    sequences();
    pipeline();
    world();
    batch();
    sharding();
    apply_defaults(findings_);
    shards_that_leave();
    tokens();
    check_shapes(findings_);
  }

 private:
  bool trains() const {
    return findings_.find("program") != nullptr || findings_.find("train.global_batch") != nullptr;
  }
  std::optional<std::int64_t> number(std::string_view key) const { return findings_.number(key); }
  // Nothing where a flag says it and its value is not in the files.
  std::optional<std::int64_t> degree(std::string_view name) const {
    const std::string key = "train.layout." + std::string(name);
    if (findings_.is_open(key)) return std::nullopt;
    return number(key).value_or(1);
  }
  // What follows from other keys is a guess where one of them is.
  void derive(std::string_view key, std::int64_t value, std::string_view from,
              std::initializer_list<std::string_view> others, std::string_view why) {
    bool is_guess = findings_.is_guess(from);
    for (const std::string_view each : others) is_guess = is_guess || findings_.is_guess(each);
    if (!is_guess) return findings_.set(key, value, place(from));
    // The first guess says why; what is computed from it does not.
    const Finding* source = findings_.find(from);
    findings_.conclude(key, std::to_string(value),
                       source != nullptr && source->is_guess ? source->why : std::string(why));
  }
  Place place(std::string_view key) const {
    const Finding* found = findings_.find(key);
    return found == nullptr ? Place{} : found->place;
  }
  void refuse_absurd() {
    std::vector<std::string> wrong;
    for (const auto& [key, found] : findings_.all()) {
      const auto value = whole_number(found.value);
      const bool may_be_none =
          key == "shares" || key == "first_less" || key == "last_less" || key == "chunk_ends" ||
          key == "train.layout.shard_group" || key == "train.layout.zero" || key == "step_tokens" ||
          key == "serve.deployment.memory_fraction" || key.starts_with(kPoolFraction) ||
          key.starts_with("serve.deployment.scaling") || key == "array";
      constexpr std::int64_t kMostTokens = 1'000'000'000'000'000;
      const bool is_large = key.ends_with("tokens") || key == "steps" || key == "samples";
      if (value && ((*value < 1 && !may_be_none) || *value > (is_large ? kMostTokens : kMostCount)))
        wrong.push_back(key);
    }
    for (const auto& key : wrong) {
      const Finding found = *findings_.find(key);
      findings_.error(lf::kOutOfRange, found.place,
                      fmt::format("{} is no size that exists", found.value),
                      *whole_number(found.value) < 1 ? "1 or more" : "count its digits");
      findings_.erase(key);
    }
  }
  // Values that are of the right kind and mean nothing.
  void refuse_words() {
    if (const auto zero = number("train.layout.zero"); zero && (*zero < 0 || *zero > 3)) {
      findings_.error(lf::kOutOfRange, place("train.layout.zero"),
                      fmt::format("ZeRO has the stages 0 to 3, and {} is given", *zero),
                      "0 shards nothing, 3 shards the parameters too");
      findings_.erase("train.layout.zero");
    }
    std::vector<std::string> shares;
    for (const auto& [key, found] : findings_.all())
      if (key == "serve.deployment.memory_fraction" || key.starts_with(kPoolFraction))
        shares.push_back(key);
    for (const std::string& key : shares) refuse_share(key);
  }
  void refuse_share(const std::string& key) {
    const Finding* fraction = findings_.find(key);
    double share = 0;
    const char* end = fraction->value.data() + fraction->value.size();
    const auto done = std::from_chars(fraction->value.data(), end, share);
    if (done.ec == std::errc() && done.ptr == end && share > 0 && share <= 1) {
      // `.92` is no number of YAML.
      if (!fraction->value.starts_with('.')) return;
      const Finding kept = *fraction;
      findings_.erase(kept.key);
      return findings_.take(kept.key, "0" + kept.value, kept.place, kept.why);
    }
    findings_.error(lf::kOutOfRange, fraction->place,
                    fmt::format("an engine cannot take {} of a GPU's memory", fraction->value),
                    "a share above 0 and at most 1");
    findings_.erase(key);
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
    count_servers();
    const auto scales = findings_.find("serve.deployment.scaling.most") != nullptr;
    if (scales) start_of_scaling();
    check_replica("serve.deployment.", "replica_gpus", nodes_key(""));
    check_replica("serve.deployment.prefill.", "prefill_gpus", nodes_key("prefill"));
    check_replica("serve.deployment.decode.", "decode_gpus", nodes_key("decode"));
  }
  // A scaler moves replicas that are counted elsewhere, too.
  void start_of_scaling() {
    const Finding* found = findings_.find("serve.deployment.replicas");
    if (found == nullptr) return;
    const Finding kept = *found;
    findings_.erase("serve.deployment.replicas");
    const bool is_ours =
        kept.place.source != nullptr &&
        kept.place.source->text.find("written by loadfactor emit") != std::string::npos;
    if (!kept.is_guess && !is_ours)
      findings_.remark(
          fmt::format("replicas {}: a start from which the scaler moves them", kept.value),
          kept.place);
  }
  // Servers that are started beside each other, in each pool.
  void count_servers() {
    for (const std::string pool : {"", "prefill", "decode"}) {
      const auto& all = findings_.servers();
      const auto count = std::count_if(all.begin(), all.end(), [&](const auto& each) {
        return each.first.starts_with(pool + "|");
      });
      if (count > 1)
        findings_.guess("serve.deployment." + (pool.empty() ? "" : pool + ".") + "replicas",
                        std::to_string(count),
                        fmt::format("{} servers are started, each a replica", count));
    }
  }
  // The ranks of a replica are the GPUs that its pods get.
  void check_replica(const std::string& keys, std::string_view gpus, std::string_view spread) {
    const auto given = number(gpus);
    if (!given) return;
    // A default is sure, and any other guess is not.
    for (const char* name : {"tp", "pp", "dp"})
      if (findings_.is_open(keys + name) ||
          (findings_.is_guess(keys + name) && number(keys + name) != 1))
        return;
    const std::int64_t nodes = number(spread).value_or(1);
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
    if (!each) return;
    const std::int64_t gpus = nodes.value_or(1) * *each;
    const Finding* said = findings_.find("gpus_per_node");
    if (said->is_guess) return findings_.guess("limits.gpus", std::to_string(gpus), said->why);
    findings_.set("limits.gpus", gpus, said->place);
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
    const auto stages = degree("pp");
    if (!stages || findings_.is_open("train.layout.vp")) return;
    const std::int64_t pp = *stages;
    const auto layers = number("dims.layers");
    if (const auto each = number("virtual_layers"); each && !layers && pp > 1) {
      findings_.set("chunk_layers", *each, place("virtual_layers"));
      findings_.guess("train.layout.schedule", "interleaved", "chunks of stages are named");
      return findings_.leave_open(
          "train.layout.vp", place("virtual_layers"),
          fmt::format("chunks of {} layers, and the layers of the model are not known", *each));
    }
    if (const auto each = number("virtual_layers"); each && layers) {
      if (*layers % (pp * *each) != 0)
        return findings_.error(
            lf::kContradictoryKeys, place("virtual_layers"),
            fmt::format("{} layers are no {} stages of chunks of {}", *layers, pp, *each),
            "stages times the layers of a chunk divide the layers");
      derive("train.layout.vp", *layers / (pp * *each), "virtual_layers", {"train.layout.pp"},
             "layers over stages of such chunks");
    }
    titan_stages(pp);
    accounted_stages(pp);
    if (pp == 1) {
      if (number("train.layout.vp").value_or(1) > 1)
        findings_.error(lf::kContradictoryKeys, place("train.layout.vp"),
                        "virtual stages need a pipeline, and there is none");
      findings_.erase("train.layout.vp");
      return;
    }
    const bool is_chunked = number("train.layout.vp").value_or(1) > 1;
    const Finding* schedule = findings_.find("train.layout.schedule");
    if (schedule != nullptr && schedule->value == "interleaved" && !is_chunked) {
      if (number("stage_layers"))
        findings_.leave_open("train.layout.vp", place("stage_layers"),
                             "stages of so many layers, and those of the model are not known");
      else if (findings_.find("titan_schedule") != nullptr)
        findings_.guess("train.layout.vp", "2",
                        "assumed to be torchtitan's default; no table of its flags says it");
    }
    findings_.guess("train.layout.schedule", is_chunked ? "interleaved" : "1f1b", "by its stages");
    if (findings_.find("program") != nullptr)
      findings_.guess("train.layout.vp", "1", "no flag cuts stages");
  }
  // The embedding and the loss count as a layer each where Megatron is told so.
  void accounted_stages(std::int64_t pp) {
    constexpr const char* kEmbedding = "account-for-embedding-in-pipeline-split";
    constexpr const char* kLoss = "account-for-loss-in-pipeline-split";
    const bool embedding = findings_.find(kEmbedding) != nullptr;
    const bool loss = findings_.find(kLoss) != nullptr;
    const auto layers = number("dims.layers");
    if ((!embedding && !loss) || !layers || pp == 1) return;
    const std::int64_t all = *layers + (embedding ? 1 : 0) + (loss ? 1 : 0);
    const char* const said = embedding ? kEmbedding : kLoss;
    if (all % pp != 0)
      return findings_.error(
          lf::kContradictoryKeys, place(said),
          fmt::format("{} layers with the embedding and the loss are no {} equal stages", *layers,
                      pp));
    // Chunks of such stages are the usual ones, which a scenario has where it leaves the ends out.
    if (number("train.layout.vp").value_or(1) > 1) return;
    derive("train.layout.first_layers", all / pp - (embedding ? 1 : 0), said, {"train.layout.pp"},
           "the embedding counts as a layer");
    derive("train.layout.last_layers", all / pp - (loss ? 1 : 0), said, {"train.layout.pp"},
           "the loss counts as a layer");
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
    const Finding* schedule = findings_.find("train.layout.schedule");
    const bool is_chunked = schedule != nullptr && schedule->value == "interleaved";
    if (is_chunked || (first == 0 && last == 0)) {
      findings_.set("chunk_layers", *each, place("stage_layers"));
      findings_.set("chunk_ends", first + last, place("stage_layers"));
      return;
    }
    if (first >= *each || last >= *each)
      return findings_.error(lf::kContradictoryKeys, place("stage_layers"),
                             "the first or the last stage would be empty");
    findings_.set("train.layout.first_layers", *each - first, place("stage_layers"));
    findings_.set("train.layout.last_layers", *each - last, place("stage_layers"));
  }
  // tp · pp · cp, where all are known.
  std::optional<std::int64_t> fixed_ranks() const {
    const auto tp = degree("tp");
    const auto pp = degree("pp");
    const auto cp = degree("cp");
    if (!tp || !pp || !cp || *tp * *pp > kMostCount || *tp * *pp * *cp > kMostCount)
      return std::nullopt;
    return *tp * *pp * *cp;
  }
  void world() {
    const auto nodes = number("nodes");
    const auto each = number("gpus_per_node");
    if (const auto marked = number("mark.gpus");
        marked && nodes && each && *nodes * *each != *marked)
      return findings_.error(
          lf::kContradictoryKeys, place("mark.gpus"),
          fmt::format("{} GPUs here, and {} nodes start {} ranks each", *marked, *nodes, *each),
          "nodes times the ranks of a node are the GPUs");
    if (nodes && each)
      derive("world", *nodes * *each, "nodes", {"gpus_per_node"}, "nodes times their GPUs");
    const auto copies = number("copies");
    const auto shares = number("shares");
    if (copies && shares && *shares > 0)
      derive("train.layout.dp", *copies * *shares, "copies", {"shares"}, "copies times shares");
    ranks_of_batch();
    const auto fixed = fixed_ranks();
    if (!fixed) {
      if (const auto all = number("world"))
        derive("train.layout.gpus", *all, "world", {}, "the GPUs that are started");
      return;
    }
    if (const auto all = number("world"))
      ranks_of_world(*all, *fixed);
    else if (const auto dp = number("train.layout.dp"))
      findings_.guess("train.layout.gpus", std::to_string(*dp * *fixed), "tp · pp · cp · dp");
  }
  // The batch says the ranks where nothing else does.
  void ranks_of_batch() {
    const auto global = number("train.global_batch");
    const auto micro = number("train.layout.micro_batch");
    const auto steps = number("accumulation");
    if (number("world") || number("train.layout.dp") || !global || !micro || !steps) return;
    if (*global % (*micro * *steps) == 0)
      return findings_.guess("train.layout.dp", std::to_string(*global / (*micro * *steps)),
                             "by the batch");
    findings_.error(lf::kContradictoryKeys, place("train.global_batch"),
                    fmt::format("a batch of {} is no whole number of ranks of {} sequences in {} "
                                "steps",
                                *global, *micro, *steps),
                    "global batch = dp · micro-batch · accumulation");
  }
  void ranks_of_world(std::int64_t all, std::int64_t fixed) {
    const std::string why = "the GPUs that are started";
    if (findings_.is_guess("world")) {
      // A guess that does not go with the rest is none.
      const auto dp = number("train.layout.dp");
      if (all % fixed == 0 && (!dp || *dp * fixed == all)) {
        derive("train.layout.gpus", all, "world", {}, why);
        return derive("train.layout.dp", all / fixed, "world", {}, why);
      }
      findings_.remark(fmt::format("{} GPUs ({}) do not go with tp · pp · cp = {}", all,
                                   findings_.find("world")->why, fixed),
                       {});
      if (dp)
        findings_.guess("train.layout.gpus", std::to_string(*dp * fixed), "tp · pp · cp · dp");
      return;
    }
    if (all % fixed != 0)
      return findings_.error(
          lf::kContradictoryKeys, place("world"),
          fmt::format("{} GPUs are no multiple of tp · pp · cp = {}", all, fixed),
          "gpus = tp · pp · cp · dp");
    findings_.set("train.layout.gpus", all, place("world"));
    if (findings_.is_guess("train.layout.tp") && number("train.layout.tp") != 1)
      return derive("train.layout.dp", all / fixed, "world", {"train.layout.tp"}, why);
    findings_.set("train.layout.dp", all / fixed, place("world"));
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
      findings_.conclude("train.global_batch", std::to_string(product),
                         "dp · micro-batch · accumulation");
    }
    if (dp && global && micro && *global % (*dp * *micro) != 0)
      findings_.error(
          lf::kContradictoryKeys, place("train.global_batch"),
          fmt::format("a batch of {} is no whole number of micro-batches of {} on {} ranks",
                      *global, *micro, *dp),
          "global batch = dp · micro-batch · a whole number");
    const bool is_asked = findings_.is_open("train.layout.micro_batch");
    if (const auto local = number("local_batch"); local && !micro && degree("pp").value_or(1) > 1)
      findings_.guess("train.layout.micro_batch", "1",
                      "assumed to be torchtitan's default in a pipeline; no table of its flags "
                      "says it");
    else if (local && !micro && !is_asked)
      derive("train.layout.micro_batch", *local, "local_batch", {}, "the local batch");
    if (dp && !global && number("local_batch"))
      findings_.guess("train.global_batch", std::to_string(*dp * *number("local_batch")),
                      "dp · local batch, without accumulation");
  }
  // Sharded software that keeps what it gathered for the backward pass holds shards all the same.
  void shards_that_leave() {
    const auto zero = number("train.layout.zero");
    const Finding* offload = findings_.find("train.layout.offload");
    const Finding* framework = findings_.find("train.stack.framework");
    const bool leave = offload != nullptr && offload->value.find("parameters") != std::string::npos;
    const bool is_deepspeed = framework != nullptr && framework->value.starts_with("deepspeed");
    if (!zero || *zero != 2 || !leave || is_deepspeed) return;
    findings_.erase("train.layout.zero");
    findings_.guess("train.layout.zero", "3",
                    "shards of parameters leave the device; gathered once more than here");
  }
  // torchtitan shards over all ranks where nothing says otherwise.
  void titan_shares() {
    const Finding* program = findings_.find("program");
    if (program != nullptr && program->value == "torchtitan" && !number("copies") &&
        !findings_.is_open("copies") && !findings_.is_open("train.layout.zero"))
      findings_.guess("shares", "-1", "torchtitan's default");
  }
  void sharding() {
    titan_shares();
    const auto copies = number("copies");
    const auto shares = number("shares");
    const auto dp = number("train.layout.dp");
    const Finding* reshard = findings_.find("reshard");
    if (shares && findings_.find("train.layout.zero") == nullptr) {
      const Finding* program = findings_.find("program");
      const bool is_usual = reshard == nullptr || reshard->value == "default";
      const bool is_titan = program != nullptr && program->value == "torchtitan";
      const bool keeps_usually = is_usual && is_titan && degree("pp").value_or(1) > 1;
      const bool keeps = keeps_usually || (!is_usual && reshard->value == "never");
      // What is left over for the shares may be one rank.
      const bool is_alone = *shares < 1 && copies && *copies > 1 && dp && *dp == *copies;
      const bool is_sharded = (*shares != 1 && !is_alone) || (dp && *dp == 1);
      const std::string stage = !is_sharded ? "0" : keeps ? "2" : "3";
      if (keeps_usually && is_sharded)
        findings_.guess("train.layout.zero", stage,
                        "torchtitan keeps gathered parameters in a pipeline unless it is told");
      else if (findings_.is_guess("shares"))
        findings_.guess("train.layout.zero", stage, findings_.find("shares")->why);
      else
        findings_.set("train.layout.zero", stage, place("shares"));
    }
    if (copies && *copies > 1 && shares && *shares > 1)
      findings_.set("train.layout.shard_group", *shares, place("shares"));
    if (copies && *copies > 1 && shares && *shares < 1) {
      if (dp && *dp % *copies == 0 && *dp > *copies)
        derive("train.layout.shard_group", *dp / *copies, "copies", {"train.layout.dp"},
               "dp over its copies");
      if (!dp)
        findings_.remark(
            fmt::format("{} copies share what is left: shard_group is dp / {} once the GPUs are "
                        "known",
                        *copies, *copies),
            place("copies"));
    }
    if (const auto groups = number("shard_copies"); groups && *groups > 1 && dp) {
      if (*dp % *groups == 0)
        findings_.set("train.layout.shard_group", *dp / *groups, place("shard_copies"));
    }
    hybrid_group();
    if (const auto group = number("train.layout.shard_group");
        group && (*group < 1 || (dp && *group >= *dp)))
      findings_.erase("train.layout.shard_group");
  }
  // A strategy that shards within a node has the ranks of one node in a group.
  void hybrid_group() {
    const Finding* hybrid = findings_.find("hybrid_shard");
    if (hybrid == nullptr || findings_.find("train.layout.shard_group") != nullptr) return;
    const auto nodes = number("nodes");
    const auto all = number("world");
    auto each = number("gpus_per_node");
    if (!each && nodes && all && *all % *nodes == 0) each = *all / *nodes;
    const auto fixed = fixed_ranks();
    if (!each || !fixed || *each % *fixed != 0)
      return findings_.leave_open(
          "train.layout.shard_group", hybrid->place,
          fmt::format("{} shards over the GPUs of a node, which the files do not tell",
                      hybrid->value));
    const char* from = number("gpus_per_node") ? "gpus_per_node" : "world";
    derive("train.layout.shard_group", *each / *fixed, from, {}, "the GPUs of a node");
  }
  void tokens() {
    const auto steps = number("steps");
    const auto global = number("train.global_batch");
    const auto sequence = number("train.sequence");
    if (const auto samples = number("samples"); samples && sequence)
      findings_.guess(
          "train.tokens",
          fmt::format("{:.0f}", static_cast<double>(*samples) * static_cast<double>(*sequence)),
          "samples · sequence");
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
