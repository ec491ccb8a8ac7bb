#include "web/wire/problem.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "facade/json.h"
#include "loadfactor/ask.h"
#include "report/describe/tree.h"

namespace loadfactor::web {
namespace {

constexpr const char* kType = "application/problem+json";

struct Reason {
  int status;
  std::string_view words;
};
constexpr std::array kReasons{Reason{400, "Bad Request"},
                              Reason{401, "Unauthorized"},
                              Reason{403, "Forbidden"},
                              Reason{404, "Not Found"},
                              Reason{405, "Method Not Allowed"},
                              Reason{408, "Request Timeout"},
                              Reason{409, "Conflict"},
                              Reason{411, "Length Required"},
                              Reason{413, "Content Too Large"},
                              Reason{414, "URI Too Long"},
                              Reason{415, "Unsupported Media Type"},
                              Reason{417, "Expectation Failed"},
                              Reason{422, "Unprocessable Content"},
                              Reason{429, "Too Many Requests"},
                              Reason{431, "Request Header Fields Too Large"},
                              Reason{500, "Internal Server Error"},
                              Reason{501, "Not Implemented"},
                              Reason{503, "Service Unavailable"},
                              Reason{504, "Gateway Timeout"},
                              Reason{505, "HTTP Version Not Supported"}};

int status_of(const Error& error) {
  if (error.code == lf::kInternal) return 500;
  if (error.code == lf::kCancelled) return 409;
  if (error.code == lf::kTooLarge) return 413;
  // A body that is no JSON at all, rather than a scenario with a slip in it.
  if (error.code == lf::kSyntax && error.where.file == "question") return 400;
  return 422;
}

}  // namespace

std::string_view reason_of(int status) {
  const auto found = std::find_if(kReasons.begin(), kReasons.end(),
                                  [&](const Reason& row) { return row.status == status; });
  return found == kReasons.end() ? std::string_view("OK") : found->words;
}

Reply problem(int status, const std::string& detail) {
  return {.status = status,
          .type = kType,
          .body = report::print_json(Value::Object{{"type", "about:blank"},
                                                   {"title", reason_of(status)},
                                                   {"status", status},
                                                   {"detail", detail}})};
}

Reply busy(int status, const std::string& detail, int seconds) {
  Reply reply = problem(status, detail);
  reply.headers.emplace_back("Retry-After", std::to_string(seconds));
  return reply;
}

Reply problem(const Diagnostics& diagnostics) {
  if (diagnostics.empty()) return problem(500, "no answer, and no reason why");
  const Error& first = diagnostics.errors().front();
  const int status = status_of(first);
  const ErrorCodeRow* row = find_error_code(first.code);
  const std::string code = fmt::format("LF{:03}", first.code);
  const Value all = facade::value_of_json(to_json(diagnostics));
  const Value* errors = all.find("errors");
  return {.status = status,
          .type = kType,
          .body = report::print_json(
              Value::Object{{"type", "https://loadfactor.dev/errors/" + code},
                            {"title", row == nullptr ? reason_of(status) : row->title},
                            {"status", status},
                            {"detail", first.message},
                            {"code", code},
                            {"errors", errors == nullptr ? Value(Value::List()) : *errors}})};
}

Reply problem(const Error& error) {
  Diagnostics diagnostics;
  diagnostics.add(error);
  return problem(diagnostics);
}

}  // namespace loadfactor::web
