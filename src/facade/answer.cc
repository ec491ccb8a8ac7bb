#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "facade/body.h"
#include "facade/json.h"
#include "facade/texts.h"
#include "loadfactor/ask.h"

namespace loadfactor {
namespace {

struct FormatName {
  Format format;
  std::string_view name;
};
constexpr std::array kFormats{FormatName{Format::kTable, "table"},
                              FormatName{Format::kJson, "json"},
                              FormatName{Format::kCsv, "csv"},
                              FormatName{Format::kMarkdown, "md"},
                              FormatName{Format::kPage, "html"},
                              FormatName{Format::kTrace, "trace"},
                              FormatName{Format::kSeries, "series"},
                              FormatName{Format::kFocus, "focus"},
                              FormatName{Format::kInfracost, "infracost"},
                              FormatName{Format::kComment, "github-comment"},
                              FormatName{Format::kMetrics, "metrics"},
                              FormatName{Format::kScenario, "scenario"},
                              FormatName{Format::kWorkbook, "xlsx"}};

}  // namespace

int exit_status(Outcome outcome) {
  switch (outcome) {
    case Outcome::kAnswer:
      return 0;
    case Outcome::kNo:
      return 1;
    case Outcome::kInfeasible:
      break;
  }
  return exit_status(lf::kNoPlan);
}

std::string_view name_of(Format format) {
  return kFormats[static_cast<std::size_t>(format)].name;
}

std::optional<Format> find_format(std::string_view name) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const FormatName& row) { return row.name == name; });
  return found == kFormats.end() ? std::nullopt : std::optional(found->format);
}

std::string_view Answer::verb() const {
  return body_->verb;
}
Outcome Answer::outcome() const {
  return body_->outcome;
}
const std::vector<Notice>& Answer::notices() const {
  return body_->notices;
}
const std::vector<GateVerdict>& Answer::gates() const {
  return body_->gates;
}
const std::vector<std::string>& Answer::remarks() const {
  return body_->remarks;
}
const std::vector<OutputFile>& Answer::files() const {
  return body_->files;
}
const void* Answer::find(const std::type_info& type) const {
  return body_->find(type);
}

Value Answer::value(const Style& style) const {
  const Value whole = facade::value_of_json(to_json(*this, style));
  const Value* answer = whole.find("answer");
  return answer == nullptr ? whole : *answer;
}

Result<std::string> to_text(const Answer& answer, Format format, const Style& style) {
  Style shown = style;
  const AnswerBody& body = AnswerBody::inside(answer);
  shown.reproducible = style.reproducible || !body.is_timed;
  return body.render(format, shown);
}

std::string to_json(const Answer& answer, const Style& style) {
  const auto text = to_text(answer, Format::kJson, style);
  return text ? *text : to_json(text.error());
}

namespace facade {

void keep_once(std::vector<Notice>& notices) {
  std::vector<Notice> kept;
  for (Notice& notice : notices)
    if (std::find(kept.begin(), kept.end(), notice) == kept.end())
      kept.push_back(std::move(notice));
  notices = std::move(kept);
}

Error no_such_form(Format format) {
  return {.code = lf::kUsage,
          .message = fmt::format("this answer has no form '{}'", name_of(format)),
          .hint = "leave out --format"};
}

Answer text_answer(std::string_view verb, TextAnswer answer, Beside beside) {
  return make_answer<TextAnswer>(
      verb, std::move(answer),
      [verb](const TextAnswer& made, Format format, const Style&) -> Result<std::string> {
        if (format == Format::kTable || (format == Format::kCsv && made.is_csv)) return made.text;
        if (format == Format::kJson) return text_json(verb, made.text);
        return no_such_form(format);
      },
      std::move(beside));
}

}  // namespace facade
}  // namespace loadfactor
