#include "facade/forms/observe_form.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "demand/stamp.h"
#include "facade/forms/makers.h"
#include "report/observe/observe_report.h"

namespace loadfactor::facade {
namespace {

constexpr std::string_view kSlurm = "slurm:";

bool is_address(const std::string& source) {
  return source.find("://") != std::string::npos;
}

// `user:password@host` or `host/?token=…`, however its beginning is misspelt.
bool may_hold_secret(const std::string& source) {
  constexpr std::string_view kHttp = "http";
  const bool is_http = source.size() >= kHttp.size() &&
                       std::equal(kHttp.begin(), kHttp.end(), source.begin(), [](char a, char b) {
                         return a == std::tolower(static_cast<unsigned char>(b));
                       });
  return is_http || source.find("%40") != std::string::npos ||
         source.find_first_of("@?#&;=:") != std::string::npos;
}

// `7d`, `36h`, `90m`, as Prometheus writes it, or `7 days`.
Result<Seconds> read_span(const std::string& text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::array<std::pair<char, double>, 5> kUnits{
      {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}}};
  if (failed == std::errc() && std::isfinite(value) && end == text.data() + text.size() - 1)
    for (const auto& [letter, seconds] : kUnits)
      if (*end == letter) return Seconds::from_base(value * seconds);
  return parse_as<Dimension{.time = 1}>(text);
}

Result<Seconds> read_moment(const std::string& text) {
  demand::DateReader reader;
  const auto stamp = reader.read(text);
  if (stamp)
    return Seconds::from_base(static_cast<double>(*stamp) /
                              static_cast<double>(demand::kNanosecondsPerSecond));
  return usage(fmt::format("'{}' is no time", text), "--now 2026-11-10T10:00:00Z");
}

// `2.10 USD/h` or `2.10 USD/GPU-hour`: a price of one GPU either way.
Result<DollarsPerGpuSecond> gpu_price(const std::string& text) {
  const auto rent = parse_as<Dimension{.time = -1, .money = 1, .gpu = -1}>(text);
  if (rent) return *rent;
  TRY(const DollarsPerSecond price, (parse_as<Dimension{.time = -1, .money = 1}>(text)));
  return price / Gpus::from_base(1);
}

// squeue and sinfo tell of the present, and of no other time.
bool is_present(const std::optional<Seconds>& asked, std::optional<double> clock) {
  constexpr double kNearby = 60;
  return !asked || (clock && std::abs(asked->base() - *clock) <= kNearby);
}

// Nodes by sinfo, jobs of the window by sacct; where Slurm keeps no accounts, those that wait or
// run by squeue.
Result<bool> ask_slurm(MetricFeed& slurm, std::optional<double> clock, ObserveQuestion& question) {
  const auto add = [&](std::string_view program, std::string text) {
    question.files.push_back(InputFile::of(fmt::format("{}{}", kSlurm, program), std::move(text)));
  };
  TRY(std::string nodes, slurm.get("sinfo", {}));
  add("sinfo", std::move(nodes));
  const auto seconds = fmt::format("{:.0f}", std::ceil(question.since.value_or(kWeek).base()));
  MetricFeed::Parameters window{{"since", seconds}};
  if (question.now) window.push_back({"end", fmt::format("{:.0f}", question.now->base())});
  auto jobs = slurm.get("sacct", window);
  const bool has_accounts = jobs || jobs.error().code != lf::kNothingUsable;
  if (!has_accounts && !is_present(question.now, clock))
    return Error{.code = lf::kNothingUsable,
                 .message = fmt::format("this Slurm keeps no accounts, and squeue tells of the "
                                        "present alone: what ran up to {} is not known",
                                        report::stamp_text(question.now->base())),
                 .hint = "leave --now out, or give what sacct and sinfo printed as files"};
  if (!has_accounts) jobs = slurm.get("squeue", {});
  if (!jobs) return jobs.error();
  add(has_accounts ? "sacct" : "squeue", *std::move(jobs));
  return true;
}

}  // namespace

