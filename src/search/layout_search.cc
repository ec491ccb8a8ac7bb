#include "search/layout_search.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/byte_string.h"
#include "base/crew.h"
#include "base/workers.h"
#include "search/leaders.h"
#include "search/slice_search.h"

namespace loadfactor::search {
namespace {

using training::Layout;

struct BoundedSlice {
  Slice slice;
  double least = 0;  // Score that none of its layouts undercuts.
};

// Least scores of slices; those that differ in depth alone share their blocks.
class SliceBounds {
 public:
  SliceBounds(const SearchScene& scene, const LayoutSpace& space, KernelShelf& shelf)
      : scene_(scene), space_(space), shelf_(shelf) {}

  double least(const Slice& slice) {
    const auto key = std::tuple(slice.tp, slice.cp, slice.ep, slice.etp, slice.micro_batch);
    auto held = work_.find(key);
    if (held == work_.end()) held = work_.emplace(key, least_work_of(slice)).first;
    const Work& work = held->second;
    const double sequences = static_cast<double>(slice.micro_batch) * slice.dp;
    const double m = static_cast<double>(scene_.scene.job.global_batch) / sequences;
    const Seconds one = slice.pp == 1 ? work.alone : work.staged;
    return training::least_total(scene_.scene, one * (m / slice.pp)).base() * scene_.weight;
  }

 private:
  // The least time of one micro-batch on all stages: no block of the slice takes less.
  struct Work {
    Seconds alone;   // Without a pipeline.
    Seconds staged;  // With a pipeline.
  };

  // The least over everything that changes a block; recomputation only adds to its time.
  Work least_work_of(const Slice& slice) const {
    const auto& scene = scene_.scene;
    std::optional<Work> least;
    for (const auto& kernels : shelf_.add(scene, space_, slice)) {
      const auto block = training::block_time(scene, kernels, kernels.key);
      const Seconds alone = training::least_even_work(scene, block, 1, 1);
      const Seconds staged = training::least_even_work(scene, block, 2, 2);
      if (!least) least = Work{alone, staged};
      least = Work{std::min(least->alone, alone), std::min(least->staged, staged)};
    }
    return *least;
  }

  const SearchScene& scene_;
  const LayoutSpace& space_;
  KernelShelf& shelf_;
  std::map<std::tuple<int, int, int, int, std::int64_t>, Work> work_;
};

void add_counts(SearchResult& sum, const SearchResult& part) {
  sum.enumerated += part.enumerated;
  sum.evaluated += part.evaluated;
  sum.blocks += part.blocks;
  sum.pipelines += part.pipelines;
  sum.slices += part.slices;
  sum.checksum += part.checksum;
  const bool closer =
      !part.close.empty() && (sum.close.empty() || part.close[0].needed < sum.close[0].needed);
  if (closer) sum.close = part.close;
}

Leaders leaders_of(const SearchScene& scene, const SearchOptions& options) {
  if (options.shares.empty()) return Leaders(options.keep);
  const Bytes capacity = training::memory_question(scene.scene.job).capacity;
  std::vector<Bytes> rooms;
  for (const double share : options.shares) rooms.push_back(capacity * share);
  return {options.keep, rooms};
}

// What a slice came to, on its way from one process to another.
std::string packed_part(const SearchResult& part) {
  std::string bytes;
  put_value(bytes, part.enumerated);
  put_value(bytes, part.evaluated);
  put_value(bytes, part.blocks);
  put_value(bytes, part.pipelines);
  put_value(bytes, part.slices);
  put_value(bytes, part.checksum);
  put_list(bytes, part.best);
  put_list(bytes, part.close);
  return bytes;
}

// Nothing found where the bytes are none: the slice was stopped.
SearchResult unpacked_part(std::string_view bytes) {
  SearchResult part;
  part.enumerated = take_value<std::int64_t>(bytes);
  part.evaluated = take_value<std::int64_t>(bytes);
  part.blocks = take_value<std::int64_t>(bytes);
  part.pipelines = take_value<std::int64_t>(bytes);
  part.slices = take_value<std::int64_t>(bytes);
  part.checksum = take_value<double>(bytes);
  part.best = take_list<FoundPlan>(bytes);
  part.close = take_list<FoundPlan>(bytes);
  return part;
}

class Search {
 public:
  Search(const SearchScene& scene, const SearchOptions& options)
      : scene_(scene),
        options_(options),
        space_(scene.scene.job, scene.asked, scene.limits),
        leaders_(leaders_of(scene, options)),
        workers_(options.threads) {
    SliceBounds bounds(scene, space_, shelf_);
    for (const Slice& slice : space_.slices())
      slices_.push_back({slice, options.prune ? bounds.least(slice) : 0.0});
    if (options.prune) {
      std::stable_sort(slices_.begin(), slices_.end(),
                       [](const auto& a, const auto& b) { return a.least < b.least; });
    } else {
      gather_pipelines();
    }
  }

