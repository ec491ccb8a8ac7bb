#include "training/memory/memory_plan_rows_test.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "catalog/load/data_file.h"
#include "config/csv.h"

namespace loadfactor::training {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<TableRow> read_table(const fs::path& path) {
  Diagnostics diagnostics;
  const auto table = config::parse_csv(path.string(), read_file(path), diagnostics);
  std::vector<TableRow> rows;
  if (!table) return rows;
  for (const auto& cells : table->rows) {
    TableRow row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[table->header[i].text] = cells[i].text;
    rows.push_back(std::move(row));
  }
  return rows;
}

// One row with typed access: a number or what to take where none is stated.
class Cells {
 public:
  explicit Cells(const TableRow& row) : row_(row) {}
  const std::string& text(const std::string& column) const { return row_.at(column); }
  bool has(const std::string& column) const { return !text(column).empty(); }
  double number(const std::string& column, double otherwise) const {
    char* end = nullptr;
    const double value = std::strtod(text(column).c_str(), &end);
    return end == text(column).c_str() || std::isnan(value) ? otherwise : value;
  }
  int count(const std::string& column, double otherwise) const {
    return static_cast<int>(std::lround(number(column, otherwise)));
  }
  bool notes(const std::string& words) const {
    return text("notes").find(words) != std::string::npos;
  }
  bool starts(const std::string& column, const std::string& words) const {
    return text(column).rfind(words, 0) == 0;
  }
  // The first number behind some words of the notes.
  std::optional<int> noted(const std::string& pattern) const {
    std::smatch match;
    const std::string& all = text("notes");
    if (!std::regex_search(all, match, std::regex(pattern))) return std::nullopt;
    for (std::size_t i = 1; i < match.size(); ++i) {
      if (match[i].matched) return std::stoi(match[i].str());
    }
    return std::nullopt;
  }

