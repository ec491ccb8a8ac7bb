// One machine, as its own tools list it, beside what is started on it.
#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

class MachineJoin {
 public:
  MachineJoin(const Finding& machine, std::int64_t gpus, Findings& findings)
      : machine_(machine), gpus_(gpus), findings_(findings) {}

  void join() {
    if (findings_.find("serve.deployment.engine") != nullptr) return service();
    const Finding* each = findings_.find("gpus_per_node");
    if (each != nullptr) return part(*each);
    if (findings_.find("program") == nullptr) return say("gpus_per_node");
    if (const Finding* all = findings_.find("world")) return part_of(*all);
    if (findings_.find(kPlainTorchrun) != nullptr) return one_process();
    say("gpus_per_node");
    if (const Finding* alone = findings_.find(kPlainProcess); alone != nullptr && gpus_ > 1)
      findings_.remark(
          "one process drives all GPUs that it sees, and the prediction has one process a GPU",
          alone->place);
    if (findings_.find("nodes") == nullptr && !findings_.is_open("nodes"))
      findings_.guess("nodes", "1", "one machine is listed at " + where());
  }

 private:
  std::string where() const { return machine_.is_guess ? machine_.why : to_text(machine_.place); }
  void say(const std::string& key) {
    if (const Finding* seen = findings_.find("visible");
        seen != nullptr && whole_number(seen->value).value_or(gpus_) < gpus_ &&
        findings_.find("serve.deployment.engine") == nullptr)
      return findings_.take(key, seen->value, seen->place, seen->why);
    if (machine_.is_guess || findings_.is_open(key))
      findings_.conclude(key, std::to_string(gpus_), "the GPUs of the machine, " + where());
    else
      findings_.set(key, gpus_, machine_.place);
  }
  void part(const Finding& each) {
    const auto taken = whole_number(each.value);
    if (!taken || *taken == gpus_) return;
    if (*taken < gpus_) return remark_rest(*taken, each.place);
    if (each.is_guess) {  // A default that this machine has no room for.
      findings_.erase("gpus_per_node");
      return say("gpus_per_node");
    }
    if (!machine_.is_guess)
      findings_.error(lf::kContradictoryKeys, each.place,
                      fmt::format("{} of a node are used, and the machine of {} has {}",
                                  counted(*taken, "GPU"), where(), gpus_),
                      "as many ranks as the machine has GPUs, or fewer");
  }
  // Processes that may go over several machines.
  void part_of(const Finding& all) {
    const auto taken = whole_number(all.value);
    if (taken && *taken < gpus_) remark_rest(*taken, all.place);
  }
  void one_process() {
    findings_.guess("gpus_per_node", "1",
                    "torchrun starts one process a node unless --nproc-per-node says more");
    if (gpus_ > 1) remark_rest(1, machine_.place);
  }
  void remark_rest(std::int64_t taken, const Place& place) {
    findings_.remark(fmt::format("{} of the {} GPUs of this machine are used", taken, gpus_),
                     place.source == nullptr ? machine_.place : place);
  }
  // Servers on this machine alone leave what they do not take; those of a cluster are elsewhere.
  void service() {
    const bool is_spread = findings_.find(nodes_key("")) != nullptr ||
                           findings_.find("nodes") != nullptr ||
                           findings_.find("replica_gpus") != nullptr;
    if (is_spread || findings_.find("serve.deployment.scaling.most") != nullptr) return;
    if (findings_.find("gpus_per_node") == nullptr) say("gpus_per_node");
    std::int64_t taken = 0;
    for (const std::string pool : {"", "prefill.", "decode."}) {
      const std::string keys = "serve.deployment." + pool;
      if (findings_.is_open(keys + "tp") || findings_.is_open(keys + "replicas")) return;
      if (!findings_.number(keys + "tp")) continue;
      std::int64_t ranks = 1;
      for (const char* name : {"tp", "pp", "dp", "replicas"}) {
        const std::int64_t degree = findings_.number(keys + name).value_or(1);
        if (degree < 1 || degree > kMostRanks || ranks > kMostRanks) return;
        ranks *= degree;
      }
      taken += ranks;
    }
    if (taken > gpus_ || taken == 0) return;
    findings_.guess("limits.gpus", std::to_string(gpus_),
                    fmt::format("the GPUs of the machine, {}", where()));
    if (taken < gpus_) remark_rest(taken, machine_.place);
  }

  static constexpr std::int64_t kMostRanks = 1'000'000;
  Finding machine_;
  std::int64_t gpus_;
  Findings& findings_;
};

}  // namespace

void join_machine(Findings& findings) {
  const auto gpus = findings.number(kMachineGpus);
  if (!gpus) return;
  MachineJoin(*findings.find(kMachineGpus), *gpus, findings).join();
}

}  // namespace loadfactor::launch
