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
  const auto answer = engine->fit({.model = "llama-3.1-8b", .accelerator = "h100-sxm"});
  if (!answer) {
    std::fputs(loadfactor::render(answer.error()).c_str(), stderr);
    return loadfactor::exit_status(answer.error().code);
  }
  std::printf("%s on %s: %lld sequences of %lld tokens\n", answer->title.c_str(),
              answer->accelerator_title.c_str(), static_cast<long long>(answer->sequences),
              static_cast<long long>(answer->context));
  return answer->fits ? 0 : 3;
}