 private:
  const TableRow& row_;
};

int layers_of(const Cells& row) {
  if (row.has("layers")) return row.count("layers", 0);
  const double hidden = row.number("hidden", 0);
  const double rest = row.number("params_b", 0) * 1e9 - row.number("vocab", 0) * hidden;
  const int pp = row.count("pp", 1);
  return static_cast<int>(std::lround(rest / (12 * hidden * hidden) / pp)) * pp;
}

catalog::AttentionSpec attention_of(const Cells& row) {
  catalog::AttentionSpec a;
  const int hidden = row.count("hidden", 0);
  a.heads = row.count("heads", std::max(1, hidden / 128));
  a.kv_heads = std::min(a.heads, row.count("kv_heads", a.heads));
  a.head_dim = row.noted("head_dim (\\d+)").value_or(hidden / a.heads);
  if (row.notes("sliding-window(128)")) a.head_dim = 64;
  if (row.notes("local(1024)")) a.head_dim = 256;
  if (row.notes("MLA")) {
    a.kind = catalog::AttentionKind::kLatent;
    a.q_rank = 1536;
    a.kv_rank = 512;
    a.nope_dim = 128;
    a.rope_dim = 64;
    a.value_dim = 128;
  }
  return a;
}

// The count of parameters tells a gated from a plain MLP.
catalog::MlpKind mlp_kind(const Cells& row, const catalog::AttentionSpec& a, int layers) {
  const double hidden = row.number("hidden", 0);
  const double ffn = row.number("ffn", 4 * hidden);
  const double heads = a.heads + 2.0 * a.kv_heads + a.heads;
  const double base = layers * hidden * heads * a.head_dim;
  const auto miss = [&](double matrices) {
    const double one = base + layers * matrices * hidden * ffn - row.number("params_b", 0) * 1e9;
    const double table = row.number("vocab", 0) * hidden;
    return std::min(std::abs(one + table), std::abs(one + 2 * table));
  };
  return miss(3) < miss(2) ? catalog::MlpKind::kGated : catalog::MlpKind::kPlain;
}

catalog::ModelSpec model_of(const Cells& row) {
  catalog::ModelSpec model;
  const int layers = layers_of(row);
  model.hidden = row.count("hidden", 0);
  model.embedding.vocab = row.count("vocab", 0);
  catalog::LayerSpec dense;
  dense.attention = attention_of(row);
  dense.mlp.width = row.count("ffn", 4.0 * model.hidden);
  const int experts = row.count("moe_experts", 0);
  if (experts == 0) dense.mlp.kind = mlp_kind(row, dense.attention, layers);
  // Models with a plain MLP have layer norms; those with a gated one RMS norms.
  model.norm = dense.mlp.kind == catalog::MlpKind::kGated ? catalog::NormKind::kRms
                                                          : catalog::NormKind::kLayer;
  model.kinds.push_back(dense);
  model.layers.assign(static_cast<std::size_t>(layers), 0);
  if (experts == 0) return model;

  catalog::LayerSpec sparse = dense;
  sparse.mlp.width = 0;
  sparse.moe.experts = experts;
  sparse.moe.top_k = row.count("moe_topk", 1);
  const double parameters = row.number("params_b", 0) * 1e9;
  const double width = 0.97 * parameters / (3.0 * layers * experts * model.hidden);
  sparse.moe.width =
      row.noted("expert ffn (\\d+)").value_or(static_cast<int>(std::lround(width / 64.0)) * 64);
  if (row.notes("shared expert")) sparse.moe.shared_width = sparse.moe.width;
  const int first = row.noted("first (\\d+) layers dense").value_or(row.notes("MLA") ? 1 : 0);
  model.kinds.push_back(sparse);
  for (int i = first; i < layers; ++i) model.layers[static_cast<std::size_t>(i)] = 1;
  return model;
}

bool from_recipe(const Cells& row, const StackTraits& stack) {
  const auto& framework = row.text("framework");
  const auto names = [&](const char* word) { return framework.find(word) != std::string::npos; };
  const bool library = names("Megatron-Core") || names("HAI-LLM") || framework == "Megatron-LM";
  return stack.memory.narrow_inputs && !library;
}

void set_sharding(const Cells& row, const StackTraits& stack, Layout& layout) {
  const std::string& zero = row.text("zero_or_fsdp");
  const bool full = row.starts("zero_or_fsdp", "FSDP") || row.starts("zero_or_fsdp", "ZeRO-3") ||
                    row.notes("FSDP on");
  layout.sharding = full                                   ? Sharding::kFull
                    : row.starts("zero_or_fsdp", "HSDP")   ? Sharding::kHybrid
                    : row.starts("zero_or_fsdp", "ZeRO-2") ? Sharding::kGradients
                    : row.starts("zero_or_fsdp", "ZeRO-1") || row.starts("zero_or_fsdp", "dist-opt")
                        ? Sharding::kOptimizer
                        : Sharding::kNone;
  // The recipes of this family shard the optimizer unless they say otherwise.
  if (zero.empty() && from_recipe(row, stack)) layout.sharding = Sharding::kOptimizer;
  const bool gathered =
      zero.find("no reshard") != std::string::npos || zero.find("GRAD_OP") != std::string::npos;
  layout.reshard_after_forward = !gathered && !(full && layout.pp > 1);
  std::smatch match;
  const bool whole_axis = stack.memory.pipeline_gradient > 0;
  if (!whole_axis && std::regex_search(zero, match, std::regex("^FSDP2?-(\\d+)"))) {
    layout.shard_group = std::stoi(match[1].str());
  }
  if (layout.sharding == Sharding::kHybrid) layout.shard_group = row.count("gpus_per_node", 8);
  if (stack.compiler) {
    const int slices = std::regex_search(zero, match, std::regex("DCN-FSDP-(\\d+)"))
                           ? std::stoi(match[1].str())
                           : 1;
    layout.shard_group = (layout.shard_group > 0 ? layout.shard_group : layout.dp) * slices;
  }
  layout.offload.optimizer = zero.find("offload") != std::string::npos;
}

// What the notes name as recomputed; nothing named is what the stack calls selective.
void set_selective(const Cells& row, Recompute& recompute) {
  recompute.latent_up = row.notes("mla_up_proj");
  recompute.mlp = row.notes("\"mlp\"");
  recompute.experts = row.notes("layernorm,moe") && !row.notes("layernorm,moe_act");
  recompute.norms = row.notes("layernorm") || row.notes("norm,act");
  recompute.activation = recompute.norms || row.notes("moe_act") || recompute.experts;
  const bool named =
      recompute.latent_up || recompute.mlp || recompute.norms || recompute.activation;
  recompute.kind = named ? RecomputeKind::kModules : RecomputeKind::kSelective;
}

void set_recompute(const Cells& row, const StackTraits& stack, Layout& layout) {
  const std::string& word = row.text("recompute");
  Recompute& recompute = layout.recompute;
  if (word == "none") recompute.kind = RecomputeKind::kNone;
  if (word.empty() || word == "unknown") recompute.kind = RecomputeKind::kUnknown;
  if (word == "full") {
    recompute.kind = RecomputeKind::kFull;
    recompute.layers_per_stage = row.noted("block (\\d+) layers|block layers=(\\d+)").value_or(0);
  }
  if (word == "selective") {
    set_selective(row, recompute);
    // A policy that is not spelt out, of a compiler or over layers, is not known.
    const bool policy = stack.selective == SelectiveMeaning::kCompilerPolicy ||
                        (stack.selective == SelectiveMeaning::kCoreAttention &&
                         stack.memory.ladder == RecomputeLadder::kLayers &&
                         stack.attention != AttentionGeneration::kUnfused);
    if (policy) recompute.kind = RecomputeKind::kUnknown;
  }
  layout.offload.activations =
      row.notes("cpu_offloading=True") || row.notes("remat_policy custom/offload");
}

void set_layout(const Cells& row, const StackTraits& stack, MemoryQuestion& question) {
  Layout& layout = question.layout;
  layout.gpus = row.count("gpus", 1);
  layout.tp = row.count("tp", 1);
  layout.pp = row.count("pp", 1);
  layout.cp = row.count("cp", 1);
  layout.ep = row.count("ep", 1);
  layout.vp = layout.pp > 1 ? std::max(1, row.count("vp", 1)) : 1;
  layout.schedule = layout.vp > 1 ? Schedule::kInterleaved : Schedule::k1F1B;
  layout.dp = row.count("dp", std::max(1, layout.gpus / (layout.tp * layout.pp * layout.cp)));
  const double batch = row.number("global_batch", layout.dp);
  double micro = row.number("micro_batch", 1);
  if (batch < layout.dp * micro) micro = std::max(1.0, batch / layout.dp);
  layout.micro_batch = static_cast<std::int64_t>(micro);
  question.micro_batches = std::max(1.0, batch / (layout.dp * micro));
  question.sequence = row.count("seq_len", 4096);
  const std::string& sp = row.text("sequence_parallel");
  layout.sequence_parallel =
      layout.tp > 1 && (sp == "yes" || (sp != "no" && stack.sequence_parallel));
  set_sharding(row, stack, layout);
  set_recompute(row, stack, layout);
}

void set_precision(const Cells& row, const StackTraits& stack, PublishedMemory& run) {
  const std::string& word = row.text("precision");
  Precision& precision = run.question.precision;
  const auto starts = [&](const char* text) { return word.rfind(text, 0) == 0; };
  if (starts("fp16")) precision.compute = catalog::Dtype::kFp16;
  if (starts("fp8")) precision.compute = catalog::Dtype::kFp8;
  if (starts("mxfp8")) precision.compute = catalog::Dtype::kMxfp8;
  if (starts("nvfp4")) precision.compute = catalog::Dtype::kNvfp4;
  // Alone it is a mode that narrows what travels.
  const bool says_pure = word.find("pure") != std::string::npos;
  precision.pure = says_pure && row.text("notes").find("pure bf16") != std::string::npos;
  if (says_pure && !precision.pure) precision.wire_gradient = kBytesOf16Bits;
  run.question.trainable_share = run.tier == 'L' ? 0.001 : 1.0;
  // The published recipes on top of the library keep gradients in 16 bit, and moments too for
  // models of latent attention; those that run the library itself keep its defaults.
  precision.short_gradients = from_recipe(row, stack);
  precision.short_moments = precision.short_gradients &&
                            run.model.kinds[0].attention.kind == catalog::AttentionKind::kLatent;
}

}  // namespace

