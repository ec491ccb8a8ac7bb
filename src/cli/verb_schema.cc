// `loadfactor schema [NAME]` prints a JSON Schema; `loadfactor schema check FILE…` reads any of
// our files and reports everything that is wrong with it.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/commands.h"
#include "cli/session/files.h"
#include "facade/tools/schemas.h"

namespace loadfactor::cli {
namespace {

struct SchemaFlags final : facade::Flags {
  SchemaFlags() {
    positional(words("words", names, "a schema's name, or `check FILE…`", "NAME|check"), false);
    flag("fields", fields, "every field of every answer, as a page");
  }
  std::vector<std::string> names;
  bool fields = false;
};

void check_files(Session& session, const std::vector<std::string>& paths) {
  Diagnostics all;
  std::string report;
  for (const auto& path : paths) {
    const auto text = read_file(path);
    if (!text) return session.fail(text.error());
    const auto diagnostics = facade::check_file(path, *text);
    if (diagnostics.empty()) report += fmt::format("{}: sound\n", path);
    all.add_all(diagnostics);
  }
  session.write(report);
  if (!all.empty()) session.fail(all);
}

void list_schemas(Session& session, const Engine& engine) {
  std::string text = "Schemas, printed by `loadfactor schema NAME`:\n";
  for (const auto& name : facade::schema_names(engine)) text += fmt::format("  {}\n", name);
  session.write(text + "`loadfactor schema check FILE…` reads any of our files.\n");
}

void run_schema(Session& session, const SchemaFlags& flags) {
  if (flags.fields) return session.write(facade::all_fields_page());
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  const auto& words = flags.names;
  if (words.empty()) return list_schemas(session, *engine);
  if (words.front() == "check") {
    if (words.size() > 1) return check_files(session, {words.begin() + 1, words.end()});
    return session.fail(Error{.code = lf::kUsage,
                              .message = "nothing to check",
                              .hint = "write `loadfactor schema check FILE…`"});
  }
  if (words.size() > 1)
    return session.fail(Error{.code = lf::kUsage,
                              .message = "one schema at a time",
                              .hint = "write `loadfactor schema NAME`"});
  const auto text = facade::schema_text(*engine, words.front());
  if (!text) return session.fail(text.error());
  session.write(*text);
}

}  // namespace

Command schema_command() {
  auto flags = std::make_shared<SchemaFlags>();
  return {"schema", "print a schema, or check a file of ours", flags,
          [flags](Session& session) { run_schema(session, *flags); }};
}

}  // namespace loadfactor::cli
