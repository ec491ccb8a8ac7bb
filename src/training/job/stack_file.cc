#include "training/job/stack_file.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/load/entry_reader.h"
#include "config/document.h"
#include "config/number_text.h"
#include "config/reader.h"
#include "config/schema.h"
#include "training/job/abilities_reader.h"
#include "training/job/memory_traits_reader.h"

namespace loadfactor::training {

namespace {

using config::MapReader;
using config::Word;

constexpr std::array kAttention{Word<AttentionGeneration>{"unfused", AttentionGeneration::kUnfused},
                                Word<AttentionGeneration>{"flash1", AttentionGeneration::kFlash1},
                                Word<AttentionGeneration>{"flash2", AttentionGeneration::kFlash2},
                                Word<AttentionGeneration>{"flash3", AttentionGeneration::kFlash3}};
constexpr std::array kPointwise{Word<PointwiseClass>{"composite", PointwiseClass::kComposite},
                                Word<PointwiseClass>{"eager", PointwiseClass::kEager},
                                Word<PointwiseClass>{"fused", PointwiseClass::kFused},
                                Word<PointwiseClass>{"compiled", PointwiseClass::kCompiled}};
constexpr std::array kHost{
    Word<HostClass>{"eager", HostClass::kEager}, Word<HostClass>{"fused", HostClass::kFused},
    Word<HostClass>{"compiled", HostClass::kCompiled}, Word<HostClass>{"graph", HostClass::kGraph}};
constexpr std::array kTp{Word<TpOverlap>{"none", TpOverlap::kNone},
                         Word<TpOverlap>{"user_buffers", TpOverlap::kUserBuffers},
                         Word<TpOverlap>{"async", TpOverlap::kAsync},
                         Word<TpOverlap>{"compiler", TpOverlap::kCompiler}};
constexpr std::array kSelective{
    Word<SelectiveMeaning>{"core_attention", SelectiveMeaning::kCoreAttention},
    Word<SelectiveMeaning>{"ops", SelectiveMeaning::kOps},
    Word<SelectiveMeaning>{"compiler_policy", SelectiveMeaning::kCompilerPolicy}};
constexpr std::array kMoe{Word<MoeDispatch>{"host_sync", MoeDispatch::kHostSync},
                          Word<MoeDispatch>{"device", MoeDispatch::kDevice},
                          Word<MoeDispatch>{"graph", MoeDispatch::kGraph},
                          Word<MoeDispatch>{"compiler", MoeDispatch::kCompiler}};

constexpr std::array kContext{Word<ContextExchange>{"zigzag", ContextExchange::kZigzag},
                              Word<ContextExchange>{"ring", ContextExchange::kRing},
                              Word<ContextExchange>{"heads", ContextExchange::kHeads}};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool contains(std::string_view text, std::string_view word) {
  return word.empty() || text.find(word) != std::string_view::npos;
}

void read_overlaps(MapReader& reader, StackTraits& stack) {
  stack.compiler = reader.boolean("compiler");
  stack.dp_overlap = reader.boolean("dp_overlap");
  stack.p2p_overlap = reader.boolean("p2p_overlap");
  stack.gather_overlap = reader.maybe_boolean("gather_overlap").value_or(stack.dp_overlap);
  stack.splits_sends = reader.maybe_boolean("splits_sends").value_or(true);
  stack.shards_tensors = reader.maybe_boolean("shards_tensors").value_or(false);
  stack.remats = reader.maybe_boolean("remats").value_or(false);
  stack.adds_apart = reader.maybe_boolean("adds_apart").value_or(false);
  stack.sequence_parallel = reader.boolean("sequence_parallel");
  stack.interleaves = reader.boolean("interleaves");
  stack.fused_optimizer = reader.boolean("fused_optimizer");
  stack.fp32_main_grad = reader.boolean("fp32_main_grad");
  stack.runs_on = reader.texts("runs_on");
  stack.gradient_bytes = reader.ratio("gradient_bytes", {1, 8});
  stack.shard_gradient_bytes = reader.ratio("shard_gradient_bytes", {1, 8});
}

StackTraits read_stack(MapReader& reader, const catalog::DataFile& file) {
  StackTraits stack;
  const catalog::EntryHead head = catalog::read_head(reader, "stack/1", file);
  stack.name = head.name;
  stack.title = head.title;
  stack.family = reader.text("family");
  stack.attention = reader.word<AttentionGeneration>("attention", kAttention, stack.attention);
  stack.pointwise = reader.word<PointwiseClass>("pointwise", kPointwise, stack.pointwise);
  stack.host = reader.word<HostClass>("host", kHost, stack.host);
  stack.tp_overlap = reader.word<TpOverlap>("tp_overlap", kTp, stack.tp_overlap);
  stack.selective = reader.word<SelectiveMeaning>("selective", kSelective, stack.selective);
  stack.moe = reader.word<MoeDispatch>("moe", kMoe, stack.moe);
  read_overlaps(reader, stack);
  if (auto block = reader.map("abilities", false)) {
    stack.context = block->maybe_word<ContextExchange>("context", kContext).value_or(stack.context);
    stack.abilities = read_abilities(*block);
  }
  if (auto block = reader.map("memory")) stack.memory = read_memory_traits(*block);
  stack.provenance = catalog::read_provenance(reader);
  reader.finish();
  return stack;
}

StackRule read_rule(MapReader& reader) {
  StackRule rule;
  rule.framework = lower(reader.maybe_text("framework").value_or(""));
  rule.notes = lower(reader.maybe_text("notes").value_or(""));
  rule.recompute = reader.maybe_text("recompute").value_or("");
  rule.chip = reader.maybe_text("chip").value_or("");
  const auto releases = reader.texts("release");
  for (const std::string& release : releases) {
    if (config::is_bare_number(release)) continue;
    reader.report("release", lf::kNotANumber, fmt::format("'{}' is no release", release),
                  "write 25.09, or [25.02, 25.09]");
  }
  rule.release_low = releases.empty() ? 0 : std::strtod(releases.front().c_str(), nullptr);
  rule.release_high = releases.empty() ? 0 : std::strtod(releases.back().c_str(), nullptr);
  const auto years = reader.integers("year", {0, 9999});
  rule.year_low = years.empty() ? 0 : static_cast<int>(years.front());
  rule.year_high = years.empty() ? 0 : static_cast<int>(years.back());
  rule.stack = reader.text("stack");
  reader.finish();
  return rule;
}

void read_rules(const config::Document& document, StackShelf& shelf, Diagnostics& diagnostics) {
  MapReader root(document, document.root, "rules", diagnostics);
  config::check_schema(root, "stack-rules", 1);
  for (MapReader& reader : root.maps("rules")) shelf.rules.push_back(read_rule(reader));
  root.finish();
}

bool holds(const StackRule& rule, const StackQuery& query) {
  if (!contains(query.framework, rule.framework) || !contains(query.notes, rule.notes)) {
    return false;
  }
  if (!rule.recompute.empty() && rule.recompute != query.recompute) return false;
  if (!rule.chip.empty() && rule.chip != query.chip_family) return false;
  if (rule.year_high > 0) {
    if (query.year == 0 || query.year < rule.year_low || query.year > rule.year_high) return false;
  }
  if (rule.release_high > 0) {
    const double release = release_of(query.framework);
    if (release < rule.release_low || release > rule.release_high) return false;
  }
  return true;
}

}  // namespace

double release_of(std::string_view framework) {
  const auto digit = [&](std::size_t i) {
    return i < framework.size() && std::isdigit(static_cast<unsigned char>(framework[i])) != 0;
  };
  for (std::size_t i = 0; i + 4 < framework.size(); ++i) {
    const bool here =
        digit(i) && digit(i + 1) && framework[i + 2] == '.' && digit(i + 3) && digit(i + 4);
    if (here) {
      return (framework[i] - '0') * 10.0 + (framework[i + 1] - '0') +
             (framework[i + 3] - '0') / 10.0 + (framework[i + 4] - '0') / 100.0;
    }
  }
  return 0.0;
}

const StackTraits* StackShelf::find(std::string_view name) const {
  for (const StackTraits& stack : stacks) {
    if (stack.name == name) return &stack;
  }
  return nullptr;
}

const StackTraits* StackShelf::match(const StackQuery& query) const {
  StackQuery plain = query;
  plain.framework = lower(query.framework);
  plain.notes = lower(query.notes);
  for (const StackRule& rule : rules) {
    if (holds(rule, plain)) return find(rule.stack);
  }
  return nullptr;
}

StackShelf load_stacks(const std::vector<catalog::DataFile>& files, Diagnostics& diagnostics) {
  StackShelf shelf;
  for (const catalog::DataFile& file : files) {
    if (file.path.rfind("stacks/", 0) != 0) continue;
    auto document = config::parse_yaml(file.shown_as, file.text);
    if (!document) {
      diagnostics.add(std::move(document).error());
    } else if (catalog::stem(file.path) == "rules") {
      read_rules(*document, shelf, diagnostics);
    } else {
      MapReader reader(*document, document->root, "stack", diagnostics);
      shelf.stacks.push_back(read_stack(reader, file));
    }
  }
  return shelf;
}

}  // namespace loadfactor::training
