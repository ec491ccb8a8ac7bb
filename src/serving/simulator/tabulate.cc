#include "serving/simulator/tabulate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "serving/simulator/sparse_table.h"

namespace loadfactor::serving {
namespace {

// At which counts the model is asked.
enum class TableGrain : std::uint8_t { kEveryCount, kSparse };

// Mean contexts at which decode steps are evaluated.
constexpr std::array kContexts{1.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 65536.0, 262144.0};
// Prompts at which attention over prompts is evaluated: between them linear in the area.
constexpr std::array kPromptTokens{16.0,   64.0,   256.0,  512.0,  1024.0,
                                   2048.0, 4096.0, 8192.0, 32768.0};
// A chunk behind a long past, whose time shows what its area does not.
constexpr double kChunk = 512.0;
constexpr double kPast = 4096.0;

sim::Ticks slope(Seconds rise, double run) {
  return std::max<sim::Ticks>(0, sim::ticks_of(rise / run));
}

// The next count at which a sparse table asks the model. Kernels of another shape begin behind
// powers of two, which have a node on either side.
int next_node(int count) {
  constexpr int kEach = 32, kNodesOfAnOctave = 16;
  if (count < kEach || std::has_single_bit(static_cast<unsigned>(count))) return count + 1;
  const auto power = static_cast<int>(std::bit_ceil(static_cast<unsigned>(count)));
  return std::min(count + power / 2 / kNodesOfAnOctave, power);
}

// What a decode step of so many sequences takes: without attention, and beyond that by context.
struct DecodeRow {
  Seconds base;
  std::array<Seconds, kContexts.size()> attention{};
};

Seconds between(Seconds a, Seconds b, double share) {
  return a + share * (b - a);
}
DecodeRow between(const DecodeRow& a, const DecodeRow& b, double share) {
  DecodeRow row{between(a.base, b.base, share)};
  for (std::size_t i = 0; i < kContexts.size(); ++i)
    row.attention[i] = between(a.attention[i], b.attention[i], share);
  return row;
}

class Tabulator {
 public:
  Tabulator(const StepModel& model, const Constants& constants, double pace, TableGrain grain)
      : model_(model), constants_(constants), pace_(pace), grain_(grain) {}

  void add_decodes(sim::StepTable& table) const {
    table.attention_row.assign(1, 0);
    at_counts(
        0, table.max_seqs, [&](int n) { return decode_row(std::max(n, 1)); },
        [&](int n, const DecodeRow& row) {
          table.decode_base.push_back(std::max<sim::Ticks>(1, sim::ticks_of(row.base)));
          add_row(std::max(n, 1), row, table);
        });
  }

  void add_prompts(sim::StepTable& table) const {
    table.mixed_base.push_back(0);
    at_counts(
        1, table.max_tokens,
        [&](int tokens) {
          const StepParts parts = prompt(tokens, 0);
          return parts.total - parts.attention;
        },
        [&](int, Seconds time) {
          table.mixed_base.push_back(std::max<sim::Ticks>(1, sim::ticks_of(time)));
        });
    Seconds before;
    double area_before = 0;
    for (const double tokens : kPromptTokens) {
      const double area = tokens * tokens;
      const Seconds time = prompt(tokens, 0).attention;
      table.prefill.push_back({static_cast<std::int64_t>(area_before), sim::ticks_of(before),
                               slope(time - before, area - area_before)});
      before = time;
      area_before = area;
    }
    const Seconds behind_past = prompt(kChunk, kPast).attention;
    const sim::Ticks by_area =
        table.prefill_cost(static_cast<std::int64_t>(kChunk * (2 * kPast + kChunk)));
    table.per_cached_token = std::max<sim::Ticks>(
        0, (sim::ticks_of(behind_past) - by_area) / static_cast<sim::Ticks>(kPast));
  }

  // The table counts a sequence that shares a step with a prompt as one token. With tokens proposed
  // ahead it is several: adds the difference.
  void add_proposals(sim::StepTable& table) const {
    ServingDeployment without = model_.deployment();
    if (without.speculation.tokens <= 0) return;
    without.speculation = {};
    const StepModel single(without);
    const Tabulator other(single, constants_, pace_, grain_);
    table.with_prompt_base.assign(1, 0);
    for (int n = 1; n <= table.max_seqs; ++n) {
      const Seconds more = with_prompt(n) - other.with_prompt(n);
      const auto tokens = static_cast<std::ptrdiff_t>(n);
      const sim::Ticks least =
          *std::min_element(table.mixed_base.begin() + tokens, table.mixed_base.end());
      table.with_prompt_base.push_back(std::max(sim::ticks_of(more), 1 - least));
    }
  }

