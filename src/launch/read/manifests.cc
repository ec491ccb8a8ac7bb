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
#include "launch/read/manifests/container_command.h"
#include "launch/read/manifests/pod_gpus.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

class ManifestReader {
 public:
  ManifestReader(const Source& source, Findings& findings) : source_(source), findings_(findings) {}

  void read(const Node& root) {
    const std::string kind = words(root, "kind");
    if (kind == "ConfigMap") return files(root);
    is_values_ = kind.empty() && member(root, "services") == nullptr;
    if (const Node* size = at(root, "spec.leaderWorkerTemplate.size");
        size != nullptr && whole_number(size->scalar))
      kind_.group_size = size;
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
    if (nodes > 0) kind_.is_operated = true;
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
      const Variables variables = container_variables(source_, each, none);
      const std::vector<Word> all = container_command(each, variables, images_, none);
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
    if (whole_number(stages->scalar)) kind_.group_size = stages;
  }
  void container(const Node& node, const Around& around, const std::string& pool) {
    const Variables variables = container_variables(source_, node, findings_);
    const std::vector<Word> all = container_command(node, variables, images_, findings_);
    if (const auto found = variables.find("CUDA_VISIBLE_DEVICES"); found != variables.end())
      read_visible(found->second.text, place_of(found->second), findings_);
    gpus(node, around, started(all, variables, pool), side_of(all, pool));
  }
  // A service of Dynamo, whose GPUs stand beside its container.
  void component(const Node& node, const Node& main, const Around& around,
                 const std::string& pool) {
    const Variables variables = container_variables(source_, main, findings_);
    const std::vector<Word> all = container_command(main, variables, images_, findings_);
    gpus(node, around, started(all, variables, pool), side_of(all, pool));
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
    read_pod_gpus(source_, {node, starts, pool}, around, kind_, findings_);
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
    const Variables variables = container_variables(source_, node, findings_);
    if (!started(container_command(node, variables, images_, findings_), variables, ""))
      return false;
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
    const Variables variables = container_variables(source_, node, findings_);
    for (Word each : container_command(node, variables, images_, findings_)) {
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
  PodKind kind_;
  bool is_values_ = false;  // Whether it is no manifest: values of a chart.
};

}  // namespace

void read_manifest(const Source& source, const Node& root, Findings& findings) {
  ManifestReader(source, findings).read(root);
}

}  // namespace loadfactor::launch
