#include "resolve/train/train_setup.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "catalog/import/model_folder.h"
#include "catalog/load/collective_loader.h"
#include "collective/network.h"
#include "resolve/model/model_shape.h"
#include "resolve/train/train_site.h"
#include "resolve/train/train_stack.h"
#include "training/step/model_work.h"
#include "workload/parameters.h"

namespace loadfactor::engine {
namespace {

using catalog::ModelSpec;

constexpr std::int64_t kUsualSequence = 8192;

Error at(const TrainSetup& setup, config::Position position, const Error& error) {
  Error placed = setup.error(error.code, position, error.message, error.hint);
  placed.notes = error.notes;
  return placed;
}

TrainingData load_data(const catalog::Catalog& catalog) {
  TrainingData data;
  std::vector<catalog::DataFile> files;
  for (const auto& path : catalog.paths_below("stacks/")) files.push_back(*catalog.find_file(path));
  data.stacks = training::load_stacks(files, data.problems);
  const auto* constants = catalog.find_file("calibration/training.yaml");
  if (constants == nullptr) {
    data.problems.add(Error{.code = lf::kInternal, .message = "the calibration is missing"});
    return data;
  }
  data.calibration_file = training::load_calibration(*constants, data.problems);
  data.calibration = data.calibration_file.calibration();
  if (const auto* table = catalog.find_file("calibration/collectives.yaml"))
    data.collectives = catalog::load_collectives(*table, data.problems);
  return data;
}

bool read_data(TrainSetup& setup, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  setup.data = &catalog.derived<TrainingData>(load_data);
  diagnostics.add_all(setup.data->problems);
  return diagnostics.empty();
}

void use_described(TrainSetup& setup, ModelSpec model) {
  setup.described = std::make_shared<const ModelSpec>(std::move(model));
  setup.job.model = setup.described.get();
}

void import_model(TrainSetup& setup, const TrainInputs& request,
                  const config::ModelConfigFile& file, Diagnostics& diagnostics) {
  if (request.model_files.empty()) {
    diagnostics.add(setup.error(lf::kCannotRead, file.path.position,
                                fmt::format("'{}' was not read", file.path.value)));
    return;
  }
  Diagnostics problems;
  catalog::ModelFolder folder;
  for (const auto& part : request.model_files)
    folder.files[part.name] = {part.text, part.size, part.shown_as};
  auto imported = catalog::import_model_folder(folder, problems);
  diagnostics.add_all(problems);
  if (!imported) return;
  for (const auto& notice : imported->notices)
    setup.note({.id = "import", .arguments = {{"found", notice.text}}});
  use_described(setup, std::move(imported->spec));
}

void choose_model(TrainSetup& setup, const TrainInputs& request, const catalog::Catalog& catalog,
                  Diagnostics& diagnostics) {
  const auto& model = setup.ask().model.model;
  if (const auto* named = std::get_if<config::CatalogModel>(&model)) {
    const auto found = catalog.find_model(named->name.value);
    if (!found) return diagnostics.add(at(setup, named->name.position, found.error()));
    setup.job.model = *found;
  } else if (const auto* file = std::get_if<config::ModelConfigFile>(&model)) {
    import_model(setup, request, *file, diagnostics);
  } else if (const auto* size = std::get_if<config::ModelSize>(&model)) {
    use_described(setup, model_of_size(size->params.value, size->active ? size->active->value : 0));
    const auto& spec = *setup.described;
    setup.shape_assumed = true;
    setup.note({.id = "assumed-shape",
                .arguments = {{"layers", std::to_string(spec.num_layers())},
                              {"width", std::to_string(spec.hidden)},
                              {"heads", std::to_string(spec.kinds[0].attention.heads)},
                              {"head_width", std::to_string(spec.kinds[0].attention.head_dim)}}});
  } else {
    use_described(setup, model_of_dimensions(std::get<config::ModelDimensions>(model)));
  }
}

// What a step is made of is known of decoders: their masks, their loss over the vocabulary.
void check_decoder(const TrainSetup& setup, Diagnostics& diagnostics) {
  const ModelSpec* model = setup.job.model;
  if (model == nullptr) return;
  const bool is_decoder = model->causal && !model->has_decoder_apart() && model->embedding.head;
  if (is_decoder) return;
  diagnostics.add(
      setup.error(lf::kUnsupportedModelType, setup.ask().model.position,
                  fmt::format("training is predicted for decoders, and {} is none", model->name),
                  "`fit`, `serve` and `plan` answer for it; or train a decoder of its size"));
}

void choose_chip(TrainSetup& setup, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  const auto& candidates = setup.scenario.hardware;
  const std::string name = candidates.empty() ? catalog.lineup().standard : candidates[0].value;
  const auto found = catalog.find_accelerator(name);
  for (const auto& candidate : candidates) {
    const auto other = catalog.find_accelerator(candidate.value);
    if (!other) diagnostics.add(at(setup, candidate.position, other.error()));
  }
  if (!found) return;
  setup.job.chip = *found;
  if (candidates.empty())
    setup.note({.id = "default-accelerator",
                .arguments = {{"accelerator", (*found)->title}, {"key", "`hardware`"}}});
  if (candidates.size() > 1)
    setup.note({.id = "first-accelerator",
                .arguments = {{"candidates", std::to_string(candidates.size())},
                              {"predicted", (*found)->title}}});
  setup.chip_constants = constants_of(catalog, setup.data->calibration, **found);
  const config::Position place = candidates.empty() ? setup.ask().position : candidates[0].position;
  if (setup.chip_constants == nullptr) {
    std::vector<std::string> studied;
    for (const auto& chip : setup.data->calibration.chips) studied.push_back(chip.accelerator);
    diagnostics.add(setup.error(
        lf::kUnknownAccelerator, place,
        fmt::format("no training run on a chip like {} has been studied", (*found)->title),
        fmt::format("choose one of a family that has: {}", fmt::join(studied, ", "))));
    return;
  }
  if (setup.chip_constants->accelerator != (*found)->name)
    setup.note({.id = "borrowed-constants",
                .arguments = {{"accelerator", (*found)->title},
                              {"lender", setup.chip_constants->accelerator}}});
  if (const double doubt = setup.data->calibration_file.doubt_of((*found)->name); doubt > 0)
    setup.note({.id = "doubted-chip",
                .arguments = {{"accelerator", (*found)->title},
                              {"step", fmt::format("{:.2g}", std::exp(doubt))}}});
  if ((*found)->node.empty()) return;
  const auto node = catalog.find_node((*found)->node);
  constexpr int kLargestHost = 16;  // Beyond that a node is a rack of hosts.
  if (node && (*node)->gpus > 0 && (*node)->gpus <= kLargestHost)
    setup.job.fabric.gpus_per_node = (*node)->gpus;
}

void choose_sequence(TrainSetup& setup, Diagnostics& diagnostics) {
  const auto& asked = setup.ask().sequence;
  const std::int64_t longest = setup.job.model->context;
  if (!asked) {
    setup.job.sequence = longest > 0 ? std::min(longest, kUsualSequence) : kUsualSequence;
    setup.note(
        {.id = "default-sequence", .arguments = {{"tokens", format_count(setup.job.sequence)}}});
    return;
  }
  setup.job.sequence = asked->value;
  if (longest > 0 && asked->value > longest)
    setup.note({.id = "long-sequence",
                .arguments = {{"tokens", format_count(asked->value)},
                              {"longest", format_count(longest)},
                              {"model", setup.job.model->title}}});
  const auto& layout = setup.ask().layout;
  if (layout && layout->cp && asked->value % layout->cp->value != 0)
    diagnostics.add(setup.error(lf::kNotDivisible, layout->cp->position,
                                fmt::format("a sequence of {} tokens does not divide by cp {}",
                                            asked->value, layout->cp->value),
                                "context parallelism gives every rank an equal part"));
}

// Phases that are not training are none of this resolver's.
bool is_plain(const TrainSetup& setup, Diagnostics& diagnostics) {
  using config::MethodWord;
  const auto& method = setup.ask().method;
  if (!method) return true;
  const MethodWord kind = method->kind.value;
  if (kind == MethodWord::kFull || kind == MethodWord::kLora || kind == MethodWord::kQlora)
    return true;
  diagnostics.add(
      setup.error(lf::kContradictoryKeys, method->kind.position,
                  "this verb answers for training on text, and the method has phases beside it",
                  "`loadfactor train`, `train --search` and `plan` answer for dpo, distillation, "
                  "grpo and ppo"));
  return false;
}

double texts_of_a_sequence(const config::TrainSection& train, std::int64_t sequence) {
  return static_cast<double>(sequence) / std::max(1.0, train.examples->tokens.value.base());
}

// A run is whole steps, one at least. Where no batch is written, a step may be one sequence.
void check_run_length(const TrainSetup& setup, Diagnostics& diagnostics) {
  const config::TrainSection& train = setup.ask();
  if (!train.tokens) return;
  const double sequences =
      train.global_batch ? static_cast<double>(train.global_batch->value) : 1.0;
  const double step = sequences * static_cast<double>(setup.job.sequence) /
                      filling_factor(train, setup.job.sequence);
  const double asked = train.tokens->value.base();
  if (asked >= step) return;
  diagnostics.add(
      setup.error(lf::kOutOfRange, train.tokens->position,
                  fmt::format("a run of {} is less than one step of {:.0f} × {} tokens",
                              counted(std::llround(asked), "token"), sequences, setup.job.sequence),
                  fmt::format("write tokens: {:.0f} or more, or a smaller step", std::ceil(step))));
}

void fill_up(TrainSetup& setup) {
  auto& train = *setup.scenario.train;
  if (train.tokens)
    train.tokens->value = train.tokens->value * filling_factor(train, setup.job.sequence);
  if (auto notice = filling_notice(train, setup.job.sequence)) setup.note(*std::move(notice));
}

std::unique_ptr<TrainSetup> read_request(const TrainInputs& request, Diagnostics& diagnostics) {
  auto setup = std::make_unique<TrainSetup>();
  setup->scenario = request.scenario;
  if (!request.accelerator.empty()) {
    auto& hardware = setup->scenario.hardware;
    const config::Position place = hardware.empty() ? config::Position{} : hardware[0].position;
    hardware = {{request.accelerator, place}};
  }
  if (!setup->scenario.train) {
    diagnostics.add(setup->error(lf::kMissingKey, {}, "the scenario has no section 'train'",
                                 "write `train: {model: …, sequence: …, global_batch: …}`"));
    return nullptr;
  }
  if (!request.precision.empty()) {
    auto& asked = setup->scenario.train->precision;
    config::Position place = asked ? asked->position : config::Position{};
    for (const auto& written : setup->scenario.train->precisions)
      if (written.value == request.precision) place = written.position;
    asked = config::Name{request.precision, place};
  }
  return setup;
}

// What the host's accelerators meet on where their own links end.
void set_bus(TrainSetup& setup, const catalog::NodeSpec& node) {
  const catalog::AcceleratorSpec& chip = *setup.job.chip;
  const auto network =
      collective::make_network({.chip = &chip, .node = &node}, setup.data->collectives);
  if (!network || !network->domain.bus || chip.staged) return;
  const collective::Bus& bus = *network->domain.bus;
  const auto& ring = bus.ring[static_cast<std::size_t>(collective::Operation::kAllGather)];
  setup.job.fabric.bus =
      training::HostBus{.link = bus.link,
                        .fraction = ring.fraction,
                        .loss = ring.loss,
                        .joined = network->domain.joined,
                        .may_be_bridged = chip.scale_up.topology == catalog::Topology::kBridge,
                        .lies = node.bus.value_or(catalog::NodeBus{})};
}

// GPUs that share the memory of their host and the links to it.
void set_host(TrainSetup& setup, const catalog::Catalog& catalog) {
  const catalog::AcceleratorSpec* chip = setup.job.chip;
  if (chip == nullptr || chip->node.empty()) return;
  const auto node = catalog.find_node(chip->node);
  if (!node) return;
  setup.job.fabric.host_gpus = (*node)->gpus;
  set_bus(setup, **node);
  if (const auto& host = (*node)->host) {
    setup.job.fabric.host_memory = host->memory;
    setup.job.fabric.host_bandwidth = host->bandwidth.value_or(BytesPerSecond());
  }
  const auto& layout = setup.ask().layout;
  const int active = layout && layout->gpus ? layout->gpus->value : (*node)->gpus;
  if (chip->host) setup.job.fabric.host_share = (*node)->shared_link(chip->host->bandwidth, active);
}

// Bytes of a mean weight: products with 4 bits, and a scale of 8 bits for 64 weights that is scaled
// itself; embedding and head stay in 16 bits.
double quantised_weight(const catalog::ModelSpec& model) {
  constexpr double kQuantised = 0.516;
  constexpr double kWide = 2;
  const auto count = workload::count_parameters(model);
  const auto all = static_cast<double>(count.total());
  const auto wide = static_cast<double>(count.of(workload::Component::kEmbedding) +
                                        count.of(workload::Component::kHead));
  return all > 0 ? (kQuantised * (all - wide) + kWide * wide) / all : kQuantised;
}

training::Adapted adapted_products(const TrainSetup& setup) {
  const auto& targets = setup.ask().lora_targets;
  const bool is_all = targets && targets->value == config::LoraTargets::kAllLinear;
  return is_all ? training::Adapted::kLayer : training::Adapted::kAttention;
}

// Adapters of a rank are so many parameters of the model's, less than all of them.
void set_adapters(TrainSetup& setup, int rank, Diagnostics& diagnostics) {
  const auto adapted = adapted_products(setup);
  const double of_one = training::adapter_share(*setup.job.model, 1, adapted);
  setup.job.trainable_share = of_one * rank;
  setup.job.adapts_mlp = adapted == training::Adapted::kLayer;
  setup.job.adapted_widths = training::adapted_widths(*setup.job.model, adapted);
  if (of_one * rank < 1.0) return;
  const auto& written = setup.ask().lora;
  diagnostics.add(setup.error(
      lf::kOutOfRange, written ? written->position : setup.ask().position,
      fmt::format("adapters of rank {} have more parameters than {}", rank, setup.job.model->title),
      fmt::format("ranks up to {} are fewer; method: full trains all weights",
                  static_cast<int>(std::ceil(1.0 / of_one)) - 1)));
}

// Adapters, the loader and the link that offloaded state takes.
void set_extras(TrainSetup& setup, Diagnostics& diagnostics) {
  const auto& ask = setup.ask();
  const auto kind = ask.method ? ask.method->kind.value : config::MethodWord::kFull;
  const bool adapts = kind == config::MethodWord::kLora || kind == config::MethodWord::kQlora;
  constexpr int kUsualRank = 16;
  const int rank = ask.lora ? ask.lora->value : adapts ? kUsualRank : 0;
  if (rank > 0 && setup.job.model != nullptr) set_adapters(setup, rank, diagnostics);
  if (adapts && !ask.lora)
    setup.note({.id = "default-rank", .arguments = {{"rank", fmt::format("{}", rank)}}});
  if (kind == config::MethodWord::kQlora && setup.job.model != nullptr)
    setup.job.precision.frozen_weight = quantised_weight(*setup.job.model);
  if (ask.data_rate) setup.job.loader = ask.data_rate->value;
  if (ask.layout && ask.layout->offload_link) {
    setup.job.fabric.offload = ask.layout->offload_link->value;
  }
}

// What the user's site measured of steps on this chip with this software.
void find_measured(TrainSetup& setup, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  setup.site = find_site(catalog, setup.job.chip->name, setup.job.stack->name, diagnostics);
  if (!setup.site || setup.site->steps == 0) return;
  setup.job.measured = setup.site->factors();
  setup.note({.id = "site-calibrated",
              .arguments = {{"measurements", counted(setup.site->steps, "measurement")},
                            {"date", setup.site->provenance.date}}});
}

}  // namespace

double filling_factor(const config::TrainSection& train, std::int64_t sequence) {
  const bool packs = !train.examples || !train.examples->packing || train.examples->packing->value;
  if (packs || sequence <= 0) return 1.0;
  return std::max(1.0, texts_of_a_sequence(train, sequence));
}

std::optional<Notice> filling_notice(const config::TrainSection& train, std::int64_t sequence) {
  if (!train.examples || sequence <= 0) return std::nullopt;
  const auto count = [](double value) { return fmt::format("{:.3g}", value); };
  if (!train.examples->packing || train.examples->packing->value)
    return Notice{.id = "packed-examples",
                  .arguments = {{"texts", count(texts_of_a_sequence(train, sequence))}}};
  const double factor = filling_factor(train, sequence);
  return Notice{.id = "filled-examples",
                .arguments = {{"share", fmt::format("{:.0f} %", 100 * (1 - 1 / factor))},
                              {"factor", count(factor)}}};
}

std::unique_ptr<TrainSetup> make_train_setup(const TrainInputs& request,
                                             const catalog::Catalog& catalog,
                                             Diagnostics& diagnostics) {
  auto setup = read_request(request, diagnostics);
  if (!setup || !read_data(*setup, catalog, diagnostics)) return nullptr;
  if (!is_plain(*setup, diagnostics)) return nullptr;
  choose_model(*setup, request, catalog, diagnostics);
  check_decoder(*setup, diagnostics);
  choose_chip(*setup, catalog, diagnostics);
  set_host(*setup, catalog);
  choose_network(*setup, diagnostics);
  if (setup->job.chip != nullptr) choose_stack(*setup, diagnostics);
  choose_precision(*setup, diagnostics);
  if (setup->job.model != nullptr) choose_sequence(*setup, diagnostics);
  set_extras(*setup, diagnostics);
  if (setup->job.sequence > 0) check_run_length(*setup, diagnostics);
  fill_up(*setup);
  const bool known = setup->job.chip != nullptr && setup->job.stack != nullptr;
  if (known && !request.as_shipped) find_measured(*setup, catalog, diagnostics);
  if (setup->ask().global_batch) setup->job.global_batch = setup->ask().global_batch->value;
  return diagnostics.empty() ? std::move(setup) : nullptr;
}

}  // namespace loadfactor::engine
