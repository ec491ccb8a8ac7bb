#include "report/json_answer.h"

#include <utility>

#include "loadfactor/version.h"

namespace loadfactor::report {

Json quantity(AnyQuantity value, AnyQuantity low, AnyQuantity high, Basis basis,
              const std::string& source) {
  return Json{{"value", value.value},
              {"low", low.value},
              {"high", high.value},
              {"unit", base_unit(value.dimension)},
              {"basis", std::string(text_of(basis))},
              {"source", source}};
}

std::string envelope(const std::string& verb, Json question, Json answer,
                     const std::vector<Notice>& notices, const std::vector<UsedFact>& facts) {
  Json document;
  document["loadfactor"] = 1;
  document["verb"] = verb;
  document["scenario"] = std::move(question);
  document["answer"] = std::move(answer);
  document["notices"] = Json::array();
  for (const auto& notice : notices) {
    document["notices"].push_back(
        {{"id", notice.id},
         {"severity", notice.severity == Severity::kCaution ? "caution" : "note"},
         {"text", notice.text}});
  }
  Json used = Json::array();
  for (const auto& fact : facts) {
    used.push_back({{"what", fact.what},
                    {"kind", fact.kind},
                    {"source", fact.source},
                    {"date", fact.date},
                    {"where", fact.where}});
  }
  document["provenance"] = {{"version", LOADFACTOR_VERSION}, {"facts", std::move(used)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace loadfactor::report
