// A service: servers that are started beside each other, and the ranks of a replica.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/read/completion/deduction.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

class ServiceCompletion : private Deduction {
 public:
  using Deduction::Deduction;

  void complete() {
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

 private:
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
};

}  // namespace

void complete_service(Findings& findings) {
  ServiceCompletion(findings).complete();
}

}  // namespace loadfactor::launch
