#include "serving/simulator/tabulate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace loadfactor::serving {
namespace {

// Mean contexts at which decode steps are evaluated.
constexpr std::array kContexts{1.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 65536.0, 262144.0};
// Prompts at which attention over prompts is evaluated: between them linear in the area.
constexpr std::array kPrompts{16.0, 64.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0, 32768.0};
// A chunk behind a long past, whose time shows what its area does not.
constexpr double kChunk = 512.0;
constexpr double kPast = 4096.0;

sim::Ticks slope(Seconds rise, double run) {
  return std::max<sim::Ticks>(0, sim::ticks_of(rise / run));
}

class Tabulator {
 public:
  Tabulator(const StepModel& model, const Constants& constants, double pace)
      : model_(model), constants_(constants), pace_(pace) {}

  void add_decodes(sim::StepTable& table) const {
    table.attention_row.assign(1, 0);
    for (int n = 0; n <= table.max_seqs; ++n) {
      const double sequences = std::max(n, 1);
      const StepParts least = decode(sequences, kContexts.front());
      const Seconds base = least.total - least.attention;
      table.decode_base.push_back(std::max<sim::Ticks>(1, sim::ticks_of(base)));
      add_row(sequences, base, table);
    }
  }

  void add_prompts(sim::StepTable& table) const {
    table.mixed_base.push_back(0);
    for (int tokens = 1; tokens <= table.max_tokens; ++tokens) {
      const StepParts parts = prompt(tokens, 0);
      table.mixed_base.push_back(
          std::max<sim::Ticks>(1, sim::ticks_of(parts.total - parts.attention)));
    }
    Seconds before;
    double area_before = 0;
    for (const double tokens : kPrompts) {
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
    const Tabulator other(single, constants_, pace_);
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
    for (int n = 0; n <= table.max_seqs; ++n) {
      const StepParts many = finishing(std::max(n, 1));
      const Seconds more = many.head - one.head + serial * (many.host - one.host);
      table.sequence_base.push_back(std::max<sim::Ticks>(0, sim::ticks_of(more)));
    }
  }

 private:
  void add_row(double sequences, Seconds base, sim::StepTable& table) const {
    std::array<Seconds, kContexts.size()> times{};
    for (std::size_t i = 0; i < kContexts.size(); ++i)
      times[i] = std::max(Seconds(), decode(sequences, kContexts[i]).total - base);
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
};

}  // namespace

sim::StepTable tabulate_steps(const StepModel& model, const Constants& constants, int max_seqs,
                              int max_tokens, double pace) {
  sim::StepTable table{.max_seqs = max_seqs, .max_tokens = std::max(max_seqs, max_tokens)};
  const Tabulator tabulator(model, constants, pace);
  tabulator.add_decodes(table);
  tabulator.add_prompts(table);
  tabulator.add_sequences(table);
  tabulator.add_proposals(table);
  return table;
}

}  // namespace loadfactor::serving
