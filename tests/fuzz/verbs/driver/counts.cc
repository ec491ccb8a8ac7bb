#include "counts.h"

#include <fmt/format.h>

namespace loadfactor::fuzz {
namespace {

std::string row_of(const std::string& name, const Count& one, bool is_markdown) {
  return fmt::format("{}{} | {} | {} | {} | {} | {} | {:.2f} | {:.2f} | {:.0f} | {}{}\n",
                     is_markdown ? "| " : "", name, one.asked, one.answered, one.schemas, one.laws,
                     one.tables, one.slowest, one.refusal_seconds, one.refusal_megabytes,
                     one.failed, is_markdown ? " |" : "");
}

}  // namespace

std::string table_of(const Shared& shared, const std::vector<std::string>& kinds,
                     unsigned long long seed, bool is_markdown) {
  std::string text =
      is_markdown
          ? "| question | asked | answered | schemas | laws | tables | slowest, s of CPU | dearest "
            "refusal, s | largest refusal, MB | failed "
            "|\n|---|---|---|---|---|---|---|---|---|---|\n"
          : "question: asked, answered, schemas, laws, tables, slowest, refusal s, refusal MB, "
            "failed\n";
  Count all{};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Count& one = shared.counts[i];
    text += row_of(kinds[i], one, is_markdown);
    all.asked += one.asked;
    all.answered += one.answered;
    all.schemas += one.schemas;
    all.laws += one.laws;
    all.cpu += one.cpu;
  }
  return text + fmt::format(
                    "\nseed {}: {} questions, {} answered, {} held to a schema, {} comparisons by "
                    "laws, {:.0f} s of CPU, {} kinds of failure\n",
                    seed, all.asked, all.answered, all.schemas, all.laws, all.cpu, shared.failures);
}

}  // namespace loadfactor::fuzz
