#include "calibrate/kernels/kernels_formats.h"

#include <algorithm>
#include <utility>

namespace loadfactor::calibrate {
namespace {

using catalog::Dtype;
using cost::KernelClass;
using cost::KernelKey;
using cost::KernelVariant;

// How tables name a number format, and whether their times include narrowing the input to it.
struct FormatWord {
  std::string_view word;
  Dtype dtype;
  KernelVariant variant;
  bool casts;
};
constexpr std::array kFormatWords{
    FormatWord{"bfloat16", Dtype::kBf16, KernelVariant::kPlain, false},
    FormatWord{"bf16", Dtype::kBf16, KernelVariant::kPlain, false},
    FormatWord{"half", Dtype::kFp16, KernelVariant::kPlain, false},
    FormatWord{"fp16", Dtype::kFp16, KernelVariant::kPlain, false},
    FormatWord{"fp8", Dtype::kFp8, KernelVariant::kPlain, true},
    FormatWord{"fp8_static", Dtype::kFp8, KernelVariant::kStaticScaled, true},
    FormatWord{"fp8_block", Dtype::kFp8, KernelVariant::kBlockScaled, true},
    FormatWord{"nvfp4", Dtype::kNvfp4, KernelVariant::kPlain, true},
    FormatWord{"sq", Dtype::kInt8, KernelVariant::kPlain, true},
    FormatWord{"int8_wo", Dtype::kBf16, KernelVariant::kWeightOnly8, false},
    FormatWord{"int4_wo", Dtype::kBf16, KernelVariant::kWeightOnly4, false},
    FormatWord{"w4a16_mxfp4", Dtype::kBf16, KernelVariant::kWeightOnly4, false},
    FormatWord{"w4a8_mxfp4_mxfp8", Dtype::kMxfp8, KernelVariant::kWeightOnly4, true},
};

const FormatWord* find_format(std::string_view word) {
  const auto found = std::find_if(kFormatWords.begin(), kFormatWords.end(),
                                  [&](const FormatWord& row) { return row.word == word; });
  return found == kFormatWords.end() ? nullptr : &*found;
}

KernelSample sample_from(const RowOrigin& origin, KernelKey key, Seconds measured) {
  KernelSample sample;
  sample.chip = origin.chip;
  sample.source = origin.source;
  sample.key = key;
  sample.measured = measured;
  return sample;
}

void keep(TableRow& row, KernelSample sample, KernelMeasurements& found) {
  if (row.sound() && sample.measured > Seconds{}) found.kernels.push_back(std::move(sample));
}

Seconds milliseconds(double value) {
  return Seconds::from_base(value * 1e-3);
}

// Narrowing 16-bit activations reads two bytes and writes the narrow element.
Bytes cast_traffic(double elements, Dtype dtype) {
  return Bytes::from_base(elements * (2.0 + catalog::bytes_per_element(dtype)));
}

void read_gemm(TableRow& row, const RowOrigin& origin, KernelMeasurements& found) {
  const bool own = row.has("seconds");
  const FormatWord* format = find_format(row.text(own ? "dtype" : "gemm_dtype"));
  if (format == nullptr) return;
  const Seconds measured =
      own ? Seconds::from_base(row.number("seconds")) : milliseconds(row.number("latency"));
  auto sample = sample_from(origin, {KernelClass::kGemm, format->dtype, format->variant}, measured);
  cost::GemmCall call;
  call.shape = {row.whole("m"), row.whole("n"), row.whole("k")};
  call.dtype = format->dtype;
  call.variant = format->variant;
  sample.call = call;
  sample.shape = shape_number({call.shape.n, call.shape.k});
  sample.warm = !own;
  if (format->casts && !own) {
    sample.cast_traffic = cast_traffic(
        static_cast<double>(call.shape.m) * static_cast<double>(call.shape.k), format->dtype);
  }
  keep(row, std::move(sample), found);
}

cost::AttentionCall attention_of(TableRow& row) {
  cost::AttentionCall call;
  call.batch = row.whole("batch_size");
  call.heads = row.whole("num_heads");
  call.kv_heads = row.whole("num_key_value_heads");
  call.head_dim = row.whole("head_dim");
  if (const auto* format = find_format(row.text("attn_dtype"))) call.dtype = format->dtype;
  if (const auto* format = find_format(row.text("kv_cache_dtype"))) {
    call.cache_dtype = format->dtype;
  }
  return call;
}

// Sixteen-bit arithmetic over an 8-bit cache is a kernel of its own.
KernelVariant cache_variant(const cost::AttentionCall& call) {
  const bool narrow =
      catalog::bytes_per_element(call.cache_dtype) < catalog::bytes_per_element(call.dtype);
  return narrow ? KernelVariant::kNarrowCache : KernelVariant::kPlain;
}

void read_context_attention(TableRow& row, const RowOrigin& origin, KernelMeasurements& found) {
  cost::AttentionCall call = attention_of(row);
  call.queries = row.whole("isl");
  call.context = call.queries + row.whole("step");
  if (call.queries < 16) return;  // A decode step in disguise.
  auto sample = sample_from(origin, {KernelClass::kAttention, call.dtype, cache_variant(call)},
                            milliseconds(row.number("latency")));
  sample.call = call;
  sample.shape = shape_number({call.queries, call.heads, call.kv_heads, call.head_dim});
  keep(row, std::move(sample), found);
}

void read_generation_attention(TableRow& row, const RowOrigin& origin, KernelMeasurements& found) {
  if (!row.text("flag").empty()) return;
  cost::AttentionCall call = attention_of(row);
  call.context = row.whole("kv_len");
  auto sample =
      sample_from(origin, {KernelClass::kDecodeAttention, call.dtype, cache_variant(call)},
                  milliseconds(row.number("latency_ms")));
  sample.call = call;
  sample.maker = row.text("framework");
  sample.warm = true;
  sample.shape = shape_number({call.context, call.heads, call.kv_heads, call.head_dim});
  keep(row, std::move(sample), found);
}

void read_experts(TableRow& row, const RowOrigin& origin, KernelMeasurements& found) {
  const FormatWord* format = find_format(row.text("moe_dtype"));
  if (format == nullptr) return;
  auto sample = sample_from(origin, {KernelClass::kGroupedGemm, format->dtype, format->variant},
                            milliseconds(row.number("latency")));
  const std::int64_t tensor = std::max<std::int64_t>(1, row.whole("moe_tp_size"));
  const std::int64_t expert = std::max<std::int64_t>(1, row.whole("moe_ep_size"));
  const std::int64_t hidden = row.whole("hidden_size");
  const std::int64_t width = row.whole("inter_size") / tensor;
  const std::int64_t experts = std::max<std::int64_t>(1, row.whole("num_experts") / expert);
  const double copies = row.number("num_tokens") * row.number("topk") / static_cast<double>(expert);
  ExpertLayer layer;
  layer.up = {experts, copies, 2 * width, hidden, format->dtype, format->variant};
  layer.down = {experts, copies, hidden, width, format->dtype, format->variant};
  sample.call = layer;
  sample.maker = row.text("kernel_source");
  sample.shape = shape_number({hidden, width, experts});
  if (format->casts)
    sample.cast_traffic = cast_traffic(copies * static_cast<double>(hidden + width), format->dtype);
  if (row.text("distribution") == "balanced") {
    sample.rank = 0;
  } else if (row.text("distribution") == "power_law_1.01" && expert == 1) {
    sample.rank = 1;
  } else {
    return;
  }
  keep(row, std::move(sample), found);
}

void read_phase_attention(TableRow& row, const RowOrigin& origin, KernelMeasurements& found) {
  cost::AttentionCall call;
  call.batch = row.whole("batch");
  call.heads = row.whole("heads");
  call.kv_heads = row.whole("kv_heads");
  call.head_dim = row.whole("head_dim");
  call.queries = row.whole("q_len");
  call.context = row.whole("kv_len");
  const std::string_view phase = row.text("phase");
  KernelClass kernel = KernelClass::kAttention;
  if (phase == "decode") kernel = KernelClass::kDecodeAttention;
  if (phase == "fwd_bwd" || phase == "backward") kernel = KernelClass::kAttentionBackward;
  auto sample = sample_from(origin, {kernel, call.dtype, KernelVariant::kPlain},
                            Seconds::from_base(row.number("seconds")));
  sample.call = call;
  sample.with_forward = phase == "fwd_bwd";
  sample.shape = shape_number({call.context, call.heads, call.kv_heads, call.head_dim});
  keep(row, std::move(sample), found);
}

void add_traffic(TableRow& row, KernelSample sample, double bytes, KernelMeasurements& found) {
  sample.call = Bytes::from_base(bytes);
  sample.warm = true;
  sample.shape = shape_number({static_cast<std::int64_t>(bytes)});
  keep(row, std::move(sample), found);
}

void read_bandwidth(TableRow& row, const RowOrigin& origin, KernelMeasurements& found) {
  // Sums read once and copies within the device both stream; the host link is not memory.
  const std::string_view op = row.text("op");
  if (op != "add" && op != "copy") return;
  add_traffic(row,
              sample_from(origin, {KernelClass::kMemory, Dtype::kBf16, KernelVariant::kStream},
                          Seconds::from_base(row.number("seconds"))),
              row.number("bytes_moved"), found);
}

// Bytes per element of the output of 16-bit ops that stream their inputs once.
struct PointwiseWord {
  std::string_view word;
  double bytes;
  KernelVariant variant;
};
constexpr std::array kPointwiseWords{
    PointwiseWord{"rms_norm", 4, KernelVariant::kNorm},
    PointwiseWord{"layer_norm", 4, KernelVariant::kNorm},
    PointwiseWord{"gelu", 4, KernelVariant::kPlain},
    PointwiseWord{"silu_mul_eager", 6, KernelVariant::kPlain},
    PointwiseWord{"silu_mul", 6, KernelVariant::kPlain},
    PointwiseWord{"softmax", 4, KernelVariant::kSoftmax},
};

void read_pointwise(TableRow& row, const RowOrigin& origin, KernelMeasurements& found) {
  for (const PointwiseWord& word : kPointwiseWords) {
    if (word.word != row.text("op")) continue;
    add_traffic(row,
                sample_from(origin, {KernelClass::kMemory, Dtype::kBf16, word.variant},
                            Seconds::from_base(row.number("seconds"))),
                word.bytes * row.number("elements"), found);
  }
}

// A column of a table of single ops: what it moves per token, in hidden or feed-forward widths.
struct LayerOp {
  std::string_view column;
  bool over_width;  // Else over the hidden size.
  double bytes;
  KernelVariant variant;
};
constexpr std::array kLayerOps{
    LayerOp{"input_layernorm_median_ms", false, 4, KernelVariant::kNorm},
    LayerOp{"post_attention_layernorm_median_ms", false, 4, KernelVariant::kNorm},
    LayerOp{"add_median_ms", false, 6, KernelVariant::kStream},
    LayerOp{"mlp_act_median_ms", true, 6, KernelVariant::kPlain},
};

void read_layer_ops(TableRow& row, const RowOrigin& origin, KernelMeasurements& found) {
  const std::int64_t tokens = row.whole("num_tokens");
  const std::int64_t tensor = std::max<std::int64_t>(1, row.whole("tp"));
  const std::int64_t hidden = row.whole("n_embd");
  const bool gated = row.text("use_gated_mlp") == "True";
  const std::int64_t width = row.whole("n_expanded_embd") / tensor;
  for (const LayerOp& op : kLayerOps) {
    if (row.text(op.column).empty()) continue;
    const double bytes = op.over_width && !gated ? 4.0 : op.bytes;
    const auto elements =
        static_cast<double>(tokens) * static_cast<double>(op.over_width ? width : hidden);
    add_traffic(row,
                sample_from(origin, {KernelClass::kMemory, Dtype::kBf16, op.variant},
                            milliseconds(row.number(op.column))),
                bytes * elements, found);
  }
  const std::int64_t up = gated ? 2 * width : width;
  const std::array products{
      std::pair{std::string_view("mlp_up_proj_median_ms"), cost::GemmShape{tokens, up, hidden}},
      std::pair{std::string_view("mlp_down_proj_median_ms"),
                cost::GemmShape{tokens, hidden, width}}};
  for (const auto& [column, shape] : products) {
    if (row.text(column).empty()) continue;
    auto sample = sample_from(origin, {KernelClass::kGemm, Dtype::kBf16, KernelVariant::kPlain},
                              milliseconds(row.number(column)));
    sample.call = cost::GemmCall{.shape = shape};
    sample.shape = shape_number({shape.n, shape.k});
    keep(row, std::move(sample), found);
  }
}

void read_launch(TableRow& row, const RowOrigin& origin, KernelMeasurements& found) {
  found.launches.push_back({origin.chip, std::string(row.text("what")),
                            Seconds::from_base(row.number("seconds")), origin.source});
}

void read_power(TableRow& row, const RowOrigin& origin, KernelMeasurements& found) {
  PowerSample sample{origin.chip, std::string(row.text("load"))};
  sample.power = Watts::from_base(row.number("power_w_mean"));
  sample.clock = Hertz::from_base(row.number("sm_mhz") * 1e6);
  sample.rate = row.number("rate");
  sample.unit = row.text("unit");
  sample.source = origin.source;
  if (row.sound()) found.power.push_back(std::move(sample));
}

constexpr std::array kFormats{
    TableFormat{{"m", "n", "k", "gemm_dtype", "latency"}, read_gemm},
    TableFormat{{"m", "n", "k", "dtype", "seconds"}, read_gemm},
    TableFormat{{"isl", "step", "num_heads", "attn_dtype", "latency"}, read_context_attention},
    TableFormat{{"kv_len", "batch_size", "num_heads", "kv_cache_dtype", "latency_ms"},
                read_generation_attention},
    TableFormat{{"num_tokens", "num_experts", "moe_dtype", "topk", "latency"}, read_experts},
    TableFormat{{"phase", "q_len", "kv_len", "heads", "seconds"}, read_phase_attention},
    TableFormat{{"op", "bytes_moved", "seconds"}, read_bandwidth},
    TableFormat{{"op", "elements", "seconds"}, read_pointwise},
    TableFormat{{"n_embd", "num_tokens", "tp", "mlp_up_proj_median_ms"}, read_layer_ops},
    TableFormat{{"what", "seconds"}, read_launch},
    TableFormat{{"load", "power_w_mean", "sm_mhz", "rate"}, read_power},
};

}  // namespace

std::span<const TableFormat> table_formats() {
  return kFormats;
}

}  // namespace loadfactor::calibrate
