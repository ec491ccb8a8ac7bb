// The planner behind pipeline_two_stage.h; a header since every pass goes through `emit`.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "training/step/pipeline_two_stage.h"

namespace loadfactor::training {

// What waits at one of the stages of a rank: four counts of 16 bits in one word, so that passes
// are started and ended by one addition each. No count exceeds what the stages may hold.
class WaitingPasses {
 public:
  static constexpr std::uint64_t kBackward = 1;                       // One gradient came back.
  static constexpr std::uint64_t kForward = std::uint64_t{1} << 16U;  // One micro-batch arrived.
  static constexpr std::uint64_t kRoom = std::uint64_t{1} << 32U;     // Room for one micro-batch.
  static constexpr std::uint64_t kWeight = std::uint64_t{1} << 48U;  // One weight gradient put off.
  static constexpr std::uint64_t kMaxCount = 0x7fff;
  // What the start of a pass adds, by pass.
  static constexpr std::array<std::uint64_t, 3> kStarted{0 - kForward - kRoom, kWeight - kBackward,
                                                         kRoom - kWeight};

  // Four bits: which of the counts are not zero.
  static unsigned ready(std::uint64_t counts) {
    constexpr std::uint64_t kTops = 0x8000'8000'8000'8000U;
    const std::uint64_t some = ((counts + (kTops - 0x0001'0001'0001'0001U)) & kTops) >> 15U;
    return static_cast<unsigned>((some * 0x0001'0002'0004'0008U >> 48U) & 15U);
  }
};

// Which pass a rank starts, by what is ready at its two stages: `2 · pass + way`. Kept as a table
// since no branch of it can be foreseen.
class TwoStageChoice {
 public:
  static constexpr unsigned kNothing = 7;

  constexpr TwoStageChoice() {
    for (unsigned bits = 0; bits < table_.size(); ++bits)
      table_[bits] = static_cast<std::uint8_t>(choose(bits));
  }
  // Where both can go back, the first way is chosen: the caller looks which is earlier.
  unsigned operator[](unsigned bits) const { return table_[bits]; }

 private:
  // Bits 0 to 3: what is ready at the first stage (see WaitingPasses::ready), 4 to 7: at the
  // second; 8: the second way is nearer to its end.
  static constexpr unsigned choose(unsigned bits) {
    const auto both = [bits](unsigned mask) {
      return unsigned{(bits & mask) == mask} + 2 * unsigned{(bits >> 4U & mask) == mask};
    };
    const auto way = [](unsigned ready, unsigned second) {
      return ready == 3U ? second : ready - 1U;
    };
    const unsigned backward = both(1);
    const unsigned forward = both(2 | 4);  // A micro-batch and room for it.
    const unsigned weight = both(8);
    if (backward != 0) return 2U + way(backward, 0U);
    if (forward != 0) return way(forward, bits >> 8U);
    return weight != 0 ? 4U + way(weight, 0U) : kNothing;
  }

  std::array<std::uint8_t, 512> table_{};
};

// Plans in slots of a quarter of a forward pass; `emit(TwoStagePass)` sees every pass after all
// that it needs. Only a rank that became free or received something can start a pass, so the
// work is of the order of the passes. Where everybody stands as some turns before, the passes since
// then are repeated without being decided again, as long as micro-batches are left: what a rank
// does depends on nothing else.
template <class Emit>
class TwoStagePlanner {
 public:
  TwoStagePlanner(const PipelineForm& form, const Emit& emit)
      : map_(form), emit_(emit), lengths_{4, form.backward_quarters, form.weight_quarters} {
    const auto ranks = static_cast<std::size_t>(form.ranks);
    waiting_.assign(2 * ranks + 1, 0);
    started_.resize(2 * ranks);
    messages_.resize(2 * ranks);
    const std::int64_t count = form.micro_batches;
    first_ = {0, map_.folded ? 0 : 2 * ranks - 1};
    fresh_ = {map_.folded ? count : (count + 1) / 2, map_.folded ? 0 : count / 2};
    for (int place = 0; place < 2 * form.ranks; ++place) set_place(place, count);
    words_ = (ranks + 63) / 64;
    ends_.assign(kRing * words_, 0);
    touched_.assign(words_, 0);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      touched_[rank / 64] |= std::uint64_t{1} << (rank % 64);
    idle_ = touched_;
    running_.assign(ranks, Running{});
    for (int rank = 0; rank < form.ranks; ++rank)
      nearer_.push_back(map_.stage(2 * rank + 1) > map_.stage(2 * rank) ? 256 : 0);
    log_.resize(std::bit_ceil(seen_.size() * 6 * ranks));
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
  static constexpr std::size_t kRing = 64;  // Slots; no pass is longer than half of it.
  static constexpr TwoStageChoice kChoice{};

  // Where the end of a pass is told, and as what. One more place behind the last takes what nobody
  // waits for.
  struct Message {
    std::uint64_t count = 0;
    std::uint32_t place = 0;
    std::uint32_t rank = 0;
  };
  struct Running {
    std::uint16_t place = 0;
    std::uint8_t pass = 0;
    std::uint8_t until = 0;  // The slot.
  };

  void set_place(int number, std::int64_t count) {
    const auto at = static_cast<std::size_t>(number);
    const auto most = static_cast<std::uint64_t>(map_.most(number));
    LF_CHECK(most <= WaitingPasses::kMaxCount, "a pipeline too deep to be planned");
    waiting_[at] = most * WaitingPasses::kRoom;
    // One stands for all that are still to come: see start().
    const bool any = fresh_[at % 2] > 0;
    if (map_.before[at] < 0 && any) waiting_[at] += WaitingPasses::kForward;
    left_ += map_.folded ? count : (count + 1 - number % 2) / 2;
    const auto nobody = static_cast<std::uint32_t>(waiting_.size() - 1);
    auto& messages = messages_[at];
    messages.fill({0, nobody, static_cast<std::uint32_t>(map_.rank(number))});
    const auto tell = [&](std::size_t pass, int to, std::uint64_t as) {
      messages[pass] = {as, static_cast<std::uint32_t>(to),
                        static_cast<std::uint32_t>(map_.rank(to))};
    };
    // The last stage turns a micro-batch round.
    if (map_.next[at] < 0) tell(0, number, WaitingPasses::kBackward);
    if (map_.next[at] >= 0) tell(0, map_.next[at], WaitingPasses::kForward);
    if (map_.before[at] >= 0) tell(1, map_.before[at], WaitingPasses::kBackward);
  }

  void start_touched() {
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t bits = touched_[word] & idle_[word];
      touched_[word] = 0;
      for (; bits != 0; bits &= bits - 1)
        start(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }

  void start(std::size_t rank) {
    const unsigned first = WaitingPasses::ready(waiting_[2 * rank]);
    const unsigned second = WaitingPasses::ready(waiting_[2 * rank + 1]);
    const unsigned tie = first & second & 1U;
    unsigned choice = kChoice[first | second << 4U | nearer_[rank]];
    if (choice == TwoStageChoice::kNothing) return;
    choice |= tie & unsigned{started_[2 * rank + 1][1] < started_[2 * rank][1]};
    ties_ += tie;
    const std::size_t pass = choice / 2;
    const std::size_t place = 2 * rank + choice % 2;
    left_ -= pass == 2 ? 1 : 0;
    turned_ = turned_ || (rank == 0 && pass == 1);
    waiting_[place] += WaitingPasses::kStarted[pass];
    if (pass == 0 && place == first_[place % 2] && --fresh_[place % 2] > 0)
      waiting_[place] += WaitingPasses::kForward;
    const TwoStagePass started{started_[place][pass]++, static_cast<std::int16_t>(place),
                               static_cast<Pass>(pass)};
    emit_(started);
    log_[logged_++ & (log_.size() - 1)] = started;
    const std::size_t until = (now_ + static_cast<std::size_t>(lengths_[pass])) % kRing;
    const std::uint64_t bit = std::uint64_t{1} << (rank % 64);
    ends_[until * words_ + rank / 64] |= bit;
    idle_[rank / 64] &= ~bit;
    occupied_ |= std::uint64_t{1} << until;
    running_[rank] = {static_cast<std::uint16_t>(place), static_cast<std::uint8_t>(pass),
                      static_cast<std::uint8_t>(until)};
  }

  // All that decides what happens next, as seen from the turns of the first rank. How many passes
  // the stages are apart follows from what waits between them.
  struct Snapshot {
    std::array<std::int32_t, 2> turns{};  // Backward passes of the first rank, by way.
    std::uint64_t ties = 0;
    std::size_t logged = 0;
    std::vector<std::uint64_t> waiting;
    std::vector<std::uint16_t> busy;  // For each rank, how long it is busy and with what.
  };

  void set_snapshot(Snapshot& out) const {
    out.turns = {started_[0][1], started_[1][1]};
    out.ties = ties_;
    out.logged = logged_;
    out.waiting.assign(waiting_.begin(), waiting_.end() - 1);
    out.busy.resize(running_.size());
    for (std::size_t rank = 0; rank < running_.size(); ++rank) {
      const Running& running = running_[rank];
      const bool idle = (idle_[rank / 64] >> (rank % 64) & 1U) != 0;
      const auto left = static_cast<unsigned>((running.until - now_) % kRing);
      out.busy[rank] =
          idle ? 0xffff
               : static_cast<std::uint16_t>(8 * left + 4 * (running.place % 2) + running.pass);
    }
  }

  void look_back() {
    turned_ = false;
    Snapshot& now = seen_[next_ % seen_.size()];
    set_snapshot(now);
    for (std::size_t back = 1; back < seen_.size() && back <= next_; ++back) {
      const Snapshot& old = seen_[(next_ - back) % seen_.size()];
      if (old.busy == now.busy && old.waiting == now.waiting && repeat(old, now)) return;
    }
    ++next_;
  }

  // False where it cannot be done: the ways would meet otherwise than before, nothing is left, or
  // the log does not reach back so far.
  bool repeat(const Snapshot& old, const Snapshot& now) {
    const std::array<std::int32_t, 2> turns{now.turns[0] - old.turns[0],
                                            now.turns[1] - old.turns[1]};
    if (turns[0] != turns[1] && (map_.folded || old.ties != now.ties)) return false;
    if (now.logged - old.logged > log_.size()) return false;
    std::int64_t times = INT64_MAX;
    for (std::size_t way = 0; way < 2; ++way) {
      const std::int64_t left = fresh_[map_.folded ? 0 : way] - 1;
      if (turns[way] > 0) times = std::min(times, left < 0 ? 0 : left / turns[way]);
    }
    if (times <= 0 || times == INT64_MAX) return false;
    for (std::int32_t time = 1; time <= times; ++time)
      for (std::size_t i = old.logged; i < now.logged; ++i) {
        TwoStagePass pass = log_[i & (log_.size() - 1)];
        pass.turn += time * turns[static_cast<std::size_t>(pass.place % 2)];
        emit_(pass);
      }
    move_on(turns, static_cast<std::int32_t>(times));
    return true;
  }

  void move_on(const std::array<std::int32_t, 2>& turns, std::int32_t times) {
    for (std::size_t place = 0; place < started_.size(); ++place) {
      const std::int32_t more = turns[place % 2] * times;
      for (std::int32_t& started : started_[place]) started += more;
      left_ -= more;
    }
    for (std::size_t way = 0; way < (map_.folded ? 1 : 2); ++way)
      fresh_[way] -= std::int64_t{turns[way]} * times;
    next_ = 0;
  }

  // To the next slot at which a pass ends.
  void advance() {
    LF_CHECK(occupied_ != 0, "a pipeline schedule waits for itself");
    const auto first = static_cast<int>((now_ + 1) % kRing);
    now_ = (now_ + 1 + static_cast<std::size_t>(std::countr_zero(std::rotr(occupied_, first)))) %
           kRing;
    occupied_ &= ~(std::uint64_t{1} << now_);
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t bits = ends_[now_ * words_ + word];
      ends_[now_ * words_ + word] = 0;
      idle_[word] |= bits;
      touched_[word] |= bits;
      for (; bits != 0; bits &= bits - 1)
        finish(running_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))]);
    }
  }

  void finish(const Running& running) {
    const Message& message = messages_[running.place][running.pass];
    waiting_[message.place] += message.count;
    touched_[message.rank / 64] |= std::uint64_t{1} << (message.rank % 64);
  }

  TwoStageMap map_;
  const Emit& emit_;
  std::array<int, 3> lengths_;
  std::vector<std::uint64_t> waiting_;                // WaitingPasses of each place.
  std::vector<std::array<std::int32_t, 3>> started_;  // Passes of each place that started.
  std::vector<std::array<Message, 3>> messages_;      // For each place and pass.
  std::vector<std::uint16_t> nearer_;                 // A bit of TwoStageChoice per rank.
  std::vector<Running> running_;                      // The pass of each rank.
  std::vector<std::uint64_t> ends_;                   // Ranks whose pass ends, slot by slot.
  std::uint64_t occupied_ = 0;                        // Slots at which a pass ends.
  std::vector<std::uint64_t> touched_;
  std::vector<std::uint64_t> idle_;
  std::vector<TwoStagePass> log_;  // A ring of the last passes.
  std::size_t logged_ = 0;
  std::array<Snapshot, 24> seen_;  // The last ones, in a ring.
  std::size_t next_ = 0;
  std::uint64_t ties_ = 0;               // Choices between backward passes of both ways.
  bool turned_ = false;                  // The first rank started a backward pass.
  std::array<std::size_t, 2> first_{};   // The place where each way starts.
  std::array<std::int64_t, 2> fresh_{};  // Micro-batches of each way that have not set out.
  std::size_t words_ = 1;
  std::size_t now_ = 0;
  std::int64_t left_ = 0;  // Weight gradients to come.
};

template <class Emit>
void plan_two_stages(const PipelineForm& form, const Emit& emit) {
  TwoStagePlanner<Emit>(form, emit).run();
}

}  // namespace loadfactor::training
