// What can be had by GET: the catalogue, schemas, scenarios that ship, the contract, the state.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "engine/core.h"
#include "facade/forms/form.h"
#include "facade/tools/schemas.h"
#include "loadfactor/version.h"
#include "report/describe/tree.h"
#include "web/api.h"
#include "web/openapi.h"
#include "web/replies.h"
#include "web/store.h"
#include "web/wire/problem.h"
#include "web/yaml_text.h"

namespace loadfactor::web {
namespace {

constexpr std::string_view kScenarios = "scenarios/";
constexpr std::string_view kYaml = ".yaml";

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= path.size();) {
    const auto slash = std::min(path.find('/', from), path.size());
    parts.push_back(path.substr(from, slash - from));
    from = slash + 1;
  }
  return parts;
}

Reply json(Value value) {
  return {.body = report::print_json(value)};
}

// A question whose only options are words.
Reply ask_words(const Site& site, const Call& call, const char* verb, const char* option,
                std::vector<std::string> words) {
  Value::List list;
  for (std::string& word : words) list.emplace_back(std::move(word));
  Work work{.verb = verb};
  work.json = report::print_compact_json(
      Value::Object{{"options", Value::Object{{option, std::move(list)}}}});
  if (const auto format = call.asked("format"); !format.empty()) work.format = format;
  work.settings = site.settings;
  work.settings.today = site.today();
  return ask(site, call, std::move(work));
}

// What is wrong with the query of a list; empty where nothing is.
std::string wrong_in_query(const Pairs& query) {
  std::set<std::string_view> seen;
  for (const auto& [key, value] : query) {
    if (key != "match" && key != "format")
      return fmt::format("the query knows 'match' and 'format', and no '{}'", key);
    if (!seen.insert(key).second) return fmt::format("'{}' stands twice in the query", key);
  }
  return {};
}

Reply catalog_reply(const Site& site, const Call& call, const std::vector<std::string>& parts) {
  if (const std::string wrong = wrong_in_query(call.query); !wrong.empty())
    return problem(422, wrong);
  std::vector<std::string> words(parts.begin() + 1, parts.end());
  // Files are for POST, which carries them.
  if (!words.empty() && (words.front() == "import" || words.front() == "check"))
    return problem(404, "the catalogue is read here: a noun, or show and a name");
  if (const auto match = call.asked("match"); !match.empty()) words.emplace_back(match);
  return ask_words(site, call, "catalog", "words", std::move(words));
}

Reply schemas(const Site& site, const std::vector<std::string>& parts) {
  const auto names = facade::schema_names(*site.engine);
  if (parts.size() == 1) {
    Value::List list;
    for (const std::string& name : names) list.emplace_back(name);
    return json(Value::Object{{"schemas", std::move(list)}});
  }
  if (std::find(names.begin(), names.end(), parts[1]) == names.end())
    return problem(404, "no schema of that name");
  const auto text = facade::schema_text(*site.engine, parts[1]);
  if (!text) return problem(text.error());
  return {.type = "application/schema+json", .body = *text};
}

Reply scenarios(const Site& site, const std::string& path) {
  const catalog::Catalog& catalog = engine::Core::behind(*site.engine).catalog();
  const auto paths = catalog.paths_below(kScenarios);
  if (path.size() <= kScenarios.size()) {
    Value::List list;
    for (const std::string& each : paths)
      if (each.ends_with(kYaml))
        list.emplace_back(
            each.substr(kScenarios.size(), each.size() - kScenarios.size() - kYaml.size()));
    return json(Value::Object{{"scenarios", std::move(list)}});
  }
  // By comparison with what there is, never by opening what a request names.
  const std::string wanted = path + std::string(kYaml);
  if (std::find(paths.begin(), paths.end(), wanted) == paths.end())
    return problem(404, "no scenario of that name ships");
  const auto* file = catalog.find_file(wanted);
  if (file == nullptr) return problem(404, "no scenario of that name ships");
  return {.type = "application/yaml", .body = file->text};
}

