// The layout closest to what was asked that fits.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "resolve/train/train_layout.h"

namespace loadfactor::engine {
namespace {

// Gives up one wish after another, the cheapest first, and never leaves the scenario's limits.
class NearestSearch {
 public:
  explicit NearestSearch(const TrainSetup& setup)
      : setup_(setup), written_(setup.asked_layout()), asked_(written_) {
    const auto& limit = setup.scenario.limits.gpus;
    if (limit) limit_ = limit->value;
  }

  NearestLayout find() {
    open_recompute();
    if (fits()) return answer();
    asked_.micro_batch.reset();
    if (fits()) return answer();
    for (auto* open : {&asked_.zero, &asked_.vp, &asked_.dp, &asked_.ep}) open->reset();
    asked_.schedule.reset();
    if (fits() || grows_to(limit_)) return answer();
    asked_.tp.reset();
    asked_.pp.reset();
    asked_.gpus = written_.gpus;
    if (fits() || grows_to(limit_)) return answer();
    if (limit_ >= kMostGpus || !grows_to(kMostGpus)) return {"", nothing_found()};
    return {"",
            fmt::format("nothing does with {} within limits.gpus: {}; it takes about {} GPUs, or "
                        "offload to the host, which `train --search` tries",
                        setup_.job.stack->title, limit_, found_->job.layout.gpus)};
  }

 private:
  std::string nothing_found() const {
    if (written_.offload) return {};
    return "we find no layout that does without offload to the host, which `train --search` tries";
  }

  static constexpr std::int64_t kMostGpus = 65536;
  static constexpr std::int64_t kMostGrowth = 64;

  void open_recompute() {
    asked_.recompute.reset();
    asked_.recompute_modules.clear();
    asked_.recompute_layers = 0;
  }

  bool fits() {
    found_ = choose_layout(setup_, asked_);
    return found_ && found_->fits();
  }

  // Doubles the GPUs until it fits; false and as before if it never does within `most`.
  bool grows_to(std::int64_t most) {
    const auto before = asked_.gpus;
    const std::int64_t now = found_ ? found_->job.layout.gpus : first_size();
    for (std::int64_t gpus = 2 * now; gpus <= std::min({most, kMostGpus, now * kMostGrowth});
         gpus *= 2) {
      asked_.gpus = config::Placed<int>{static_cast<int>(gpus), {}};
      if (fits()) return true;
    }
    asked_.gpus = before;
    return false;
  }
  std::int64_t first_size() const { return written_.gpus ? written_.gpus->value : 1; }

  NearestLayout answer() const {
    const auto keys = layout_keys(found_->job);
    std::vector<std::string> changed;
    for (const auto& written : written_keys(written_)) {
      const auto now = std::find_if(keys.begin(), keys.end(),
                                    [&](const LayoutKey& key) { return key.key == written.key; });
      if (now != keys.end() && now->value != written.value) changed.push_back(written.key);
    }
    if (changed.empty()) return {keys_text(keys), ""};
    std::string text = fmt::format("other than written: {}", fmt::join(changed, ", "));
    const bool grown = written_.gpus && found_->job.layout.gpus > written_.gpus->value;
    // Here nothing is offloaded that is not written.
    if (grown && !written_.offload)
      text += "; offload to the host, which `train --search` tries, may do with fewer";
    return {keys_text(keys), text};
  }

  const TrainSetup& setup_;
  config::Layout written_;
  config::Layout asked_;
  std::int64_t limit_ = kMostGpus;
  std::optional<ChosenLayout> found_;
};

}  // namespace

NearestLayout nearest_that_fits(const TrainSetup& setup) {
  return NearestSearch(setup).find();
}

}  // namespace loadfactor::engine
