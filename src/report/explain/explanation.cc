#include "report/explain/explanation.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/display_width.h"
#include "base/quantity_text.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/explain/explain_words.h"

namespace loadfactor::report {
namespace {

constexpr int kTextWidth = 78;

std::string paragraph(std::string_view heading, std::string_view text) {
  std::string out = fmt::format("{}\n", heading);
  for (const auto& line : wrap(text, kTextWidth - 2)) out += fmt::format("  {}\n", line);
  return out;
}

std::string_view sign_of(engine::Operation operation) {
  switch (operation) {
    case engine::Operation::kSum:
      return " + ";
    case engine::Operation::kDifference:
      return " − ";
    case engine::Operation::kProduct:
      return " × ";
    case engine::Operation::kQuotient:
      return " ÷ ";
    case engine::Operation::kPower:
      return " ^ ";
    case engine::Operation::kChoice:
      return ", not ";
    case engine::Operation::kCeil:
      return ", rounded up";
    default:
      return ", rounded down";
  }
}

bool is_rounding(engine::Operation operation) {
  return operation == engine::Operation::kFloor || operation == engine::Operation::kCeil;
}

// `, fitted to 768 rows of aiconfigurator-kernel-tables`.
std::string evidence_words(const engine::Evidence& evidence) {
  if (evidence.source.empty()) return {};
  if (evidence.rows == 0) return fmt::format(", fitted to {}", evidence.source);
  return fmt::format(", fitted to {} rows of {}", evidence.rows, evidence.source);
}

// `load factor 22.2 % = requests per second that are served ÷ …`.
std::string node_line(const engine::ExplainNode& node, const ExplainWords& words) {
  std::string text = fmt::format("{} {}", words.name_of(node), format_display(node.value, 4));
  if (node.children.empty()) return text + "   " + node.source + evidence_words(node.evidence);
  std::vector<std::string> names;
  for (const auto& child : node.children) names.push_back(words.name_of(child));
  return text + " = " + fmt::format("{}", fmt::join(names, sign_of(node.operation))) +
         (is_rounding(node.operation) ? std::string(sign_of(node.operation)) : "");
}

void add_lines(const engine::ExplainNode& node, const ExplainWords& words, const std::string& first,
               const std::string& rest, std::string& out) {
  bool is_first = true;
  const int width = kTextWidth - static_cast<int>(display_width(rest));
  for (const auto& line : wrap(node_line(node, words), std::max(width, 30))) {
    out += (is_first ? first : rest + (node.children.empty() ? "  " : "│ ")) + line + "\n";
    is_first = false;
  }
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const bool last = i + 1 == node.children.size();
    add_lines(node.children[i], words, rest + (last ? "└─ " : "├─ "), rest + (last ? "   " : "│  "),
              out);
  }
}

}  // namespace

std::string explain_tree(const engine::ExplainNode& tree) {
  std::string out;
  add_lines(tree, ExplainWords(), "", "", out);
  return out;
}

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
