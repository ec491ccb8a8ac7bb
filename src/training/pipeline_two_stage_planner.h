// The planner behind pipeline_two_stage.h; a header since every pass goes through `emit`.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "training/pipeline_two_stage.h"

namespace loadfactor::training {

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
// work is of the order of the passes. Where everybody stands as some turns before, the passes since
// then are repeated without being decided again, as long as micro-batches are left: what a rank
// does depends on nothing else.
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
    until_.resize(ranks);
    const std::int64_t count = form.micro_batches;
    first_ = {0, map_.folded ? 0 : 2 * ranks - 1};
    counts_ = {map_.folded ? count : (count + 1) / 2, map_.folded ? count : count / 2};
  }

  void run() {
    while (true) {
      start_touched();
      if (left_ == 0) return;
      if (turned_) look_back();
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
           unsigned{place.arrived[0] > place.started[0]} * unsigned{room} << 2U |
           unsigned{place.started[2] < place.started[1]} << 4U;
  }

  void start(std::size_t rank) {
    const Place& first = places_[2 * rank];
    const Place& second = places_[2 * rank + 1];
    const unsigned bits = ready(first) | ready(second) << 1U |
                          unsigned{second.started[1] < first.started[1]} << 6U |
                          unsigned{second.most < first.most} << 7U;
    const unsigned choice = kChoice[bits];
    if (choice == TwoStageChoice::kNothing) return;
    const std::size_t pass = choice / 2;
    const std::size_t place = 2 * rank + choice % 2;
    left_ -= pass == 2 ? 1 : 0;
    ties_ += (bits & 3U) == 3U ? 1 : 0;
    turned_ = turned_ || (rank == 0 && pass == 1);
    const TwoStagePass started{static_cast<Pass>(pass), static_cast<int>(place),
                               places_[place].started[pass]++};
    emit_(started);
    log_.push_back(started);
    const std::size_t until = (now_ + static_cast<std::size_t>(lengths_[pass])) % kRing;
    until_[rank] = until;
    const std::uint64_t bit = std::uint64_t{1} << (rank % 64);
    ends_[until * words_ + rank / 64] |= bit;
    idle_[rank / 64] &= ~bit;
    occupied_[until / 64] |= std::uint64_t{1} << (until % 64);
    running_[rank] = static_cast<std::uint32_t>(place * 4 + pass);
  }

  // All that decides what happens next, as seen from the turns of the first rank.
  struct Snapshot {
    std::array<std::int32_t, 2> turns{};  // Of the first rank's backward passes, by way.
    std::int64_t ties = 0;
    std::size_t log = 0;
    std::vector<std::int32_t> state;
  };

  void set_snapshot(Snapshot& out) const {
    out.turns = {places_[0].started[1], places_[1].started[1]};
    out.ties = ties_;
    out.log = log_.size();
    out.state.clear();
    for (std::size_t rank = 0; rank < running_.size(); ++rank) {
      const bool idle = (idle_[rank / 64] >> (rank % 64) & 1U) != 0;
      const std::size_t left = (until_[rank] - now_) % kRing;
      out.state.push_back(idle ? -1 : static_cast<std::int32_t>(8 * left + running_[rank] % 8));
      for (std::size_t way = 0; way < 2; ++way)
        for (const std::int32_t started : places_[2 * rank + way].started)
          out.state.push_back(started - out.turns[way]);
    }
  }

  void look_back() {
    turned_ = false;
    Snapshot& now = seen_[next_ % seen_.size()];
    set_snapshot(now);
    for (std::size_t back = 1; back < seen_.size() && back <= next_; ++back) {
      const Snapshot& old = seen_[(next_ - back) % seen_.size()];
      if (old.state == now.state && repeat(old, now)) return;
    }
    ++next_;
  }

  // False where it cannot be done: the ways would meet otherwise than before, or nothing is left.
  bool repeat(const Snapshot& old, const Snapshot& now) {
    const std::array<std::int32_t, 2> turns{now.turns[0] - old.turns[0],
                                            now.turns[1] - old.turns[1]};
    if (turns[0] != turns[1] && (map_.folded || old.ties != now.ties)) return false;
    std::int64_t times = INT64_MAX;
    for (std::size_t way = 0; way < 2; ++way) {
      const std::int64_t left = counts_[way] - 1 - places_[first_[way]].started[0];
      if (turns[way] > 0) times = std::min(times, left < 0 ? 0 : left / turns[way]);
    }
    if (times <= 0 || times == INT64_MAX) return false;
    for (std::int32_t time = 1; time <= times; ++time)
      for (std::size_t i = old.log; i < now.log; ++i) {
        TwoStagePass pass = log_[i];
        pass.turn += time * turns[static_cast<std::size_t>(pass.place % 2)];
        emit_(pass);
      }
    move_on(turns, static_cast<std::int32_t>(times));
    return true;
  }

  void move_on(const std::array<std::int32_t, 2>& turns, std::int32_t times) {
    for (std::size_t place = 0; place + 1 < places_.size(); ++place) {
      const std::int32_t more = turns[place % 2] * times;
      for (std::int32_t& started : places_[place].started) started += more;
      places_[place].arrived[1] += more;
      if (map_.before[place] >= 0) places_[place].arrived[0] += more;
      left_ -= more;
    }
    log_.clear();
    next_ = 0;
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
  std::vector<std::size_t> until_;      // By rank, the slot.
  std::vector<TwoStagePass> log_;       // Since the start or the last repetition.
  std::array<Snapshot, 24> seen_;       // The last ones, in a ring.
  std::size_t next_ = 0;
  std::int64_t ties_ = 0;                 // Choices between backward passes of both ways.
  bool turned_ = false;                   // The first rank started a backward pass.
  std::array<std::size_t, 2> first_{};    // The place where a way starts,
  std::array<std::int64_t, 2> counts_{};  // and its micro-batches.
  std::size_t words_ = 1;
  std::size_t now_ = 0;
  std::int64_t left_ = 0;  // Weight gradients to come.
};

template <class Emit>
void plan_two_stages(const PipelineForm& form, const Emit& emit) {
  TwoStagePlanner<Emit>(form, emit).run();
}

}  // namespace loadfactor::training
