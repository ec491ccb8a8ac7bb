#include "loadfactor/loadfactor.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "base/error_codes.h"
#include "loadfactor/engine.h"
#include "loadfactor/version.h"

namespace {

using namespace loadfactor;

std::string answer_of(const std::string& text) {
  Diagnostics problems;
  const auto engine = Engine::create({}, problems);
  if (engine == nullptr) return to_json(problems);
  const auto asked = question_from_json(text, {}, problems);
  if (!asked) return to_json(problems);
  const auto answer = engine->ask(asked->question, problems);
  return answer ? to_json(*answer, asked->style) : to_json(problems);
}

// A copy that C can free.
char* kept(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));  // NOLINT: for C to free.
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace

extern "C" {

// No exception crosses into another language.
__attribute__((visibility("default"))) char* loadfactor_ask(const char* question) {
  try {
    return kept(answer_of(question == nullptr ? "" : question));
  } catch (const std::bad_alloc&) {
    return nullptr;
  } catch (const std::exception& fault) {
    return kept(to_json(Error{.code = lf::kInternal, .message = fault.what()}));
  }
}

__attribute__((visibility("default"))) void loadfactor_free(char* answer) {
  std::free(answer);  // NOLINT: it came from malloc.
}

__attribute__((visibility("default"))) const char* loadfactor_version(void) {
  return LOADFACTOR_VERSION;
}

}  // extern "C"
