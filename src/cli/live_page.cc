#include "cli/live_page.h"

#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/session/files.h"
#include "facade/forms/given_file.h"

namespace loadfactor::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEngine = "page-engine.html";

// JSON inside of a script must not end it; angles stand in its texts alone.
std::string in_script(std::string json) {
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at))
    json.replace(at, 1, "\\u003c");
  return json;
}

std::string lines_of(const std::vector<OverlayFile>& overlays) {
  std::string lines;
  for (const OverlayFile& file : overlays)
    lines += fmt::format("{} {} {}\n", facade::to_base64(file.path),
                         facade::to_base64(file.shown_as), facade::to_base64(file.text));
  return lines;
}

}  // namespace

std::string find_page_engine() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  const fs::path folder = self.parent_path();
  const fs::path around = folder.parent_path();
  const std::array places{folder / kEngine, around / "share" / "loadfactor" / kEngine,
                          around / "wasm" / kEngine};
  for (const fs::path& place : places)
    if (!failed && fs::exists(place, failed)) return place.string();
  return {};
}

Result<std::string> read_page_engine() {
  const std::string path = find_page_engine();
  if (!path.empty()) return read_file(path);
  return Error{.code = lf::kCannotRead,
               .message = fmt::format("this copy has no engine for pages ({})", kEngine),
               .hint = "in a checkout, `make wasm` builds it; `make install` puts it in place"};
}

std::string with_engine(std::string page, const std::string& engine, const std::string& question,
                        const std::vector<OverlayFile>& overlays) {
  const std::string scripts = fmt::format(
      "<script type=\"application/json\" id=\"engine-question\">{}</script>\n"
      "<script type=\"text/plain\" id=\"engine-files\">{}</script>\n{}",
      in_script(question), lines_of(overlays), engine);
  const auto end = page.rfind("</body>");
  return page.insert(end == std::string::npos ? page.size() : end, scripts);
}

}  // namespace loadfactor::cli