  SearchResult run() {
    std::size_t done = 0;
    while (done < slices_.size()) {
      if (is_stopped()) break;
      if (options_.prune && !leaders_.admits(slices_[done].least)) break;
      const std::size_t end = std::min(slices_.size(), done + round_size(done));
      search_round(done, end);
      done = end;
      if (options_.progress)
        options_.progress(static_cast<double>(done) / static_cast<double>(slices_.size()));
    }
    out_.stopped = is_stopped();
    // Sorted by their bound: the first that is dismissed dismisses all behind it.
    for (; done < slices_.size() && !out_.stopped; ++done)
      out_.enumerated += space_.count(slices_[done].slice);
    out_.best = leaders_.best();
    for (std::size_t i = 0; i < options_.shares.size(); ++i) out_.lean.push_back(leaders_.best(i));
    return std::move(out_);
  }

 private:
  bool is_stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  // Where all are visited anyway, those that share orders of passes come together.
  void gather_pipelines() {
    const auto key = [](const BoundedSlice& bounded) {
      const Slice& slice = bounded.slice;
      return std::pair(slice.pp, slice.dp * slice.micro_batch);
    };
    std::stable_sort(slices_.begin(), slices_.end(),
                     [&](const auto& a, const auto& b) { return key(a) < key(b); });
  }

  // Small at first, where each slice sharpens the bound for the next; never more than keeps
  // many cores busy. Independent of the number of threads.
  static std::size_t round_size(std::size_t done) {
    constexpr std::size_t kMaxSlicesPerRound = 256;
    return std::clamp<std::size_t>(done / 2, 1, kMaxSlicesPerRound);
  }

  SearchResult search_slice(std::size_t i, const Leaders& before, Workbench& bench) {
    const auto& slice = slices_[i].slice;
    if (options_.prune && !before.admits(slices_[i].least)) {
      SearchResult dismissed;
      dismissed.enumerated = space_.count(slice);
      return dismissed;
    }
    SliceSearch search(scene_, space_, options_, shelf_, bench);
    return search.run(slice, before);
  }

  void search_round(std::size_t begin, std::size_t end) {
    std::vector<SearchResult> parts(end - begin);
    const Leaders before = options_.prune ? leaders_.emptied() : leaders_of(scene_, options_);
    if (options_.crew != nullptr) {
      const auto shared = options_.crew->share(end - begin, [&](std::int64_t i) {
        if (is_stopped()) return std::string();
        return packed_part(search_slice(begin + static_cast<std::size_t>(i), before, own_));
      });
      for (std::size_t i = 0; i < shared.size(); ++i) parts[i] = unpacked_part(shared[i]);
    } else {
      workers_.each(begin, end, [&](std::size_t i, Workbench& bench) {
        if (!is_stopped()) parts[i - begin] = search_slice(i, before, bench);
      });
    }
    for (const auto& part : parts) {
      add_counts(out_, part);
      for (const auto& plan : part.best) leaders_.offer(plan);
    }
  }

  const SearchScene& scene_;
  const SearchOptions& options_;
  LayoutSpace space_;
  KernelShelf shelf_;
  std::vector<BoundedSlice> slices_;
  Leaders leaders_;
  Workers<Workbench> workers_;
  Workbench own_;  // Used by a member of a crew, who works alone.
  SearchResult out_;
};

}  // namespace

double handicap(const training::Layout& layout, bool tight) {
  constexpr double kTightPenalty = 1.05;
  constexpr double kOffloadPenalty = 1.01;
  const training::Offload& offload = layout.offload;
  const bool offloads = offload.optimizer || offload.parameters || offload.activations;
  return (tight ? kTightPenalty : 1.0) * (offloads ? kOffloadPenalty : 1.0);
}

bool is_before(const FoundPlan& a, const FoundPlan& b) {
  if (a.score != b.score) return a.score < b.score;
  return is_plainer(a.layout, b.layout);
}

SearchResult search_layouts(const SearchScene& scene, const SearchOptions& options) {
  return Search(scene, options).run();
}

void visit_layouts(const SearchScene& scene,
                   const std::function<void(const training::Layout&)>& visit) {
  const LayoutSpace space(scene.scene.job, scene.asked, scene.limits);
  for (const Slice& slice : space.slices()) {
    Layout layout = space.base_layout(slice);
    for (const Form& form : space.forms(slice)) {
      LayoutSpace::set_form(form, layout);
      for (const auto& recompute : space.recomputes(slice, form)) {
        layout.recompute = recompute;
        for (const bool parallel : space.sequence_parallels(slice)) {
          layout.sequence_parallel = parallel;
          for (const auto& choice : space.shardings(slice)) {
            layout.sharding = choice.sharding;
            layout.shard_group = choice.group;
            for (const auto& offload : space.offloads(slice, recompute)) {
              if (offload.parameters && !training::may_offload_parameters(layout)) continue;
              layout.offload = offload;
              visit(layout);
            }
          }
        }
      }
    }
  }
}

}  // namespace loadfactor::search
