#include "report/explanation.h"

#include <fmt/format.h>

#include "base/table.h"
#include "base/wrap.h"

namespace loadfactor::report {
namespace {

constexpr int kTextWidth = 78;

std::string paragraph(std::string_view heading, std::string_view text) {
  std::string out = fmt::format("{}\n", heading);
  for (const auto& line : wrap(text, kTextWidth - 2)) out += fmt::format("  {}\n", line);
  return out;
}

}  // namespace

std::string explain_code(const ErrorCodeRow& row) {
  return fmt::format("LF{:03} · {}\n\n", row.code, row.title) +
         paragraph("Why it is refused", row.meaning) + "\n" + paragraph("What to do", row.remedy) +
         "\n" + fmt::format("Exit status {}.\n", exit_status(row.code));
}

std::string explain_term(const catalog::GlossaryTerm& term) {
  return fmt::format("{}\n\n", term.name) + paragraph("Definition", term.definition) + "\n" +
         paragraph("Formula", term.formula) + "\n" + paragraph("Unit", term.unit);
}

std::string list_codes(std::span<const ErrorCodeRow> rows) {
  Table table({{.name = "code"}, {.name = "what it stands for", .wraps = true}, {.name = "exit"}});
  for (const auto& row : rows) {
    table.add_row({fmt::format("LF{:03}", row.code), std::string(row.title),
                   Cell(fmt::to_string(exit_status(row.code)))});
  }
  return render_text(table, {});
}

std::string list_terms(const std::vector<catalog::GlossaryTerm>& terms) {
  Table table({{.name = "term"}, {.name = "definition", .wraps = true}});
  for (const auto& term : terms) table.add_row({term.name, term.definition});
  return render_text(table, {});
}

}  // namespace loadfactor::report
