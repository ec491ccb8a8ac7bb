#include "catalog/index/generation_table.h"

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error_codes.h"
#include "catalog/index/entry_finder.h"

namespace loadfactor::catalog {
namespace {

// The generation that an entry makes of the one it is like, or of the defaults.
EngineGeneration laid_over(EngineGeneration base, const GenerationEntry& entry) {
  const auto take = [](const auto& given, auto& value) {
    if (given) value = *given;
  };
  base.name = entry.name;
  base.like = entry.like;
  take(entry.batching, base.batching);
  take(entry.memory_fraction, base.memory_fraction);
  take(entry.prompts_alone, base.prompts_alone);
  take(entry.whole_batches, base.whole_batches);
  take(entry.admission, base.admission);
  // Without a word of its own, whoever asks for a prompt's room alone computes again.
  if (entry.admission) base.computes_again = *entry.admission == Admission::kPrompt;
  take(entry.computes_again, base.computes_again);
  take(entry.reserve, base.reserve);
  take(entry.watermark, base.watermark);
  take(entry.victim, base.victim);
  take(entry.above_chunk, base.above_chunk);
  take(entry.overlap, base.overlap);
  take(entry.graphs, base.graphs);
  take(entry.graph_tokens, base.graph_tokens);
  take(entry.sent_once_per_node, base.sent_once_per_node);
  take(entry.exchange_overlap, base.exchange_overlap);
  take(entry.narrow_dispatch, base.narrow_dispatch);
  take(entry.schedules_ahead, base.schedules_ahead);
  take(entry.rows_by_expert, base.rows_by_expert);
  take(entry.dispatch_wait, base.dispatch_wait);
  take(entry.experts_apart, base.experts_apart);
  take(entry.one_shot, base.one_shot);
  take(entry.fused, base.fused);
  take(entry.grouped_native, base.grouped_native);
  take(entry.bare_kernels, base.bare_kernels);
  base.provenance = entry.provenance;
  return base;
}

class TableMaker {
 public:
  GenerationTable make(const std::vector<EngineSpec>& engines) {
    for (const auto& engine : engines) {
      for (const auto& entry : engine.generations) add(engine, entry);
    }
    for (const auto& engine : engines) {
      for (const auto& entry : engine.generations) {
        const auto found = entries_.find(entry.name);
        if (found == entries_.end() || found->second.entry != &entry) continue;
        std::set<std::string_view> above;
        auto generation = resolve(found->second, above);
        if (!generation) continue;
        generation->index = table_.generations.size();
        table_.generations.push_back(*std::move(generation));
      }
    }
    return std::move(table_);
  }

 private:
  struct Owned {
    const EngineSpec* engine = nullptr;
    const GenerationEntry* entry = nullptr;
  };

  void report(const GenerationEntry& entry, std::string word, Error error) {
    table_.faults.push_back({entry.provenance, std::move(word), std::move(error)});
  }

  void add(const EngineSpec& engine, const GenerationEntry& entry) {
    const auto [place, is_new] = entries_.emplace(entry.name, Owned{&engine, &entry});
    if (is_new) {
      names_.push_back(entry.name);
      return;
    }
    report(entry, entry.name,
           Error{.code = lf::kDuplicateName,
                 .message = "'" + entry.name + "' is already a generation of " +
                            place->second.engine->name,
                 .hint = "give it a name of its own; constants are fitted by this name"});
  }

  std::optional<EngineGeneration> resolve(const Owned& owned, std::set<std::string_view>& above) {
    const GenerationEntry& entry = *owned.entry;
    EngineGeneration base;
    if (!entry.like.empty()) {
      const auto found = entries_.find(entry.like);
      if (found == entries_.end()) {
        if (above.empty())
          report(entry, entry.like,
                 unknown_name(lf::kUnknownWord, "engine generation", entry.like, names_));
        return std::nullopt;
      }
      if (!above.insert(entry.name).second) {
        report(entry, entry.like,
               Error{.code = lf::kContradictoryKeys,
                     .message = "'" + entry.name + "' is like itself in the end",
                     .hint = "one of them must say how it schedules, without 'like'"});
        return std::nullopt;
      }
      auto parent = resolve(found->second, above);
      if (!parent) return std::nullopt;
      base = *std::move(parent);
    }
    EngineGeneration made = laid_over(std::move(base), entry);
    made.engine = owned.engine->name;
    return made;
  }

  std::map<std::string, Owned, std::less<>> entries_;
  std::vector<std::string> names_;
  GenerationTable table_;
};

}  // namespace

GenerationTable make_generations(const std::vector<EngineSpec>& engines) {
  return TableMaker().make(engines);
}

}  // namespace loadfactor::catalog
