#include "serving/closed_form.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace loadfactor::serving {
namespace {

constexpr std::array<std::string_view, kNumLoadKinds> kKindNames{
    "offline", "static", "closed loop", "open loop", "burst", "split", "prefill", "decode"};

// Seconds, rates per second and counts as plain numbers, as the formulas take them.
struct PlainFigures {
  double ttft = 0;
  double tpot = 0;
  double latency = 0;
  double output_rate = 0;
  double request_rate = 0;
  double batch = 0;
  double step = 0;
  double decode_step = 0;
  double waiting = 0;
};

LoadFigures with_units(const PlainFigures& f) {
  return {.ttft = Seconds::from_base(f.ttft),
          .tpot = Seconds::from_base(f.tpot),
          .latency = Seconds::from_base(f.latency),
          .output_rate = TokensPerSecond::from_base(f.output_rate),
          .request_rate = Hertz::from_base(f.request_rate),
          .batch = f.batch,
          .step = Seconds::from_base(f.step),
          .decode_step = Seconds::from_base(f.decode_step),
          .waiting = Seconds::from_base(f.waiting)};
}

// A queue whose steps take all that wait, a step of b taking `start` + b · `each`, where arrivals
// are random. A step after which nobody waits is followed by one of a single arrival. With B(z) the
// generating function of b, B(z) = e^(−λ start (1 − z)) B(e^(−λ each (1 − z))) − p0 (1 − z), which
// from z = 0 on gives the share p0 of such steps, and with it all moments.
struct BulkQueue {
  BulkQueue(double rate, double start, double each) {
    const double grows = std::min(rate * each, 0.99), base = rate * start;
    double z = std::exp(-grows), weight = std::exp(-base), sum = 0;
    constexpr int kMostRounds = 400;
    for (int round = 0; round < kMostRounds && 1 - z > 1e-9; ++round) {
      sum += weight * (1 - z);
      weight *= std::exp(-base * (1 - z));
      z = std::exp(-grows * (1 - z));
    }
    const double alone = weight / (1 + sum);
    batch = (base + alone) / (1 - grows);
    const double square = (batch + base * base + 2 * base * grows * batch) / (1 - grows * grows);
    const double step = start + each * batch;
    met = (start * start + 2 * start * each * batch + each * each * square) / step;
    busy = std::min(1.0, rate * step / batch);
  }

  double batch = 1;  // Mean of a step.
  double met = 0;    // Mean length of the step that an arrival finds running; long ones are found
                     // more often.
  double busy = 0;   // Share of the time in which a step runs.
};

class Evaluation {
 public:
  Evaluation(const Pool& pool, const Load& load, const Constants& constants)
      : pool_(pool),
        load_(load),
        constants_(constants),
        engine_(pool.step->deployment().engine->index),
        alone_(pool.step->deployment().engine->prompts_alone),
        grows_(pool.step->deployment().engine->computes_again),
        met_(pool.step->deployment().engine->schedules_ahead ? 1.5 : 0.5),
        stages_(pool.step->deployment().layout.pp),
        input_(std::max(1.0, load.input)),
        output_(std::max(1.0, load.output)),
        rate_(load.rate.base()),
        tpot_bound_(load.tpot_bound.base()),
        fresh_(std::max(1.0, input_ * (1 - load.cached))),
        chunk_(std::max(1.0, pool.chunk)),
        context_(input_ + 0.5 * output_) {}

  PlainFigures offline() const;
  PlainFigures fixed_batch() const;
  PlainFigures closed_loop() const;
  PlainFigures open_loop() const;
  PlainFigures one_pass(double rate) const;
  PlainFigures one_pass_loop() const;
  PlainFigures burst(double prompts) const;
  PlainFigures split(const Pool& prefill, double users) const;
  PlainFigures split_at_rate(const Pool& prefill) const;
  struct PrefillSpeed {
    double own_prefill = 0;  // Seconds of one prompt.
    double prompt_rate = 0;  // Prompts per second of the pool.
  };
  PrefillSpeed prefill_speed(const Pool& prefill) const;
  double moving() const;  // Seconds to move one prompt's keys and values.
  double overload(double rate, double arriving, double capacity) const;
  PlainFigures whole_batches() const;
  PlainFigures prefill_only() const;
  PlainFigures decode_only() const;

