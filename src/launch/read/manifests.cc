// Manifests of Kubernetes, files of compose and values of charts, down to their containers.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/findings/nodes.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

// `$(TP)` becomes what the container's environment has; the rest stays.
void substitute(Word& word, const Variables& environment) {
  if (word.text.find("$(") == std::string::npos) return;
  std::string text;
  std::string_view rest = word.text;
  bool is_known = true;
  while (!rest.empty()) {
    const auto from = rest.find("$(");
    const auto to = rest.find(')', std::min(from, rest.size()));
    if (from == std::string_view::npos || to == std::string_view::npos) break;
    const auto found = environment.find(rest.substr(from + 2, to - from - 2));
    text += rest.substr(0, from);
    text += found == environment.end() ? std::string(rest.substr(from, to - from + 1))
                                       : found->second.text;
    is_known = is_known && found != environment.end() && found->second.is_known;
    rest.remove_prefix(to + 1);
  }
  // A word that is one variable stands where its value does.
  const auto whole = environment.find(std::string_view(word.text).substr(2, word.text.size() - 3));
  const bool is_whole = word.text.starts_with("$(") && word.text.ends_with(')') &&
                        whole != environment.end() && whole->second.origin != nullptr;
  if (is_whole) {
    word.line = whole->second.line;
    word.column = whole->second.column;
    word.origin = whole->second.origin;
  }
  word.text = text + std::string(rest);
  word.is_known = is_known;
}

class ManifestReader {
 public:
  ManifestReader(const Source& source, Findings& findings) : source_(source), findings_(findings) {}

  void read(const Node& root) {
    const std::string kind = words(root, "kind");
    if (kind == "ConfigMap") return files(root);
    is_values_ = kind.empty() && member(root, "services") == nullptr;
    if (const Node* size = at(root, "spec.leaderWorkerTemplate.size");
        size != nullptr && whole_number(size->scalar))
      group_size_ = size;
    if (const Node* name = at(root, "metadata.name"); name != nullptr && is_work(kind))
      findings_.guess("name", name->scalar, "the manifest's");
    if (const Node* spec = member(root, "spec"); spec != nullptr && kind == "ScaledObject")
      read_keda_scaler(source_, *spec, findings_);
    if (const Node* entry = at(root, "spec.entrypoint"); entry != nullptr && kind == "RayJob")
      entrypoint(*entry);
    if (kind == "HorizontalPodAutoscaler") read_horizontal_scaler(source_, root, findings_);
    for (const char* specs : {"spec.pytorchReplicaSpecs", "spec.mpiReplicaSpecs"})
      if (const Node* roles = at(root, specs)) operator_job(*roles);
    count(source_, root, "spec.trainer.numNodes", "nodes", findings_);
    if (const Node* services = member(root, "services"); services != nullptr && kind.empty())
      compose(*services);
    walk(root, {}, "");
  }

