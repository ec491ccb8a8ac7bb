#include "serving/arrival_tape.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "base/byte_string.h"

namespace loadfactor::serving {
namespace {

constexpr std::size_t kBatch = 4096;

template <typename Field>
Field pack(std::int64_t value, std::vector<std::int64_t>& large) {
  constexpr Field kLarge = std::numeric_limits<Field>::max();
  if (value < static_cast<std::int64_t>(kLarge)) return static_cast<Field>(value);
  large.push_back(value);
  return kLarge;
}

}  // namespace

ArrivalTape::ArrivalTape(sim::ArrivalStream& stream, std::int64_t expected,
                         const std::atomic<bool>* stop) {
  requests_.reserve(static_cast<std::size_t>(std::max<std::int64_t>(0, expected)));
  sim::ArrivalBatch batch;
  std::int64_t now = 0;
  for (stream.pull(batch, kBatch); batch.size() > 0; stream.pull(batch, kBatch)) {
    if (stop != nullptr && stop->load()) return;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::int64_t at = batch.time[i] / sim::kNanosecond;
      Packed request;
      request.gap = pack<std::uint32_t>(at - now, large_);
      request.input = pack<std::uint16_t>(batch.tokens_in[i], large_);
      request.output = pack<std::uint16_t>(batch.tokens_out[i], large_);
      requests_.push_back(request);
      with_next_tokens_ += batch.tokens_out[i] > 1 ? 1 : 0;
      now = at;
    }
  }
}

ArrivalTape::ArrivalTape(std::string_view bytes) {
  requests_ = take_list<Packed>(bytes);
  large_ = take_list<std::int64_t>(bytes);
  with_next_tokens_ = take_value<std::int64_t>(bytes);
}

std::string ArrivalTape::bytes() const {
  std::string bytes;
  put_list(bytes, requests_);
  put_list(bytes, large_);
  put_value(bytes, with_next_tokens_);
  return bytes;
}

class TapeStream : public sim::ArrivalStream {
 public:
  explicit TapeStream(const ArrivalTape& tape) : tape_(tape) {}

  void pull(sim::ArrivalBatch& batch, std::size_t most) override {
    batch.clear();
    const std::size_t count = std::min(tape_.requests_.size() - next_, most);
    batch.time.resize(count);
    batch.tokens_in.resize(count);
    batch.tokens_out.resize(count);
    for (std::size_t i = 0; i < count; ++i, ++next_) {
      const ArrivalTape::Packed& request = tape_.requests_[next_];
      now_ += unpack(request.gap);
      batch.time[i] = sim::ticks_of_nanoseconds(now_);
      batch.tokens_in[i] = static_cast<std::int32_t>(unpack(request.input));
      batch.tokens_out[i] = static_cast<std::int32_t>(unpack(request.output));
    }
  }

 private:
  template <typename Field>
  std::int64_t unpack(Field value) {
    if (value != std::numeric_limits<Field>::max()) return value;
    return tape_.large_[next_large_++];
  }

  const ArrivalTape& tape_;
  std::size_t next_ = 0;
  std::size_t next_large_ = 0;
  std::int64_t now_ = 0;
};

std::unique_ptr<sim::ArrivalStream> ArrivalTape::play() const {
  return std::make_unique<TapeStream>(*this);
}

}  // namespace loadfactor::serving
