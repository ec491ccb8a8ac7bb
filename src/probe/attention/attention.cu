// The attention section: checks, then times, each shape of the plan.
#include <algorithm>
#include <string>
#include <utility>

#include "attention_kernels.h"
#include "attention_reference.h"
#include "bench.h"
#include "fill.h"

namespace loadfactor::probe {
namespace {

// All tensors of one shape, `sets` times over, in one block of memory each.
class AttentionData {
 public:
  AttentionData(const AttentionShape& shape, int sets, int processors, const Bench& bench)
      : shape_(shape),
        sets_(sets),
        splits_(shape.phase == "decode" ? decode_splits(shape, processors) : 1),
        queries_(static_cast<std::size_t>(shape.batch * shape.heads * shape.q_len)),
        keys_(static_cast<std::size_t>(shape.batch * shape.kv_heads * shape.kv_len)),
        size_(static_cast<std::size_t>(shape.head_dim)),
        q_(copies(queries_ * size_)),
        k_(copies(keys_ * size_)),
        v_(copies(keys_ * size_)),
        out_(copies(queries_ * size_)),
        log_sum_(queries_) {
    fill_random(q_.data(), q_.size(), 2, bench.seed, bench.stream.get());
    fill_random(k_.data(), k_.size(), 2, bench.seed + 1, bench.stream.get());
    fill_random(v_.data(), v_.size(), 1, bench.seed + 2, bench.stream.get());
    if (shape.phase == "decode") make_scratch();
    if (shape.phase == "backward") make_gradients(bench);
  }

  PromptTensors tensors(int set) const {
    const auto i = static_cast<std::size_t>(set % sets_);
    return {q_.data() + i * queries_ * size_, k_.data() + i * keys_ * size_,
            v_.data() + i * keys_ * size_, out_.data() + i * queries_ * size_, log_sum_.data()};
  }
  const GradientTensors& gradients() const { return gradients_; }
  const DecodeScratch& scratch() const { return scratch_; }
  int splits() const { return splits_; }
  void poison_output(gpuStream_t stream) const {
    poison(out_.data(), queries_ * size_ * sizeof(bf16), stream);
  }
  std::size_t unwritten(const Stream& stream) const {
    if (shape_.phase != "backward") return count_unwritten(out_.data(), queries_ * size_, stream);
    return count_unwritten(gradients_.dq, queries_ * size_, stream) +
           count_unwritten(gradients_.dk, keys_ * size_, stream) +
           count_unwritten(gradients_.dv, keys_ * size_, stream);
  }

 private:
  std::size_t copies(std::size_t count) const { return static_cast<std::size_t>(sets_) * count; }
  void make_scratch() {
    const auto splits = static_cast<std::size_t>(splits_);
    floats_ = DeviceArray<float>(splits * queries_ * (size_ + 2));
    scratch_ = {floats_.data(), floats_.data() + splits * queries_ * size_};
  }
  void make_gradients(const Bench& bench) {
    const std::size_t q = queries_ * size_;
    const std::size_t k = keys_ * size_;
    numbers_ = DeviceArray<bf16>(4 * q + 2 * k);
    floats_ = DeviceArray<float>(q + queries_);
    bf16* at = numbers_.data();
    fill_random(at, q, 1, bench.seed + 3, bench.stream.get());
    poison(at + q, (3 * q + 2 * k) * sizeof(bf16), bench.stream.get());
    gradients_.dout = at;
    gradients_.dq = at + q;
    gradients_.dk_heads = at + 2 * q;
    gradients_.dv_heads = at + 3 * q;
    gradients_.dk = at + 4 * q;
    gradients_.dv = at + 4 * q + k;
    gradients_.dq_sum = floats_.data();
    gradients_.row_dot = floats_.data() + q;
  }

