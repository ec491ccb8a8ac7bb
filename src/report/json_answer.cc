#include "report/json_answer.h"

#include <utility>

#include "loadfactor/version.h"

namespace loadfactor::report {

Json quantity(const Estimate& estimate) {
  return Json{{"value", estimate.value},
              {"low", estimate.low},
              {"high", estimate.high},
              {"unit", base_unit(estimate.dimension)},
              {"basis", std::string(basis_name(estimate.basis))},
              {"source", estimate.source}};
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