Value option_value(const facade::Option& option) {
  constexpr std::array<std::string_view, 5> kKinds{"switch", "word", "word", "words", "form"};
  return Value::Object{{"name", option.name},
                       {"kind", kKinds[static_cast<std::size_t>(option.kind)]},
                       {"value", option.value_name},
                       {"help", option.help},
                       {"required", option.is_required}};
}

Reply verbs() {
  Value::List all;
  for (const facade::VerbRow& row : facade::verb_rows()) {
    Value::List options;
    const auto form = row.form();
    for (const facade::Option& option : form->options()) options.push_back(option_value(option));
    all.push_back(
        Value::Object{{"name", row.name}, {"help", row.help}, {"options", std::move(options)}});
  }
  return json(Value::Object{{"verbs", std::move(all)}});
}

Reply status(const Site& site) {
  const Jobs::Counts jobs = site.jobs->counts();
  return json(Value::Object{
      {"version", LOADFACTOR_VERSION},
      {"today", site.today()},
      {"jobs",
       Value::Object{{"running", jobs.running}, {"waiting", jobs.waiting}, {"kept", jobs.kept}}},
      {"at_once",
       Value::Object{{"running", site.gate->inside()}, {"waiting", site.gate->waiting()}}},
      {"limits", Value::Object{{"question_bytes", kLargestQuestion},
                               {"upload_bytes", site.uploads->bounds().one},
                               {"cpu_seconds", site.limits.cpu_seconds},
                               {"memory_megabytes", site.limits.memory_megabytes}}},
      {"stores", site.store != nullptr},
      {"has_scenario", static_cast<bool>(site.scenario)}});
}

Reply opened_scenario(const Site& site) {
  if (!site.scenario) return problem(404, "the server was started without --scenario");
  return json(Value::Object{{"name", site.scenario->name}, {"text", site.scenario->text}});
}

Reply kept_answers(const Site& site, const std::vector<std::string>& parts) {
  if (site.store == nullptr) return problem(404, "the server was started without --store");
  return parts.size() == 1 ? json(site.store->list()) : site.store->reply(parts[1]);
}

constexpr std::array<std::string_view, 10> kNouns{
    "catalog", "explain", "schemas", "scenarios",    "scenario",
    "verbs",   "status",  "answers", "openapi.json", "openapi.yaml"};

}  // namespace

bool is_known(const std::string& path) {
  const std::string noun = path.substr(0, path.find('/'));
  return std::find(kNouns.begin(), kNouns.end(), noun) != kNouns.end();
}

Reply known(const Site& site, const Call& call, const std::string& path) {
  const auto parts = parts_of(path);
  const std::string& noun = parts.front();
  if (noun == "catalog") return catalog_reply(site, call, parts);
  if (noun == "explain" && parts.size() == 2)
    return ask_words(site, call, "explain", "word", {parts[1]});
  if (noun == "schemas" && parts.size() <= 2) return schemas(site, parts);
  if (noun == "scenarios") return scenarios(site, path);
  if (noun == "answers" && parts.size() <= 2) return kept_answers(site, parts);
  if (path == "scenario") return opened_scenario(site);
  if (path == "verbs") return verbs();
  if (path == "status") return status(site);
  if (path == "openapi.json")
    return {.type = "application/vnd.oai.openapi+json;version=3.1",
            .body = report::print_json(openapi())};
  if (path == "openapi.yaml") return {.type = "application/yaml", .body = yaml_text(openapi())};
  std::string verb = path;
  if (const auto slash = verb.find('/'); slash != std::string::npos) verb[slash] = ' ';
  if (!is_verb(verb) && path != "check" && path != "jobs") return problem(404, "no such path");
  Reply reply = problem(405, "a question comes by POST");
  reply.headers.emplace_back("Allow", "POST");
  return reply;
}

}  // namespace loadfactor::web
