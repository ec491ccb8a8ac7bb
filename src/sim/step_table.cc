#include "sim/step_table.h"

#include <algorithm>
#include <cstddef>

namespace loadfactor::sim {
namespace {

// Bounds that keep every closed form inside 64 bits: a run has at most 2^15 steps.
constexpr Ticks kLongestTerm = 1'000 * kSecond;
constexpr Ticks kSteepestRow = 100'000 * kMicrosecond;

bool are_ascending(const CostPiece* begin, const CostPiece* end) {
  if (begin == end || begin->from != 0) return false;
  return std::adjacent_find(begin, end, [](const CostPiece& a, const CostPiece& b) {
           return a.from >= b.from;
         }) == end;
}

bool are_within(const std::vector<CostPiece>& pieces) {
  return std::all_of(pieces.begin(), pieces.end(), [](const CostPiece& p) {
    return p.at >= 0 && p.at <= kLongestTerm && p.slope >= 0 && p.slope <= kSteepestRow;
  });
}

bool are_within(const std::vector<Ticks>& terms, std::size_t first, Ticks least) {
  return std::all_of(terms.begin() + static_cast<std::ptrdiff_t>(first), terms.end(),
                     [=](Ticks t) { return t >= least && t <= kLongestTerm; });
}

// No prompt beside n decodes takes less than a tick: there is one token of it at least.
bool are_covered(const StepTable& table) {
  Ticks least = kLongestTerm;
  for (std::size_t tokens = table.mixed_base.size(), n = tokens; n-- > 0;) {
    if (n + 1 < tokens) least = std::min(least, table.mixed_base[n + 1]);
    if (n >= table.with_prompt_base.size()) continue;
    const Ticks more = table.with_prompt_base[n];
    if (more > kLongestTerm || least + more < 1) return false;
  }
  return true;
}

std::string find_size_fault(const StepTable& table) {
  if (table.max_seqs < 1) return "a step needs room for one sequence";
  if (table.max_tokens < table.max_seqs) return "fewer tokens than sequences in a step";
  const auto seqs = static_cast<std::size_t>(table.max_seqs);
  if (table.decode_base.size() != seqs + 1) return "decode_base has the wrong length";
  if (table.sequence_base.size() != seqs + 1) return "sequence_base has the wrong length";
  if (!table.with_prompt_base.empty() && table.with_prompt_base.size() != seqs + 1)
    return "with_prompt_base has the wrong length";
  if (table.mixed_base.size() != static_cast<std::size_t>(table.max_tokens) + 1)
    return "mixed_base has the wrong length";
  if (table.attention_row.size() != seqs + 2 || table.attention_row.front() != 0 ||
      table.attention_row.back() != table.attention.size())
    return "attention_row does not span the pieces";
  return {};
}

}  // namespace

std::string find_fault(const StepTable& table) {
  if (std::string fault = find_size_fault(table); !fault.empty()) return fault;
  for (std::size_t n = 1; n + 1 < table.attention_row.size(); ++n) {
    const std::uint32_t from = table.attention_row[n];
    const std::uint32_t to = table.attention_row[n + 1];
    if (from > to || !are_ascending(table.attention.data() + from, table.attention.data() + to))
      return "the attention pieces of a row do not ascend from 0";
  }
  if (!are_ascending(table.prefill.data(), table.prefill.data() + table.prefill.size()))
    return "the prefill pieces do not ascend from 0";
  if (!are_within(table.decode_base, 1, 1) || !are_within(table.mixed_base, 1, 1) ||
      !are_within(table.sequence_base, 0, 0))
    return "a step takes no time, or more than a thousand seconds";
  if (!are_covered(table)) return "decodes beside a prompt take all of its time, or too long";
  if (!are_within(table.attention) || !are_within(table.prefill))
    return "a piece is negative or too steep";
  const auto is_rate = [](Ticks t) { return t >= 0 && t <= kSecond; };
  if (!is_rate(table.per_chunk) || !is_rate(table.per_cached_token) ||
      !is_rate(table.per_swapped_block))
    return "a rate is negative or beyond a second";
  return {};
}

}  // namespace loadfactor::sim
