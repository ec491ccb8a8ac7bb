#include "search/layout_search.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

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
  explicit SliceBounds(const SearchScene& scene, const LayoutSpace& space)
      : scene_(scene), space_(space) {}

  double least(const Slice& slice) {
    const auto key = std::tuple(slice.tp, slice.cp, slice.ep, slice.etp, slice.micro_batch);
    auto held = work_.find(key);
    if (held == work_.end()) held = work_.emplace(key, least_work_of(slice)).first;
    return least_time(scene_.scene, held->second, slice).base() * scene_.weight;
  }

 private:
  // Over everything that changes a block without recomputation, which only adds to it.
  LeastWork least_work_of(const Slice& slice) const {
    Layout layout = space_.base_layout(slice);
    LeastWork least;
    bool first = true;
    for (const bool parallel : space_.sequence_parallels(slice)) {
      layout.sequence_parallel = parallel;
      for (const auto schedule : {training::Schedule::k1F1B, training::Schedule::kDualPipe}) {
        layout.schedule = schedule;
        const auto key = training::block_key(scene_.scene, layout);
        const LeastWork work = least_work(scene_.scene, training::block_time(scene_.scene, key));
        least.layer = first ? work.layer : std::min(least.layer, work.layer);
        least.head = first ? work.head : std::min(least.head, work.head);
        least.spared = std::max(least.spared, work.spared);
        first = false;
      }
    }
    return least;
  }

  const SearchScene& scene_;
  const LayoutSpace& space_;
  std::map<std::tuple<int, int, int, int, std::int64_t>, LeastWork> work_;
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

class Search {
 public:
  Search(const SearchScene& scene, const SearchOptions& options)
      : scene_(scene),
        options_(options),
        space_(scene.scene.job, scene.asked, scene.limits),
        leaders_(options.keep) {
    SliceBounds bounds(scene, space_);
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
    tbb::task_arena arena(std::max(1, options_.threads));
    std::size_t done = 0;
    while (done < slices_.size()) {
      if (is_stopped()) break;
      if (options_.prune && !leaders_.admits(slices_[done].least)) break;
      const std::size_t end = std::min(slices_.size(), done + round_size(done));
      arena.execute([&] { search_round(done, end); });
      done = end;
      if (options_.progress)
        options_.progress(static_cast<double>(done) / static_cast<double>(slices_.size()));
    }
    out_.stopped = is_stopped();
    // Sorted by their bound: the first that is dismissed dismisses all behind it.
    for (; done < slices_.size() && !out_.stopped; ++done)
      out_.enumerated += space_.count(slices_[done].slice);
    out_.best = leaders_.best();
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
    constexpr std::size_t kMost = 256;
    return std::clamp<std::size_t>(done / 2, 1, kMost);
  }

  void search_round(std::size_t begin, std::size_t end) {
    std::vector<SearchResult> parts(end - begin);
    const double bound = leaders_.bound();
    tbb::parallel_for(begin, end, [&](std::size_t i) {
      if (is_stopped()) return;
      auto& part = parts[i - begin];
      const auto& slice = slices_[i].slice;
      if (options_.prune && slices_[i].least > bound) {
        part.enumerated = space_.count(slice);
        return;
      }
      SliceSearch search(scene_, space_, options_, benches_.local());
      part = search.run(slice, options_.prune ? bound : kNoBound);
    });
    for (const auto& part : parts) {
      add_counts(out_, part);
      for (const auto& plan : part.best) leaders_.offer(plan);
    }
  }

  static constexpr double kNoBound = std::numeric_limits<double>::infinity();
  const SearchScene& scene_;
  const SearchOptions& options_;
  LayoutSpace space_;
  std::vector<BoundedSlice> slices_;
  Leaders leaders_;
  tbb::enumerable_thread_specific<Workbench> benches_;
  SearchResult out_;
};

}  // namespace

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