  // What sequences add to a step that has one already.
  void add_sequences(sim::StepTable& table) const {
    const double serial = 1.0 - model_.deployment().engine->overlap;
    const StepParts one = finishing(1);
    at_counts(
        0, table.max_seqs,
        [&](int n) {
          const StepParts many = finishing(std::max(n, 1));
          return many.head - one.head + serial * (many.host - one.host);
        },
        [&](int, Seconds more) {
          table.sequence_base.push_back(std::max<sim::Ticks>(0, sim::ticks_of(more)));
        });
  }

 private:
  // Calls `take` with every count and what `ask` says of it, or a straight line between the
  // neighbours that were asked.
  template <typename Ask, typename Take>
  void at_counts(int first, int last, const Ask& ask, const Take& take) const {
    int low = first;
    auto at_low = ask(low);
    take(low, at_low);
    while (low < last) {
      const int high = std::min(grain_ == TableGrain::kEveryCount ? low + 1 : beyond(low), last);
      const auto at_high = ask(high);
      for (int n = low + 1; n < high; ++n)
        take(n, between(at_low, at_high, static_cast<double>(n - low) / (high - low)));
      take(high, at_high);
      low = high;
      at_low = at_high;
    }
  }

  // The next node, with one on either side of where captured pieces of a step end.
  int beyond(int count) const {
    const auto captured = static_cast<int>(model_.deployment().engine->graph_tokens);
    const int next = next_node(count);
    if (count == captured) return count + 1;
    return count < captured && captured < next ? captured : next;
  }

  DecodeRow decode_row(double sequences) const {
    const StepParts least = decode(sequences, kContexts.front());
    DecodeRow row{least.total - least.attention};
    for (std::size_t i = 0; i < kContexts.size(); ++i)
      row.attention[i] = std::max(Seconds(), decode(sequences, kContexts[i]).total - row.base);
    return row;
  }

  void add_row(double sequences, const DecodeRow& row, sim::StepTable& table) const {
    const auto& times = row.attention;
    for (std::size_t i = 0; i + 1 < kContexts.size(); ++i) {
      const double from = sequences * kContexts[i];
      const sim::Ticks rise =
          slope(times[i + 1] - times[i], sequences * (kContexts[i + 1] - kContexts[i]));
      const auto start = static_cast<std::int64_t>(from);
      if (i == 0)  // The first piece begins at 0.
        table.attention.push_back(
            {0, std::max<sim::Ticks>(0, sim::ticks_of(times[0]) - rise * start), rise});
      else
        table.attention.push_back({start, sim::ticks_of(times[i]), rise});
    }
    table.attention_row.push_back(static_cast<std::uint32_t>(table.attention.size()));
  }

  StepParts decode(double sequences, double context) const {
    return paced({.sequences = sequences, .context = context});
  }
  StepParts prompt(double tokens, double past) const {
    return paced({.prompt_tokens = tokens, .chunk = tokens, .past = past, .finishing = 1});
  }
  // A step that computes a prompt together with so many sequences, attention left out.
  Seconds with_prompt(double sequences) const {
    const StepParts parts = paced({.prompt_tokens = kChunk,
                                   .chunk = kChunk,
                                   .sequences = sequences,
                                   .context = kContexts.front(),
                                   .finishing = 1});
    return parts.total - parts.attention;
  }
  StepParts finishing(double count) const {
    return paced({.prompt_tokens = kChunk, .chunk = kChunk, .finishing = count});
  }
  StepParts paced(const StepBatch& batch) const {
    StepParts parts = model_.parts(batch, constants_);
    for (Seconds* part : {&parts.total, &parts.attention, &parts.head, &parts.host})
      *part = *part * pace_;
    // What was measured may be faster than the model, never faster than light.
    if (pace_ < 1) parts.total = std::max(parts.total, model_.least(batch));
    return parts;
  }

  const StepModel& model_;
  const Constants& constants_;
  double pace_;
  TableGrain grain_;
};

sim::StepTable table_of(const Tabulator& tabulator, int max_seqs, int max_tokens) {
  sim::StepTable table{.max_seqs = max_seqs, .max_tokens = std::max(max_seqs, max_tokens)};
  tabulator.add_decodes(table);
  tabulator.add_prompts(table);
  tabulator.add_sequences(table);
  tabulator.add_proposals(table);
  return table;
}

}  // namespace

sim::StepTable tabulate_steps(const StepModel& model, const Constants& constants, int max_seqs,
                              int max_tokens, double pace) {
  return table_of(Tabulator(model, constants, pace, TableGrain::kEveryCount), max_seqs, max_tokens);
}

sim::StepTable tabulate_sparsely(const StepModel& model, const Constants& constants, int max_seqs,
                                 int max_tokens, double pace) {
  return table_of(Tabulator(model, constants, pace, TableGrain::kSparse), max_seqs, max_tokens);
}

}  // namespace loadfactor::serving
