// Questions over HTTP: read, answered at once or by a worker, and written as the command line does.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "facade/forms/form.h"
#include "facade/json.h"
#include "facade/tools/schemas.h"
#include "loadfactor/ask.h"
#include "report/describe/tree.h"
#include "web/api.h"
#include "web/replies.h"
#include "web/store.h"
#include "web/wire/problem.h"

namespace loadfactor::web {
namespace {

// Larger ones are read by a worker, whose time is bounded.
constexpr std::size_t kReadAtOnce = std::size_t{256} << 10U;

bool is_json(std::string_view type) {
  return type == "application/json" || type.ends_with("+json");
}

bool is_text(std::string_view type) {
  constexpr std::array<std::string_view, 5> kTypes{"application/yaml", "application/x-yaml",
                                                   "application/toml", "application/x-sh",
                                                   "application/octet-stream"};
  return type.empty() || type.starts_with("text/") || type.ends_with("+yaml") ||
         std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

std::string type_of(const Call& call) {
  std::string type(call.header("content-type"));
  type.resize(std::min(type.find(';'), type.size()));
  while (type.ends_with(' ')) type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return type;
}

Value value_of_word(const std::string& word) {
  if (word == "true" || word == "false") return word == "true";
  return word;
}

// The query as the options of a question.
std::string options_json(const Pairs& query, std::vector<std::string>& uploads) {
  Value::List set;
  std::vector<std::pair<std::string, Value::List>> options;
  for (const auto& [key, value] : query) {
    if (key == "format" || key == "verb") continue;
    if (key == "set") {
      set.emplace_back(value);
    } else if (key == "upload") {
      uploads.push_back(value);
    } else {
      auto found = std::find_if(options.begin(), options.end(),
                                [&, name = key](const auto& each) { return each.first == name; });
      if (found == options.end()) found = options.insert(options.end(), {key, {}});
      found->second.push_back(value_of_word(value));
    }
  }
  Value::Object members;
  for (auto& [key, values] : options)
    members.push_back({key, values.size() == 1 ? values.front() : Value(std::move(values))});
  return report::print_compact_json(
      Value::Object{{"set", std::move(set)}, {"options", std::move(members)}});
}

bool may_be_quick(const Work& work) {
  const bool is_small = work.json.size() + work.scenario.value_or("").size() <= kReadAtOnce;
  return is_small && (work.verb == "fit" || work.verb == "catalog" || work.verb == "explain");
}

Reply answered(const Finished& finished, double seconds) {
  Reply reply = reply_of(finished);
  reply.headers.emplace_back("Loadfactor-Seconds", fmt::format("{:.3f}", seconds));
  return reply;
}

Reply wait_for(const Site& site, const Call& call, Job& job) {
  JobView view = job.view();
  constexpr std::chrono::milliseconds kGlance{50};
  while (!view.is_over()) {
    if (call.is_gone()) site.jobs->cancel(job);
    view = job.wait(view, kGlance);
  }
  site.jobs->forget(job);
  return answered(job.result(), view.seconds);
}

Reply ask_worker(const Site& site, const Call& call, Work work) {
  const Lane lane = lane_of(work.verb);
  Refusal refusal = Refusal::kNone;
  const auto job = site.jobs->add(std::move(work), call.caller, lane, refusal);
  return job == nullptr ? refusal_reply(refusal) : wait_for(site, call, *job);
}

void keep(const Site& site, const Work& work, const Reply& reply) {
  if (site.store != nullptr && reply.status == 200) site.store->add(work, reply.body);
}

}  // namespace

std::optional<Reply> read_body(Call& call, std::size_t most, std::string& to) {
  if (call.body == nullptr) return problem(400, "no body");
  const BodyEnd end = call.body->read(most, [&](std::string_view part) {
    to.append(part);
    return true;
  });
  if (end == BodyEnd::kWhole) return std::nullopt;
  return end == BodyEnd::kTooLarge
             ? problem(413, fmt::format("the body is larger than {} bytes", most))
             : problem(408, "the body did not come, or too slowly");
}

bool is_verb(const std::string& name) {
  constexpr std::array<std::string_view, 4> kSwitches{"search", "scale", "simulate", "size"};
  const auto rows = facade::verb_rows();
  return std::find(kSwitches.begin(), kSwitches.end(), name) != kSwitches.end() ||
         std::any_of(rows.begin(), rows.end(),
                     [&](const facade::VerbRow& row) { return row.name == name; });
}

Lane lane_of(const std::string& verb) {
  constexpr std::array<std::string_view, 8> kShort{"fit",  "catalog", "explain", "train",
                                                   "read", "audit",   "demand",  "emit"};
  return std::find(kShort.begin(), kShort.end(), verb) != kShort.end() ? Lane::kShort : Lane::kLong;
}

Reply refusal_reply(Refusal refusal) {
  constexpr int kSoon = 2;
  if (refusal == Refusal::kCallerBusy)
    return busy(429, "too many questions of yours are in work", kSoon);
  return refusal == Refusal::kEnding ? busy(503, "the server ends", kSoon * 5)
                                     : busy(503, "too many questions wait", kSoon);
}

Reply reply_of(const Finished& finished) {
  Reply reply{.status = finished.status, .type = finished.type, .body = finished.body};
  if (finished.status == 200)
    reply.headers.emplace_back("Loadfactor-Exit-Status", std::to_string(finished.exit_status));
  if (finished.status == 503) reply.headers.emplace_back("Retry-After", "2");
  return reply;
}

std::optional<Reply> read_work_of(const Site& site, Call& call, Work& work) {
  const std::string type = type_of(call);
  if (!is_json(type) && !is_text(type))
    return problem(415, fmt::format("no question comes as '{}': application/json holds a question, "
                                    "application/yaml a scenario",
                                    type));
  std::string body;
  if (auto refused = read_body(call, kLargestQuestion, body)) return refused;
  if (is_json(type)) {
    for (const auto& [key, value] : call.query)
      if (key != "format" && key != "verb")
        return problem(Error{.code = lf::kUnknownKey,
                             .message = fmt::format("unknown key '{}' in the query", key),
                             .hint = "beside a body in JSON, options are part of it"});
    work.json = std::move(body);
  } else {
    work.json = options_json(call.query, work.given);
    if (!body.empty()) work.scenario = std::move(body);
  }
  if (const auto format = call.asked("format"); !format.empty()) work.format = format;
  std::string named = work.json;
  for (const std::string& id : work.given) named += id;
  work.uploads = site.uploads->named_in(named);
  work.settings = site.settings;
  work.settings.today = site.today();
  return std::nullopt;
}

Reply ask(const Site& site, Call& call, const std::string& verb) {
  Work work{.verb = verb};
  if (auto refused = read_work_of(site, call, work)) return *std::move(refused);
  return ask(site, call, std::move(work));
}

Reply ask(const Site& site, const Call& call, Work work) {
  if (may_be_quick(work)) {
    const auto from = Clock::now();
    const auto pass = site.gate->enter();
    if (!pass) return busy(503, "too many questions wait", 1);
    Finished finished;
    const auto asked = read_work(work, finished);
    const bool is_here = !asked || is_quick(asked->question);
    if (asked && is_here) finished = answer(*site.engine, *asked, work.format, {});
    const std::chrono::duration<double> took = Clock::now() - from;
    if (is_here) {
      Reply reply = answered(finished, took.count());
      keep(site, work, reply);
      return reply;
    }
  }
  if (site.store == nullptr) return ask_worker(site, call, std::move(work));
  Reply reply = ask_worker(site, call, work);
  keep(site, work, reply);
  return reply;
}

Reply check(const Site& site, Call& call) {
  std::string text;
  if (auto refused = read_body(call, kReadAtOnce, text)) return *std::move(refused);
  const auto pass = site.gate->enter();
  if (!pass) return busy(503, "too many questions wait", 1);
  const Diagnostics found = facade::check_file("-", text);
  const Value all = facade::value_of_json(to_json(found));
  const Value* errors = all.find("errors");
  return {.body = report::print_json(
              Value::Object{{"valid", found.empty()},
                            {"errors", errors == nullptr ? Value(Value::List()) : *errors}})};
}

}  // namespace loadfactor::web
