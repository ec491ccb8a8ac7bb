#include "laws.h"

#include <cmath>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

namespace loadfactor::fuzz {
namespace {

constexpr double kSlack = 1e-6;
// A trained token takes four operations for each weight at least: forward, and back to what is
// trained below; embeddings are looked up, and are less than half of any model.
constexpr double kLeastTraining = 4 * 0.5;
constexpr double kLeastBytes = 0.5;  // One weight in the smallest format.

std::optional<double> figure(const Json& tree, std::initializer_list<const char*> path) {
  const Json* at = &tree;
  for (const char* key : path) {
    if (!at->is_object() || !at->contains(key)) return std::nullopt;
    at = &(*at)[key];
  }
  double value = 0;
  return figure_of(*at, value) ? std::optional(value) : std::nullopt;
}

// The line "key: 12 unit" of a scenario, as its number and unit.
struct Stated {
  double number = 0;
  std::string unit;
};
std::optional<Stated> stated(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key + ": ");
  if (at == std::string::npos || text.find(key + ": ", at + 1) != std::string::npos) return {};
  const char* from = text.c_str() + at + key.size() + 2;
  char* end = nullptr;
  const double number = std::strtod(from, &end);
  if (end == from || !std::isfinite(number) || number <= 0) return {};
  const std::string rest(end);
  return Stated{number, rest.substr(0, rest.find_first_of(",}\n#"))};
}

// A change of a scenario, and which way a figure of its answer may not go.
struct Law {
  const char* verb;
  const char* key;   // As the file writes it,
  const char* path;  // and as it is set.
  double factor;     // More of it
  bool is_whole;
  bool may_fall;  // leaves the figure no higher, or else no lower.
};
constexpr Law kLaws[] = {
    {"plan", "gpus", "limits.gpus", 2, true, true},
    {"plan", "ttft_p95", "serve.slo.ttft_p95", 2, false, true},
    {"plan", "tpot_p95", "serve.slo.tpot_p95", 2, false, true},
    {"plan", "requests_per_hour", "serve.demand.requests_per_hour", 1.5, false, false},
    {"plan", "tokens", "train.tokens", 2, false, false},
    {"serve", "requests_per_hour", "serve.demand.requests_per_hour", 1.5, false, false},
    {"serve", "tokens_out", "serve.demand.tokens_out", 2, false, false},
    {"serve", "replicas", "serve.deployment.replicas", 2, true, true},
    {"train", "tokens", "train.tokens", 2, false, false},
    {"cost", "electricity", "money.electricity", 2, false, false},
};

bool is_feasible(const Json& document) {
  return document.contains("answer") &&
         document["answer"].value("decision", "") != std::string("not feasible");
}

// What the verb's law is about: the cost of a plan, the load of a service, the time of a run.
std::optional<double> aim_of(const std::string& verb, const Json& document,
                             const std::string& text) {
  const Json& answer = document["answer"];
  if (verb == "serve") return figure(answer, {"load_factor"});
  if (verb == "train") return figure(answer, {"duration"});
  const bool is_run = text.find("train:") != std::string::npos;
  const bool is_bound =
      text.find("deadline") != std::string::npos || text.find("budget") != std::string::npos;
  if (verb == "plan" && is_run && !is_bound) return figure(answer, {"duration"});
  if (!answer.contains("options") || answer["options"].empty()) return std::nullopt;
  return figure(answer["options"][0], {"cost"});
}

std::string scenario_of(const Json& asked) {
  const Json& options = asked["options"];
  if (!options.contains("scenario") || !options["scenario"].is_string()) return {};
  const Json& files = asked["files"];
  const std::string name = options["scenario"];
  return files.contains(name) ? files[name].get<std::string>() : std::string();
}

Complaints held_to(const Law& law, const Json& asked, const Json& document, const Stated& was,
                   const std::string& text, const Ask& ask, long& checks) {
  const auto before = aim_of(law.verb, document, text);
  if (!before || !is_feasible(document)) return {};
  const double more = law.is_whole ? std::floor(was.number * law.factor) : was.number * law.factor;
  Json changed = asked;
  const std::string set = fmt::format("{}={:.9g}{}", law.path, more, was.unit);
  changed["set"].push_back(set);
  const Json then = ask(changed);
  if (!then.contains("answer")) return {};
  ++checks;
  if (law.may_fall && !is_feasible(then))
    return {fmt::format("worse_with_more: --set '{}' is not feasible, and without it is", set)};
  const auto after = aim_of(law.verb, then, text);
  if (!after || !is_feasible(then)) return {};
  const bool is_worse =
      law.may_fall ? *after > *before * (1 + kSlack) : *after < *before * (1 - kSlack);
  if (!is_worse) return {};
  return {fmt::format("worse_with_more: --set '{}': {} becomes {}", set, *before, *after)};
}

// More room is never room for less, and a longer context never for more sequences.
Complaints fit_law(const Json& asked, const Json& document, Draw& draw, const Ask& ask,
                   long& checks) {
  struct Change {
    const char* option;
    double otherwise;
    double factor;
    const char* figure;
    bool rises;
  };
  static const std::vector<Change> kChanges{{"util", 0.8, 1.1, "kv_tokens", true},
                                            {"context", 8192, 2, "concurrency", false},
                                            {"tp", 1, 2, "weights_per_gpu", false}};
  const Change& change = draw.of(kChanges);
  Json base = asked, more = asked;
  double was = change.otherwise;
  if (asked["options"].contains(change.option)) figure_of(asked["options"][change.option], was);
  base["options"][change.option] = was;
  more["options"][change.option] = was * change.factor;
  const Json first = base == asked ? document : ask(base);
  const Json second = ask(more);
  if (!first.contains("answer") || !second.contains("answer")) return {};
  // Where the smallest layout is looked for, more memory may mean fewer GPUs.
  for (const char* key : {"tp", "pp", "ep"})
    if (std::string(key) != change.option &&
        figure(first["answer"], {"layout", key}) != figure(second["answer"], {"layout", key}))
      return {};
  const auto a = figure(first["answer"], {change.figure}),
             b = figure(second["answer"], {change.figure});
  if (!a || !b) return {};
  ++checks;
  const bool is_worse = change.rises ? *b < *a * (1 - kSlack) : *b > *a * (1 + kSlack);
  if (!is_worse) return {};
  return {fmt::format("worse_with_more: {} from {} to {}: {} from {} to {}", change.option, was,
                      was * change.factor, change.figure, *a, *b)};
}

}  // namespace