 private:
  double engine(EngineConstant c) const { return constants_.of(engine_, c); }
  double decode_step(double sequences, double context) const {
    return seconds({.sequences = sequences, .context = context});
  }
  double seconds(const StepBatch& batch) const {
    if (pool_.roofline) return pool_.step->roofline(batch).base();
    const double modelled = pool_.step->duration(batch, constants_).base();
    // What was measured may be faster than the model, never faster than light.
    return pool_.pace < 1 ? std::max(pool_.pace * modelled, pool_.step->least(batch).base())
                          : pool_.pace * modelled;
  }
  // A step with `tokens` of prompts beside `sequences` decodes; two steps, one after the other,
  // where the engine never mixes them.
  double mixed_step(double tokens, double sequences, double finishing) const {
    if (alone_ && sequences > 0)
      return mixed_step(tokens, 0, finishing) + decode_step(sequences, context_);
    const double piece = std::min(fresh_, chunk_);
    const double past = input_ - fresh_ + (fresh_ > chunk_ ? 0.5 * (fresh_ - chunk_) : 0.0);
    return seconds({.prompt_tokens = tokens,
                    .chunk = std::min(piece, tokens),
                    .past = past,
                    .sequences = sequences,
                    .context = context_,
                    .finishing = finishing});
  }
  // A prompt goes through the stages one after the other; only different pieces are in different
  // stages at a time. A step of `pp` pieces is one pass of each.
  double staged(double pieces, double tokens, double sequences, double finishing) const {
    return (pieces + stages_ - 1) / stages_ *
           mixed_step(tokens * stages_, sequences, finishing * stages_);
  }
  // Steps that push so many prompt tokens through with nothing else in them.
  double prefill_time(double tokens) const {
    if (stages_ > 1) {
      const double piece = std::max(std::min(fresh_, chunk_), std::min(chunk_, tokens / stages_));
      return staged(std::max(1.0, tokens / piece), piece, 0, std::max(1.0, piece / fresh_));
    }
    const double steps = std::max(1.0, std::ceil(tokens / chunk_));
    return steps * mixed_step(tokens / steps, 0, std::max(1.0, tokens / steps / fresh_));
  }
  // One prompt of its own beside the decodes of others, or before them.
  double own_prefill(double sequences) const {
    const double steps = std::max(1.0, std::ceil(fresh_ / chunk_));
    if (stages_ > 1) return staged(steps, fresh_ / steps, alone_ ? 0 : sequences, 1.0);
    return steps * mixed_step(fresh_ / steps, alone_ ? 0 : sequences, 1.0);
  }
  // Prompts per second of which 99 % wait no longer than their bound leaves, where they come at
  // random to steps full of prompts: of a share ρ of busy time ρ e^(−θ t / s) wait longer than t,
  // with ρ (e^θ − 1) = θ (the decay of M/D/1 at any ρ).
  double rate_of_first_tokens() const {
    const double bound = load_.ttft_bound.base();
    if (bound <= 0) return std::numeric_limits<double>::infinity();
    const double each = prefill_time(std::max(fresh_, chunk_)) * fresh_ / std::max(fresh_, chunk_);
    const double room = std::max(bound - own_prefill(0), 0.0) / each;
    constexpr double kLate = 0.01;
    const auto busy_at = [](double decay) { return decay / std::expm1(decay); };
    // From here on fewer than so many are ever busy: they need not wait at all.
    double low = 1e-9, high = std::log(1 / kLate) + 2;
    while (busy_at(high) > kLate) high *= 2;
    for (int round = 0; round < 50; ++round) {
      const double decay = 0.5 * (low + high);
      (busy_at(decay) * std::exp(-decay * room) > kLate ? low : high) = decay;
    }
    return busy_at(high) / each;
  }
  // Tokens of the longest of so many answers: survivors fall exponentially, up to a cap.
  double longest_of(double answers) const {
    if (output_ <= 1) return output_;  // What only reads is through with every text at once.
    return std::max(output_, std::min(output_ * (std::log(answers) + 0.58),
                                      2 * output_ * constants_[Constant::kTail]));
  }
  double streamed(double tokens) const {
    return load_.streamed && tokens > 1 ? std::min(engine(EngineConstant::kStream) - 1, tokens / 3)
                                        : 0.0;
  }