std::unique_ptr<PublishedTables> PublishedTables::open() {
  // Beside the project, or beside the folder that a second working tree of it stands in.
  fs::path root = fs::path(LF_SOURCE_DIR) / ".." / "shared" / "data";
  if (!fs::exists(root)) root = fs::path(LF_SOURCE_DIR) / ".." / ".." / "shared" / "data";
  const fs::path table = root / "training" / "calibration.csv";
  if (!fs::exists(table)) return nullptr;
  Diagnostics diagnostics;
  auto out = std::unique_ptr<PublishedTables>(
      new PublishedTables(catalog::Catalog::open(catalog::builtin_files(), diagnostics)));
  out->published_ = read_table(table);
  out->steps_ = read_table(root / "h200" / "steps_training.csv");
  for (auto& row : read_table(root / "training" / "tiers.csv"))
    out->tiers_[row["id"]] = row["tier"];
  out->stacks_ = load_stacks(catalog::builtin_files(), diagnostics);
  EXPECT_TRUE(diagnostics.errors().empty());
  return out;
}

const catalog::AcceleratorSpec* PublishedTables::find_chip(const std::string& name) const {
  const auto chip = catalog_.find_accelerator(name);
  return chip ? *chip : nullptr;
}

std::unique_ptr<PublishedMemory> PublishedTables::run_of(const TableRow& cells) const {
  const Cells row(cells);
  auto run = std::make_unique<PublishedMemory>();
  run->id = row.text("id");
  run->tier = tiers_.at(run->id)[0];
  const auto* chip = find_chip(row.text("accelerator"));
  if (chip == nullptr || !row.has("hidden") || row.number("hidden", 0) == 0) return nullptr;
  StackQuery query{row.text("framework"), row.text("notes"), row.text("recompute"), chip->family,
                   row.count("year", 0)};
  const StackTraits* stack = stacks_.match(query);
  if (stack == nullptr) return nullptr;
  run->model = model_of(row);
  run->question.model = &run->model;
  run->question.stack = stack;
  run->question.capacity = chip->memory.usable - stack->memory.driver;
  // Where the two cores of a chip train as two devices, each has half of its memory.
  if (row.text("accelerator").find("NeuronCore") != std::string::npos) {
    run->question.capacity = chip->memory.usable / 2.0;
  }
  run->model.embedding.tied = stack->attention == AttentionGeneration::kUnfused ||
                              stack->attention == AttentionGeneration::kFlash1;
  set_layout(row, *stack, run->question);
  set_precision(row, *stack, *run);
  run->recompute_known = run->question.layout.recompute.kind != RecomputeKind::kUnknown;
  run->recomputes = row.text("recompute") == "full";
  if (row.has("memory_gb_per_gpu")) {
    run->measured = Bytes::from_base(row.number("memory_gb_per_gpu", 0) * 1e9);
  }
  run->scorable =
      run->measured && row.has("seq_len") && row.has("global_batch") && !row.notes("memory = Fig");
  return run;
}

