#include "web/jobs/work.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/session/mapped_file.h"
#include "facade/forms/read_question.h"
#include "report/describe/tree.h"
#include "web/wire/problem.h"

namespace loadfactor::web {
namespace {

Finished finished(const Reply& reply) {
  return {.status = reply.status, .type = reply.type, .body = reply.body};
}

Result<InputFile> open_upload(const std::vector<UploadedFile>& uploads, const std::string& id) {
  const auto found = std::find_if(uploads.begin(), uploads.end(),
                                  [&](const UploadedFile& file) { return file.id == id; });
  const auto absent = [&] {
    return Error{.code = lf::kCannotRead,
                 .message = fmt::format("no upload '{}'", id),
                 .hint = "POST /api/v1/files keeps one for an hour"};
  };
  if (found == uploads.end()) return absent();
  auto mapped = cli::MappedFile::open(found->path);
  if (!mapped) return absent();  // Its path is nobody's business.
  const auto kept = std::make_shared<const cli::MappedFile>(*std::move(mapped));
  return InputFile{
      .name = found->name, .shown_as = {}, .bytes = kept->bytes(), .size = {}, .owner = kept};
}

struct FormatType {
  Format format;
  std::string_view type;
};
constexpr std::array kTypes{FormatType{Format::kJson, "application/json"},
                            FormatType{Format::kCsv, "text/csv; charset=utf-8"},
                            FormatType{Format::kMarkdown, "text/markdown; charset=utf-8"},
                            FormatType{Format::kPage, "text/html; charset=utf-8"},
                            FormatType{Format::kTrace, "application/json"},
                            FormatType{Format::kSeries, "text/csv; charset=utf-8"},
                            FormatType{Format::kFocus, "text/csv; charset=utf-8"},
                            FormatType{Format::kInfracost, "application/json"},
                            FormatType{Format::kScenario, "application/yaml"},
                            FormatType{Format::kWorkbook, "application/json"}};

std::string type_of(Format format) {
  for (const FormatType& row : kTypes)
    if (row.format == format) return std::string(row.type);
  return "text/plain; charset=utf-8";
}

std::string files_json(const Answer& answer) {
  Value::List files;
  for (const OutputFile& file : answer.files())
    files.push_back(Value::Object{{"path", file.path}, {"text", file.text}});
  return report::print_json(Value::Object{{"files", std::move(files)}});
}

}  // namespace

std::optional<StyledQuestion> read_work(const Work& work, Finished& problem_of) {
  facade::GivenQuestion given{
      .json = work.json,
      .verb = work.verb,
      .settings = work.settings,
      .scenario_name = "-",  // As the command line calls what comes on its input.
      .may_be_scenario = true,
      .reproducible = true,
      .open_upload = [&](const std::string& id) { return open_upload(work.uploads, id); }};
  if (work.scenario) given.scenario = InputFile::of("-", *work.scenario);
  Diagnostics diagnostics;
  for (const std::string& id : work.given) {
    auto file = open_upload(work.uploads, id);
    if (file)
      given.files.push_back(*std::move(file));
    else
      diagnostics.add(file.error());
  }
  std::optional<facade::AskedText> read;
  if (diagnostics.empty()) read = facade::read_question(given, diagnostics);
  if (read) return std::move(read->asked);
  problem_of = finished(problem(diagnostics));
  return std::nullopt;
}

bool is_quick(const Question& question) {
  if (std::holds_alternative<FitQuestion>(question)) return true;
  if (const auto* catalog = std::get_if<CatalogQuestion>(&question))
    return catalog->task != CatalogTask::kCheck && catalog->task != CatalogTask::kImport;
  const auto* explain = std::get_if<ExplainQuestion>(&question);
  return explain != nullptr && !explain->about;
}

Finished answer(const Engine& engine, const StyledQuestion& asked, const std::string& format,
                const Progress& progress) {
  const bool wants_files = format == "files";
  const auto form = wants_files ? Format::kJson : find_format(format);
  if (!form)
    return finished(
        problem(Error{.code = lf::kUsage, .message = fmt::format("no format '{}'", format)}));
  Diagnostics diagnostics;
  const auto answer = engine.ask(asked.question, diagnostics, progress);
  if (!answer) return finished(problem(diagnostics));
  if (wants_files) return {.body = files_json(*answer), .exit_status = answer->exit_status()};
  auto text = to_text(*answer, *form, asked.style);
  if (!text) return finished(problem(text.error()));
  return {.type = type_of(*form), .body = *std::move(text), .exit_status = answer->exit_status()};
}

}  // namespace loadfactor::web
