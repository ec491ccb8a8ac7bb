// Asks the library whether a model fits, and prints one line. Includes only the public headers.
#include <cstdio>

#include <loadfactor/engine.h>

int main() {
  loadfactor::Diagnostics diagnostics;
  const auto engine = loadfactor::Engine::create({}, diagnostics);
  if (!engine) {
    std::fputs(loadfactor::render(diagnostics).c_str(), stderr);
    return 2;
  }
  const auto answer =
      engine->ask(loadfactor::FitQuestion{.model = "llama-3.1-8b", .accelerator = "h100-sxm"});
  if (!answer) {
    std::fputs(loadfactor::render(answer.error()).c_str(), stderr);
    return loadfactor::exit_status(answer.error().code);
  }
  const auto& fit = *answer->as<loadfactor::FitAnswer>();
  std::printf("%s on %s: %lld sequences of %lld tokens\n", fit.title.c_str(),
              fit.accelerator_title.c_str(), static_cast<long long>(fit.sequences),
              static_cast<long long>(fit.context));
  return answer->exit_status();
}
