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

std::optional<Notice> lowered_sequences(const serving::BatchLimits& limits) {
  if (limits.max_sequences >= limits.unbounded_sequences) return std::nullopt;
  Notice notice{.id = "lowered-max-seqs",
                .arguments = {{"tokens", format_count(limits.chunk)},
                              {"sequences", format_count(limits.max_sequences)},
                              {"usual", format_count(limits.unbounded_sequences)}}};
  if (limits.tokens_each > 1)
    notice.arguments.push_back({"proposed", std::to_string(limits.tokens_each - 1)});
  return notice;
}

}  // namespace loadfactor::engine
