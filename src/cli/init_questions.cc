#include "cli/init_questions.h"

#include <array>

#include <fmt/format.h>

#include "base/check.h"

namespace loadfactor::cli {
namespace {

constexpr std::array kServe{
    Prompt{"model", "Which model answers?", "llama-3.3-70b",
           "a name of `loadfactor catalog models`, or the path of a config.json"},
    Prompt{"requests", "How many requests a month?", "10 M",
           "a count such as '300 K', or the path of a CSV with one row per request: timestamp, "
           "input_tokens, output_tokens"},
    Prompt{"tokens", "Tokens of a mean request, in and out?", "2000 400",
           "two numbers; a CSV of requests has its own"},
    Prompt{"slo", "The slowest first token and the slowest further one, at p95?", "1.5 s, 40 ms",
           "two times, separated by a comma"},
    Prompt{"gpu", "Which accelerators may be used?", "h100-sxm, h200-sxm, mi355x",
           "names of `loadfactor catalog gpus`, separated by commas"},
    Prompt{"pay", "Which ways to pay may be used?",
           "on-demand, reserved-1y, reserved-3y, spot, own, api",
           "some of those, separated by commas"},
};

constexpr std::array kTrain{
    Prompt{"model", "Which model is trained?", "llama-3.1-70b",
           "a name of `loadfactor catalog models`, a config.json, or a size such as '500 B'"},
    Prompt{"tokens", "On how many tokens?", "1 T", "a count such as '500 M' or '10 T'"},
    Prompt{"deadline", "Within which time?", "60 days", "such as '12 hours' or '30 days'"},
    Prompt{"gpus", "On how many GPUs at most?", "512", "a whole number"},
    Prompt{"gpu", "Which accelerators may be used?", "h100-sxm, b200, mi355x",
           "names of `loadfactor catalog gpus`, separated by commas"},
    Prompt{"pay", "Which ways to pay may be used?",
           "on-demand, reserved-1y, reserved-3y, spot, own", "some of those, separated by commas"},
};

}  // namespace

bool is_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(".json") ||
         text.ends_with(".csv") || text.ends_with(".jsonl") || text.ends_with(".gz");
}

namespace {

// A size is a number with a suffix and nothing else.
bool is_size(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789. KMBT") == std::string_view::npos;
}

// As YAML reads it back.
std::string path_text(std::string_view path) {
  const bool is_plain = path.find_first_of(" ,:#{}[]'\"&*!|>%@`") == std::string_view::npos;
  if (is_plain) return std::string(path);
  std::string text;
  for (const char c : path) text += c == '\'' ? std::string("''") : std::string(1, c);
  return "'" + text + "'";
}

std::string model_of(std::string_view text) {
  if (is_path(text)) return fmt::format("{{config: {}}}", path_text(text));
  if (is_size(text)) return fmt::format("{{params: {}}}", text);
  return std::string(text);
}

}  // namespace

std::array<std::string, 2> halves(const std::string& text, char separator) {
  const auto at = text.find(separator);
  if (at == std::string::npos) return {text, ""};
  const auto start = text.find_first_not_of(", ", at);
  return {text.substr(0, at), start == std::string::npos ? "" : text.substr(start)};
}

std::span<const Prompt> serve_prompts() {
  return kServe;
}
std::span<const Prompt> train_prompts() {
  return kTrain;
}

std::string serve_scenario(const std::vector<std::string>& answers) {
  LF_CHECK(answers.size() == kServe.size());
  const auto tokens = halves(answers[2], ' ');
  const auto slo = halves(answers[3], ',');
  std::string demand;
  if (is_path(answers[1])) {
    const std::string lengths =
        answers[2].empty() ? ""
                           : fmt::format(", tokens_in: {}, tokens_out: {}", tokens[0], tokens[1]);
    demand =
        fmt::format("  demand: {{trace: {}{}}}         # `loadfactor demand` says what is in it.\n",
                    path_text(answers[1]), lengths);
  } else {
    demand = fmt::format(
        "  demand:\n"
        "    requests_per_month: {}\n"
        "    tokens_in: {}             # A mean request, history included.\n"
        "    tokens_out: {}\n"
        "    shape: global-chat        # How a week looks; `loadfactor demand --help` lists them "
        "at --generate.\n",
        answers[1], tokens[0], tokens[1]);
  }
  return fmt::format(
      "# Can these GPUs be kept full, or should the API be used instead?\n"
      "# Ask: loadfactor plan FILE; what is left blank is chosen, and said.\n"
      "loadfactor: 1\n"
      "name: my-service\n"
      "serve:\n"
      "  model: {}\n"
      "  precision: fp8              # Number format of the weights.\n"
      "{}"
      "  slo: {{ttft_p95: {}, tpot_p95: {}}}\n"
      "hardware: [{}]\n"
      "limits: {{gpus: 64}}\n"
      "money:\n"
      "  options: [{}]\n"
      "  own: {{life: 4 years, residual: 10 %, discount: 10 %}}\n"
      "  electricity: 0.09 USD/kWh\n",
      model_of(answers[0]), demand, slo[0], slo[1], answers[4], answers[5]);
}

std::string train_scenario(const std::vector<std::string>& answers) {
  LF_CHECK(answers.size() == kTrain.size());
  return fmt::format(
      "# Which layout, how many GPUs, how many days, at what cost?\n"
      "# Ask: loadfactor plan FILE; what is left blank is chosen, and said.\n"
      "loadfactor: 1\n"
      "name: my-run\n"
      "train:\n"
      "  model: {}\n"
      "  precision: bf16\n"
      "  tokens: {}\n"
      "  deadline: {}\n"
      "  sequence: 8192\n"
      "  global_batch: 1024          # In sequences: 8.4 M tokens a step.\n"
      "hardware: [{}]\n"
      "limits: {{gpus: {}}}          # The most that may be used.\n"
      "money:\n"
      "  options: [{}]\n"
      "  own: {{life: 4 years, residual: 10 %, discount: 10 %}}\n"
      "  electricity: 0.09 USD/kWh\n",
      model_of(answers[0]), answers[1], answers[2], answers[4], answers[3], answers[5]);
}

}  // namespace loadfactor::cli
