// `loadfactor demand FILE…`: what is this traffic like?
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/load/embedded_file.h"
#include "cli/demand_making.h"
#include "cli/session/mapped_file.h"
#include "cli/session/session.h"
#include "cli/verbs.h"
#include "report/demand_report.h"
#include "resolve/demand/demand.h"

namespace loadfactor::cli {
namespace {

struct DemandFlags {
  std::vector<std::string> files;
  std::string time_unit;
  std::string interval;
  int block_tokens = demand::ReadOptions().block_tokens;
  double compress = 1;
  bool spread = false;
  MakingFlags making;
};

// Traffic models of the built-in catalogue, by name.
std::vector<std::string> shipped_shapes() {
  constexpr std::string_view kFolder = "demand/";
  constexpr std::string_view kSuffix = ".yaml";
  std::vector<std::string> names;
  for (const auto& file : catalog::embedded_files()) {
    const std::string_view path = file.path;
    if (path.starts_with(kFolder) && path.ends_with(kSuffix))
      names.emplace_back(
          path.substr(kFolder.size(), path.size() - kFolder.size() - kSuffix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Error usage(std::string message, std::string hint) {
  return Error{.code = lf::kUsage, .message = std::move(message), .hint = std::move(hint)};
}

Result<engine::DemandQuestion> question_of(const DemandFlags& flags,
                                           const std::vector<MappedFile>& mapped) {
  engine::DemandQuestion question;
  for (std::size_t i = 0; i < flags.files.size(); ++i)
    question.files.push_back({flags.files[i], mapped[i].bytes()});
  question.spread_batches = flags.spread;
  question.read.block_tokens = flags.block_tokens;
  if (!(flags.compress > 0))
    return usage("--compress needs a positive factor", "--compress 2 doubles the rate");
  question.compress = flags.compress;
  if (!flags.time_unit.empty()) {
    question.read.time_unit = demand::time_unit_of(flags.time_unit);
    if (!question.read.time_unit)
      return usage(fmt::format("'{}' is no unit of time", flags.time_unit), "s, ms, us or ns");
  }
  if (!flags.interval.empty()) {
    TRY(const Seconds interval, parse_as<Dimension{.time = 1}>(flags.interval));
    question.interval = interval;
  }
  return question;
}

std::string rendered(const Session& session, const std::string& format,
                     const engine::DemandAnswer& answer) {
  if (format == "json") return report::demand_json(answer);
  if (format == "csv") return report::demand_csv(answer);
  if (format == "md") return report::demand_markdown(answer);
  return report::demand_text(
      answer, {.width = session.environment().width, .colour = session.environment().colour});
}

// Where a model or a table is printed instead of the description, what was read and dropped is
// said beside it.
void say_import(Session& session, const engine::DemandAnswer& answer) {
  session.tell(report::demand_import_line(answer));
  for (const auto& notice : answer.notices)
    if (notice.severity == Severity::kCaution) session.tell("! " + notice.text);
}

void run_demand(Session& session, const DemandFlags& flags) {
  if (!flags.making.generate.empty()) return write_generated(session, flags.making);
  if (flags.files.empty())
    return session.fail(usage("demand needs a file", "loadfactor demand requests.csv"));
  if (flags.making.fit && flags.making.convert)
    return session.fail(usage("--fit and --convert print two different files", "give one of them"));
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  std::vector<MappedFile> mapped;
  for (const auto& path : flags.files) {
    auto file = MappedFile::open(path);
    if (!file) return session.fail(file.error());
    mapped.push_back(*std::move(file));
  }
  const auto question = question_of(flags, mapped);
  if (!question) return session.fail(question.error());
  auto answer = engine::describe_demand(*question);
  if (!answer) return session.fail(answer.error());
  if (flags.making.fit || flags.making.convert) say_import(session, *answer);
  if (flags.making.fit) return write_fit(session, *answer);
  if (flags.making.convert) return write_converted(session, *answer);
  if (session.options().quiet) answer->notices.clear();
  session.write(rendered(session, *format, *answer));
}

}  // namespace

void add_demand(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("demand", "what is this traffic like?");
  session.add_common_options(*verb);
  auto flags = std::make_shared<DemandFlags>();
  verb->add_option("files", flags->files,
                   "requests, rates, jobs, benchmark results or metrics, plain or gzip")
      ->type_name("FILE");
  MakingFlags& making = flags->making;
  verb->add_flag("--fit", making.fit, "print a traffic model fitted to the file");
  verb->add_flag("--convert", making.convert, "print the requests as our own CSV");
  CLI::Option* generate =
      verb->add_option(
              "--generate", making.generate,
              fmt::format("make requests from a traffic model: a file, or one of {}, which "
                          "are also the shapes of a scenario",
                          fmt::join(shipped_shapes(), ", ")))
          ->type_name("NAME|FILE.yaml")
          ->excludes("files");
  verb->add_option("--duration", making.duration, "of what is made")
      ->capture_default_str()
      ->needs(generate);
  verb->add_option("--rate", making.rate, "mean of what is made, as '12 Hz'")->needs(generate);
  verb->add_option("--time-unit", flags->time_unit, "of bare numbers: s, ms, us or ns");
  verb->add_option("--block", flags->block_tokens,
                   "tokens of a prefix block; 512 where the file does not contradict it")
      ->check(CLI::Range(1, 1 << 20));
  verb->add_option("--interval", flags->interval, "between two snapshots of metrics, as '60 s'");
  verb->add_option("--compress", flags->compress, "this many times as dense in time");
  verb->add_flag("--spread", flags->spread, "spread stamps that come in batches");
  verb->callback([flags, &session] { run_demand(session, *flags); });
}

}  // namespace loadfactor::cli
