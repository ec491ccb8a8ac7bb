#include "report/page/page_html.h"

#include <span>
#include <string_view>

#include "catalog/load/embedded_file.h"
#include "report/describe/tree.h"
#include "report/page/page_template.h"

namespace loadfactor::report {

// The files of web/; cmake/embed_files.cmake writes the definition.
std::span<const catalog::EmbeddedFile> embedded_files();

namespace {

// `</script>` inside the data would end it.
std::string safe(std::string text) {
  for (std::size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at + 3))
    text.replace(at, 2, "<\\/");
  return text;
}

std::string asset(std::string_view path) {
  for (const auto& file : embedded_files())
    if (file.path == path) return std::string(file.begin, file.end);
  return {};
}

void put(std::string& text, std::string_view marker, const std::string& body) {
  const auto at = text.find(marker);
  if (at != std::string::npos) text.replace(at, marker.size(), body);
}

}  // namespace

std::string page_html(const Value& page) {
  std::string text = fill_template(asset("report.html"), page);
  put(text, "/*STYLE*/", asset("report.css"));
  put(text, "/*DATA*/", safe(print_compact_json(page)));
  put(text, "/*SCRIPT*/", asset("charts.js") + asset("report.js"));
  return text;
}

std::string plain_page_html(std::string_view name, const Value& page) {
  std::string text = fill_template(asset(name), page);
  put(text, "/*STYLE*/", asset("report.css"));
  return text;
}

}  // namespace loadfactor::report
