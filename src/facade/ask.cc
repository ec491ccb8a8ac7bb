#include "facade/ask.h"

#include <array>
#include <variant>

#include "facade/verbs.h"

namespace loadfactor {
namespace {

constexpr std::array<std::string_view, std::variant_size_v<Question>> kVerbs{
    "plan", "fit",  "train",  "search", "scale",   "serve", "simulate", "size",
    "fill", "cost", "demand", "audit",  "explain", "diff",  "validate", "catalog"};

}  // namespace

std::string_view verb_of(const Question& question) {
  return kVerbs[question.index()];
}

namespace facade {

Error cancelled() {
  return {.code = kCancelled, .message = "cancelled before there was an answer", .hint = ""};
}

std::optional<Answer> answer_to(const Engine& engine, const Question& question,
                                const Progress& progress, Diagnostics& diagnostics) {
  const Desk desk{engine, progress, diagnostics};
  return std::visit([&](const auto& asked) { return ask(desk, asked); }, question);
}

}  // namespace facade
}  // namespace loadfactor
