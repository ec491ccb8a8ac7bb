#include "report/schemas/answer_schemas.h"

#include "report/audit/audit_report.h"
#include "report/calibrate/site_report.h"
#include "report/calibrate/validation_report.h"
#include "report/catalog_entry.h"
#include "report/catalog_report.h"
#include "report/cost/cost_report.h"
#include "report/demand_report.h"
#include "report/describe/tree.h"
#include "report/explain/explanation.h"
#include "report/fleet/fleet_report.h"
#include "report/launch/launch_report.h"
#include "report/observe/observe_report.h"
#include "report/plan/diff_report.h"
#include "report/plan/plan_report.h"
#include "report/serve/fill_report.h"
#include "report/serve/fit_report.h"
#include "report/serve/serve_report.h"
#include "report/serve/serve_search_report.h"
#include "report/serve/simulate_report.h"
#include "report/train/scale_report.h"
#include "report/train/search_report.h"
#include "report/train/train_report.h"

namespace loadfactor::report {

std::vector<AnswerSchema> answer_schemas() {
  return {plan_schema(),     fit_schema(),      serve_schema(),     size_schema(),
          simulate_schema(), fill_schema(),     train_schema(),     search_schema(),
          scale_schema(),    cost_schema(),     demand_schema(),    audit_schema(),
          diff_schema(),     validate_schema(), calibrate_schema(), explain_schema(),
          catalog_schema(),  entry_schema(),    check_schema(),     nouns_schema(),
          emit_schema(),     read_schema(),     observe_schema(),   fleet_schema()};
}

std::string answer_schema_text(std::string_view name) {
  for (const AnswerSchema& schema : answer_schemas())
    if (schema.name == name) return print_json(document_schema(schema));
  return {};
}

std::string answers_page() {
  std::string page =
      "# Answers\n\nEvery field of every answer, as `--format json` writes it below `answer`. A "
      "quantity is an\nobject of value, low, high, unit, basis and source. `loadfactor schema "
      "--fields` prints this page\nfrom the descriptions that the answers are written by.\n";
  for (const AnswerSchema& schema : answer_schemas()) {
    page += "\n## " + std::string(schema.title) + "\n\n" + std::string(schema.description) +
            " Schema: `loadfactor schema " + std::string(schema.name) + "`.\n\n";
    page += docs_table(schema.answer);
  }
  return page;
}

}  // namespace loadfactor::report