 private:
  struct Around {
    const Node* replicas = nullptr;
    const Node* completions = nullptr;
    std::int64_t servers = 1;  // Containers of a pod that serve, each a replica.
    std::int64_t jobs = 1;     // Equal ones, each with so many completions.
  };
  static bool is_work(const std::string& kind) {
    constexpr std::array<std::string_view, 11> kKinds{
        "Deployment",       "StatefulSet", "LeaderWorkerSet",
        "JobSet",           "Job",         "DynamoGraphDeployment",
        "InferenceService", "Pod",         "RayJob",
        "PyTorchJob",       "TrainJob"};
    return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
  }
  // The command of a job of Ray, in one line.
  void entrypoint(const Node& entry) {
    for (auto command : read_shell(entry.scalar).commands) {
      for (Word& each : command) {
        move_down(each, entry.position.line - 1, source_.lines.size());
        each.column = entry.position.column;
      }
      read_command(source_, command, findings_);
    }
  }
  void files(const Node& root) {
    const Node* data = member(root, "data");
    if (data == nullptr) return;
    for (const auto& each : data->members) {
      if (each.value.kind != NodeKind::kScalar || findings_.is_started(each.key)) continue;
      if (!is_named(each.key) && !may_run(each)) continue;
      const Source& inner =
          findings_.add_part(source_, each.key, each.value.scalar, each.value.position.line);
      read_any(inner, findings_);
    }
  }
  // Whether anything but the map itself has the name of a file in it.
  bool is_named(const std::string& file) const {
    std::size_t times = 0;
    // Hydra names its configuration without the ending.
    const std::string hydra = "--config-name=" + file.substr(0, file.find('.'));
    for (const auto& [name, text] : findings_.offered())
      if (file.ends_with(".yaml") && text.find(hydra) != std::string::npos) return true;
    for (const auto& [name, text] : findings_.offered())
      for (auto at = text.find(file); at != std::string::npos; at = text.find(file, at + 1))
        ++times;
    return times > 1;
  }
  // A script that no pod starts is read where nothing else is started.
  bool may_run(const config::Member& file) {
    const bool starts = findings_.find("serve.deployment.engine") != nullptr ||
                        findings_.find("program") != nullptr;
    const Place where = place(source_, &file.value);
    const bool is_long = file.value.scalar.find_first_of(" \n") != std::string::npos;
    if (starts && is_long)
      findings_.remark(
          fmt::format("nothing in the files runs {} of this ConfigMap: it is not read", file.key),
          where);
    else if (is_long)
      findings_.remark(
          fmt::format("nothing in the files runs {} of this ConfigMap: it is read as if it ran",
                      file.key),
          where);
    return !starts;
  }
  // The nodes of a job of Kubeflow: those of all its roles that have GPUs.
  void operator_job(const Node& roles) {
    std::int64_t nodes = 0;
    const Node* last = nullptr;
    for (const auto& role : roles.members) {
      const Node* replicas = member(role.value, "replicas");
      if (replicas == nullptr || role.key == "Launcher") continue;
      nodes += whole_number(replicas->scalar).value_or(0);
      last = replicas;
    }
    if (nodes > 0) findings_.set("nodes", nodes, place(source_, last));
    if (nodes > 0) is_operated_ = true;
  }
  void walk(const Node& node, Around around, const std::string& pool) {
    std::string side = pool;
    for (const char* key : {"type", "subComponentType"})
      if (const std::string type = words(node, key); type == "prefill" || type == "decode")
        side = type;
    if (const Node* replicas = member(node, "replicas")) around.replicas = replicas;
    const bool is_predictor =
        member(node, "containers") != nullptr || member(node, "model") != nullptr;
    if (is_predictor) {
      const Node* replicas = read_predictor_scaler(source_, node, findings_);
      if (member(node, "minReplicas") != nullptr || member(node, "maxReplicas") != nullptr)
        around.replicas = replicas;
    }
    if (const Node* annotations = at(node, "metadata.annotations"))
      read_knative_scaler(source_, *annotations, findings_);
    if (const Node* count = member(node, "completions")) around.completions = count;
    if (member(node, "groupName") != nullptr) around.completions = member(node, "replicas");
    read_node_labels(source_, node, findings_);
    if (const Node* containers = member(node, "containers")) {
      Around pod = around;
      pod.servers = servers_of(*containers, side);
      for (const Node& each : containers->items) container(each, pod, side);
    }
    if (const Node* main = at(node, "extraPodSpec.mainContainer"))
      component(node, *main, around, side);
    if (words(node, "modelFormat.name") == "huggingface") formatted(node, around);
    if (const Node* engines = member(node, "modelSpec"))
      for (const Node& each : engines->items) read_stack_model(source_, each, findings_);
    if (is_values_ && member(node, "image") != nullptr) chart(node, around);
    if (const Node* serve = member(node, "serveConfigV2"))
      read_documents(findings_.add(source_.name + "/serveConfigV2", serve->scalar), findings_,
                     false);
    if (const Node* workers = member(node, "workerSpec")) worker_pods(node, *workers);
    for (const auto& each : node.members)
      if (each.key == "replicatedJobs")
        for (const Node& item : each.value.items) walk(item, replicated(item), side);
      else if (each.key != "containers")
        walk(each.value, around, side);
    for (const Node& item : node.items) walk(item, around, side);
  }
  // How many containers of a pod start a server; those of two pools are replicas of neither.
  std::int64_t servers_of(const Node& containers, const std::string& pool) const {
    if (containers.items.size() < 2) return 1;
    std::map<std::string, std::int64_t> servers;
    for (const Node& each : containers.items) {
      Diagnostics unheard;
      Findings none(unheard);
      for (const auto& [name, values] : findings_.values()) none.add_values(name, values);
      ManifestReader probe(source_, none);
      const Variables variables = probe.environment(each);
      const std::vector<Word> all = probe.command_of(each, variables);
      probe.started(all, variables, pool);
      if (none.servers().empty()) continue;
      const std::string& address = none.servers().begin()->first;
      ++servers[address.substr(0, address.find('|'))];
    }
    return servers.size() == 1 ? servers.begin()->second : 1;
  }
  // The jobs of a JobSet: each so often, with as many pods as it completes.
  Around replicated(const Node& job) {
    const Node* replicas = member(job, "replicas");
    const Node* pods = at(job, "template.spec.completions");
    if (pods == nullptr) pods = at(job, "template.spec.parallelism");
    if (replicas == nullptr) return {.completions = pods};
    if (pods == nullptr) return {.completions = replicas};
    if (!whole_number(replicas->scalar)) {
      findings_.leave_open("nodes", place(source_, replicas), replicas->scalar);
      return {};
    }
    return {.completions = pods, .jobs = *whole_number(replicas->scalar)};
  }
  // A predictor of KServe over several pods: one for each stage of its pipeline.
  void worker_pods(const Node& predictor, const Node& workers) {
    const Node* stages = member(workers, "pipelineParallelSize");
    count(source_, predictor, "workerSpec.pipelineParallelSize", "serve.deployment.pp", findings_);
    count(source_, predictor, "workerSpec.tensorParallelSize", "serve.deployment.tp", findings_);
    if (stages == nullptr)
      return findings_.leave_open("serve.deployment.pp", place(source_, &workers),
                                  "how many pods a replica has, pipelineParallelSize");
    if (whole_number(stages->scalar)) group_size_ = stages;
  }
  // What a container takes of the ConfigMaps in the same file: all of one,
  Variables taken_values(const Node& node) const {
    const Node* list = member(node, "envFrom");
    Variables taken;
    if (list == nullptr) return taken;
    for (const Node& each : list->items) {
      const auto found = findings_.values().find(words(each, "configMapRef.name"));
      if (found == findings_.values().end()) continue;
      for (const auto& [name, value] : found->second) taken[words(each, "prefix") + name] = value;
    }
    return taken;
  }
  // or one value.
  const Word* taken_value(const Node& variable) const {
    const auto found = findings_.values().find(words(variable, "valueFrom.configMapKeyRef.name"));
    if (found == findings_.values().end()) return nullptr;
    const auto value = found->second.find(words(variable, "valueFrom.configMapKeyRef.key"));
    return value == found->second.end() ? nullptr : &value->second;
  }
  // The variables of a container that are plain values; those from elsewhere are not known.
  Variables environment(const Node& node) const {
    Variables variables = taken_values(node);
    const Node* list = member(node, "env");
    if (list == nullptr) list = member(node, "environment");
    const auto here = [&](Word value) {
      value.origin = &source_;
      return value;
    };
    if (list == nullptr) return variables;
    for (const Node& each : list->items) {
      const Node* value = member(each, "value");
      if (value != nullptr) variables[words(each, "name")] = here(word(*value));
      if (const Word* taken = taken_value(each)) variables[words(each, "name")] = *taken;
      // Compose also writes `- NAME=value`.
      const auto equals = each.scalar.find('=');
      if (each.kind != NodeKind::kScalar || equals == std::string::npos) continue;
      Word assigned = here(word(each));
      assigned.text = each.scalar.substr(equals + 1);
      variables[each.scalar.substr(0, equals)] = std::move(assigned);
    }
    for (const auto& each : list->members) variables[each.key] = here(word(each.value));
    for (auto& [name, value] : variables) {
      const Variables others = variables;
      substitute(value, others);
    }
    return variables;
  }
  // What compose puts into its files: the lines of `.env`, where it is given.
  Variables interpolated() const {
    const auto found = findings_.offered().find(".env");
    return found == findings_.offered().end() ? Variables() : read_shell(found->second).variables;
  }
  // A command of compose in one line, with quotes and `${MODEL:-name}` as a shell has them.
  std::vector<Word> composed_words(const Node& node) const {
    std::string text = node.scalar;
    std::replace(text.begin(), text.end(), '\n', ' ');
    const ShellText script = read_shell(text, interpolated());
    std::vector<Word> words;
    for (const auto& command : script.commands)
      words.insert(words.end(), command.begin(), command.end());
    for (Word& each : words) {
      each.line = node.position.line;
      each.column = node.position.column;
    }
    return words;
  }
  // The words of a container's command; an image that starts a server comes before its arguments.
  std::vector<Word> command_of(const Node& node, const Variables& variables) const {
    std::vector<Word> all;
    const auto add = [&](const Node* list, bool splits) {
      if (list == nullptr) return;
      if (list->kind == NodeKind::kScalar && splits) {
        for (Word& each : composed_words(*list)) all.push_back(std::move(each));
      } else if (list->kind == NodeKind::kScalar) {
        all.push_back(word(*list));
      }
      for (const Node& item : list->items) {
        if (splits && item.scalar.find('$') != std::string::npos)
          for (Word& each : composed_words(item)) all.push_back(std::move(each));
        else
          all.push_back(word(item));
      }
    };
    const bool is_composed = member(node, "args") == nullptr && member(node, "name") == nullptr;
    if (is_composed) add(member(node, "entrypoint"), true);
    add(member(node, "command"), is_composed);
    add(member(node, "args"), false);
    const Node* image = member(node, "image");
    const bool is_own = member(node, is_composed ? "entrypoint" : "command") == nullptr;
    if (image != nullptr && is_own && !images_.program(image->scalar).empty())
      all.insert(all.begin(), word(*image));
    for (Word& each : all) substitute(each, variables);
    return all;
  }
  void container(const Node& node, const Around& around, const std::string& pool) {
    const Variables variables = environment(node);
    const std::vector<Word> all = command_of(node, variables);
    if (const auto found = variables.find("CUDA_VISIBLE_DEVICES"); found != variables.end())
      read_visible(found->second.text, place_of(found->second), findings_);
    gpus(node, around, started(all, variables, pool), side_of(all, pool));
  }
  // A service of Dynamo, whose GPUs stand beside its container.
  void component(const Node& node, const Node& main, const Around& around,
                 const std::string& pool) {
    const Variables variables = environment(main);
    const std::vector<Word> all = command_of(main, variables);
    gpus(node, around, started(all, variables, pool), side_of(all, pool));
  }
  static std::string side_of(const std::vector<Word>& all, const std::string& pool) {
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      if (all[i].text == "--disaggregation-mode" &&
          (all[i + 1].text == "prefill" || all[i + 1].text == "decode"))
        return all[i + 1].text;
    for (const Word& each : all) {
      if (each.text == "--is-prefill-worker") return "prefill";
      if (each.text == "--is-decode-worker") return "decode";
    }
    return pool;
  }
  // A script of a ConfigMap that the words start: `bash /scripts/serve.sh --tp 2`. Nothing where
  // they start none.
  std::optional<bool> started_script(const std::vector<Word>& all, const Variables& variables,
                                     const std::string& pool) {
    const auto last_part = [](const Word& each) {
      return std::string_view(each.text).substr(each.text.rfind('/') + 1);
    };
    if (all.empty()) return std::nullopt;
    const bool has_shell = last_part(all[0]) == "bash" || last_part(all[0]) == "sh";
    const std::size_t file = has_shell ? 1 : 0;
    if (file >= all.size()) return std::nullopt;
    for (const auto& [map, values] : findings_.values()) {
      const auto found = values.find(last_part(all[file]));
      if (found == values.end()) continue;
      findings_.mark_started(found->first);
      std::vector<Word> arguments(all.begin() + static_cast<std::ptrdiff_t>(file) + 1, all.end());
      for (Word& each : arguments)
        if (each.origin == nullptr) each.origin = &source_;
      const Word& text = found->second;
      const Source& whole = text.origin == nullptr ? source_ : *text.origin;
      const Source& inner = findings_.add_part(whole, found->first, text.text, text.line);
      return read_script(inner, {variables, &arguments, pool}, findings_);
    }
    return std::nullopt;
  }
  // Whether a program that we know is started, directly or by a shell.
  bool started(const std::vector<Word>& all, const Variables& variables, const std::string& pool) {
    const std::string side = side_of(all, pool);
    const bool is_script = all.size() >= 3 && all[1].text.starts_with("-") &&
                           all[1].text.ends_with("c") && all[1].text.size() <= 4;
    if (const auto found = started_script(all, variables, side)) return *found;
    if (!is_script) return read_command(source_, all, findings_, side);
    bool found = false;
    const ShellText script = read_shell(all[2].text, variables);
    const std::uint32_t first =
        std::max(line_of_text(source_, all[2].text, all[2].line), all[2].line);
    if (script.unclosed)
      findings_.error(lf::kSyntax, place_of(all[2]), "nothing closes a quote of this script");
    for (auto command : script.commands) {
      for (Word& each : command) {
        move_down(each, first - 1, source_.lines.size());
        if (each.origin == nullptr) each.column = 1;
      }
      found |= read_command(source_, command, findings_, side);
    }
    return found;
  }
  Place place_of(const Word& word) const { return launch::place_of(source_, word); }
  void gpus(const Node& node, const Around& around, bool starts, const std::string& pool) {
    const Node* limits = at(node, "resources.limits");
    if (limits == nullptr) return;
    const bool is_spread = at(node, "multinode.nodeCount") != nullptr;
    const bool serves = findings_.find("serve.deployment.engine") != nullptr;
    if (starts && serves && group_size_ != nullptr)
      findings_.set(nodes_key(pool), group_size_->scalar, place(source_, group_size_));
    for (const auto& each : limits->members) {
      if (each.key.find("/mig-") != std::string::npos)
        findings_.remark(fmt::format("{} is a MIG slice: a scenario counts whole GPUs", each.key),
                         place(source_, &each.value));
      const bool is_run = around.completions != nullptr || is_operated_;
      const bool is_chip = is_run && each.key.ends_with("/neuron");
      if ((!each.key.ends_with("/gpu") && each.key != "gpu" && !is_chip) || is_spread) continue;
      const auto count = whole_number(each.value.scalar);
      if (!count)
        return findings_.error(lf::kWrongType, place(source_, &each.value),
                               fmt::format("'{}' GPUs: only whole ones", each.value.scalar),
                               "a share of a GPU is a MIG slice or a time slice");
      if (is_run) {
        findings_.has_launch = true;
        findings_.set("gpus_per_node", *count, place(source_, &each.value));
        if (const auto nodes = around.completions == nullptr
                                   ? std::nullopt
                                   : whole_number(around.completions->scalar))
          findings_.set("nodes", *nodes * around.jobs, place(source_, around.completions));
      } else if (starts && serves) {
        findings_.set(pool.empty() ? "replica_gpus" : pool + "_gpus", *count,
                      place(source_, &each.value));
      } else if (starts) {
        findings_.set("gpus_per_node", *count, place(source_, &each.value));
      }
    }
    if (!starts || !serves || around.completions != nullptr) return;
    const std::string key = pool.empty() ? "serve.deployment.replicas"
                                         : fmt::format("serve.deployment.{}.replicas", pool);
    if (around.replicas != nullptr)
      return set_replicas(key, *around.replicas, around.servers, pool);
    if (around.servers > 1)
      findings_.guess(
          key, std::to_string(around.servers),
          fmt::format("{} containers of the pod serve, each a replica", around.servers));
  }
  // Pods that are the ranks of one server, as `--nnodes` says, are one replica.
  void set_replicas(const std::string& key, const Node& said, std::int64_t servers,
                    const std::string& pool) {
    const auto pods = whole_number(said.scalar);
    const bool is_template =
        said.scalar.find('$') != std::string::npos || said.scalar.find("{{") != std::string::npos;
    if (!pods && is_template)
      return findings_.leave_open(key, place(source_, &said), said.scalar + " is set elsewhere");
    if (!pods)
      return findings_.error(lf::kWrongType, place(source_, &said),
                             fmt::format("'{}' is no number of replicas", said.scalar),
                             "digits alone, as in replicas: 2");
    const std::int64_t ranks =
        group_size_ != nullptr ? 1 : findings_.number(nodes_key(pool)).value_or(1);
    if (ranks > 1 && *pods % ranks != 0)
      return findings_.error(lf::kContradictoryKeys, place(source_, &said),
                             fmt::format("{} pods are no whole servers of {} nodes", *pods, ranks),
                             "as many pods as --nnodes, or a multiple of it");
    constexpr std::int64_t kMostPods = 1'000'000;
    findings_.set(key, std::min(*pods, kMostPods * kMostPods) / ranks * servers,
                  place(source_, &said));
  }
  // The services of docker compose: those that start a server are replicas, as often as each says.
  void compose(const Node& services) {
    constexpr const char* kKey = "serve.deployment.replicas";
    std::int64_t replicas = 0;
    const Node* said = nullptr;  // The last service that says how often, or a second one.
    for (const auto& each : services.members) {
      if (!composed(each.value)) continue;
      const Node* own = at(each.value, "deploy.replicas");
      if (own == nullptr) own = member(each.value, "scale");
      const auto count =
          own == nullptr ? std::optional<std::int64_t>(1) : whole_number(own->scalar);
      if (!count && own->scalar.find('$') != std::string::npos)
        return findings_.leave_open(kKey, place(source_, own), own->scalar + " is set elsewhere");
      if (!count)
        return findings_.error(lf::kWrongType, place(source_, own),
                               fmt::format("'{}' is no number of replicas", own->scalar));
      if (own != nullptr || replicas > 0) said = own != nullptr ? own : &each.value;
      replicas += *count;
    }
    if (said != nullptr && findings_.find("serve.deployment.engine") != nullptr)
      findings_.set(kKey, replicas, place(source_, said));
  }
  // Whether a service of compose starts a server.
  bool composed(const Node& node) {
    const Variables variables = environment(node);
    if (!started(command_of(node, variables), variables, "")) return false;
    const Node* devices = at(node, "deploy.resources.reservations.devices");
    if (devices == nullptr || devices->items.empty()) return true;
    const Node* count = member(devices->items.front(), "count");
    if (count != nullptr && whole_number(count->scalar))
      findings_.set("replica_gpus", *whole_number(count->scalar), place(source_, count));
    const Node* listed = member(devices->items.front(), "device_ids");
    if (count == nullptr && listed != nullptr && !listed->items.empty())
      findings_.set("replica_gpus", static_cast<std::int64_t>(listed->items.size()),
                    place(source_, listed));
    return true;
  }
  // A model that KServe's runtime for Hugging Face serves: its arguments are vLLM's, and two of its
  // own name the model.
  void formatted(const Node& node, const Around& around) {
    findings_.has_launch = true;
    findings_.set("serve.deployment.engine", "vllm", place(source_, &node));
    constexpr std::string_view kScheme = "hf://";
    std::vector<Word> all;
    if (const Node* uri = member(node, "storageUri");
        uri != nullptr && uri->scalar.starts_with(kScheme))
      all.push_back({"--model=" + uri->scalar.substr(kScheme.size()), uri->position.line,
                     uri->position.column, true});
    const Variables variables = environment(node);
    for (Word each : command_of(node, variables)) {
      if (each.text.starts_with("--model_name") || each.text.starts_with("--backend")) continue;
      constexpr std::string_view kModel = "--model_id";
      if (each.text.starts_with(kModel)) each.text = "--model" + each.text.substr(kModel.size());
      all.push_back(std::move(each));
    }
    read_vllm({source_, all, place(source_, &node)}, findings_);
    gpus(node, around, true, "");
  }
  // Values of another chart: an image that starts a server, and arguments beside it.
  void chart(const Node& node, const Around& around) {
    const Node* image = at(node, "image.repository");
    if (image == nullptr) image = member(node, "image");
    const std::string program = image == nullptr ? "" : images_.program(image->scalar);
    if (program.empty() || !read_chart(source_, node, program, findings_)) return;
    Around copies = around;
    if (const Node* count = member(node, "replicaCount")) copies.replicas = count;
    gpus(node, copies, true, "");
  }

  const Source& source_;
  Findings& findings_;
  const Images images_;
  const Node* group_size_ = nullptr;  // The pods of a replica, where its kind is a group of them.
  bool is_values_ = false;            // Whether it is no manifest: values of a chart.
  bool is_operated_ = false;          // Whether an operator starts the nodes of a run.
};

}  // namespace

void read_manifest(const Source& source, const Node& root, Findings& findings) {
  ManifestReader(source, findings).read(root);
}

}  // namespace loadfactor::launch
