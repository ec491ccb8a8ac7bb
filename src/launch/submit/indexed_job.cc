// An Indexed Job of Kubernetes, and the job that merges what its pods wrote.
#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/emit/manifests.h"
#include "launch/emit/shell_text.h"
#include "launch/submit/sweep_job.h"
#include "launch/vocabulary/kinds.h"
#include "launch/vocabulary/manifest_rules.h"

namespace loadfactor::launch {
namespace {

constexpr std::size_t kMostConfigBytes = 1'000'000;
constexpr const char* kInputs = "/sweep";
constexpr const char* kParts = "/parts";

std::string key_of(std::size_t file) {
  return fmt::format("file-{}", file);
}

Tree files_map(const Kinds& kinds, const std::string& name, const PodPlace& place) {
  Tree tree = manifest(kinds, "ConfigMap", name + "-inputs");
  Tree data = Tree::map();
  for (std::size_t i = 0; i < place.files.size(); ++i)
    data.set(key_of(i), place.files[i].text, place.files[i].path);
  return std::move(tree.set("data", std::move(data)));
}

Tree volumes_of(const std::string& name, const PodPlace& place) {
  Tree items = Tree::list();
  for (std::size_t i = 0; i < place.files.size(); ++i) {
    Tree item = Tree::map();
    item.set("key", key_of(i)).set("path", place.files[i].path);
    items.items.push_back(std::move(item));
  }
  Tree map = Tree::map();
  map.set("name", name + "-inputs").set("items", std::move(items));
  Tree inputs = Tree::map();
  inputs.set("name", "inputs").set("configMap", std::move(map));
  Tree parts = Tree::map();
  parts.set("name", "parts");
  if (place.has_store()) {
    parts.set("emptyDir", Tree::map(), "the pod's own; the store keeps what matters");
  } else {
    Tree claim = Tree::map();
    claim.set("claimName", place.claim, "a volume that all pods may write");
    parts.set("persistentVolumeClaim", std::move(claim));
  }
  return Tree::list({std::move(inputs), std::move(parts)});
}

Tree mount(const char* name, const char* path) {
  Tree tree = Tree::map();
  tree.set("name", name).set("mountPath", path);
  return tree;
}

// The index of a pod, for the command and for the folder of its own on the volume.
Tree index_variable() {
  Tree field = Tree::map();
  field.set("fieldPath", "metadata.annotations['batch.kubernetes.io/job-completion-index']");
  Tree tree = Tree::map();
  tree.set("name", "SHARD");
  tree.set("valueFrom", Tree::map({{"fieldRef", std::move(field), ""}}));
  return tree;
}

Tree container_of(const PodPlace& place, const char* name, const std::string& command) {
  Tree tree = Tree::map();
  tree.set("name", name);
  tree.set("image", place.image,
           place.has_store() ? "your image with loadfactor, a shell and the store's commands"
                             : "your image with loadfactor and a shell");
  tree.set("command", Tree::texts({"sh", "-c", command}));
  Tree requests = Tree::map();
  requests.set("cpu", "1").set("memory", "1Gi");
  tree.set("resources", Tree::map({{"requests", std::move(requests), ""}}));
  return tree;
}

Tree pod_of(Tree container, Tree volumes, const char* restart) {
  Tree pod = Tree::map();
  pod.set("restartPolicy", restart);
  pod.set("containers", Tree::list({std::move(container)}));
  pod.set("volumes", std::move(volumes));
  return Tree::map({{"spec", std::move(pod), ""}});
}

// What tells this sweep's files from those of others, of itself before a change, and of itself in
// another number of shards.
std::string run_name(const SweepJob& job) {
  constexpr std::size_t kTold = 10;
  return fmt::format("{}-{}-of-{}", plain_name(job.name), job.digest.substr(0, kTold), job.shards);
}

std::string sweep_words(const SweepJob& job, const std::string& part) {
  std::string words =
      fmt::format("loadfactor sweep {} --shard \"$SHARD/{}\" -o {} --jobs 1",
                  shell_word(fmt::format("{}/{}", kInputs, job.sweep)), job.shards, part);
  for (const std::string& word : job.options) words += " " + shell_word(word);
  return words;
}

// Goes on with what an earlier pod of this index left in the store, and leaves there what is done
// when it is told to stop.
std::string stored_shard(const SweepJob& job, const PodPlace& place) {
  return fmt::format(
      "export NAME={4}-shard-$SHARD.open.sqlite PART={0}/part.sqlite\n"
      "( {1} ) || rm -f \"$PART\"\n"
      "{2} &\n"
      "child=$!\n"
      "trap 'kill -TERM $child' TERM\n"
      "wait $child; status=$?\n"
      "while kill -0 $child 2>/dev/null; do wait $child; status=$?; done\n"
      "[ $status -ne 0 ] || NAME={4}-shard-$SHARD.sqlite\n"
      "[ ! -s \"$PART\" ] || ( {3} ) || exit 1\n"
      "exit $status",
      kParts, place.download, sweep_words(job, "\"$PART\""), place.upload, run_name(job));
}

Tree shards_job(const Kinds& kinds, const std::string& name, const SweepJob& job,
                const PodPlace& place) {
  const std::string part = fmt::format("{}/part.sqlite", kParts);
  Tree worker = container_of(
      place, "shard",
      place.has_store() ? stored_shard(job, place)
                        : fmt::format("{} && touch {}/done", sweep_words(job, part), kParts));
  worker.set("env", Tree::list({index_variable()}));
  Tree own = mount("parts", kParts);
  if (!place.has_store())
    own.set("subPathExpr", run_name(job) + "/shard-$(SHARD)",
            "a folder of its own for each sweep and index");
  worker.set("volumeMounts", Tree::list({mount("inputs", kInputs), std::move(own)}));
  Tree spec = Tree::map();
  spec.set("completionMode", "Indexed", "a pod's index is its shard");
  spec.set("completions", Tree::number(job.shards), "one for each shard");
  spec.set("parallelism", Tree::number(job.shards), "as many at once as there is room for");
  spec.set("backoffLimitPerIndex", Tree::number(6),
           "a pod that is lost starts again and goes on where it stopped");
  spec.set("template", pod_of(std::move(worker), volumes_of(name, place), "Never"));
  Tree tree = manifest(kinds, "Job", name);
  return std::move(tree.set("spec", std::move(spec)));
}

// Waits for the parts on the volume.
std::string merge_words(const SweepJob& job) {
  return fmt::format(
      "until [ \"$(ls {0}/{2}/shard-*/done 2>/dev/null | wc -l)\" -ge {1} ]; do sleep 10; done; "
      "exec "
      "loadfactor merge {0}/{2}/shard-*/part.sqlite -o {0}/{2}/all.sqlite",
      kParts, job.shards, run_name(job));
}

// Waits for the parts in the store, and puts what they come to there, too.
std::string stored_merge(const SweepJob& job, const PodPlace& place) {
  return fmt::format(
      "shard=0\n"
      "while [ $shard -lt {1} ]; do\n"
      "  export NAME={4}-shard-$shard.sqlite PART={0}/shard-$shard.sqlite\n"
      "  until ( {2} ); do sleep 10; done\n"
      "  shard=$((shard + 1))\n"
      "done\n"
      "export NAME={4}-all.sqlite PART={0}/all.sqlite\n"
      "loadfactor merge {0}/shard-*.sqlite -o \"$PART\" && ( {3} )",
      kParts, job.shards, place.download, place.upload, run_name(job));
}

Tree merge_job(const Kinds& kinds, const std::string& name, const SweepJob& job,
               const PodPlace& place) {
  Tree worker =
      container_of(place, "merge", place.has_store() ? stored_merge(job, place) : merge_words(job));
  worker.set("volumeMounts", Tree::list({mount("parts", kParts)}));
  Tree spec = Tree::map();
  spec.set("backoffLimit", Tree::number(6));
  spec.set("template", pod_of(std::move(worker), volumes_of(name, place), "OnFailure"));
  Tree tree = manifest(kinds, "Job", name + "-merge");
  return std::move(tree.set("spec", std::move(spec)));
}

// A reference of an image: no spaces or signs that a shell or YAML would read otherwise.
bool is_image_name(std::string_view name) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return !name.empty() && name.size() <= 255 && is_letter(name.front()) && is_letter(name.back()) &&
         std::all_of(name.begin(), name.end(), [&](char c) {
           return is_letter(c) || std::string_view("._-/:@").find(c) != std::string_view::npos;
         });
}

Result<bool> check_names(const PodPlace& place) {
  if (!place.has_store() && !is_dns_name(place.claim))
    return Error{.code = lf::kUsage,
                 .message = fmt::format("'{}' is no name of a volume claim", place.claim),
                 .hint = "lower-case letters, digits, dashes and dots: --claim sweep-results"};
  if (!is_image_name(place.image))
    return Error{.code = lf::kUsage,
                 .message = fmt::format("'{}' is no name of an image", place.image),
                 .hint = "--image registry.example.com/team/loadfactor:1.0"};
  return true;
}

Result<bool> check_files(const PodPlace& place) {
  std::size_t bytes = 0;
  for (const PodFile& file : place.files) {
    bytes += file.text.size();
    if (file.path.starts_with('/') || file.path.find("..") != std::string::npos)
      return Error{.code = lf::kUsage,
                   .message = fmt::format("'{}' lies outside of the sweep's folder", file.path),
                   .hint = "pods see files of one folder: put the sweep and what it names there"};
  }
  if (bytes > kMostConfigBytes)
    return Error{.code = lf::kUsage,
                 .message = fmt::format("the sweep's files have {} bytes", bytes),
                 .hint = "a ConfigMap holds a megabyte: put large files into your image"};
  return true;
}

}  // namespace

