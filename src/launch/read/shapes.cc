// What contradicts itself in a way that no program would start.
#include <array>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

class ShapeCheck {
 public:
  explicit ShapeCheck(Findings& findings) : findings_(findings) {}

  void run() {
    stages();
    heads();
    experts();
    positions();
    machines();
    visible();
    for (const char* pool : {"", "prefill.", "decode."}) engine(pool);
  }

 private:
  // A number that a file says firmly; guesses contradict nothing.
  std::optional<std::int64_t> firm(std::string_view key) const {
    return findings_.is_guess(key) ? std::nullopt : findings_.number(key);
  }
  Place place(std::string_view key) const {
    const Finding* found = findings_.find(key);
    return found == nullptr ? Place{} : found->place;
  }
  void refuse(std::string_view key, std::string message, std::string hint = {}) {
    findings_.error(lf::kContradictoryKeys, place(key), std::move(message), std::move(hint));
  }

  void stages() {
    const auto layers = firm("dims.layers");
    const auto pp = firm("train.layout.pp");
    if (!layers || !pp || *pp < 2) return;
    for (const char* own :
         {"train.layout.first_layers", "train.layout.last_layers", "stage_layout", "virtual_layers",
          "stage_layers", "account-for-embedding-in-pipeline-split",
          "account-for-loss-in-pipeline-split"})
      if (findings_.find(own) != nullptr) return;
    const std::int64_t chunks = *pp * firm("train.layout.vp").value_or(1);
    if (*layers % chunks != 0)
      refuse("dims.layers",
             fmt::format("{} layers are not {} equal parts of a pipeline", *layers, chunks),
             "stages of other sizes need --decoder-first-pipeline-num-layers or its like");
  }
  void heads() {
    const auto all = firm("dims.heads");
    const auto tp = firm("train.layout.tp");
    if (all && tp && *all % *tp != 0)
      refuse("train.layout.tp", fmt::format("{} heads do not go over tp {}", *all, *tp),
             "tp divides the heads");
  }
  void experts() {
    const auto ep = firm("train.layout.ep");
    const auto all = firm("dims.experts");
    const auto gpus = firm("train.layout.gpus");
    if (ep && all && *all % *ep != 0)
      refuse("train.layout.ep", fmt::format("{} experts do not go over ep {}", *all, *ep),
             "ep divides the experts");
    else if (ep && gpus && *ep > *gpus)
      refuse("train.layout.ep", fmt::format("ep {} is more than the {} GPUs", *ep, *gpus),
             "ep divides the GPUs that hold a stage");
  }
  void positions() {
    const auto sequence = firm("train.sequence");
    const auto most = firm("positions");
    if (sequence && most && *sequence > *most)
      refuse("train.sequence",
             fmt::format("a sequence of {} has no place in {} positions", *sequence, *most),
             "--max-position-embeddings is at least --seq-length");
  }
  // Processes, tasks and nodes.
  void machines() {
    const auto world = firm("world");
    const auto nodes = firm("nodes");
    const auto each = firm("gpus_per_node");
    if (world && nodes && *world % *nodes != 0)
      refuse("world", fmt::format("{} processes do not go over {} machines", *world, *nodes),
             "every machine starts equally many");
    if (const auto tasks = firm("tasks"); tasks && each && *tasks > *each)
      refuse("tasks", fmt::format("{} tasks of a node share {} GPUs", *tasks, *each),
             "one task for each GPU, or one for the node");
  }
  void visible() {
    const auto seen = firm("visible");
    const auto each = firm("gpus_per_node");
    const bool trains = findings_.find("program") != nullptr;
    if (seen && each && trains && *each > *seen)
      refuse("gpus_per_node", fmt::format("{} GPUs of a node are used, and CUDA_VISIBLE_DEVICES at "
                                          "{} leaves {}",
                                          *each, to_text(place("visible")), *seen));
  }
  // A group of ranks that share each layer stays on one machine unless nodes are named.
  void engine(const std::string& pool) {
    if (findings_.find("serve.deployment.engine") == nullptr) return;
    const std::string keys = "serve.deployment." + pool;
    const auto tp = firm(keys + "tp");
    const std::string nodes = nodes_key(pool.substr(0, pool.find('.')));
    if (!tp || findings_.find(nodes) != nullptr || findings_.number("nodes")) return;
    const std::int64_t all = *tp * firm(keys + "pp").value_or(1) * firm(keys + "dp").value_or(1);
    for (const char* key : {"visible", "gpus_per_node"}) {
      const auto there = firm(key);
      if (!there || all <= *there) continue;
      if (*tp > *there)
        return refuse(keys + "tp",
                      fmt::format("tp {} needs so many GPUs, and {} leaves {}", *tp,
                                  to_text(place(key)), *there),
                      "a smaller tp, or more GPUs");
      findings_.remark(
          fmt::format("tp · pp · dp = {} is more than the {} GPUs of one machine", all, *there),
          place(key));
    }
  }

  Findings& findings_;
};

}  // namespace

void check_shapes(Findings& findings) {
  ShapeCheck(findings).run();
}

}  // namespace loadfactor::launch
