#include "launch/read/programs/job_step.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/machines/elsewhere.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

class StepReader {
 public:
  StepReader(const Source& source, Words words, Findings& findings)
      : source_(source), words_(words), findings_(findings) {}

  void read() {
    for (std::size_t i = 1; i < words_.size() && words_[i].text.starts_with("-"); ++i) {
      const auto nodes = whole_number(option_value(words_, i, "-N", "--nodes"));
      if (nodes) step_share(*nodes, "nodes", kJobNodes, words_[i]);
      const auto each = whole_number(option_value(words_, i, "--gpus-per-node", "--gpus-per-node"));
      if (each) step_share(*each, "gpus_per_node", kJobGpus, words_[i]);
      step_gpus(words_[i], option_value(words_, i, "--gres", "--gres"));
      const auto all = whole_number(option_value(words_, i, "-G", "--gpus"));
      if (all) findings_.guess("world", std::to_string(*all), "the GPUs of srun");
      if (words_[i].text.size() == 2) ++i;
    }
  }

 private:
  // `gpu:h100:8`: the GPUs of a node, and their kind.
  void step_gpus(const Word& said, std::string_view gres) {
    constexpr std::string_view kGpu = "gpu:";
    if (!gres.starts_with(kGpu)) return;
    gres.remove_prefix(kGpu.size());
    const auto colon = gres.find(':');
    const std::string_view last = colon == std::string_view::npos ? gres : gres.substr(colon + 1);
    const auto count = whole_number(last);
    if (count) step_share(*count, "gpus_per_node", kJobGpus, said);
    if (!count || colon != std::string_view::npos)
      read_gpu_type(std::string(gres.substr(0, colon)), place_of(source_, said), findings_);
  }
  // A server's step is one of several, each with machines of its own.
  void step_share(std::int64_t count, const char* key, const char* job, const Word& said) {
    const Place place = place_of(source_, said);
    const auto all = findings_.number(job);
    if (all && count > *all)
      return findings_.error(lf::kContradictoryKeys, place,
                             fmt::format("the step asks for {} of the {} that the job has at {}",
                                         count, *all, to_text(findings_.find(job)->place)),
                             "a step takes a part of its job");
    const bool serves = std::any_of(words_.begin(), words_.end(), [](const Word& each) {
      return each.text.find("vllm") != std::string::npos ||
             each.text.find("sglang") != std::string::npos ||
             each.text.find("trtllm") != std::string::npos;
    });
    const bool is_of_job = all && findings_.number(key) == *all && !findings_.is_guess(key);
    if (!serves && is_of_job && count != *all) {
      findings_.erase(key);
      findings_.set(key, count, place);
      return findings_.remark(
          fmt::format("the step takes {} of the {} that the job has", count, *all), place);
    }
    findings_.guess(key, std::to_string(count),
                    std::string(key) == "nodes" ? "the nodes of srun" : "the GPUs of srun");
  }

  const Source& source_;
  Words words_;
  Findings& findings_;
};

}  // namespace

void read_step_share(const Source& source, Words words, Findings& findings) {
  StepReader(source, words, findings).read();
}

}  // namespace loadfactor::launch
