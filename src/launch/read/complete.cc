// What follows from what was found, and what contradicts it.
#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/read/completion/deduction.h"
#include "launch/read/readers.h"
#include "launch/read/scenario/scenario_writer.h"

namespace loadfactor::launch {
namespace {

void complete_tokens(Findings& findings) {
  const auto steps = findings.number("steps");
  const auto global = findings.number("train.global_batch");
  const auto sequence = findings.number("train.sequence");
  if (const auto samples = findings.number("samples"); samples && sequence)
    findings.guess(
        "train.tokens",
        fmt::format("{:.0f}", static_cast<double>(*samples) * static_cast<double>(*sequence)),
        "samples · sequence");
  if (!steps || !global || !sequence || *steps > 1'000'000'000) return;
  const double all =
      static_cast<double>(*steps) * static_cast<double>(*global) * static_cast<double>(*sequence);
  findings.guess("train.tokens", fmt::format("{:.0f}", all), "steps · batch · sequence");
}

class Completion : private Deduction {
 public:
  using Deduction::Deduction;

  void run() {
    choose_hosts(findings_);
    refuse_absurd();
    refuse_words();
    join_pools(findings_);
    name_titan_model(findings_);
    convert_titan_products(findings_);
    settle_maxtext(findings_);
    settle_neuronx(findings_);
    complete_service(findings_);
    join_machine(findings_);
    if (!starts_run(findings_)) {
      check_shapes(findings_);
      return hardware_alone();
    }
    degrees();
    sequences();
    complete_pipeline(findings_);
    complete_ranks(findings_);
    complete_sharding(findings_);
    apply_defaults(findings_);
    settle_offloaded_shards(findings_);
    complete_tokens(findings_);
    check_shapes(findings_);
  }

 private:
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
      if (value && ((*value < 1 && !may_be_none) || *value > (is_large ? kMostTokens : kMaxCount)))
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
};

}  // namespace

void complete(Findings& findings) {
  Completion(findings).run();
}

}  // namespace loadfactor::launch
