#include "serving/step.h"

#include <algorithm>
#include <cmath>

#include "cost/gemm.h"

namespace loadfactor::serving {
namespace {

using catalog::Dtype;
using cost::KernelClass;
using cost::KernelVariant;

// Kernels that quantise activations, over the other small kernels of a layer.
constexpr double kQuantiseKernels = 0.3;
// Host time of an eager layer that quantises in kernels of its own, over one that does not.
constexpr double kQuantisedDispatch = 2.1;
// Bandwidth of unfused small tensors over that of the long vectors of the pointwise table.
constexpr double kUnfusedShare = 0.86;
constexpr std::array kExpertReading{Constant::kExperts16, Constant::kExperts8, Constant::kExperts4,
                                    Constant::kExpertsWeightOnly};
constexpr std::array kExpertRates{Constant::kExpertRate16, Constant::kExpertRate8,
                                  Constant::kExpertRate4, Constant::kExpertRateWeightOnly};

// The longer of two times that overlap, a little more where they are close.
double overlapped(double a, double b) {
  const double longer = std::max(a, b);
  if (longer <= 0) return 0;
  const double ratio = std::min(a, b) / longer;
  return longer * std::sqrt(std::sqrt(1 + ratio * ratio * ratio * ratio));
}

Seconds overlapped(Seconds a, Seconds b) {
  return Seconds::from_base(overlapped(a.base(), b.base()));
}

Seconds in_seconds(double raw) {
  return Seconds::from_base(raw);
}

}  // namespace

double StepModel::decode_attention(const StepBatch& batch, const Constants& constants) const {
  const bool plain = deployment_.engine->bare_kernels;
  const double stages = deployment_.layout.pp;
  const double shared = deployment_.layout.cp;
  const double sequences = batch.sequences / stages;
  if (sequences <= 0) return 0;
  const double rounded = std::max(1.0, std::round(sequences));
  const double scale = std::max(sequences, 1.0) / rounded;
  const bool narrow = catalog::bytes_per_element(deployment_.precision.kv) < kBytesOf16Bits;
  cost::KernelKey key{KernelClass::kDecodeAttention, Dtype::kBf16,
                      narrow ? KernelVariant::kNarrowCache : KernelVariant::kPlain};
  const cost::KernelFit& fit = deployment_.kernels->fit(key);
  const double fixed = fit.parameters.fixed / kSecond;
  const double shows = plain ? 1.0 : constants[Constant::kKernelFixed];
  double factor = plain ? 1.0 : constants[narrow ? Constant::kDecode8 : Constant::kDecode16];
  double sum = 0;
  for (const AttentionKind& kind : attention_) {
    if (kind.state_bytes > 0) {
      sum += kind.layers * sequences * kind.state_bytes /
             (deployment_.kernels->rates().memory / BytesPerSecond::from_base(0.7));
      continue;
    }
    cost::AttentionCall call = kind.decode;
    call.batch = static_cast<std::int64_t>(rounded);
    call.context = static_cast<std::int64_t>(std::max(1.0, batch.context / shared));
    const double all =
        cost::estimate_decode_attention(call, deployment_.kernels->rates(), fit).duration / kSecond;
    double body = std::max(0.0, all - fixed) * scale * factor;
    if (kind.latent) body *= constants[Constant::kLatentDecode];
    if (!deployment_.engine->grouped_native && call.heads > call.kv_heads)
      body *= constants[Constant::kOldGrouped];
    sum += kind.layers * (fixed * shows + body);
  }
  return sum;
}

double StepModel::prefill_attention(const StepBatch& batch, const Constants& constants) const {
  const double tokens = batch.prompt_tokens / deployment_.layout.pp;
  if (tokens <= 0) return 0;
  const bool plain = deployment_.engine->bare_kernels;
  const double chunk = std::max(1.0, std::min(batch.chunk, tokens));
  const double prompts = std::max(1.0, std::round(tokens / chunk));
  const double scale = tokens / chunk / prompts;
  const cost::KernelKey key{KernelClass::kAttention, Dtype::kBf16, KernelVariant::kPlain};
  const cost::KernelFit& fit = deployment_.kernels->fit(key);
  const double fixed = fit.parameters.fixed / kSecond;
  double sum = 0;
  for (const AttentionKind& kind : attention_) {
    if (kind.state_bytes > 0) {
      constexpr double kScanChunk = 64;  // The state is read and written once per chunk.
      sum += kind.layers * tokens / deployment_.layout.cp / kScanChunk * kind.state_bytes /
             (deployment_.kernels->rates().memory / BytesPerSecond::from_base(0.7));
      continue;
    }
    cost::AttentionCall call = kind.prefill;
    call.batch = static_cast<std::int64_t>(prompts);
    call.queries = static_cast<std::int64_t>(std::ceil(chunk));
    call.context = static_cast<std::int64_t>(std::ceil(chunk + batch.past));
    const double all =
        cost::estimate_attention(call, deployment_.kernels->rates(), fit).duration / kSecond;
    const double body = std::max(0.0, all - fixed) * scale / deployment_.layout.cp;
    sum += kind.layers * (plain ? all
                                : fixed * constants[Constant::kKernelFixed] +
                                      body * constants[Constant::kPrefillAttention]);
  }
  return sum;
}

double StepModel::communication(double tokens, const Constants& constants) const {
  double sum = 0;
  if (collective_start_ > 0) {
    const double growing = std::max(0.0, collectives_.at(tokens) - collective_start_);
    const bool bus = deployment_.network->domain.on_bus(deployment_.layout.tp);
    const bool staged = kChipFamilies[family_] == "geforce";
    const Constant direct = bus ? Constant::kCommPcie : Constant::kCommRate;
    // Through host memory every message is written once more, however short.
    const double start =
        staged ? constants[Constant::kCommHost] : (bus ? 1.0 : constants[Constant::kCommLatency]);
    sum += collective_start_ * start + growing * constants[staged ? Constant::kCommHost : direct];
  }
  return sum;
}

// All wait for the rank that most tokens go to. The fitted rate is of runs as uneven as the fitted
// imbalance; a stated one is slower or faster than those.
double StepModel::exchange(double tokens, const Constants& constants) const {
  if (exchange_start_ <= 0) return 0;
  const double uneven = imbalance_ > 0 ? imbalance_ / constants[Constant::kImbalance] : 1.0;
  return exchange_start_ * constants[Constant::kCommLatency] +
         std::max(0.0, exchange_.at(tokens) - exchange_start_) * constants[Constant::kExchange] *
             uneven;
}

// Kernel time on the device, before the engine's own factor.
void StepModel::add_kernels(const StepBatch& batch, const Constants& constants,
                            StepParts& parts) const {
  constexpr std::array kDense{Constant::kGemm16, Constant::kGemm8, Constant::kGemm4,
                              Constant::kGemmWeightOnly};
  const bool plain = deployment_.engine->bare_kernels;
  const double stages = deployment_.layout.pp;
  const double tokens = (batch.prompt_tokens / deployment_.layout.cp + batch.sequences) / stages;
  const double shows = plain ? 1.0 : constants[Constant::kKernelFixed];
  for (std::size_t w = 0; w < dense_.size(); ++w) {
    if (!dense_[w].used) continue;
    const double body = dense_[w].body.at(tokens);
    double factor = plain ? 1.0 : constants[kDense[w]];
    // Nothing of an engine slows the reading of weights; sustained clocks slow arithmetic.
    if (w == 0 && !plain && body > 0) {
      const double busy = std::min(1.0, tokens * dense_[w].arithmetic / body);
      factor = constants[Constant::kReading] + (factor - constants[Constant::kReading]) * busy;
    }
    parts.products += in_seconds(dense_[w].fixed * shows + body * factor);
  }
  parts.products += in_seconds(adapters(batch, tokens));
  if (expert_layers_ > 0) {
    parts.experts = in_seconds(expert_times(tokens, constants).both);
  }
  parts.attention =
      in_seconds(decode_attention(batch, constants) + prefill_attention(batch, constants));
  const double bandwidth = deployment_.kernels->rates().memory / BytesPerSecond::from_base(1.0);
  const cost::KernelKey pointwise{KernelClass::kMemory, Dtype::kBf16, KernelVariant::kPlain};
  const double share = plain
                           ? kUnfusedShare * deployment_.kernels->fit(pointwise).parameters.memory
                           : constants[gddr_ ? Constant::kElementwiseGddr : Constant::kElementwise];
  parts.elementwise = in_seconds(tokens * elementwise_bytes_ / (bandwidth * share));
  const double rows = (batch.sequences + batch.finishing) / stages;
  if (rows > 0) {
    parts.head = in_seconds(head_.fixed * shows +
                            head_.body.at(rows) * (plain ? 1.0 : constants[Constant::kReading]));
  }
}

StepModel::ExpertTimes StepModel::expert_times(double tokens, const Constants& constants) const {
  const double measured = deployment_.layout.ep > 1 ? constants[Constant::kImbalance] : 1.0;
  const double imbalance = imbalance_ > 0 ? imbalance_ : measured;
  const double reading = expert_reading_.at(tokens) * constants[kExpertReading[expert_width_]];
  const double arithmetic =
      expert_arithmetic_.at(tokens) * imbalance / constants[kExpertRates[expert_width_]];
  return {reading, arithmetic, overlapped(reading, arithmetic)};
}

double StepModel::arithmetic_share(double tokens, const Constants& constants) const {
  double busy = 0, all = 0;
  for (const WidthTable& table : dense_) {
    if (!table.used) continue;
    const double body = table.body.at(tokens);
    busy += std::min(body, tokens * table.arithmetic);
    all += body;
  }
  if (expert_layers_ > 0) {
    const double arithmetic =
        expert_arithmetic_.at(tokens) / constants[kExpertRates[expert_width_]];
    const double both = overlapped(
        expert_reading_.at(tokens) * constants[kExpertReading[expert_width_]], arithmetic);
    busy += arithmetic;
    all += both;
  }
  return all > 0 ? std::min(1.0, busy / all) : 1.0;
}

double StepModel::host_scale(const Constants& constants) const {
  return has_old_host_ ? constants[Constant::kOldHost] : 1.0;
}

// Steps with prompts are launched kernel by kernel, or in captured pieces while they are small.
double StepModel::dispatch_seconds(const StepBatch& batch, const Constants& constants) const {
  const bool eager = deployment_.eager || !deployment_.engine->graphs;
  if (batch.prompt_tokens <= 0 && !eager) return 0;
  const double launches = num_layers_ + expert_layers_ + special_layers_;
  const double tokens = batch.prompt_tokens + batch.sequences;
  const bool pieces = !eager && tokens <= static_cast<double>(deployment_.engine->graph_tokens);
  return constants.of(deployment_.engine->index, EngineConstant::kPrefillLaunch) * launches *
         (pieces ? constants[Constant::kPieces] : 1.0) * host_scale(constants);
}

// Router, permutation and finalisation of a mixture layer, and what its grouped kernels take before
// they read or multiply anything. Engines whose plain 16-bit experts are kernels of a compiler
// route, sort, activate and sum in small kernels of their own.
double StepModel::expert_gap(const Constants& constants) const {
  if (expert_layers_ <= 0) return 0;
  const EngineTraits& engine = *deployment_.engine;
  const double shows = engine.bare_kernels ? 1.0 : constants[Constant::kKernelFixed];
  const bool is_plain = deployment_.precision.experts == KernelFormat{};
  return constants[Constant::kExpertLaunch] + shows * expert_fixed_ +
         (engine.experts_apart && is_plain ? constants[Constant::kExpertApart] : 0.0);
}

// Without the exchange of tokens between experts. `checked` tokens of every sequence go through one
// decode step: their attention reads the cache once; products, head and traffic grow with them.
StepParts StepModel::device_parts(const StepBatch& asked, const Constants& constants,
                                  double checked) const {
  StepBatch batch = asked;
  batch.sequences *= checked;
  const std::size_t engine = deployment_.engine->index;
  const bool plain = deployment_.engine->bare_kernels;
  const double shared = deployment_.layout.cp;
  const double tokens = (batch.prompt_tokens / shared + batch.sequences) / deployment_.layout.pp;
  const bool prefill = batch.prompt_tokens > 0;
  // What a family adds was fitted to engines; plain kernels of a measured chip are its own table.
  const auto& product =
      deployment_.kernels->fit({KernelClass::kGemm, Dtype::kBf16, KernelVariant::kPlain});
  const bool own = plain && product.basis == cost::FitBasis::kMeasured;
  const double family = own ? 1.0 : constants.family(family_);
  // An engine slows arithmetic and its own small kernels, not the reading of weights.
  const double kernel = constants.of(engine, EngineConstant::kKernel) *
                        (prefill ? constants.of(engine, EngineConstant::kPrompt) : 1.0);
  const double share = plain ? 1.0 : arithmetic_share(tokens, constants);
  StepParts parts;
  add_kernels(batch, constants, parts);
  if (checked > 1)
    parts.attention =
        in_seconds(decode_attention(asked, constants) + prefill_attention(batch, constants));
  for (Seconds* part : {&parts.products, &parts.experts, &parts.head})
    *part = *part * (family * (1 + (kernel - 1) * share));
  for (Seconds* part : {&parts.attention, &parts.elementwise}) *part = *part * (family * kernel);
  parts.communication = in_seconds(communication(tokens, constants));
  if (shared > 1 && prefill)
    parts.communication += in_seconds(gathering_.at(batch.prompt_tokens / deployment_.layout.pp) *
                                      constants[Constant::kCommRate]);
  // Engines that do not fuse quantise in kernels of their own.
  const bool quantises = !deployment_.engine->fused && dense_[1].used;
  const double launch =
      constants.of(engine, EngineConstant::kLaunch) * (quantises ? 1 + kQuantiseKernels : 1.0);
  parts.launch = in_seconds((plain && prefill ? 0.0 : launch * num_layers_) +
                            expert_gap(constants) * expert_layers_ +
                            constants[Constant::kLatentLaunch] * special_layers_);
  return parts;
}

// Tokens go to their experts and back between the kernels, or two half batches take turns: one is
// exchanged between nodes while the other is computed, and all weights are read twice.
StepParts StepModel::with_exchange(const StepBatch& asked, const Constants& constants,
                                   double checked) const {
  const double tokens = (asked.prompt_tokens / deployment_.layout.cp + asked.sequences * checked) /
                        deployment_.layout.pp;
  StepParts parts = device_parts(asked, constants, checked);
  parts.communication += in_seconds(exchange(tokens, constants));
  const bool launched = asked.prompt_tokens > 0 || deployment_.eager || !deployment_.engine->graphs;
  // One of two half batches computes while the other waits, in turn.
  if (exchange_start_ > 0 && launched)
    parts.launch += deployment_.engine->dispatch_wait * expert_layers_;
  const double overlap = spans_nodes_ ? deployment_.engine->exchange_overlap : 0.0;
  if (overlap <= 0) return parts;
  StepBatch half = asked;
  half.prompt_tokens *= 0.5;
  // A prompt longer than half a batch is in both halves, behind its own beginning in one of them.
  half.chunk = std::min(asked.chunk, std::max(1.0, half.prompt_tokens));
  half.past += 0.5 * (asked.chunk - half.chunk);
  half.sequences *= 0.5;
  half.finishing *= 0.5;
  StepParts turns = device_parts(half, constants, checked);
  for (Seconds StepParts::*part :
       {&StepParts::products, &StepParts::experts, &StepParts::attention, &StepParts::elementwise,
        &StepParts::communication, &StepParts::launch, &StepParts::head})
    turns.*part = turns.*part * 2.0;
  const Seconds sent = in_seconds(2 * exchange(0.5 * tokens, constants));
  turns.communication += std::max(Seconds(), sent - turns.device() * overlap);
  return turns.device() < parts.device() ? turns : parts;
}

StepBatch StepModel::through_layers(const StepBatch& batch) const {
  if (passes_prompts_) return batch;
  StepBatch rest = batch;
  rest.prompt_tokens = 0;
  rest.past = 0;
  return rest;
}

Seconds StepModel::tower_time(const StepBatch& batch, const Constants& constants) const {
  if (!tower_ || batch.prompt_tokens <= 0) return {};
  const catalog::TowerSpec& spec = tower_->spec;
  const double share = passes_prompts_ ? deployment_.seen : 1.0;
  const double tokens = batch.prompt_tokens / deployment_.layout.pp * share;
  const double patches = static_cast<double>(spec.patches);
  const double items = tokens / static_cast<double>(spec.tokens);
  if (items <= 0) return {};
  const StepParts one = tower_->step.parts(
      {.prompt_tokens = items * patches, .chunk = patches, .finishing = tokens}, constants);
  return one.device();
}

StepParts StepModel::whole_step(const StepBatch& whole, const Constants& constants,
                                double checked) const {
  const StepBatch asked = through_layers(whole);
  StepBatch batch = asked;
  batch.sequences *= checked;
  const std::size_t engine = deployment_.engine->index;
  const bool quantises = !deployment_.engine->fused && dense_[1].used;
  StepParts parts = with_exchange(asked, constants, checked);
  const Seconds dispatch =
      in_seconds(dispatch_seconds(batch, constants) * (quantises ? kQuantisedDispatch : 1.0));
  settle(batch, dispatch, constants, parts);
  parts.tower = tower_time(whole, constants);
  const Seconds busy = std::max({parts.device(), dispatch, least(asked)});
  parts.host = in_seconds(
      (constants.of(engine, EngineConstant::kHostStep) +
       constants.of(engine, EngineConstant::kHostSequence) * (asked.sequences + batch.finishing)) *
      host_scale(constants));
  const double overlap = deployment_.engine->overlap;
  parts.total = overlap * overlapped(busy, parts.host) + (1 - overlap) * (busy + parts.host);
  return parts;
}

// A step in which every sequence gains one token. Where tokens are proposed ahead, sequences gain
// several in a step that checks them all, and the decode part is shared by those gained.
StepParts StepModel::parts(const StepBatch& batch, const Constants& constants) const {
  const Speculation& ahead = deployment_.speculation;
  if (ahead.tokens <= 0 || batch.sequences <= 0) return whole_step(batch, constants, 1.0);
  StepBatch decode = batch;
  decode.prompt_tokens = decode.finishing = 0;
  const double checked = 1.0 + ahead.tokens;
  const StepParts checking = whole_step(decode, constants, checked);
  StepParts parts = checking;
  const Seconds plain = whole_step(decode, constants, 1.0).total;
  // More tokens never take less, whatever the tables say of so few rows.
  const Seconds longer = std::max(checking.total, plain);
  const Seconds one = (longer + plain * (ahead.tokens * ahead.draft)) / ahead.gained();
  const double scale = one / checking.total;
  StepParts both = batch.prompt_tokens > 0 ? whole_step(batch, constants, checked) : checking;
  for (Seconds StepParts::*part :
       {&StepParts::products, &StepParts::experts, &StepParts::attention, &StepParts::elementwise,
        &StepParts::communication, &StepParts::launch, &StepParts::head, &StepParts::tower,
        &StepParts::host, &StepParts::total})
    parts.*part = checking.*part * scale + std::max(Seconds(), both.*part - checking.*part);
  return parts;
}

// Two thin products beside every dense one: each adapter in the batch is read once, each token
// goes through its own.
double StepModel::adapters(const StepBatch& batch, double tokens) const {
  const Adapters& lora = deployment_.adapters;
  if (lora.rank <= 0) return 0;
  const cost::KernelFit& fit =
      deployment_.kernels->fit({KernelClass::kGemm, Dtype::kBf16, KernelVariant::kPlain});
  const auto& rates = deployment_.kernels->rates();
  const double owners = std::max(1.0, batch.sequences + batch.finishing);
  const double weights = adapter_weights_ * lora.rank;
  const double reading = std::min(lora.active, owners) * weights * kBytesOf16Bits /
                         (rates.memory / BytesPerSecond::from_base(1.0) * fit.parameters.memory);
  const double computing =
      2 * tokens * weights /
      (rates.rate(Dtype::kBf16) / FlopsPerSecond::from_base(1.0) * fit.parameters.sustained);
  constexpr double kKernels = 2;  // Down to the rank and up again.
  return kKernels * static_cast<double>(products_.size()) / 4 * num_layers_ *
             (fit.parameters.fixed / kSecond) +
         overlapped(reading, computing);
}

Bytes StepModel::adapter_bytes() const {
  const Adapters& lora = deployment_.adapters;
  return Bytes::from_base(kBytesOf16Bits * adapter_weights_ * lora.rank * lora.active /
                          deployment_.layout.pp);
}

Bytes StepModel::weight_bytes_read(double tokens) const {
  double bytes = 0;
  for (const Product& p : products_)
    bytes += p.weights() * cost::weight_bytes(p.format.math, p.format.variant);
  const KernelFormat format = deployment_.precision.experts;
  for (const ExpertProduct& p : expert_products_) {
    bytes += p.weights() * cost::weight_bytes(format.math, format.variant) *
             touched(p.one.groups, tokens * p.copies);
  }
  return Bytes::from_base(bytes);
}

StepModel::Context StepModel::context_work(const StepBatch& batch) const {
  const auto& rates = deployment_.kernels->rates();
  const double element = catalog::bytes_per_element(deployment_.precision.kv);
  double pairs = 0;  // Multiplications of queries with keys and of weights with values.
  double cache = 0;  // Bytes of the cache.
  for (const AttentionKind& kind : attention_) {
    const auto seen = [&](double length) {
      const auto window = static_cast<double>(kind.decode.window);
      return window > 0 ? std::min(length, window) : length;
    };
    const auto width = [](const cost::AttentionCall& call) {
      const auto values = call.value_dim > 0 ? call.value_dim : call.head_dim;
      return 0.5 * static_cast<double>(call.heads * (call.head_dim + values));
    };
    const double kept = static_cast<double>(kind.decode.kv_heads * kind.decode.head_dim) *
                        (kind.decode.values_in_keys ? 1 : 2) * element;
    pairs += kind.layers *
             (width(kind.prefill) * batch.prompt_tokens * seen(batch.past + 0.5 * batch.chunk) +
              width(kind.decode) * batch.sequences * seen(batch.context));
    cache += kind.layers * batch.sequences *
             (kind.state_bytes > 0 ? kind.state_bytes : kept * seen(batch.context));
  }
  const double stages = deployment_.layout.pp;
  const auto fastest = std::max(rates.rate(Dtype::kBf16), rates.rate(deployment_.precision.kv));
  return {4 * pairs / stages / (fastest / FlopsPerSecond::from_base(1.0)),
          cache / stages / (rates.memory / BytesPerSecond::from_base(1.0))};
}

Seconds StepModel::roofline(const StepBatch& whole) const {
  const StepBatch batch = through_layers(whole);
  const double tokens = (batch.prompt_tokens + batch.sequences) / deployment_.layout.pp;
  const double bandwidth = deployment_.kernels->rates().memory / BytesPerSecond::from_base(1.0);
  const Context context = context_work(batch);
  return in_seconds(std::max(tokens * least_per_token_ + context.arithmetic,
                             weight_bytes_read(tokens).base() / bandwidth + context.traffic));
}

Seconds StepModel::least(const StepBatch& whole) const {
  const StepBatch batch = through_layers(whole);
  StepBatch shared = batch;
  shared.prompt_tokens /= deployment_.layout.cp;
  const double stages = deployment_.layout.pp;
  const double tokens = (shared.prompt_tokens + batch.sequences) / stages;
  const double sampled = (batch.sequences + batch.finishing) / stages;
  const Context context = context_work(shared);
  return in_seconds(
      std::max(tokens * least_per_token_ + sampled * least_head_ + context.arithmetic,
               least_pass_ + (sampled > 0 ? least_head_pass_ / stages : 0.0) + context.traffic));
}

}  // namespace loadfactor::serving
