// The pages: files that are part of the program, found by comparison with their names.
#include <algorithm>
#include <array>

#include "catalog/load/embedded_file.h"
#include "web/replies.h"
#include "web/wire/problem.h"

namespace loadfactor::web {

// What web/dist held when the program was built; cmake/embed_files.cmake writes the definition.
std::span<const catalog::EmbeddedFile> embedded_files();

namespace {

struct SuffixType {
  std::string_view suffix;
  std::string_view type;
};
constexpr std::array kTypes{SuffixType{".html", "text/html; charset=utf-8"},
                            SuffixType{".js", "text/javascript; charset=utf-8"},
                            SuffixType{".mjs", "text/javascript; charset=utf-8"},
                            SuffixType{".css", "text/css; charset=utf-8"},
                            SuffixType{".json", "application/json"},
                            SuffixType{".svg", "image/svg+xml"},
                            SuffixType{".png", "image/png"},
                            SuffixType{".ico", "image/x-icon"},
                            SuffixType{".woff2", "font/woff2"},
                            SuffixType{".webmanifest", "application/manifest+json"},
                            SuffixType{".txt", "text/plain; charset=utf-8"}};

constexpr std::string_view kWithoutPages =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>loadfactor</title>"
    "</head>\n<body><h1>loadfactor</h1>\n<p>This program was built without its pages. The "
    "interface for programs is here: <a href=\"/api/v1/openapi.yaml\">/api/v1/openapi.yaml</a>."
    "</p></body></html>\n";

const catalog::EmbeddedFile* find_file(std::string_view path) {
  const auto files = embedded_files();
  const auto found =
      std::find_if(files.begin(), files.end(),
                   [&](const catalog::EmbeddedFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

std::string type_of(std::string_view path) {
  for (const SuffixType& row : kTypes)
    if (path.ends_with(row.suffix)) return std::string(row.type);
  return "application/octet-stream";
}

Reply reply_of(const catalog::EmbeddedFile& file) {
  Reply reply{.type = type_of(file.path), .body = std::string(file.begin, file.end)};
  // Names below assets/ hold a digest of what is in them.
  reply.headers.emplace_back("Cache-Control", file.path.starts_with("assets/")
                                                  ? "public, max-age=31536000, immutable"
                                                  : "no-cache");
  return reply;
}

}  // namespace

Reply page(const Call& call) {
  const std::string_view path = std::string_view(call.path).substr(1);
  if (const auto* file = find_file(path)) return reply_of(*file);
  // A page keeps its state in the path; a file that is not there is not there.
  if (path.substr(path.rfind('/') + 1).find('.') != std::string_view::npos)
    return problem(404, "no such page");
  if (const auto* first = find_file("index.html")) return reply_of(*first);
  return {.type = "text/html; charset=utf-8", .body = std::string(kWithoutPages)};
}

}  // namespace loadfactor::web
