#include "report/page/page_pieces.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/describe/notice_register.h"
#include "report/page/page_words.h"

namespace loadfactor::report {

Value lead_run(std::string_view strong, std::string_view text, std::string_view soft) {
  return Value::Object{{"strong", strong}, {"text", text}, {"soft", soft}};
}

Value page_tile(std::string_view id, std::string_view label, std::string value,
                std::string_view unit, std::string note) {
  return Value::Object{{"id", id},
                       {"label", label},
                       {"value", std::move(value)},
                       {"unit", unit},
                       {"note", std::move(note)}};
}

Value page_share(const std::optional<EstimateOf<double>>& share) {
  if (!share || !std::isfinite(share->value()) || !std::isfinite(share->high())) return {};
  return Value::Object{{"value", share->value()}, {"low", share->low()}, {"high", share->high()}};
}

Value page_bar(Dollars cost, std::optional<std::pair<Dollars, Dollars>> range, Dollars most) {
  const auto share = [&](Dollars part) { return std::round(1000 * (part / most)) / 10; };
  Value between;
  if (range && range->second <= most)
    between = Value::Object{{"from", share(range->first)},
                            {"width", share(range->second) - share(range->first)}};
  return Value::Object{
      {"width", std::min(100.0, share(cost))}, {"cut", cost > most}, {"range", std::move(between)}};
}

Value page_table_of(std::string_view csv, const Table& table) {
  Value::List columns;
  for (const Column& column : table.columns())
    columns.push_back(Value::Object{{"name", column.name.empty() ? "change" : column.name},
                                    {"number", column.align == Align::kRight}});
  Value::List rows;
  for (const auto& row : table.rows()) {
    Value::List cells;
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      cells.push_back(Value::Object{{"words", row.cells[i].text},
                                    {"tone", ""},
                                    {"number", table.columns()[i].align == Align::kRight}});
    rows.push_back(Value::Object{{"chosen", false}, {"cells", std::move(cells)}});
  }
  return Value::Object{{"csv", csv}, {"columns", std::move(columns)}, {"rows", std::move(rows)}};
}

Value page_panel(std::string title, bool wide, Value table, std::string note) {
  return Value::Object{{"title", std::move(title)},
                       {"sub", ""},
                       {"wide", wide},
                       {"lanes", Value::List{}},
                       {"table", std::move(table)},
                       {"note", std::move(note)}};
}

Value page_price(const UsedPrice& price) {
  constexpr int kOld = 90;  // Days.
  std::string doubt;
  std::string from = price.source;
  if (price.assumed) doubt = "assumed";
  if (!price.date.empty()) from += fmt::format(", {}", page_date(price.date));
  if (price.age_days && *price.age_days > kOld) doubt = fmt::format("{} days old", *price.age_days);
  return Value::Object{{"name", capital(price.what)},
                       {"value", unbroken(price.price)},
                       {"from", std::move(from)},
                       {"doubt", std::move(doubt)}};
}

Value page_notices(std::string_view title, const std::vector<Notice>& notices) {
  constexpr std::size_t kMaxRows = 8;
  Value::List rows;
  for (const bool cautions : {true, false})
    for (const auto& notice : notices)
      if ((severity_of(notice) == Severity::kCaution) == cautions && rows.size() < kMaxRows)
        rows.push_back(Value::Object{{"strong", cautions ? "Caution:" : ""},
                                     {"text", unbroken(capital(text_of(notice)) + ".")}});
  if (rows.empty()) return {};
  return Value::Object{{"title", title}, {"rows", std::move(rows)}};
}

}  // namespace loadfactor::report
