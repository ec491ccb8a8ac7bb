#include "resolve/serve/serve_batch.h"

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"

namespace loadfactor::engine {

Result<serving::BatchLimits> choose_batch(const config::Pool& asked,
                                          const catalog::EngineSpec& engine,
                                          const serving::EngineTraits& traits,
                                          const catalog::AcceleratorSpec& chip,
                                          const config::Operations& operations) {
  const auto written = [](const auto& given) {
    return given ? std::optional<std::int64_t>(given->value) : std::nullopt;
  };
  const std::int64_t proposed = operations.speculation ? operations.speculation->tokens : 0;
  const auto limits =
      serving::batch_limits(serving::engine_defaults(engine, traits, chip), traits.above_chunk,
                            written(asked.chunk), written(asked.max_seqs), 1 + proposed);
  if (!limits.is_refused) return limits;
  return Error{
      .code = lf::kContradictoryKeys,
      .message = fmt::format("max_seqs {} is above the chunk of {} tokens{}: {} does not start so, "
                             "since each running sequence takes a token of every step",
                             limits.max_sequences, limits.chunk,
                             asked.chunk ? "" : ", the engine's own", engine.title),
      .hint = fmt::format("write max_seqs: {} or less, or a larger chunk", limits.chunk)};
}

std::optional<std::string> lowered_words(const serving::BatchLimits& limits) {
  if (limits.max_sequences >= limits.unbounded_sequences) return std::nullopt;
  if (limits.tokens_each > 1)
    return fmt::format(
        "a step of {} tokens has room for {} sequences with {} proposed each: so many run at a "
        "time, not {}",
        format_count(limits.chunk), format_count(limits.max_sequences), limits.tokens_each - 1,
        format_count(limits.unbounded_sequences));
  return fmt::format("a chunk of {} tokens has room for as many sequences: max_seqs is {}, not {}",
                     format_count(limits.chunk), format_count(limits.max_sequences),
                     format_count(limits.unbounded_sequences));
}

}  // namespace loadfactor::engine
