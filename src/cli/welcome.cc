#include "cli/welcome.h"

#include <algorithm>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "facade/tools/catalogue.h"
#include "loadfactor/version.h"

namespace loadfactor::cli {

void print_welcome(Session& session) {
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  const auto names = facade::count_names(*engine);
  *session.environment().out << fmt::format(
      "loadfactor {} · how full are your GPUs, and should you have them?\n"
      "\n"
      "  Show me            loadfactor demo\n"
      "  Have a model?      loadfactor fit llama-3.3-70b --gpu h100-sxm\n"
      "  Have traffic?      loadfactor init serve -o my.yaml    (5 questions)\n"
      "  Should I buy?      loadfactor plan my.yaml -o report.html\n"
      "  A vendor's claim?  loadfactor audit claim.yaml\n"
      "  What is known?     loadfactor catalog gpus | models | rent | api\n"
      "\n"
      "Catalogue: {} accelerators, {} models. Offline. All verbs: loadfactor --help\n",
      LOADFACTOR_VERSION, names.accelerators, names.models);
}

}  // namespace loadfactor::cli
