#include "search/stage_ends.h"

#include <algorithm>

#include "training/job/layout.h"
#include "training/memory/stage_split.h"

namespace loadfactor::search {
namespace {

using training::Layout;
using training::StageSplit;

Layout pipeline_of(int pp, int vp, const Ends& ends) {
  Layout layout;
  layout.pp = pp;
  layout.vp = vp;
  layout.schedule = vp > 1 ? training::Schedule::kInterleaved : training::Schedule::k1F1B;
  layout.first_layers = ends.first;
  layout.last_layers = ends.last;
  return layout;
}

// Whether the ends are those of the rule.
bool is_by_rule(int layers, int pp, int vp, const Ends& ends) {
  const StageSplit rule(layers, pipeline_of(pp, vp, {}));
  const StageSplit split(layers, pipeline_of(pp, vp, ends));
  if (rule.chunks != split.chunks) return false;
  for (int chunk = 0; chunk < split.chunks; ++chunk)
    if (rule.begin(chunk) != split.begin(chunk)) return false;
  return true;
}

// Where one end alone is written, the other holds as many as the stages between.
bool is_asked(const config::Given<int>& given, int value, int between) {
  return value == (given ? given->value : between);
}

}  // namespace

std::vector<Ends> stage_ends(int layers, int pp, int vp, const config::Layout& asked) {
  std::vector<Ends> out;
  if (pp < 2 || layers % vp != 0 || layers < pp * vp) return out;
  const bool fixed = asked.first_layers || asked.last_layers;
  const int rows = layers / vp;  // Every round of chunks holds as many.
  const int least = (rows + pp - 1) / pp;
  for (int middle = fixed ? 1 : least; middle <= (fixed ? rows : least + 1); ++middle) {
    const int lacking = pp * middle - rows;
    for (int first = 1; first <= (fixed ? rows - 1 : middle); ++first) {
      const int last = 2 * middle - lacking - first;
      const Ends ends{first * vp, last * vp};
      if (last < 1 || (!fixed && last > middle)) continue;
      if (pp == 2 && middle != std::max(first, last)) continue;
      if (fixed && !is_asked(asked.first_layers, ends.first, middle * vp)) continue;
      if (fixed && !is_asked(asked.last_layers, ends.last, middle * vp)) continue;
      if (fixed || !is_by_rule(layers, pp, vp, ends)) out.push_back(ends);
    }
  }
  return out;
}

}  // namespace loadfactor::search
