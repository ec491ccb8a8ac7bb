#include "resolve/demand/demand.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "demand/read/trace_builder.h"

namespace loadfactor::engine {
namespace {

using demand::Import;
using demand::ImportReport;
using demand::MetricsSnapshot;
using demand::Trace;

void confess_import(DemandAnswer& answer) {
  const ImportReport& r = answer.import;
  if (r.rows_dropped() > 0)
    answer.notices.push_back(
        {.id = "rows-dropped",
         .severity = r.rows_dropped() * 10 > r.rows_read ? Severity::kCaution : Severity::kNote,
         .arguments = {{"dropped", format_count(r.rows_dropped())},
                       {"rows", counted(r.rows_read, "row")}}});
  if (r.out_of_order > 0)
    answer.notices.push_back(
        {.id = "out-of-order", .arguments = {{"rows", counted(r.out_of_order, "row")}}});
  if (r.batch_interval > Seconds())
    answer.notices.push_back(
        {.id = "batched-stamps",
         .arguments = {{"interval", fmt::format("{:.3g} s", r.batch_interval.base())}}});
  if (!r.gaps.empty())
    answer.notices.push_back(
        {.id = "gaps", .arguments = {{"gaps", counted(std::ssize(r.gaps), "gap")}}});
  for (const auto& remark : r.remarks)
    answer.notices.push_back({.id = "remark", .arguments = {{"remark", remark}}});
}

void add_traffic(DemandAnswer& answer) {
  if (const auto* trace = std::get_if<Trace>(&answer.data)) {
    answer.traffic = characterise(*trace, answer.import.gaps);
    if (trace->is_timed && !trace->has_calendar && answer.traffic->span > Seconds::from_base(86400))
      answer.notices.push_back({.id = "no-calendar"});
  }
  if (const auto* profile = std::get_if<demand::RateProfile>(&answer.data)) {
    answer.traffic = characterise(*profile);
    answer.notices.push_back({.id = "rates-only"});
  }
  if (const auto* jobs = std::get_if<demand::JobTrace>(&answer.data))
    answer.cluster = demand::measure_cluster_use(*jobs);
  if (const auto* metrics = std::get_if<MetricsSnapshot>(&answer.data)) answer.metrics = *metrics;
  if (answer.traffic && answer.traffic->span < Seconds::from_base(2 * 86400) &&
      answer.traffic->is_timed)
    answer.notices.push_back({.id = "short-span"});
}

// Adds what another file's import said.
void add_report(ImportReport& to, const ImportReport& from) {
  to.rows_read += from.rows_read;
  to.rows_used += from.rows_used;
  to.out_of_order += from.out_of_order;
  for (std::size_t i = 0; i < to.dropped.size(); ++i) {
    to.dropped[i].rows += from.dropped[i].rows;
    if (to.dropped[i].first_line == 0) to.dropped[i].first_line = from.dropped[i].first_line;
  }
}

Error not_together(const char* hint) {
  return Error{.code = lf::kUsage,
               .message = "several files must all hold requests, or be two snapshots of metrics",
               .hint = hint};
}

// What happened between two snapshots of one engine.
Result<Import> difference(const DemandQuestion& question, const Import& earlier, Import later) {
  const auto* before = std::get_if<MetricsSnapshot>(&earlier.data);
  const auto* after = std::get_if<MetricsSnapshot>(&later.data);
  if (before == nullptr || after == nullptr || question.files.size() != 2)
    return not_together("loadfactor demand before.prom after.prom --interval '60 s'");
  if (!question.interval)
    return not_together("for two snapshots say how far apart they are: --interval '60 s'");
  if (before->engine != after->engine)
    return Error{
        .code = lf::kUsage,
        .message = fmt::format("the snapshots are of {} and of {}", before->engine, after->engine),
        .hint = "give two of the same engine, the earlier first"};
  if (before->requests && after->requests && *after->requests < *before->requests)
    later.report.remarks.emplace_back(
        "counters fell between the snapshots: the engine was restarted, or the later file came "
        "first; what was counted since is taken");
  add_report(later.report, earlier.report);
  later.data = between(*before, *after, *question.interval);
  later.report.span = *question.interval;
  return later;
}

// Numbers without dates are of one clock; dates and numbers have none in common.
std::string clock_words(const std::vector<Trace>& traces) {
  const auto dated = std::count_if(traces.begin(), traces.end(),
                                   [](const Trace& trace) { return trace.has_calendar; });
  if (dated == std::ssize(traces)) return "the files are put together by their dates";
  if (dated == 0) return "the files are put together by their stamps, as of one clock";
  return "some files have dates and some have not: all are laid over each other from their first "
         "request on";
}

Result<Import> import_all(const DemandQuestion& question) {
  const auto& files = question.files;
  TRY(Import first, import_demand(files.front().name, files.front().bytes, question.read));
  if (files.size() == 1) return first;
  std::vector<Trace> traces;
  for (std::size_t i = 0; i < files.size(); ++i) {
    Import next;
    if (i > 0) {
      TRY(next, import_demand(files[i].name, files[i].bytes, question.read));
    }
    auto* trace = std::get_if<Trace>(i == 0 ? &first.data : &next.data);
    if (trace == nullptr && i == 0) continue;  // Two snapshots, perhaps.
    if (trace == nullptr || traces.size() != i) return difference(question, first, std::move(next));
    traces.push_back(std::move(*trace));
    if (i > 0) add_report(first.report, next.report);
  }
  first.report.remarks.push_back(clock_words(traces));
  Trace all = merged(traces);
  first.report.gaps.clear();
  describe_stamps(all, first.report);
  first.data = std::move(all);
  return first;
}

}  // namespace

std::string work_words(double input_per_output) {
  // A saturated GPU reads prompts some ten times as fast as it writes answers, token by token;
  // a factor of three around that is a mixture.
  constexpr double kEven = 10;
  constexpr double kMixture = 3;
  if (input_per_output > kEven * kMixture)
    return "prefill-bound: reading prompts is most of the work, so arithmetic and prefix reuse "
           "matter most";
  if (input_per_output < kEven / kMixture)
    return "decode-bound: writing answers is most of the work, so memory bandwidth and batch size "
           "matter most";
  return "mixed: prefill and decode take similar time, so their interference matters";
}

Result<DemandAnswer> describe_demand(const DemandQuestion& question) {
  TRY(Import import, import_all(question));
  DemandAnswer answer;
  answer.name = question.files.front().name;
  answer.import = std::move(import.report);
  answer.data = std::move(import.data);
  if (auto* trace = std::get_if<Trace>(&answer.data)) {
    if (question.spread_batches && answer.import.batch_interval > Seconds())
      *trace = spread(*trace, answer.import.batch_interval);
    if (question.compress != 1) *trace = compressed(*trace, question.compress);
  }
  confess_import(answer);
  add_traffic(answer);
  return answer;
}

}  // namespace loadfactor::engine
