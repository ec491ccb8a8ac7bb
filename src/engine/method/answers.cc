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

std::int32_t whole(double tokens, double most) {
  return static_cast<std::int32_t>(std::clamp(std::round(tokens), 1.0, std::max(1.0, most)));
}

// The more long answers there are, the later the last of them begins: of k in random order when
// k / (k + 1) of all have. A sample has fewer of them, and its longest stands where that of all
// would.
void put_longest_late(double times, std::vector<std::int32_t>& drawn) {
  constexpr double kLong = 0.8;  // Times the longest.
  const auto longest = std::max_element(drawn.begin(), drawn.end());
  const auto are_long = std::count_if(
      drawn.begin(), drawn.end(), [&](std::int32_t length) { return length >= kLong * *longest; });
  const double last = 1 - 1 / (times * static_cast<double>(are_long) + 1);
  const auto place = static_cast<std::size_t>(last * static_cast<double>(drawn.size() - 1));
  std::swap(*longest, drawn[place]);
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

std::vector<std::int32_t> Answers::sample(std::int64_t lengths_drawn) const {
  const double middle = std::log(asked_mean) - 0.5 * spread * spread;
  const auto at = [&](double index, double of) {
    return whole(std::exp(middle + spread * normal_quantile((index + 0.5) / of)), most);
  };
  std::vector<std::int32_t> drawn;
  const auto number = static_cast<double>(lengths_drawn);
  for (std::int64_t i = 0; i < lengths_drawn; ++i)
    drawn.push_back(at(static_cast<double>(i), number));
  const auto all = static_cast<double>(count());
  const bool is_part = !drawn.empty() && all > number;
  if (is_part) drawn.back() = at(all - 1, all);
  RandomStream stream(seed, "answers");
  for (std::size_t i = drawn.size(); i > 1; --i) std::swap(drawn[i - 1], drawn[stream.below(i)]);
  if (is_part) put_longest_late(all / number, drawn);
  return drawn;
}

Answers answers_of(const config::MethodSection& method, std::int64_t context, std::uint64_t seed) {
  Answers answers;
  const bool grouped = method.kind.value == config::MethodWord::kGrpo;
  answers.prompts = method.prompts ? method.prompts->value : 1;
  answers.group = method.group ? method.group->value : grouped ? kUsualGroup : 1;
  answers.seed = seed;
  const double room = context > 0 ? static_cast<double>(context) : 1e9;
  answers.prompt_tokens =
      whole(method.prompt_tokens ? method.prompt_tokens->value.base() : kUsualPrompt, room - 1);
  answers.asked_mean = method.answer_tokens->value.base();
  answers.spread = method.answer_spread ? method.answer_spread->value : kUsualSpread;
  const double asked =
      method.answer_most ? method.answer_most->value.base() : kUsualMost * answers.asked_mean;
  answers.most = std::min(asked, room - answers.prompt_tokens);
  answers.lengths = answers.sample(std::min(answers.count(), kMostDrawn));
  const auto last = static_cast<std::int32_t>(std::floor(answers.most));
  const auto cut = std::count_if(answers.lengths.begin(), answers.lengths.end(),
                                 [last](std::int32_t length) { return length >= last; });
  answers.cut_share = static_cast<double>(cut) / static_cast<double>(answers.lengths.size());
  if (cut == 0 || answers.spread <= 0) return answers;
  answers.cut_by = answers.most < asked ? CutBy::kContext
                   : method.answer_most ? CutBy::kWritten
                                        : CutBy::kUsual;
  return answers;
}

}  // namespace loadfactor::engine
