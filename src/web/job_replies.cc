// Jobs and uploads over HTTP.
#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/document.h"
#include "report/describe/tree.h"
#include "web/api.h"
#include "web/replies.h"
#include "web/wire/problem.h"

namespace loadfactor::web {
namespace {

Value value_of(const JobView& view) {
  Value::Object members{{"id", view.id},
                        {"verb", view.verb},
                        {"state", name_of(view.state)},
                        {"progress", view.progress},
                        {"seconds", view.seconds}};
  if (view.is_over()) {
    members.push_back({"status", view.status});
    members.push_back({"has_answer", view.has_answer});
  }
  return members;
}

Reply no_job() {
  return problem(404, "no such job, or it ended too long ago");
}

std::string verb_in(const std::string& json) {
  const auto document = config::parse_json("question", json);
  if (!document) return {};
  for (const auto& member : document->root.members)
    if (member.key == "verb") return member.value.scalar;
  return {};
}

std::string event(const char* name, const JobView& view) {
  return fmt::format("event: {}\ndata: {}\n\n", name, report::print_compact_json(value_of(view)));
}

// Tells how far the job is until it has ended or nobody listens.
void tell(const Job& job, const Reply::Write& write) {
  JobView view = job.view();
  if (!write(event("progress", view))) return;
  constexpr std::chrono::milliseconds kTick{500};
  constexpr int kQuietTicks = 20;
  int quiet = 0;
  while (!view.is_over()) {
    const JobView now = job.wait(view, kTick);
    const bool is_news = now.state != view.state || now.progress != view.progress;
    view = now;
    if (is_news && !view.is_over() && !write(event("progress", view))) return;
    quiet = is_news ? 0 : quiet + 1;
    if (quiet == kQuietTicks) {
      quiet = 0;
      if (!write(": waiting\n\n")) return;
    }
  }
  write(event("done", view));
}

}  // namespace

Reply add_job(const Site& site, Call& call) {
  Work work;
  if (auto refused = read_work_of(site, call, work)) return *std::move(refused);
  work.verb = call.asked("verb");
  if (work.verb.empty() && !work.scenario) work.verb = verb_in(work.json);
  if (!is_verb(work.verb))
    return problem(Error{.code = lf::kUnknownWord,
                         .message = fmt::format("no verb '{}'", work.verb),
                         .hint = "`verb` names one; GET /api/v1/verbs lists all"});
  const Lane lane = lane_of(work.verb);
  Refusal refusal = Refusal::kNone;
  const auto job = site.jobs->add(std::move(work), call.caller, lane, refusal);
  if (job == nullptr) return refusal_reply(refusal);
  Reply reply{.status = 202, .body = report::print_json(value_of(job->view()))};
  reply.headers.emplace_back("Location", "/api/v1/jobs/" + job->id());
  return reply;
}

Reply job_reply(const Site& site, const Call& /*call*/, const std::string& rest) {
  const auto slash = rest.find('/');
  const auto job = site.jobs->find(rest.substr(0, slash));
  if (job == nullptr) return no_job();
  const std::string part = slash == std::string::npos ? "" : rest.substr(slash + 1);
  const JobView view = job->view();
  if (part.empty()) return {.body = report::print_json(value_of(view))};
  if (part == "answer") {
    if (view.is_over()) return reply_of(job->result());
    return busy(409, "the job still runs", 1);
  }
  if (part != "events") return problem(404, "a job has `answer` and `events`");
  return {.type = "text/event-stream",
          .stream = [job](const Reply::Write& write) { tell(*job, write); }};
}

Reply cancel_job(const Site& site, const std::string& id) {
  const auto job = site.jobs->find(id);
  if (job == nullptr) return no_job();
  site.jobs->cancel(*job);
  // A worker that was asked to end has a few hundredths of a second.
  constexpr std::chrono::milliseconds kPatience{500};
  const auto until = Clock::now() + kPatience;
  JobView view = job->view();
  while (!view.is_over() && Clock::now() < until) view = job->wait(view, kPatience / 50);
  return {.body = report::print_json(value_of(view))};
}

Reply add_file(const Site& site, Call& call) {
  const std::string name(call.asked("name"));
  constexpr std::size_t kLongestName = 200;
  if (name.empty() || name.size() > kLongestName)
    return problem(422, "the query says how the file is called: ?name=week.csv");
  if (call.body == nullptr) return problem(400, "no body");
  Uploads::Writer writer(*site.uploads, name);
  const std::size_t most = site.uploads->bounds().one;
  const BodyEnd end =
      call.body->read(most, [&](std::string_view part) { return writer.write(part); });
  if (end == BodyEnd::kTooLarge)
    return problem(413, fmt::format("an upload has at most {} bytes", most));
  if (end == BodyEnd::kRefused) return busy(503, "the file could not be written", 10);
  if (end == BodyEnd::kBroken) return problem(408, "the body did not come, or too slowly");
  const UploadedFile file = writer.keep();
  Reply reply{.status = 201,
              .body = report::print_json(
                  Value::Object{{"id", file.id}, {"name", file.name}, {"bytes", file.bytes}})};
  reply.headers.emplace_back("Location", "/api/v1/files/" + file.id);
  return reply;
}

Reply list_files(const Site& site) {
  Value::List files;
  for (const UploadedFile& file : site.uploads->all())
    files.push_back(Value::Object{{"id", file.id}, {"name", file.name}, {"bytes", file.bytes}});
  return {.body = report::print_json(Value::Object{{"files", std::move(files)}})};
}

Reply remove_file(const Site& site, const std::string& id) {
  if (!site.uploads->remove(id)) return problem(404, "no such upload");
  return {.status = 204, .body = ""};
}

}  // namespace loadfactor::web