  // The mean step that keeps `sequences` running: prompts come in chunks in a share of the steps.
  struct Mean {
    double step = 0;
    double decode = 0;
    double mixed = 0;
    double share = 0;      // Steps with prompts over those that decode.
    bool starved = false;  // Prompts alone fill every step.

    // Requests per second.
    double rate = 0;

    // The gap between two tokens of one of `sequences`, whose own prompt is behind it.
    double gap(double sequences) const {
      return decode + (1 - 1 / std::max(sequences, 1.0)) * (step - decode);
    }
  };
  Mean mean_step(double sequences) const {
    return mean_step(sequences, sequences * (fresh_ + computed_again(sequences)) / output_);
  }
  // Tokens per request that preemption computes again: engines that ask for a prompt's room alone
  // let in more than the cache holds once the answers have grown. How often was found by
  // simulation: twice the share of an answer in its request, to the power of 3/2.
  double computed_again(double sequences) const {
    // A prefix cache still has what was sent back.
    if (!pool_.crowded || !grows_ || load_.cached > 0) return 0;
    constexpr double kCalmShareOfSlots = 0.9;
    const double full = std::clamp(
        (sequences / pool_.slots - kCalmShareOfSlots) / (1 - kCalmShareOfSlots), 0.0, 1.0);
    const double often = 2 * std::pow(output_ / (fresh_ + output_), 1.5);
    return full * often * (fresh_ + 0.25 * output_);
  }
  // Tokens of prompts in a step that has any, where every step needs so many in the mean: slots
  // fall free at random, so that some steps have none and others several prompts.
  double prompt_tokens(double need, double room) const {
    const double piece = std::min(fresh_, room);
    const double busy = -std::expm1(-std::max(need, 1e-9) / piece);
    return std::clamp(std::max(need, 1e-9) / busy, piece, room);
  }
  // `need`: tokens of prompts per step that decodes. Decodes take tokens of the same steps, unless
  // prompts run alone: then as many steps of prompts come between as it takes.
  Mean mean_step(double sequences, double need) const {
    Mean mean;
    mean.starved = !alone_ && need + sequences > chunk_;
    const double decoding =
        mean.starved ? std::min(sequences, output_ * chunk_ / (fresh_ + output_)) : sequences;
    const double room = alone_ ? chunk_ : std::max(1.0, chunk_ - decoding);
    const double tokens = mean.starved ? room : prompt_tokens(need, room);
    mean.share = mean.starved ? 1.0 : need / tokens;
    mean.decode = decode_step(decoding, context_);
    mean.mixed = mixed_step(tokens, decoding, tokens / fresh_);
    mean.step = mean.decode + mean.share * (mean.mixed - mean.decode);
    mean.rate = mean.starved ? tokens / fresh_ / mean.mixed : sequences / (output_ * mean.step);
    return mean;
  }
  PlainFigures scaled(PlainFigures figures, double rate_each) const {
    figures.request_rate = rate_each * pool_.replicas;
    figures.output_rate = figures.request_rate * output_;
    return figures;
  }