std::vector<std::unique_ptr<PublishedMemory>> PublishedTables::runs() const {
  std::vector<std::unique_ptr<PublishedMemory>> out;
  for (const auto& row : published_) {
    if (auto run = run_of(row)) out.push_back(std::move(run));
  }
  return out;
}

std::vector<std::unique_ptr<PublishedMemory>> PublishedTables::own_steps() const {
  std::vector<std::unique_ptr<PublishedMemory>> out;
  for (const auto& cells : steps_) {
    const Cells row(cells);
    auto run = std::make_unique<PublishedMemory>();
    catalog::LayerSpec layer;
    layer.attention.heads = row.count("heads", 0);
    layer.attention.kv_heads = row.count("kv_heads", 0);
    layer.attention.head_dim = row.count("head_dim", 0);
    layer.mlp.width = row.count("ffn", 0);
    const bool gated = row.text("gated") == "1";
    layer.mlp.kind = gated ? catalog::MlpKind::kGated : catalog::MlpKind::kPlain;
    run->model.norm = gated ? catalog::NormKind::kRms : catalog::NormKind::kLayerNoBias;
    run->model.hidden = row.count("hidden", 0);
    run->model.embedding.vocab = row.count("vocab", 0);
    run->model.kinds.push_back(layer);
    run->model.layers.assign(static_cast<std::size_t>(row.count("layers", 0)), 0);
    run->id = row.text("model") + " " + row.text("micro_batch") + " " + row.text("recompute");
    run->question.model = &run->model;
    run->question.stack = stacks_.find("pytorch-compiled");
    run->question.sequence = row.count("seq", 0);
    run->question.layout.micro_batch = row.count("micro_batch", 1);
    run->question.layout.recompute.kind =
        row.text("recompute") == "full" ? RecomputeKind::kFull : RecomputeKind::kNone;
    run->measured = Bytes::from_base(row.number("peak_mem_gb", 0) * 1e9);
    out.push_back(std::move(run));
  }
  return out;
}

}  // namespace loadfactor::training
