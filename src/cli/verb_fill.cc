// `loadfactor fill SCENARIO`: can I keep these GPUs full?
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "cli/session/mapped_file.h"
#include "cli/session/scenario_files.h"
#include "cli/session/serving_files.h"
#include "cli/session/session.h"
#include "cli/verbs.h"
#include "engine/fill/fill.h"
#include "report/serve/fill_report.h"

namespace loadfactor::cli {
namespace {

struct FillFlags {
  std::string scenario;
  std::string jobs;
  std::string think = "60 s";
  std::string gpu;
  int gpus = 0;
  bool simulate = false;
  double busy = -1;
};

report::FillTextOptions text_options(const Session& session) {
  return {.width = session.environment().width,
          .colour = session.environment().colour,
          .explain = session.options().explain};
}

void run_cluster(Session& session, const FillFlags& flags, const std::string& format) {
  const auto file = MappedFile::open(flags.jobs);
  if (!file) return session.fail(file.error());
  const engine::DemandQuestion question{.files = {{flags.jobs, file->bytes()}}};
  const auto jobs = engine::describe_demand(question);
  if (!jobs) return session.fail(jobs.error());
  auto fill = engine::fill_cluster(*jobs, flags.gpus,
                                   flags.busy >= 0 ? std::optional(flags.busy) : std::nullopt);
  if (!fill) return session.fail(fill.error());
  if (session.options().quiet) fill->notices.clear();
  if (format == "json") return session.write(report::cluster_fill_json(*fill));
  if (format == "csv") return session.write(report::cluster_fill_csv(*fill));
  session.write(report::cluster_fill_text(*fill, text_options(session)));
}

void run_fleet(Session& session, const FillFlags& flags, const std::string& format) {
  auto files = read_serving_files(session, flags.scenario);
  if (!files) return;
  const auto think = parse_as<Dimension{.time = 1}>(flags.think);
  if (!think) return session.fail(think.error());
  if (*think < Seconds()) {
    return session.fail(Error{.code = lf::kOutOfRange,
                              .message = fmt::format("--think '{}' is below 0", flags.think),
                              .hint = "a time such as --think '30 s'; 0 s for none"});
  }
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  engine::FillQuestion question{
      .serving = std::move(files->question),
      .gpu = flags.gpu,
      .simulating = flags.simulate ? engine::Simulating::kAlways : engine::Simulating::kWhereQuick,
      .gpus = flags.gpus,
      .think_time = *think};
  question.serving.today = session.environment().today;
  if (files->trace) question.serving.trace_bytes = files->trace->bytes();
  Diagnostics diagnostics;
  auto answer = engine::fill_fleet(question, engine->catalog(), diagnostics);
  if (!answer) return session.fail(diagnostics);
  if (session.options().quiet) answer->notices.clear();
  if (format == "json") return session.write(report::fill_json(*answer, flags.scenario));
  if (format == "csv") return session.write(report::fill_csv(*answer));
  if (format == "md") return session.write(report::fill_markdown(*answer));
  session.write(report::fill_text(*answer, text_options(session)));
}

void run_fill(Session& session, const FillFlags& flags) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  if (!flags.jobs.empty()) return run_cluster(session, flags, *format);
  if (flags.scenario.empty()) {
    return session.fail(Error{.code = lf::kUsage,
                              .message = "fill needs a scenario or jobs",
                              .hint = "loadfactor fill scenario.yaml, or --jobs jobs.csv"});
  }
  run_fleet(session, flags, *format);
}

}  // namespace

void add_fill(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("fill", "can I keep these GPUs full?");
  session.add_common_options(*verb);
  auto flags = std::make_shared<FillFlags>();
  verb->add_option("scenario", flags->scenario, "a scenario with a `serve` section; - reads stdin")
      ->type_name("SCENARIO");
  add_set_option(*verb, session);
  verb->add_option("--gpus", flags->gpus, "of the fleet or cluster")
      ->check(CLI::Range(1, 10'000'000));
  verb->add_option("--gpu", flags->gpu, "instead of the scenario's candidates")->type_name("NAME");
  verb->add_flag("--simulate", flags->simulate,
                 "confirm by simulation, however long it takes; by default where it is quick");
  verb->add_option("--jobs", flags->jobs, "jobs of a training cluster instead of a scenario")
      ->type_name("FILE");
  verb->add_option("--busy", flags->busy, "mean activity of allocated GPUs, 0 to 1, with --jobs")
      ->check(CLI::Range(0.0, 1.0));
  verb->add_option("--think", flags->think, "between an answer and the same user's next request")
      ->capture_default_str();
  verb->callback([flags, &session] { run_fill(session, *flags); });
}

}  // namespace loadfactor::cli
