// The stages of a pipeline, as each trainer counts them.
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/read/completion/deduction.h"

namespace loadfactor::launch {
namespace {

class PipelineCompletion : private Deduction {
 public:
  using Deduction::Deduction;

  void complete() {
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

 private:
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
};

}  // namespace

void complete_pipeline(Findings& findings) {
  PipelineCompletion(findings).complete();
}

}  // namespace loadfactor::launch
