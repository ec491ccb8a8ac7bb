// The order in which ranks that hold two stages each run their passes: kZeroBubbleV, kDualPipe.
//
// A rank takes what is ready: a gradient of an input first, then a forward pass, and weight
// gradients only where it would wait. A stage holds no more than the micro-batches that fill the
// rest of the way, about as under 1F1B. [Qi 2024, V; DeepSeek 2024, DualPipe]
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "training/pipeline_order.h"

namespace loadfactor::training {

// One pass of one of the two stages of a rank; stages in `rank * 2 + way` are called places.
struct TwoStagePass {
  Pass pass = Pass::kForward;
  int place = 0;
  std::int32_t turn = 0;  // Of this pass at this place: 0, 1, 2, …
};

// Where the stages stand and what follows what.
struct TwoStageMap {
  explicit TwoStageMap(const PipelineForm& form);

  int rank(int place) const { return place / 2; }
  int stage(int place) const;
  std::int64_t micro_batch(int place, std::int64_t turn) const {
    return folded ? turn : 2 * turn + place % 2;
  }
  // Micro-batches that a place may hold: half as many again as under 1F1B, while weight gradients
  // wait.
  std::int64_t most(int place) const {
    const int rest = stages - stage(place);
    return rest + rest / 2 + 1;
  }

  bool folded;
  int ranks;
  int stages;
  std::vector<int> next;  // The place of the stage behind, by place; -1: none.
  std::vector<int> before;
};

// Which pass a rank starts, by what is ready: a row of bits to `2 · pass + way`. Kept as a table
// since no branch of it can be foreseen.
class TwoStageChoice {
 public:
  static constexpr unsigned kNothing = 7;

  constexpr TwoStageChoice() {
    for (unsigned bits = 0; bits < table_.size(); ++bits)
      table_[bits] = static_cast<std::uint8_t>(choose(bits));
  }
  unsigned operator[](unsigned bits) const { return table_[bits]; }

 private:
  // Bits 0 and 1: a backward of either way is ready; 2 and 3: a forward; 4 and 5: a weight
  // gradient; 6: the second way's backward is of an earlier micro-batch; 7: the second way is
  // nearer to its end.
  static constexpr unsigned choose(unsigned bits) {
    const auto way = [&](unsigned ready, unsigned second) {
      return ready == 3U ? second : ready - 1U;
    };
    const unsigned backward = bits & 3U;
    const unsigned forward = (bits >> 2U) & 3U;
    const unsigned weight = (bits >> 4U) & 3U;
    if (backward != 0) return 2U + way(backward, (bits >> 6U) & 1U);
    if (forward != 0) return way(forward, bits >> 7U);
    return weight != 0 ? 4U + way(weight, 0U) : kNothing;
  }

  std::array<std::uint8_t, 256> table_{};
};

// Plans in slots of an eighth of a forward pass; `emit(TwoStagePass)` sees every pass after all
// that it needs. Only a rank that became free or received something can start a pass, so the
// work is of the order of the passes.
template <class Emit>
class TwoStagePlanner {
 public:
  TwoStagePlanner(const PipelineForm& form, const Emit& emit)
      : map_(form), emit_(emit), lengths_{8, form.backward_eighths, form.weight_eighths} {
    const auto ranks = static_cast<std::size_t>(form.ranks);
    places_.resize(2 * ranks + 1);
    messages_.resize(2 * ranks);
    for (int place = 0; place < 2 * form.ranks; ++place) set_place(place, form.micro_batches);
    words_ = (ranks + 63) / 64;
    ends_.assign(kRing * words_, 0);
    touched_.assign(words_, 0);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      touched_[rank / 64] |= std::uint64_t{1} << (rank % 64);
    idle_ = touched_;
    running_.resize(ranks);
  }

  void run() {
    while (true) {
      start_touched();
      if (left_ == 0) return;
      advance();
    }
  }

 private:
  static constexpr std::size_t kRing = 128;  // Slots; no pass is longer than half of it.
  static constexpr TwoStageChoice kChoice{};

  // Counts of one place. One more place behind the last takes what nobody waits for.
  struct Place {
    std::array<std::int32_t, 3> started{};  // By pass.
    std::array<std::int32_t, 3> arrived{};  // What forwards and backwards need.
    std::int32_t most = 1;
    std::int32_t unused = 0;
  };
  // Where the end of a pass is told: a place, as what, and its rank.
  struct Message {
    std::array<std::uint32_t, 3> place{};  // By pass.
    std::array<std::uint32_t, 3> kind{};
    std::array<std::uint32_t, 3> rank{};
  };

