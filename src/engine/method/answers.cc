#include "engine/method/answers.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/distributions.h"
#include "base/random.h"

namespace loadfactor::engine {
namespace {

constexpr double kUsualSpread = 0.8;     // The deviation of the logarithm, of reasoning answers.
constexpr double kUsualMost = 8;         // Times the mean, where answers are cut.
constexpr std::int64_t kUsualGroup = 8;  // Answers to a prompt of GRPO.
constexpr double kUsualPrompt = 512;     // Tokens.

std::int32_t whole(double tokens, double most) {
  return static_cast<std::int32_t>(std::clamp(std::round(tokens), 1.0, std::max(1.0, most)));
}

}  // namespace

double Answers::mean() const {
  if (lengths.empty()) return 0;
  const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  return sum / static_cast<double>(lengths.size());
}

std::int32_t Answers::longest() const {
  return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
}

std::string Answers::trace(int batches) const {
  std::string text = "arrival_s,input_tokens,output_tokens\n";
  std::int64_t row = 0;
  for (int batch = 0; batch < batches; ++batch)
    for (const std::int32_t length : lengths)
      text +=
          fmt::format("{:.6f},{},{}\n", static_cast<double>(row++) * 1e-6, prompt_tokens, length);
  return text;
}

Answers answers_of(const config::MethodSection& method, std::int64_t context, std::uint64_t seed) {
  Answers answers;
  const bool grouped = method.kind.value == config::MethodWord::kGrpo;
  answers.prompts = method.prompts ? method.prompts->value : 1;
  answers.group = method.group ? method.group->value : grouped ? kUsualGroup : 1;
  const double room = context > 0 ? static_cast<double>(context) : 1e9;
  answers.prompt_tokens =
      whole(method.prompt_tokens ? method.prompt_tokens->value.base() : kUsualPrompt, room - 1);
  const double mean = method.answer_tokens->value.base();
  const double spread = method.answer_spread ? method.answer_spread->value : kUsualSpread;
  const double asked = method.answer_most ? method.answer_most->value.base() : kUsualMost * mean;
  const double most = std::min(asked, room - answers.prompt_tokens);
  const double middle = std::log(mean) - 0.5 * spread * spread;
  const std::int64_t count = answers.prompts * answers.group;
  for (std::int64_t i = 0; i < count; ++i) {
    const double quantile = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    answers.lengths.push_back(whole(std::exp(middle + spread * normal_quantile(quantile)), most));
  }
  RandomStream stream(seed, "answers");
  for (std::size_t i = answers.lengths.size(); i > 1; --i)
    std::swap(answers.lengths[i - 1], answers.lengths[stream.below(i)]);
  return answers;
}

}  // namespace loadfactor::engine
