#include "shapes.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace loadfactor::probe {
namespace {

void add(std::vector<GemmShape>& list, std::int64_t m, std::int64_t n, std::int64_t k,
         const char* why) {
  GemmShape shape{m, n, k, why};
  if (std::find(list.begin(), list.end(), shape) == list.end()) list.push_back(std::move(shape));
}

std::vector<GemmShape> gemm_shapes(bool quick) {
  std::vector<GemmShape> list;
  // Reading weights: few tokens against matrices far larger than the cache.
  for (const std::int64_t m : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
    if (quick && m != 1 && m != 16 && m != 128) continue;
    add(list, m, 4096, 14336, "memory");
    add(list, m, 8192, 8192, "memory");
    if (quick) continue;
    add(list, m, 28672, 4096, "memory");
    add(list, m, 57344, 8192, "memory");
    add(list, m, 6144, 4096, "memory");
    add(list, m, 128256, 4096, "memory");
  }
  // The floor of a call: hardly any work.
  for (const std::int64_t m : {1, 8, 64, 256}) add(list, m, 1024, 1024, "fixed");
  // The rate when nothing else costs.
  for (const std::int64_t side : {2048, 4096, 8192}) add(list, side, side, side, "sustained");
  if (quick) return list;
  for (const std::int64_t m : {512, 1024, 2048, 4096, 8192, 16384}) {
    add(list, m, 4096, 4096, "sustained");
    add(list, m, 28672, 4096, "sustained");
    add(list, m, 4096, 14336, "sustained");
    add(list, m, 8192, 8192, "sustained");
    add(list, m, 3072, 768, "sustained");
  }
  // The depth whose start-up doubles the time.
  for (const std::int64_t k : {128, 256, 512, 1024, 2048, 4096, 16384}) {
    add(list, 8192, 8192, k, "half");
    add(list, 2048, 4096, k, "half");
  }
  // The last wave of tiles, filled and unfilled.
  for (const std::int64_t m : {1408, 1536, 1664, 1792, 2176, 2304, 2688, 2816, 3072, 3328, 3584})
    add(list, m, 4096, 4096, "wave_paid");
  for (const std::int64_t n : {1536, 2560, 3584, 5120, 7168}) add(list, 2048, n, 4096, "wave_paid");
  // Few tiles and long sums, which may be split.
  for (const std::int64_t k : {4096, 8192, 16384, 28672}) {
    add(list, 128, 1024, k, "split");
    add(list, 512, 1024, k, "split");
    add(list, 256, 2048, k, "split");
  }
  // Narrow outputs, where loading operands shows.
  for (const std::int64_t n : {128, 256, 512, 1024, 2048}) add(list, 8192, n, 4096, "tile_cost");
  for (const std::int64_t m : {96, 192, 384, 768}) add(list, m, 14336, 4096, "tile_cost");
  return list;
}

std::vector<AttentionShape> attention_shapes(bool quick) {
  std::vector<AttentionShape> list;
  const auto prompt = [&](const char* phase, std::int64_t batch, std::int64_t length) {
    list.push_back({phase, batch, 32, 8, length, length, 128});
    if (!quick) list.push_back({phase, batch, 16, 16, length, length, 64});
  };
  for (const std::int64_t length : {512, 1024, 2048, 4096, 8192}) {
    if (quick && length != 2048) continue;
    prompt("prefill", 1, length);
    prompt("backward", 1, length);
  }
  if (!quick) {
    prompt("prefill", 4, 2048);
    prompt("prefill", 16, 2048);
    prompt("backward", 4, 2048);
  }
  for (const std::int64_t batch : {1, 8, 32, 128, 256}) {
    for (const std::int64_t length : {512, 2048, 8192}) {
      if (quick && (batch != 32 || length != 2048)) continue;
      list.push_back({"decode", batch, 32, 8, 1, length, 128});
      if (!quick && length == 2048) list.push_back({"decode", batch, 32, 32, 1, length, 128});
      if (!quick && length == 2048) list.push_back({"decode", batch, 16, 16, 1, length, 64});
    }
  }
  return list;
}

bool read_line(std::istringstream& words, const std::string& kind, ShapePlan& plan) {
  constexpr std::int64_t kMaxDimension = 1 << 20;
  const auto sound = [&](std::initializer_list<std::int64_t> values) {
    return words && std::all_of(values.begin(), values.end(), [](std::int64_t value) {
             return value > 0 && value <= kMaxDimension;
           });
  };
  if (kind == "gemm") {
    GemmShape shape;
    words >> shape.m >> shape.n >> shape.k;
    if (!sound({shape.m, shape.n, shape.k})) return false;
    add(plan.gemm, shape.m, shape.n, shape.k, "plan");
    return true;
  }
  if (kind != "attention") return false;
  AttentionShape a;
  words >> a.phase >> a.batch >> a.heads >> a.kv_heads >> a.q_len >> a.kv_len >> a.head_dim;
  if (!sound({a.batch, a.heads, a.kv_heads, a.q_len, a.kv_len, a.head_dim})) return false;
  const bool known = a.phase == "prefill" || a.phase == "backward" || a.phase == "decode";
  if (!known || a.heads % a.kv_heads != 0) return false;
  plan.attention.push_back(std::move(a));
  return true;
}

}  // namespace

ShapePlan identifying_shapes(bool quick) {
  return {gemm_shapes(quick), attention_shapes(quick)};
}

ShapePlan smallest_shapes() {
  ShapePlan plan;
  add(plan.gemm, 16, 256, 256, "check");
  for (const std::int64_t size : {64, 128}) {
    for (const char* phase : {"prefill", "backward"})
      plan.attention.push_back({phase, 1, 2, 1, 384, 384, size});
    for (const std::int64_t kv_heads : {1, 4})
      plan.attention.push_back({"decode", 2, 4, kv_heads, 1, 333, size});
  }
  return plan;
}

int add_shapes(std::string_view text, ShapePlan& plan) {
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line = line.substr(0, line.find('#'));
    std::istringstream words(line);
    std::string kind;
    if (!(words >> kind)) continue;
    if (!read_line(words, kind, plan)) return number;
    std::string rest;
    if (words >> rest) return number;
  }
  return 0;
}

}  // namespace loadfactor::probe