  AttentionShape shape_;
  int sets_;
  int splits_;
  std::size_t queries_, keys_, size_;
  DeviceArray<bf16> q_, k_, v_, out_;
  DeviceArray<float> log_sum_;
  DeviceArray<float> floats_;
  DeviceArray<bf16> numbers_;
  GradientTensors gradients_;
  DecodeScratch scratch_;
};

void enqueue(const AttentionShape& shape, const AttentionData& data, int i, gpuStream_t stream) {
  const PromptTensors t = data.tensors(i);
  if (shape.phase == "decode") return decode(shape, t, data.scratch(), data.splits(), stream);
  if (shape.phase == "prefill") return prompt_forward(shape, t, stream);
  prompt_backward(shape, t, data.gradients(), stream);
}

// The backward pass is checked in full on a short sequence of the same heads' proportions.
double check_backward(const Bench& bench, const AttentionShape& shape) {
  const std::int64_t group = shape.heads / shape.kv_heads;
  const AttentionShape small{"backward", 1, 2 * group, 2, 256, 256, shape.head_dim};
  const AttentionData data(small, 1, bench.processors, bench);
  prompt_forward(small, data.tensors(0), bench.stream.get());
  enqueue(small, data, 0, bench.stream.get());
  return backward_error(small, data.tensors(0), data.gradients(), bench.stream);
}

// Operations that must be done: causal shapes see half of the square, backward does 2.5 times
// the forward work.
double operations(const AttentionShape& s) {
  const double pairs =
      s.phase == "decode" ? double(s.kv_len) : 0.5 * double(s.q_len) * double(s.kv_len);
  const double forward = 4.0 * double(s.batch) * double(s.heads) * pairs * double(s.head_dim);
  return s.phase == "backward" ? 2.5 * forward : forward;
}

void measure(const Bench& bench, const AttentionShape& shape) {
  const double bytes = 2.0 * double(shape.head_dim) *
                       (2.0 * double(shape.batch * shape.heads * shape.q_len) +
                        2.0 * double(shape.batch * shape.kv_heads * shape.kv_len));
  const int sets = shape.phase == "backward"
                       ? 1
                       : sets_to_rotate(bytes, bench.cache_bytes, 0.5 * bench.memory_budget);
  const AttentionData data(shape, sets, bench.processors, bench);
  double error = 0;
  if (shape.phase == "backward") {
    error = check_backward(bench, shape);
    prompt_forward(shape, data.tensors(0), bench.stream.get());
  } else {
    data.poison_output(bench.stream.get());
  }
  enqueue(shape, data, 0, bench.stream.get());
  if (shape.phase != "backward") error = forward_error(shape, data.tensors(0), bench.stream);
  const std::size_t missing = data.unwritten(bench.stream);
  const Summary time = time_in_graph([&](int i, gpuStream_t s) { enqueue(shape, data, i, s); },
                                     sets, bench.plan, bench.stream);
  bench.add("attention", Row()
                             .text("phase", shape.phase)
                             .text("implementation", "own")
                             .text("instructions", instructions(shape))
                             .text("dtype", "bf16")
                             .whole("batch", shape.batch)
                             .whole("heads", shape.heads)
                             .whole("kv_heads", shape.kv_heads)
                             .whole("q_len", shape.q_len)
                             .whole("kv_len", shape.kv_len)
                             .whole("head_dim", shape.head_dim)
                             .timing(time)
                             .number("tflops", operations(shape) / time.median * 1e-12)
                             .number("gbps", bytes / time.median * 1e-9)
                             .number("error", error)
                             .whole("unwritten", std::int64_t(missing))
                             .whole("sets", sets));
}

}  // namespace

void probe_attention(const Bench& bench) {
  for (const AttentionShape& shape : bench.shapes.attention) {
    const std::string name = "attention " + shape.phase + " " + std::to_string(shape.batch) + "×" +
                             std::to_string(shape.kv_len);
    if (!supported(shape)) {
      bench.record.failures.push_back({name, "no kernel of this probe takes the shape"});
      continue;
    }
    try {
      measure(bench, shape);
    } catch (const GpuFailure& failure) {
      bench.record.failures.push_back({name, failure.what()});
    }
  }
}

}  // namespace loadfactor::probe
