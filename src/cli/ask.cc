// Questions on the command line: each is asked, and its answer written.
#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/commands.h"
#include "cli/disk_files.h"
#include "cli/interrupt.h"
#include "cli/live_page.h"
#include "cli/overlay.h"
#include "cli/print_page.h"
#include "cli/progress_line.h"
#include "cli/session/files.h"
#include "cli/workbook/write_workbook.h"
#include "loadfactor/engine.h"

namespace loadfactor::cli {
namespace {

struct Asked {
  Question question;
  Answer answer;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Settings settings_of(const Session& session) {
  const int threads = session.options().threads;
  return {.seed = session.options().seed,
          .threads = threads > 0
                         ? threads
                         : static_cast<int>(std::max(1U, std::thread::hardware_concurrency())),
          .today = session.environment().today};
}

Style style_of(const Session& session, const facade::Form& form) {
  Style style = form.style;
  style.width = session.environment().width;
  style.colour = session.environment().colour;
  style.explain = session.options().explain;
  style.quiet = session.options().quiet;
  style.reproducible = session.options().reproducible;
  return style;
}

Result<Format> format_of(const Session& session, const facade::Form& form) {
  if (form.has_comment && session.options().format == name_of(Format::kComment))
    return Format::kComment;
  TRY(const std::string name, session.format());
  return find_format(name).value_or(Format::kTable);
}

bool is_workbook(const std::string& path) {
  return path.ends_with(".xlsx");
}

Result<bool> write_page_file(const std::string& path, const std::string& page) {
  if (is_workbook(path)) return write_workbook(page, path);
  return path.ends_with(".pdf") ? print_page(page, path) : write_file(path, page);
}

// The engine for a page, before anything is planned; empty where none is asked for.
Result<std::string> engine_for(const facade::Form& form, const std::string& output) {
  if (!form.wants_engine) return std::string();
  if (output.ends_with(".html")) return read_page_engine();
  return Error{.code = lf::kUsage,
               .message = "--live makes a page that plans anew, and no page is asked for",
               .hint = "add -o report.html"};
}

// The page, or workbook, goes to -o and the answer itself to stdout, in the format asked.
bool write_page(Session& session, const Asked& asked, const std::string& engine, Style& style) {
  const std::string path = std::exchange(session.options().output, "");
  auto page = to_text(asked.answer, is_workbook(path) ? Format::kWorkbook : Format::kPage, style);
  if (!page) return session.fail(page.error()), false;
  if (!engine.empty())
    page =
        with_engine(*std::move(page), engine, to_json(asked.question, style), session.overlays());
  const auto written = [&] {
    const ProgressLine line(session, "writing " + path);
    return write_page_file(path, *page);
  }();
  if (!written) return session.fail(written.error()), false;
  style.report = path;
  return true;
}

// A scenario names the traffic that is written beside it, by a path from its own folder.
Style beside_traffic(const facade::Form& form, const facade::Extra& scenario, Style style) {
  namespace fs = std::filesystem;
  if (scenario.format != Format::kScenario) return style;
  for (const auto& extra : form.extras) {
    if (extra.format != Format::kSeries || extra.path->empty() || *extra.path == "-") continue;
    std::error_code unknown;
    const fs::path traffic = fs::absolute(*extra.path, unknown).lexically_normal();
    const fs::path own = *scenario.path == "-" ? "here" : *scenario.path;
    const fs::path folder = fs::absolute(own, unknown).lexically_normal().parent_path();
    if (!unknown) style.report = traffic.lexically_relative(folder).generic_string();
  }
  return style;
}

void write_extras(Session& session, const facade::Form& form, const Answer& answer,
                  const Style& style) {
  for (const auto& extra : form.extras) {
    if (extra.path->empty()) continue;
    const auto text = to_text(answer, extra.format, beside_traffic(form, extra, style));
    // Remarks of the answer say why it has none, or the error does.
    if (!text && text.error().code == lf::kNothingUsable) session.fail(text.error());
    if (!text || *extra.path == "-") continue;
    const auto written = write_file(*extra.path, *text);
    if (!written) return session.fail(written.error());
    session.tell(fmt::format("wrote {}{}", *extra.path, extra.remark));
  }
}

// Another form on stdout instead of the answer, for two documents on one stream would be neither.
std::optional<Format> format_instead(const Session& session, const facade::Form& form,
                                     const Answer& answer) {
  if (!session.options().output.empty()) return std::nullopt;
  for (const auto& extra : form.extras)
    if (*extra.path == "-" && to_text(answer, extra.format)) return extra.format;
  return std::nullopt;
}

// What stdout gets: the answer, or that other form of it.
Result<std::string> shown_text(const Session& session, const facade::Form& form,
                               const Answer& answer, Format format, const Style& style) {
  const auto instead = format_instead(session, form, answer);
  for (const auto& extra : form.extras)
    if (instead == extra.format && *extra.path == "-")
      return to_text(answer, extra.format, beside_traffic(form, extra, style));
  return to_text(answer, format, style);
}

// An entry of a catalogue, instead of the answer.
void save_entry(Session& session, const std::string& folder, const Answer& answer) {
  const auto written = write_overlay(folder, answer.files(), true);
  if (!written) return session.fail(written.error());
  for (const OutputFile& file : answer.files())
    session.tell(fmt::format("saved {}; use it with --catalog {}",
                             (std::filesystem::path(folder) / file.path).string(), folder));
}

// What a calibration made, beside the answer, which says where it is.
bool save_overlay(Session& session, const facade::Saving& saving, const Answer& answer,
                  Style& style) {
  if (!saving.with_answer || saving.folder.empty()) return true;
  const auto written = write_overlay(saving.folder, answer.files(), !saving.is_guarded);
  if (!written) return session.fail(written.error()), false;
  style.folder = saving.folder;
  // The others say in their answer what they wrote.
  for (const OutputFile& file : answer.files())
    if (answer.verb() == "plan")
      session.tell("wrote " + (std::filesystem::path(saving.folder) / file.path).string());
  return true;
}

// Whether `-o` names a file and no folder: `bill.json`, and not `run-1.2`.
bool names_file(const std::string& output) {
  constexpr std::array<std::string_view, 14> kEndings{".json", ".yaml", ".yml",  ".csv", ".toml",
                                                      ".sh",   ".py",   ".args", ".txt", ".sbatch",
                                                      ".md",   ".cfg",  ".html", ".conf"};
  const std::filesystem::path path(output);
  std::error_code ignored;
  return std::find(kEndings.begin(), kEndings.end(), path.extension().string()) != kEndings.end() &&
         !std::filesystem::is_directory(path, ignored);
}

// The one file of an answer under the name that the user gave it.
void write_only_file(Session& session, const Answer& answer, const std::string& output) {
  const auto& files = answer.files();
  if (files.size() != 1) {
    const std::filesystem::path path(output);
    return session.fail({.code = lf::kUsage,
                         .message = fmt::format("'{}' names one file, and there are {} to write",
                                                output, files.size()),
                         .hint = fmt::format("-o {} writes them into a folder of that name",
                                             (path.parent_path() / path.stem()).string())});
  }
  const auto written = write_file(output, files.front().text);
  if (!written) return session.fail(written.error());
  session.set_status(answer.exit_status());
  for (const auto& remark : answer.remarks()) session.tell(remark);
  session.tell("wrote " + output);
}

void tell_gates(Session& session, const Answer& answer) {
  for (const auto& gate : answer.gates()) {
    if (gate.holds) {
      session.tell("gate holds: " + gate.words);
    } else {
      // Whoever asked for quiet still has to know why the status is not 0.
      *session.environment().err << "gate FAILS: " << gate.words << '\n';
    }
  }
}

std::optional<Asked> ask_question(Session& session, facade::Form& form) {
  DiskFiles files(session);
  Diagnostics diagnostics;
  auto question = [&] {
    const ProgressLine line(session, "reading");
    return form.question({files, session.options().set, settings_of(session), diagnostics});
  }();
  if (!question) return session.fail(diagnostics), std::nullopt;
  auto& folders = session.options().catalog_folders;
  folders.insert(folders.end(), form.overlays.begin(), form.overlays.end());
  const Engine* engine = session.engine();
  if (engine == nullptr) return std::nullopt;
  const StopOnInterrupt guard;
  // The others have nothing to show when they are stopped.
  const bool keeps_best = std::holds_alternative<SearchQuestion>(*question) ||
                          std::holds_alternative<ScaleQuestion>(*question);
  std::optional<Answer> answer;
  {
    ProgressLine line(session, fmt::format("loadfactor {}", verb_of(*question)),
                      keeps_best ? " (Ctrl-C shows the best so far)" : " (Ctrl-C stops it)");
    Progress progress{[&line](double share) { line.report(share); }};
    progress.stop_by(&stop_flag()).time_by(cpu_seconds);
    answer = engine->ask(*question, diagnostics, progress);
  }
  if (!answer) return session.fail(diagnostics), std::nullopt;
  return Asked{*std::move(question), *std::move(answer)};
}

}  // namespace

std::optional<Answer> ask_form(Session& session, facade::Form& form) {
  auto asked = ask_question(session, form);
  if (!asked) return std::nullopt;
  return std::move(asked->answer);
}

void ask_and_write(Session& session, facade::Form& form) {
  const auto format = format_of(session, form);
  if (!format) return session.fail(format.error());
  const std::string& output = session.options().output;
  form.wants_page = form.has_page && (output.ends_with(".html") || output.ends_with(".pdf"));
  const bool wants_file = form.wants_page || (form.has_workbook && is_workbook(output));
  const auto engine = engine_for(form, output);
  if (!engine) return session.fail(engine.error());
  const auto asked = ask_question(session, form);
  if (!asked || session.is_silent()) return;
  const Answer& answer = asked->answer;
  Style style = style_of(session, form);
  if (form.takes_folder && names_file(output)) return write_only_file(session, answer, output);
  if (form.takes_folder && !session.options().output.empty())
    form.saving = {.folder = std::exchange(session.options().output, ""), .with_answer = true};
  const std::string page = wants_file ? session.options().output : "";
  if (!page.empty() && !write_page(session, *asked, *engine, style)) return;
  if (!save_overlay(session, form.saving, answer, style)) return;
  const auto text = shown_text(session, form, answer, *format, style);
  if (!text) return session.fail(text.error());
  session.set_status(answer.exit_status());
  for (const auto& remark : answer.remarks()) session.tell(remark);
  if (form.saving.folder.empty() || form.saving.with_answer) {
    session.write(*text);
  } else {
    save_entry(session, form.saving.folder, answer);
  }
  if (!page.empty()) session.tell(fmt::format("wrote {}", page));
  write_extras(session, form, answer, style);
  tell_gates(session, answer);
}

Command ask_command(std::string_view name) {
  for (const facade::VerbRow& row : facade::verb_rows()) {
    if (row.name != name) continue;
    const std::shared_ptr<facade::Form> form = row.form();
    return {std::string(row.name), std::string(row.help), form,
            [form](Session& session) { ask_and_write(session, *form); }};
  }
  throw std::logic_error("no form for the verb " + std::string(name));
}

}  // namespace loadfactor::cli
