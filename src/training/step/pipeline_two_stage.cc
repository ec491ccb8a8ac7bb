#include "training/step/pipeline_two_stage.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "training/step/pipeline_two_stage_planner.h"

namespace loadfactor::training {

TwoStageMap::TwoStageMap(const PipelineForm& form)
    : folded(form.schedule == Schedule::kZeroBubbleV), ranks(form.ranks), stages(form.stages()) {
  const auto places = static_cast<std::size_t>(2 * ranks);
  next.assign(places, -1);
  before.assign(places, -1);
  const auto link = [&](int from, int to) {
    next[static_cast<std::size_t>(from)] = to;
    before[static_cast<std::size_t>(to)] = from;
  };
  for (int rank = 0; rank + 1 < ranks; ++rank) {
    link(2 * rank, 2 * rank + 2);
    link(2 * rank + 3, 2 * rank + 1);
  }
  if (folded) link(2 * ranks - 2, 2 * ranks - 1);
}

int TwoStageMap::stage(int place) const {
  return place % 2 == 0 ? place / 2 : stages - 1 - place / 2;
}

namespace {

// Where the passes of one place find and leave ends: of turn i at `base` + 2 · (i & mask).
struct PlaceEnds {
  struct Ends {
    std::uint32_t base = 0;
    std::uint32_t mask = 0;  // 0 with the rank's own end.

    std::uint32_t at(std::int32_t turn) const {
      return base + 2 * (static_cast<std::uint32_t>(turn) & mask);
    }
  };
  std::array<Ends, 3> from;  // One per pass.
  std::array<Ends, 3> to;
  std::uint16_t rank = 0;
  std::uint16_t time = 0;
};

std::vector<PlaceEnds> place_ends(const TwoStageMap& map, std::uint32_t ring) {
  const auto ranks = static_cast<std::uint32_t>(map.ranks);
  std::vector<PlaceEnds> out(2 * static_cast<std::size_t>(ranks));
  const auto ends_of = [&](int place, std::uint32_t half) {
    return PlaceEnds::Ends{ranks + 2 * static_cast<std::uint32_t>(place) * ring + half, ring - 1};
  };
  for (int i = 0; i < 2 * map.ranks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    PlaceEnds& place = out[at];
    place.rank = static_cast<std::uint16_t>(map.rank(i));
    place.time = static_cast<std::uint16_t>(map.stage(i) * 3);
    place.from.fill({place.rank, 0});
    place.to = {ends_of(i, 0), ends_of(i, 1), PlaceEnds::Ends{place.rank, 0}};
    if (map.before[at] >= 0) place.from[0] = ends_of(map.before[at], 0);
    if (map.next[at] >= 0) place.from[1] = ends_of(map.next[at], 1);
  }
  return out;
}

}  // namespace

// What is on its way from a place to the next never exceeds what the place may hold, so a ring of
// that size serves each place.
LinkedOrder link_two_stages(const PipelineForm& form) {
  const TwoStageMap map(form);
  std::int64_t most = 1;
  for (int place = 0; place < 2 * form.ranks; ++place) most = std::max(most, map.most(place));
  const auto ring = static_cast<std::uint32_t>(std::bit_ceil(static_cast<std::uint64_t>(most) + 1));
  const auto places = place_ends(map, ring);
  LinkedOrder order;
  order.ends = static_cast<std::size_t>(form.ranks) * (1 + 4 * std::size_t{ring});
  order.passes.resize(static_cast<std::size_t>(form.micro_batches * form.stages() * 3));
  LinkedPass* out = order.passes.data();
  plan_two_stages(form, [&](const TwoStagePass& pass) {
    const PlaceEnds& place = places[static_cast<std::size_t>(pass.place)];
    const auto kind = static_cast<std::size_t>(pass.pass);
    *out++ = {place.from[kind].at(pass.turn), place.to[kind].at(pass.turn), place.rank,
              static_cast<std::uint16_t>(place.time + kind)};
  });
  LF_CHECK(out == order.passes.data() + order.passes.size(), "a pass is missing");
  return order;
}

}  // namespace loadfactor::training