ObserveForm::ObserveForm() {
  positional(words("sources", sources_,
                   "a Prometheus server (http://host:9090), this machine's Slurm (slurm:), or "
                   "files: metrics as text or JSON, sacct, squeue, sinfo, nvidia-smi",
                   "SOURCE"));
  words("scenario", scenarios_, "what runs there: prices, and predictions to compare with",
        "SCENARIO");
  set_help = kSetHelp;
  word("since", since_, "length of the window", "TIME").shown_default = "7d";
  word("now", now_, "end of the window; else the last sample, or the clock", "DATE");
  word("step", step_, "between two looks at a server", "TIME");
  word("interval", interval_, "between files without stamps", "TIME").shown_default = interval_;
  word("checkpoint", checkpoint_, "between checkpoints: what a failure loses is half of it",
       "TIME");
  word("price", price_, "of a GPU, as '2.10 USD/h'; else of the scenario or the catalogue", "TEXT");
  output(
      "to", to_,
      "write what was found as a scenario: ready for plan where a service was seen, else for cost",
      "FILE", Format::kScenario);
  output("demand", demand_, "write the traffic that was found, ready for demand and plan", "FILE",
         Format::kSeries);
  output("metrics", metrics_, "write the answer as an exporter prints it", "FILE",
         Format::kMetrics);
  word("token-file", access_.token_file, "a file with the bearer token of the server", "FILE");
  word("user-file", access_.user_file, "a file with user:password of the server", "FILE");
  word("ca-file", access_.ca_file, "a file with the certificates that the server is checked by",
       "FILE");
  word("serve", serve, "be an exporter at this address, as 127.0.0.1:9911", "HOST:PORT");
  flag("watch", watch, "look again and again; --serve does so by itself");
  word("every", every, "between two looks of --serve and --watch", "TIME").shown_default = every;
}

// What opens a server opens nothing where none is asked.
std::optional<Error> ObserveForm::idle_access() const {
  if (std::any_of(sources_.begin(), sources_.end(), is_address)) return std::nullopt;
  for (const char* option : {"token-file", "user-file", "ca-file"})
    if (is_given(option))
      return usage(fmt::format("--{} is for a server, and no source is the address of one", option),
                   "leave it out, or give http://prometheus:9090");
  return std::nullopt;
}

std::vector<std::string> ObserveForm::files_read() const {
  std::vector<std::string> files = sources_;
  files.insert(files.end(), scenarios_.begin(), scenarios_.end());
  for (const std::string& file : {access_.token_file, access_.user_file, access_.ca_file})
    if (!file.empty()) files.push_back(file);
  return files;
}

Result<bool> ObserveForm::read_sources(const Reading& reading, ObserveQuestion& question) const {
  for (const auto& source : sources_) {
    if (is_address(source)) {
      if (question.feed)
        return usage("observe asks one server at a time", "give the others as files");
      TRY(question.feed, reading.files.connect(source, access_));
    } else if (source == kSlurm) {
      TRY(const auto slurm, reading.files.connect(source, access_));
      TRY([[maybe_unused]] const bool told, ask_slurm(*slurm, reading.files.now(), question));
    } else if (may_hold_secret(source) && !reading.files.has(source)) {
      return usage(
          "a source that is no file here looks like an address, which may hold a secret and is not "
          "repeated",
          "http://prometheus:9090, and user:password in a file: --user-file FILE");
    } else {
      TRY(auto file, reading.files.open(source));
      question.files.push_back(std::move(file));
    }
  }
  return true;
}

Result<bool> ObserveForm::read_times(ObserveQuestion& question) const {
  if (!since_.empty()) {
    TRY(question.since, read_span(since_));
  }
  TRY(question.interval, read_span(interval_));
  if (!step_.empty()) {
    TRY(question.step, read_span(step_));
  }
  if (!checkpoint_.empty()) {
    TRY(question.checkpoint, read_span(checkpoint_));
  }
  if (!now_.empty()) {
    TRY(question.now, read_moment(now_));
  }
  if (!price_.empty()) {
    TRY(const DollarsPerGpuSecond price, gpu_price(price_));
    const double per_hour = price.base() * kHour.base();
    constexpr double kMostPerHour = 1e6;
    if (!(per_hour > 0 && per_hour <= kMostPerHour))
      return usage("a GPU costs more than 0 and at most a million USD an hour",
                   "--price '2.10 USD/h'");
    question.price = price;
  }
  return true;
}

std::optional<Question> ObserveForm::question(const Reading& reading) {
  ObserveQuestion question;
  question.settings = reading.settings;
  if (const auto read = read_times(question); !read) return reading.refuse(read.error());
  if (scenarios_.empty() && !reading.set.empty())
    return reading.refuse(
        usage("--set replaces a value of a scenario, and none is given", "--scenario FILE"));
  if (const auto idle = idle_access()) return reading.refuse(*idle);
  if (const auto read = read_sources(reading, question); !read) return reading.refuse(read.error());
  if (!question.now)
    if (const auto now = reading.files.now()) question.clock = Seconds::from_base(*now);
  for (const auto& path : scenarios_) {
    auto about = read_scenario_from(reading, path, "serve");
    if (!about) return std::nullopt;
    question.scenarios.push_back(*std::move(about));
  }
  return question;
}

std::unique_ptr<Form> observe_form() {
  return std::make_unique<ObserveForm>();
}

}  // namespace loadfactor::facade