  const Pool& pool_;
  const Load& load_;
  const Constants& constants_;
  std::size_t engine_;  // The place of its constants.
  bool alone_;
  bool grows_;     // Sends back requests when answers have grown.
  double met_;     // Steps that pass before one that a request is in, where others run.
  double stages_;  // Pipeline stages.
  double input_, output_;
  double rate_;        // Requests per second; 0: as fast as possible.
  double tpot_bound_;  // Seconds; 0: none.
  double fresh_;       // Prompt tokens that the prefix cache does not hold.
  double chunk_, context_;
};

PlainFigures Evaluation::offline() const {
  const double prompts = load_.prompts > 0 ? load_.prompts / pool_.replicas : 1e9;
  const double most = std::max(1.0, std::min(pool_.slots, prompts));
  const double bound = tpot_bound_ > 0 ? tpot_bound_ * constants_[Constant::kSloShare] : 1e9;
  // The largest batch whose mean step keeps the bound, by halving the logarithm.
  double low = 0, high = std::log(most);
  Mean mean = mean_step(most);
  double sequences = most;
  if (mean.step > bound) {
    for (int i = 0; i < 12; ++i) {
      const double middle = 0.5 * (low + high);
      (mean_step(std::exp(middle)).step > bound ? high : low) = middle;
    }
    sequences = std::exp(low);
    mean = mean_step(sequences);
  }
  mean.rate = std::min(mean.rate, rate_of_first_tokens());
  // The last answers of a finite run find the batch half full, and its steps shorter.
  const double half = decode_step(std::max(1.0, 0.5 * sequences), context_);
  const double drain = output_ * std::max(0.0, half - 0.5 * mean.decode);
  const double rate = prompts / (prompts / mean.rate + drain);
  PlainFigures figures{
      .tpot = mean.step, .batch = sequences, .step = mean.step, .decode_step = mean.decode};
  figures.latency = output_ * mean.step;
  return scaled(figures, rate);
}

PlainFigures Evaluation::fixed_batch() const {
  double batch = std::max(1.0, load_.concurrency / pool_.replicas);
  constexpr double kTolerated = 1.15;
  const double waves = batch > kTolerated * pool_.slots ? batch / pool_.slots : 1.0;
  batch /= waves;
  const double prefill = prefill_time(batch * fresh_);
  double decode = 0;
  for (const double at : {0.125, 0.375, 0.625, 0.875})
    decode += 0.25 * decode_step(batch, input_ + at * output_);
  const double latency = prefill + (output_ - 1) * decode;
  PlainFigures figures{.ttft = prefill * waves,
                       .tpot = decode,
                       .latency = latency * waves,
                       .batch = batch,
                       .step = decode,
                       .decode_step = decode};
  return scaled(figures, batch / latency);
}

PlainFigures Evaluation::closed_loop() const {
  const double users = std::max(1.0, load_.concurrency / pool_.replicas);
  const double most = std::min(users, pool_.slots);
  const double company = std::min(users - 1, 1.0);
  const double opening = load_.opening >= 0 ? load_.opening : constants_[Constant::kOpening];
  const double together = opening > 0 ? opening * 0.5 * prefill_time(users * fresh_) : 0.0;
  Mean mean;
  double sequences = most, ttft = 0, own = 0, gap = 0;
  for (int round = 0; round < 3; ++round) {
    mean = mean_step(std::max(sequences, 1.0));
    own = own_prefill(std::max(sequences - 1, 0.0));
    const double busy = std::min(mean.share, 0.95);
    const double steps = std::max(1.0, std::ceil(fresh_ / chunk_));
    const double queue = constants_[Constant::kQueue] * mean.mixed * steps *
                         std::min(busy / (2 * (1 - busy)), 0.5 * most);
    ttft = own + company * (met_ * mean.step + queue) +
           std::max(0.0, together - 0.5 * opening * own) + opening * constants_[Constant::kCold] +
           engine(EngineConstant::kFront);
    gap = mean.gap(sequences);
    const double life = output_ * gap;
    sequences = std::max(most * life / (life + std::min(ttft, 5 * life)), std::min(most, 1.0));
  }
  double rate = mean.rate;
  const double no_slot = std::max(users - pool_.slots, 0.0) / rate;
  ttft += no_slot;
  // Where prompts fill every step the users wait for them.
  if (mean.starved) ttft = std::max(ttft, users / rate - (output_ - 1) * gap);
  rate = std::min(rate, users / (ttft + (output_ - 1) * gap));
  const double late = streamed(output_);
  PlainFigures figures{.batch = sequences, .step = mean.step, .decode_step = mean.decode};
  figures.ttft = ttft + late * gap;
  figures.tpot = gap * (output_ - 1 - late) / std::max(output_ - 1, 1.0);
  figures.latency = ttft + (output_ - 1) * gap;
  figures.waiting = std::max(0.0, ttft - own);
  return scaled(figures, rate);
}

PlainFigures Evaluation::burst(double prompts) const {
  const double each = std::max(1.0, prompts / pool_.replicas);
  const double batch = std::min(each, pool_.slots);
  const double filling = prefill_time(batch * fresh_);
  const Mean mean = mean_step(batch);
  // Answers of varied length end one by one: survivors fall exponentially.
  const double longest = load_.varied ? longest_of(batch) : output_;
  constexpr int kParts = 6;
  double drain = 0, weighted = 0, weight = 0;
  for (int i = 0; i < kParts; ++i) {
    const double alive = load_.varied ? std::exp(-(i + 0.5) / kParts * longest / output_) : 1.0;
    const double step = decode_step(std::max(1.0, batch * alive), context_);
    drain += step * longest / kParts;
    weighted += step * alive;
    weight += alive;
  }
  const double more = std::max(0.0, each - batch);
  // The front end takes requests one after the other while the first are computed, and every one
  // of them costs the run its own work.
  const double admit = engine(EngineConstant::kAdmit) * pool_.replicas;
  const double opening = std::max(filling, batch * admit);
  const double whole = filling + more / mean.rate + drain + each * admit;
  const double steady = more / each;
  // A mean over requests counts short answers as much as long ones, and short ones live while
  // others are let in.
  const bool by_request = load_.varied && !load_.mean_gap;
  const double stall = by_request ? constants_[Constant::kStall] : 1.0;
  const double turnover = by_request ? constants_[Constant::kTurnover] : 1.0;
  PlainFigures figures{.batch = batch, .step = mean.step, .decode_step = mean.decode};
  figures.tpot = steady * (mean.decode + turnover * (mean.step - mean.decode)) +
                 (1 - steady) * weighted / weight +
                 (1 - 0.5 * steady) * 0.5 * filling / output_ * stall;
  figures.ttft = (batch * (0.5 * opening * (1 + 1 / batch) + 0.5 * mean.decode) +
                  more * (opening + 0.5 * more / mean.rate + mean.step)) /
                     each +
                 engine(EngineConstant::kFront);
  figures.latency = figures.ttft + output_ * figures.tpot;
  return scaled(figures, each / whole);
}

// Mean wait for a slot where requests arrive faster than they can be served for a while: none do
// until the slots are full, then the queue grows. Answers of varied length begin to end at once,
// equal ones only after a whole life.
double Evaluation::overload(double rate, double arriving, double capacity) const {
  if (rate <= capacity) return 0;
  const double life = pool_.slots / capacity;
  const double full = load_.varied ? -life * std::log1p(-capacity / rate) : pool_.slots / rate;
  if (full >= arriving) return 0;
  const double queue = (rate - capacity) * (arriving - full) / capacity;
  return 0.5 * queue * (arriving - full) / arriving;
}

PlainFigures Evaluation::open_loop() const {
  constexpr double kAllAtOnce = 900;
  constexpr double kUsualPrompts = 500;
  const double prompts = load_.prompts > 0 ? load_.prompts : kUsualPrompts;
  const bool endless = load_.prompts < 0;
  if (rate_ <= 0 || (rate_ >= kAllAtOnce && !endless)) return burst(prompts);
  const double each = endless ? 1e9 : prompts / pool_.replicas;
  const double rate = rate_ / pool_.replicas;
  const double arriving = each / rate;
  // The prompts that a running sequence sees are those that arrive, however few run.
  double sequences = 2, step = decode_step(1, context_);
  Mean mean;
  for (int round = 0; round < 12; ++round) {
    // One that arrives finds the mean of the others running beside itself.
    const double some = std::min(1 + sequences, pool_.slots);
    mean = mean_step(some, std::min(some / output_, rate * step) * fresh_);
    step = mean.step;
    const double life = output_ * mean.step;
    const double peak = std::min(rate * std::min(life, arriving), each);
    const double next = std::min(peak * (1 - 0.35 * std::min(life / arriving, 1.0)), pool_.slots);
    sequences = 0.5 * sequences + 0.5 * std::max(next, 0.5);
  }
  const double running = std::min(1 + sequences, pool_.slots);
  mean = mean_step(running, std::min(running / output_, rate * step) * fresh_);
  const double own = own_prefill(running - 1);
  const double busy = std::min(rate * own_prefill(0), 0.95);
  const Mean full = mean_step(pool_.slots);
  const double capacity = mean.starved ? mean.rate : full.rate;
  double waiting = constants_[Constant::kQueue] * busy / (2 * (1 - busy)) * own +
                   met_ * mean.step * std::min(sequences, 1.0);
  waiting += overload(rate, arriving, capacity);
  const double last = output_ * (load_.varied ? constants_[Constant::kTail] : 1.0) *
                      decode_step(std::max(running / 3, 1.0), context_);
  PlainFigures figures{.batch = sequences, .step = mean.step, .decode_step = mean.decode};
  figures.waiting = waiting;
  figures.ttft = own + waiting + engine(EngineConstant::kFront);
  figures.tpot = mean.step;
  figures.latency = figures.ttft + (output_ - 1) * mean.step;
  return scaled(figures, endless ? std::min(rate, capacity)
                                 : each / (std::max(arriving, each / capacity) + last));
}

// Texts that are read once: those that come during a step are the next one, up to as many as it
// takes. What comes to an idle replica is read at once and alone.
PlainFigures Evaluation::one_pass(double rate) const {
  const double most = std::clamp(std::floor(chunk_ / fresh_), 1.0, pool_.slots);
  const auto reading = [&](double texts) { return prefill_time(texts * fresh_); };
  const double alone = reading(1), capacity = most / reading(most);
  const double full = std::min(rate / capacity, 0.99);
  // Steps grow as they do between one text and what an arrival is read with.
  const auto queue_up_to = [&](double texts) {
    const double each_more = (reading(texts) - alone) / (texts - 1);
    return BulkQueue(rate, std::max(0.0, alone - each_more), each_more);
  };
  double together = 2;
  BulkQueue queue = queue_up_to(together);
  for (int round = 0; round < 12; ++round) {
    together = 0.5 * (together + std::clamp(1 + rate * queue.met, 2.0, std::max(2.0, most)));
    queue = queue_up_to(together);
  }
  double own = alone, waiting = 0;
  if (most > 1) {
    own += queue.busy * (reading(std::min(1 + rate * queue.met, most)) - alone);
    waiting = 0.5 * queue.busy * std::min(queue.met, reading(most));
  } else {
    waiting = 0.5 * full * alone;
  }
  // What does not get into the next step waits for others, as in M/D/1 where a step takes one.
  waiting += std::pow(full, most + 1) / (2 * (1 - full)) / capacity;
  const double each = load_.prompts > 0 ? load_.prompts / pool_.replicas : 1e9;
  waiting += overload(rate, each / rate, capacity);
  const double step = reading(std::min(queue.batch, most));
  PlainFigures figures{.batch = rate * own, .step = step, .decode_step = step};
  figures.waiting = waiting;
  figures.ttft = own + waiting + engine(EngineConstant::kFront);
  figures.latency = figures.ttft;
  return scaled(figures, std::min(rate, capacity));
}

// Users who each wait for their text and send the next one: an arrival meets all others, as it
// would in a stream in which so many are there on average.
PlainFigures Evaluation::one_pass_loop() const {
  const double users = std::max(1.0, load_.concurrency / pool_.replicas);
  const double most = std::clamp(std::floor(chunk_ / fresh_), 1.0, pool_.slots);
  const double capacity = most / prefill_time(most * fresh_);
  constexpr double kFullest = 0.98;
  const auto met = [&](double rate) { return rate * one_pass(rate).latency; };
  double low = 1e-6 * capacity, high = kFullest * capacity;
  const bool is_full = met(high) <= users - 1;
  for (int round = 0; round < 40 && !is_full; ++round) {
    const double middle = 0.5 * (low + high);
    (met(middle) < users - 1 ? low : high) = middle;
  }
  PlainFigures figures = one_pass(is_full ? high : low);
  const double rate = std::min(capacity, users / figures.latency);
  const double longer = users / rate - figures.latency;
  figures.waiting += longer;
  figures.ttft += longer;
  figures.latency += longer;
  figures.batch = std::min(users, most);
  return scaled(figures, rate);
}

// One prompt through the pool of prompts, and how many of them come through it.
Evaluation::PrefillSpeed Evaluation::prefill_speed(const Pool& prefill) const {
  const Evaluation first(prefill, load_, constants_);
  const double tokens = std::max(fresh_, first.chunk_);
  return {first.prefill_time(fresh_), prefill.replicas * (tokens / fresh_) /
                                          first.prefill_time(tokens) *
                                          constants_[Constant::kSplitRate]};
}

double Evaluation::moving() const {
  return input_ * pool_.kv_per_token.base() * constants_[Constant::kTransfer] * 1e-9;
}

PlainFigures Evaluation::split(const Pool& prefill, double users) const {
  const auto [own, prompt_rate] = prefill_speed(prefill);
  const double slots = std::max(1.0, pool_.slots);
  users = std::max(users, 1.0);
  double each = std::min(users / pool_.replicas, slots), step = 0, rate = 0, queue = 0, wait = 0;
  for (int round = 0; round < 8; ++round) {
    step = decode_step(std::clamp(each, 1.0, slots), context_);
    rate = std::min(users / (own + output_ * step), prompt_rate);
    wait = std::max(users / rate - output_ * step - own, 0.0);
    const double busy = rate / prompt_rate;
    queue = busy < 0.97 ? constants_[Constant::kQueue] * busy / (2 * (1 - busy)) * own : 0.0;
    each = 0.5 * each + 0.5 * std::min(rate * output_ * step, users) / pool_.replicas;
  }
  const double opening = load_.opening >= 0 ? load_.opening : constants_[Constant::kOpening];
  double ttft =
      own + queue + wait + moving() + 2 * engine(EngineConstant::kFront) +
      opening * (0.5 * std::max(users / prompt_rate - own, 0.0) + constants_[Constant::kCold]);
  rate = std::min(rate, users / (ttft + output_ * step));
  const double late = streamed(output_);
  PlainFigures figures{.batch = each, .step = step, .decode_step = step};
  figures.waiting = ttft - own;
  figures.ttft = ttft + late * step;
  figures.tpot = step * (output_ - 1 - late) / std::max(output_ - 1, 1.0);
  figures.latency = ttft + (output_ - 1) * step;
  figures.request_rate = rate;
  figures.output_rate = rate * output_;
  return figures;
}

// Random arrivals queue for as many servers of prompts as there are (M/D/c, after Sakasegawa); what
// comes out of them decodes.
PlainFigures Evaluation::split_at_rate(const Pool& prefill) const {
  const auto [own, prompt_rate] = prefill_speed(prefill);
  const double slots = std::max(1.0, pool_.slots);
  const double decoded = slots * pool_.replicas / (output_ * decode_step(slots, context_));
  const double capacity = std::min(prompt_rate, decoded);
  const double rate = std::min(rate_, capacity);
  double each = 1, step = 0;
  for (int round = 0; round < 40; ++round) {
    step = decode_step(std::clamp(each, 1.0, slots), context_);
    each = 0.5 * each + 0.5 * std::min(slots, rate * output_ * step / pool_.replicas);
  }
  const double servers = std::max(1.0, prefill.replicas);
  const double busy = std::min(rate_ / prompt_rate, 0.99);
  const double arriving = (load_.prompts > 0 ? load_.prompts : 1e9) / rate_;
  PlainFigures figures{.tpot = step, .batch = each, .step = step, .decode_step = step};
  figures.waiting =
      std::pow(busy, std::sqrt(2 * (servers + 1)) - 1) / (2 * servers * (1 - busy)) * own +
      overload(rate_, arriving, capacity);
  figures.ttft = own + figures.waiting + moving() + 2 * engine(EngineConstant::kFront);
  figures.latency = figures.ttft + (output_ - 1) * step;
  figures.request_rate = rate;
  figures.output_rate = rate * output_;
  return figures;
}

// Nobody joins a batch that runs, and it lasts as long as its longest answer. Requests that arrive
// in the meantime are the next batch, so that it grows until it is as long as it takes them to
// come; those beyond the slots wait for a batch more.
PlainFigures Evaluation::whole_batches() const {
  const auto lasting = [&](double batch) {
    const double longest = longest_of(batch);
    return prefill_time(batch * fresh_) +
           (longest - 1) * decode_step(batch, input_ + 0.5 * longest);
  };
  const double full = pool_.slots / lasting(pool_.slots);
  const double rate = rate_ / pool_.replicas;
  double batch = pool_.slots, wait = 0;
  if (load_.kind == LoadKind::kClosedLoop) {
    const double users = std::max(1.0, load_.concurrency / pool_.replicas);
    batch = std::min(users, pool_.slots);
    wait = (users - batch) / full;
  } else if (load_.kind == LoadKind::kOpenLoop && rate > 0) {
    batch = 1;
    for (int round = 0; round < 40; ++round)
      batch = 0.5 * batch + 0.5 * std::clamp(rate * lasting(batch), 1.0, pool_.slots);
    const double busy = std::min(1.0, rate * lasting(batch) / batch);
    const double each = load_.prompts > 0 ? load_.prompts / pool_.replicas : 1e9;
    wait = 0.5 * busy * lasting(batch) + overload(rate, each / rate, full);
  }
  const double step = decode_step(batch, context_);
  PlainFigures figures{.tpot = step, .batch = batch, .step = step, .decode_step = step};
  figures.waiting = wait;
  figures.ttft = wait + prefill_time(batch * fresh_) + engine(EngineConstant::kFront);
  // All answers of a batch come back when the last of them is written.
  figures.latency = wait + lasting(batch) + engine(EngineConstant::kFront);
  const bool open = load_.kind == LoadKind::kOpenLoop && rate > 0;
  return scaled(figures, open ? std::min(rate, full) : batch / lasting(batch));
}

PlainFigures Evaluation::prefill_only() const {
  constexpr double kUsualTokens = 16384;
  const double tokens = load_.concurrency >= 2000 ? load_.concurrency : kUsualTokens;
  const double step = seconds({.prompt_tokens = tokens,
                               .chunk = std::min(fresh_, tokens),
                               .past = input_ - fresh_,
                               .finishing = tokens / fresh_});
  PlainFigures figures{.ttft = step, .step = step};
  // What the prefix cache holds is read as well, and costs no step.
  figures.request_rate = tokens / fresh_ / step * pool_.replicas;
  figures.output_rate = figures.request_rate * input_;
  return figures;
}

PlainFigures Evaluation::decode_only() const {
  const double step = decode_step(std::max(1.0, load_.concurrency), context_);
  PlainFigures figures{.tpot = step, .batch = load_.concurrency, .step = step, .decode_step = step};
  figures.latency = output_ * step;
  return scaled(figures, std::max(1.0, load_.concurrency) / (step * output_));
}

PlainFigures evaluate(const Pool& pool, const Load& load, const Constants& constants) {
  const Evaluation evaluation(pool, load, constants);
  const Pool& prompts = pool.prompts != nullptr ? *pool.prompts : pool;
  if (pool.prompts != nullptr && load.kind == LoadKind::kOffline)
    return evaluation.split(prompts, pool.slots * pool.replicas);
  if (pool.prompts != nullptr && load.kind == LoadKind::kClosedLoop)
    return evaluation.split(prompts, load.concurrency);
  if (pool.prompts != nullptr && load.kind == LoadKind::kOpenLoop && load.rate > Hertz())
    return evaluation.split_at_rate(prompts);
  const bool loop = load.kind == LoadKind::kOffline || load.kind == LoadKind::kClosedLoop ||
                    load.kind == LoadKind::kOpenLoop;
  if (loop && pool.step->deployment().engine->whole_batches) return evaluation.whole_batches();
  const bool writes = pool.step->deployment().model->generates();
  if (!writes && load.kind == LoadKind::kOpenLoop && load.rate > Hertz())
    return evaluation.one_pass(load.rate.base() / pool.replicas);
  if (!writes && load.kind == LoadKind::kClosedLoop) return evaluation.one_pass_loop();
  switch (load.kind) {
    case LoadKind::kOffline:
      return evaluation.offline();
    case LoadKind::kStatic:
      return evaluation.fixed_batch();
    case LoadKind::kClosedLoop:
      return evaluation.closed_loop();
    case LoadKind::kOpenLoop:
      return evaluation.open_loop();
    case LoadKind::kBurst:
      return evaluation.burst(load.concurrency);
    case LoadKind::kSplit:
      return evaluation.split(prompts, load.concurrency);
    case LoadKind::kPrefillOnly:
      return evaluation.prefill_only();
    case LoadKind::kDecodeOnly:
      return evaluation.decode_only();
  }
  return {};
}

}  // namespace

std::string_view name(LoadKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

LoadFigures closed_form(const Pool& pool, const Load& load, const Constants& constants) {
  return with_units(evaluate(pool, load, constants));
}

}  // namespace loadfactor::serving
