// The planner for a page: a question in JSON in, the JSON that the command line prints out, and the
// page that it writes.
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "base/error_codes.h"
#include "loadfactor/engine.h"
#include "loadfactor/version.h"

namespace {

using namespace loadfactor;

// What lies over the catalogue.
std::vector<OverlayFile> g_overlays;

// The catalogue is read once, when the first question comes.
const Engine* engine_of(Diagnostics& problems) {
  static const auto kEngine = Engine::create(g_overlays, problems);
  return kEngine.get();
}

// What was answered last, for its page.
std::optional<Answer> g_last;

std::string answer_of(const std::string& text) {
  g_last.reset();
  Diagnostics problems;
  const Engine* engine = engine_of(problems);
  if (engine == nullptr) return to_json(problems);
  const auto asked = question_from_json(text, {}, problems);
  if (!asked) return to_json(problems);
  g_last = engine->ask(asked->question, problems);
  return g_last ? to_json(*g_last, asked->style) : to_json(problems);
}

std::string page_of_last() {
  if (!g_last) return {};
  const auto page = to_text(*g_last, Format::kPage);
  return page ? *page : std::string();
}

template <typename Work>
const char* kept(const Work& work) {
  static std::string text;
  try {
    text = work();
  } catch (const std::exception& fault) {
    text = to_json(Error{.code = lf::kInternal, .message = fault.what()});
  }
  return text.c_str();
}

}  // namespace

extern "C" {

// Texts live until the next call.
const char* loadfactor_ask(const char* question) {
  return kept([&] { return answer_of(question); });
}

// Lays a file over the catalogue; before the first question.
void loadfactor_lay(const char* path, const char* shown_as, const char* text) {
  g_overlays.push_back({path, shown_as, text});
}

// The page of the last answer; empty where there is none.
const char* loadfactor_page() {
  return kept(page_of_last);
}

const char* loadfactor_version() {
  return LOADFACTOR_VERSION;
}
}
