// Answers a question in JSON from standard input, such as {"verb": "plan", "scenario": "…"}, with
// JSON on standard output. Includes only the public headers.
#include <iostream>
#include <iterator>
#include <string>

#include <loadfactor/engine.h>

int main() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  loadfactor::Diagnostics problems;
  const auto fail = [&problems] {
    std::cout << to_json(problems);
    return loadfactor::exit_status(problems.errors().front().code);
  };
  const auto engine = loadfactor::Engine::create({}, problems);
  if (!engine) return fail();
  const auto asked = loadfactor::question_from_json(text, {.today = "2026-11-15"}, problems);
  if (!asked) return fail();
  const auto answer = engine->ask(asked->question, problems);
  if (!answer) return fail();
  std::cout << to_json(*answer, asked->style);
  return answer->exit_status();
}
