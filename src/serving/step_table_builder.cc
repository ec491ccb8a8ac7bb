#include "serving/step_table_builder.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace loadfactor::serving {
namespace {

using sim::CostPiece;
using sim::Ticks;

constexpr double kTicksPerSecond = 1e12;

Ticks ticks(double seconds) {
  return static_cast<Ticks>(std::llround(std::max(0.0, seconds) * kTicksPerSecond));
}

class Builder {
 public:
  Builder(const StepModel& model, const Constants& constants, double pace, const StepTableLimits& limits)
      : model_(model), constants_(constants), pace_(pace), limits_(limits) {}

  sim::StepTable build() const {
    sim::StepTable table;
    table.max_seqs = limits_.max_sequences;
    table.max_tokens = std::max(limits_.max_tokens, limits_.max_sequences);
    add_decode(table);
    add_mixed(table);
    return table;
  }

 private:
  double decode(double sequences, double context) const {
    return pace_ * model_.seconds({.sequences = sequences, .context = context}, constants_);
  }
  double prompt(double tokens, double past) const {
    return pace_ * model_.seconds({.prompt_tokens = tokens, .chunk = tokens, .past = past, .finishing = 1}, constants_);
  }

  // Contexts at which a straight piece begins, in tokens per sequence.
  std::vector<double> context_nodes() const {
    std::vector<double> nodes;
    const double longest = std::max<double>(4096, static_cast<double>(limits_.max_context));
    for (double at = 256; at < 2 * longest; at *= 4) nodes.push_back(at);
    return nodes;
  }

  void add_decode(sim::StepTable& table) const {
    const auto nodes = context_nodes();
    const auto count = static_cast<std::size_t>(limits_.max_sequences);
    table.decode_base.assign(count + 1, 0);
    table.attention_row.assign(count + 2, 0);
    for (std::size_t n = 0; n <= count; ++n) {
      table.attention_row[n] = static_cast<std::uint32_t>(table.attention.size());
      if (n == 0) {
        table.attention.push_back({0, 0, 0});
        continue;
      }
      const auto sequences = static_cast<double>(n);
      const double base = decode(sequences, 1);
      table.decode_base[n] = ticks(base);
      double from = 0, cost = 0;
      for (const double node : nodes) {
        const double next = std::max(cost, decode(sequences, node) - base);
        const double width = sequences * node - from;
        table.attention.push_back({static_cast<std::int64_t>(from), ticks(cost), ticks((next - cost) / width)});
        from = sequences * node;
        cost = next;
      }
    }
    table.attention_row[count + 1] = static_cast<std::uint32_t>(table.attention.size());
  }

  void add_mixed(sim::StepTable& table) const {
    const auto most = static_cast<std::size_t>(table.max_tokens);
    // Without attention over the past, at nodes of the pass table; linear between.
    table.mixed_base.assign(most + 1, 0);
    const auto plain = [&](double tokens) {
      return pace_ * model_.seconds({.prompt_tokens = tokens, .chunk = 1}, constants_);
    };
    std::size_t at = 0;
    double before = plain(1);
    for (std::size_t i = 0; at < most; ++i) {
      const auto next = std::min(most, static_cast<std::size_t>(PassTable::node(i + 2)));
      if (next <= at) continue;
      const double after = plain(static_cast<double>(next));
      for (std::size_t t = at; t <= next; ++t) {
        const double share = static_cast<double>(t - at) / static_cast<double>(next - at);
        table.mixed_base[t] = ticks(before + share * (after - before));
      }
      at = next;
      before = after;
    }
    table.sequence_base.assign(static_cast<std::size_t>(limits_.max_sequences) + 1, 0);
    const double none = pace_ * model_.seconds({.prompt_tokens = 64, .chunk = 64}, constants_);
    for (std::size_t n = 0; n < table.sequence_base.size(); ++n) {
      const double with = pace_ * model_.seconds({.prompt_tokens = 64, .chunk = 64, .finishing = static_cast<double>(n)}, constants_);
      table.sequence_base[n] = ticks(with - none);
    }
    add_prefill(table);
  }

  // By the attended area: twice the causal pairs of a chunk.
  void add_prefill(sim::StepTable& table) const {
    double from = 0, cost = 0;
    for (double tokens = 256; tokens <= 65536; tokens *= 2) {
      const double area = tokens * tokens;
      const double bare = pace_ * model_.seconds({.prompt_tokens = tokens, .chunk = 1}, constants_);
      const double next = std::max(cost, prompt(tokens, 0) - bare);
      table.prefill.push_back({static_cast<std::int64_t>(from), ticks(cost), ticks((next - cost) / (area - from))});
      from = area;
      cost = next;
    }
  }

  const StepModel& model_;
  const Constants& constants_;
  double pace_;
  StepTableLimits limits_;
};

}  // namespace

sim::StepTable make_step_table(const StepModel& model, const Constants& constants, double pace,
                               const StepTableLimits& limits) {
  return Builder(model, constants, pace, limits).build();
}

}  // namespace loadfactor::serving