Result<std::string> indexed_job(const SweepJob& job, const PodPlace& place) {
  TRY([[maybe_unused]] const bool is_named, check_names(place));
  TRY([[maybe_unused]] const bool is_sound, check_files(place));
  const Kinds kinds = Kinds::read();
  const std::string name = plain_name(job.name);
  std::string text = fmt::format(
      "# {0} shards of the sweep {1}, and what merges them.\n"
      "#   kubectl apply -f FILE\n"
      "#   kubectl wait --for=condition=complete --timeout=-1s job/{1}-merge\n"
      "# {3} lies {2} then. Pods that are lost start again by themselves; "
      "`kubectl replace --force -f FILE` resubmits what failed for good.\n",
      job.shards, name, place.has_store() ? "in the store" : "on the volume " + place.claim,
      run_name(job) + (place.has_store() ? "-all.sqlite" : "/all.sqlite"));
  for (const Tree& tree : {files_map(kinds, name, place), shards_job(kinds, name, job, place),
                           merge_job(kinds, name, job, place)}) {
    const auto faults = kinds.check(tree);
    if (!faults.empty())
      return Error{.code = lf::kContradictoryKeys,
                   .message = fmt::format("{}: {}", faults.front().path, faults.front().what),
                   .hint = "a name of the sweep in lower-case letters, digits and dashes is safe"};
    text += "---\n" + to_yaml(tree);
  }
  return text;
}

}  // namespace loadfactor::launch
