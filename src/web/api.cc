#include "web/api.h"

#include <exception>

#include "web/replies.h"
#include "web/wire/problem.h"

namespace loadfactor::web {
namespace {

constexpr std::string_view kRoot = "/api/v1/";

// Both of an answer to a page and of one to a program.
void add_safety(Reply& reply) {
  reply.headers.emplace_back(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
      "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'");
  reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
  reply.headers.emplace_back("X-Frame-Options", "DENY");
  reply.headers.emplace_back("Referrer-Policy", "no-referrer");
  reply.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  reply.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  if (find_pair(reply.headers, "Cache-Control").empty())
    reply.headers.emplace_back("Cache-Control", "no-store");
}

Reply not_with(const char* allowed) {
  Reply reply = problem(405, "not with this method");
  reply.headers.emplace_back("Allow", allowed);
  return reply;
}

bool is_resource(const std::string& path, std::string_view noun) {
  return path.starts_with(noun) && path.size() > noun.size();
}

}  // namespace

Reply Api::answer(Call& call) const {
  Reply reply;
  try {
    const auto refused = refuse_stranger(call, site_.door);
    reply = refused ? *refused : route(call);
  } catch (const std::exception& bug) {
    reply = problem(500, bug.what());
  }
  add_safety(reply);
  return reply;
}

Reply Api::route(Call& call) const {
  if (!call.path.starts_with(kRoot)) {
    if (call.path == "/api" || call.path.starts_with("/api/"))
      return problem(404, "the interface begins at /api/v1/");
    return call.method == "GET" || call.method == "HEAD" ? page(call) : not_with("GET, HEAD");
  }
  const std::string path = call.path.substr(kRoot.size());
  if (call.method == "POST") return post(call, path);
  if (call.method == "DELETE") {
    if (is_resource(path, "jobs/")) return cancel_job(site_, path.substr(5));
    if (is_resource(path, "files/")) return remove_file(site_, path.substr(6));
    return not_with("GET, HEAD, POST");
  }
  return get(call, path);
}

Reply Api::get(const Call& call, const std::string& path) const {
  if (is_resource(path, "jobs/")) return job_reply(site_, call, path.substr(5));
  if (path == "files") return list_files(site_);
  return known(site_, call, path);
}

Reply Api::post(Call& call, const std::string& path) const {
  if (path == "jobs") return add_job(site_, call);
  if (path == "files") return add_file(site_, call);
  if (path == "check") return check(site_, call);
  std::string verb = path;
  if (const auto slash = verb.find('/'); slash != std::string::npos) verb[slash] = ' ';
  if (is_verb(verb)) return ask(site_, call, verb);
  return is_known(path) ? not_with("GET, HEAD")
                        : problem(404, "no verb of that name; GET /api/v1/verbs lists all");
}

}  // namespace loadfactor::web