Complaints faster_than_light(const Json& document, const Json& chips, const std::string& text) {
  const std::string verb = document.value("verb", "");
  const Json& answer = document["answer"];
  const auto active = figure(answer, {"parameters", "active"});
  const std::string chip = answer.value("accelerator", "");
  const auto gpus = figure(answer, {"layout", "gpus"});
  if (!active || !gpus || !chips.contains(chip)) return {};
  const double flops = chips[chip][0], bandwidth = chips[chip][1];
  if (verb == "train" && text.find("method") == std::string::npos) {
    const auto step = figure(answer, {"step_time"}), tokens = figure(answer, {"sequence"}),
               batch = figure(answer, {"global_batch"});
    if (!step || !tokens || !batch) return {};
    const double least = kLeastTraining * *active * *tokens * *batch / (flops * *gpus);
    if (*step < least)
      return {fmt::format("speed_of_light: a step of {} s, at least {}", *step, least)};
  }
  const auto tpot = figure(answer, {"tpot"});
  if (verb == "serve" && tpot && text.find("specul") == std::string::npos) {
    const double least = kLeastBytes * 0.5 * *active / (bandwidth * *gpus);
    if (*tpot < least)
      return {fmt::format("speed_of_light: {} s a token, at least {}", *tpot, least)};
  }
  return {};
}

Complaints worse_with_more(const Json& asked, const Json& document, Draw& draw, const Ask& ask,
                           long& checks) {
  const std::string verb = asked["verb"];
  if (verb == "fit") return fit_law(asked, document, draw, ask, checks);
  const std::string text = scenario_of(asked);
  std::vector<std::pair<const Law*, Stated>> fitting;
  for (const Law& law : kLaws) {
    if (verb != law.verb) continue;
    const auto was = stated(text, law.key);
    if (was) fitting.emplace_back(&law, *was);
  }
  if (fitting.empty() || asked["options"].size() > 4) return {};
  const auto& [law, was] = draw.of(fitting);
  return held_to(*law, asked, document, was, text, ask, checks);
}

}  // namespace loadfactor::fuzz
