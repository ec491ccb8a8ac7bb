#include "validation/inference/client_requests.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace loadfactor::validation {
namespace {

using serving::ClientRequest;

double evenly(double share) {
  return 2 * share;
}
// Half of the answers of a conversation are shorter than 0.69 of the mean, a tenth longer than 2.3:
// samples of public chats have 0.70 and 2.5.
double answer_of_conversation(double share) {
  return -std::log1p(-share);
}
// Prompts are shorter still, with a few long ones: logarithms of samples spread by 1.3 about their
// mean. A logistic curve stands for the normal one.
double prompt_of_conversation(double share) {
  constexpr double kSpread = 1.3, kLogisticOfNormal = 1.702, kLongest = 12;
  const double z = std::log(share / (1 - share)) / kLogisticOfNormal;
  return std::min(std::exp(kSpread * z), kLongest);
}

// A value from the middle of each of `count` equal slices of a distribution, brought to a mean of
// 1, in an order that says nothing.
std::vector<double> drawn(std::size_t count, RandomStream& random, double (*quantile)(double)) {
  std::vector<double> values(count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = quantile((static_cast<double>(i) + 0.5) / static_cast<double>(count));
    sum += values[i];
  }
  for (std::size_t i = count; i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
  for (double& value : values) value *= static_cast<double>(count) / sum;
  return values;
}

std::vector<double> lengths_of(const RowLoad& load, double mean, double (*conversation)(double),
                               std::size_t count, RandomStream& random) {
  std::vector<double> values(count, mean);
  if (load.varied) {
    values = drawn(count, random, conversation);
    for (double& value : values) value *= mean;
  } else if (load.spread > 0) {
    values = drawn(count, random, evenly);
    for (double& value : values) value = mean * (1 + load.spread * (value - 1));
  }
  return values;
}

std::int32_t whole(double tokens) {
  return std::max(1, static_cast<std::int32_t>(std::lround(tokens)));
}

}  // namespace

std::vector<ClientRequest> client_requests(const RowLoad& load, std::size_t count,
                                           RandomStream& random) {
  const auto in = lengths_of(load, load.input, prompt_of_conversation, count, random);
  const auto out = lengths_of(load, load.output, answer_of_conversation, count, random);
  std::vector<ClientRequest> requests(count);
  for (std::size_t i = 0; i < count; ++i)
    requests[i] = {.prompt = whole(in[i]), .output = whole(out[i])};
  return requests;
}

void send_at_random(std::vector<ClientRequest>& requests, double rate, RandomStream& random) {
  const auto gaps = drawn(requests.size(), random, answer_of_conversation);
  double at = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    at += gaps[i] / rate;
    requests[i].sent = sim::ticks_of(Seconds::from_base(at));
  }
}

void spread_phases(std::vector<ClientRequest>& requests, std::size_t users, RandomStream& random) {
  const auto phases = drawn(users, random, evenly);
  for (std::size_t i = 0; i < users; ++i)
    requests[i].output = whole(0.5 * phases[i] * requests[i].output);
}

}  // namespace loadfactor::validation