  void set_place(int number, std::int64_t count) {
    const auto at = static_cast<std::size_t>(number);
    const std::int64_t mine = map_.folded ? count : (count + 1 - number % 2) / 2;
    Place& place = places_[at];
    place.most = static_cast<std::int32_t>(map_.most(number));
    if (map_.before[at] < 0) place.arrived[0] = static_cast<std::int32_t>(mine);
    left_ += mine;
    const auto nobody = static_cast<std::uint32_t>(places_.size() - 1);
    const auto own = static_cast<std::uint32_t>(map_.rank(number));
    Message& message = messages_[at];
    message.place.fill(nobody);
    message.rank.fill(own);
    const auto tell = [&](std::size_t pass, int to, std::uint32_t kind) {
      message.place[pass] = static_cast<std::uint32_t>(to);
      message.rank[pass] = static_cast<std::uint32_t>(map_.rank(to));
      message.kind[pass] = kind;
    };
    // The last stage turns a micro-batch round.
    if (map_.next[at] < 0) tell(0, number, 1);
    if (map_.next[at] >= 0) tell(0, map_.next[at], 0);
    if (map_.before[at] >= 0) tell(1, map_.before[at], 1);
  }

  void start_touched() {
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t bits = touched_[word] & idle_[word];
      touched_[word] = 0;
      for (; bits != 0; bits &= bits - 1)
        start(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }

  static unsigned ready(const Place& place) {
    const bool room = place.started[0] - place.started[2] < place.most;
    return unsigned{place.arrived[1] > place.started[1]} |
           unsigned{place.arrived[0] > place.started[0] && room} << 2U |
           unsigned{place.started[2] < place.started[1]} << 4U;
  }

  void start(std::size_t rank) {
    const Place& first = places_[2 * rank];
    const Place& second = places_[2 * rank + 1];
    const unsigned choice = kChoice[ready(first) | ready(second) << 1U |
                                    unsigned{second.started[1] < first.started[1]} << 6U |
                                    unsigned{second.most < first.most} << 7U];
    if (choice == TwoStageChoice::kNothing) return;
    const std::size_t pass = choice / 2;
    const std::size_t place = 2 * rank + choice % 2;
    left_ -= pass == 2 ? 1 : 0;
    emit_(TwoStagePass{static_cast<Pass>(pass), static_cast<int>(place),
                       places_[place].started[pass]++});
    const std::size_t until = (now_ + static_cast<std::size_t>(lengths_[pass])) % kRing;
    const std::uint64_t bit = std::uint64_t{1} << (rank % 64);
    ends_[until * words_ + rank / 64] |= bit;
    idle_[rank / 64] &= ~bit;
    occupied_[until / 64] |= std::uint64_t{1} << (until % 64);
    running_[rank] = static_cast<std::uint32_t>(place * 4 + pass);
  }

  // To the next slot at which a pass ends.
  void advance() {
    const std::size_t first = (now_ + 1) % kRing;
    const auto rotated = [&](std::size_t half) {
      const std::size_t from = (first / 64 + half) % 2;
      const std::size_t shift = first % 64;
      const std::uint64_t low = occupied_[from] >> shift;
      return shift == 0 ? low : low | occupied_[1 - from] << (64 - shift);
    };
    const std::uint64_t near = rotated(0);
    LF_CHECK(near != 0 || rotated(1) != 0, "a pipeline schedule waits for itself");
    const auto ahead = static_cast<std::size_t>(near != 0 ? std::countr_zero(near)
                                                          : 64 + std::countr_zero(rotated(1)));
    now_ = (first + ahead) % kRing;
    occupied_[now_ / 64] &= ~(std::uint64_t{1} << (now_ % 64));
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t bits = ends_[now_ * words_ + word];
      ends_[now_ * words_ + word] = 0;
      idle_[word] |= bits;
      touched_[word] |= bits;
      for (; bits != 0; bits &= bits - 1)
        finish(running_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))]);
    }
  }

  void finish(std::uint32_t running) {
    const Message& message = messages_[running / 4];
    const std::uint32_t pass = running % 4;
    ++places_[message.place[pass]].arrived[message.kind[pass]];
    const std::uint32_t rank = message.rank[pass];
    touched_[rank / 64] |= std::uint64_t{1} << (rank % 64);
  }

  TwoStageMap map_;
  const Emit& emit_;
  std::array<int, 3> lengths_;
  std::vector<Place> places_;
  std::vector<Message> messages_;    // By place.
  std::vector<std::uint64_t> ends_;  // By slot, the ranks whose pass ends then.
  std::array<std::uint64_t, 2> occupied_{};
  std::vector<std::uint64_t> touched_;
  std::vector<std::uint64_t> idle_;
  std::vector<std::uint32_t> running_;  // By rank, place · 4 + pass.
  std::size_t words_ = 1;
  std::size_t now_ = 0;
  std::int64_t left_ = 0;  // Weight gradients to come.
};

template <class Emit>
void plan_two_stages(const PipelineForm& form, const Emit& emit) {
  TwoStagePlanner<Emit>(form, emit).run();
}

// A pass with the places where a walk finds what it needs and leaves its end. The first `ranks`
// ends are those of the ranks; where a pass needs or leaves nothing, it names its rank.
struct LinkedPass {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint16_t rank = 0;
  std::uint16_t time = 0;  // Stage · 3 + pass.
};
struct LinkedOrder {
  std::vector<LinkedPass> passes;
  std::size_t ends = 0;
};
LinkedOrder link_two_stages(const PipelineForm& form);

}  // namespace loadfactor::training
