"""What should be advised of a simulated cluster, by its truth alone: the rules of docs/observe.md on
what the simulation knows, with the limits and the prices of the data folder."""
import csv
import datetime
import pathlib
import statistics

DATA = pathlib.Path(__file__).parent.parent.parent / 'data'
HOURS_OF_MONTH = 730
GPUS_OF_NODE = 8
MODELS = {'chat': 'llama-3.3-70b', 'code': 'qwen2.5-32b'}


def limits():
    with open(DATA / 'integrations/observe_thresholds.csv') as file:
        return {row['name']: float(row['value']) for row in csv.DictReader(file)}


def api_price(model, lengths, tokens):
    """USD of so many tokens, in and out, from whom `plan` would buy them: the middle one of the
    cheapest offers of all providers that take requests of these lengths."""
    today, cheapest = datetime.date.today().isoformat(), {}
    with open(DATA / 'prices/api.csv') as file:
        for row in csv.DictReader(file):
            prices = row['usd_per_mtok_in'], row['usd_per_mtok_out']
            is_retired = row['deprecated'] and row['deprecated'] <= today
            if row['model'] != model or not all(prices) or is_retired:
                continue
            if row['context'] and sum(lengths) > float(row['context']):
                continue
            cost = sum(each * float(price) for each, price in zip(tokens, prices)) / 1e6
            cheapest[row['provider']] = min(cost, cheapest.get(row['provider'], cost))
    return statistics.median_high(cheapest.values())


def of_services(truth, limit, price, full_rates, lengths, replicas):
    for name, model in MODELS.items():
        held = truth['facts']['held_hours'][f'prod/{name}']
        hours = (truth['end'] - truth['start']) / 3600
        gpus = held / hours
        needed = max(1, -(-truth['facts']['busiest_hour'][name] * replicas[name]
                          // limit['shrink_fullness']))
        if needed < replicas[name]:
            fewer = replicas[name] - needed
            yield ('shrink', f'prod/{name}', fewer,
                   gpus * price * HOURS_OF_MONTH * fewer / replicas[name])
        tokens = full_rates[name] * replicas[name] * truth['facts']['mean_load'][name] * hours * 3600
        parts = [tokens * part / sum(lengths[name]) for part in lengths[name]]
        elsewhere = api_price(model, lengths[name], parts)
        if elsewhere < limit['api_price_share'] * held * price:
            yield ('move-to-api', f'prod/{name}', replicas[name],
                   (held * price - elsewhere) * HOURS_OF_MONTH / hours)


def of_jobs(truth, limit, price):
    facts, hours = truth['facts'], (truth['end'] - truth['start']) / 3600
    spare = (truth['gpu_hours'] / hours - facts['most_held']) // GPUS_OF_NODE * GPUS_OF_NODE
    if spare >= 1:
        yield 'give-back', '', spare, spare * price * HOURS_OF_MONTH
    for name, share in facts['idle_share'].items():
        if not name.startswith('prod/') and share >= limit['reclaim_idle']:
            gpus = facts['held_hours'][name] / hours
            yield 'reclaim', name, gpus, gpus * price * HOURS_OF_MONTH
    yield ('mend-node', truth['straggler_node'], 1,
           (1 - truth['straggler_speed']) * truth['straggler_group'] * price * HOURS_OF_MONTH)


def can_share(truth, limit, host, guest):
    """Whether both never computed, in any hour, on more GPUs than the host could lend."""
    hours, held = truth['facts']['computing'], truth['facts']['held_hours']
    length = (truth['end'] - truth['start']) / 3600
    room = held[host] / length * limit['share_room']
    return all(hours[host].get(hour, 0) + hours[guest].get(hour, 0) <= room
               for hour in {*hours[host], *hours[guest]})


def differences(found, known, speed_cost):
    """Between rows of advice in an answer and those by the truth; money within 3 %, that of a slow
    GPU within what a hundredth of its speed costs."""
    told = {(row['kind'], row['whom']): row for row in found}
    wanted = {(kind, whom): (count, saves) for kind, whom, count, saves in known}
    faults = [f'advice {key} is missing' for key in wanted if key not in told]
    faults += [f'advice {key} is not of the truth' for key in told if key not in wanted]
    for key, (count, saves) in wanted.items():
        if key in told and abs(told[key]['count'] - count) > 0.01 * count:
            faults.append(f'{key}: {told[key]["count"]}, in truth {count}')
        within = max(0.03 * saves, 0.01 * speed_cost if key[0] == 'mend-node' else 0)
        if key in told and abs(told[key]['saves']['value'] - saves) > within:
            faults.append(f'{key} saves {told[key]["saves"]["value"]:.0f}, in truth {saves:.0f}')
    return faults


def true_advice(truth, price, full_rates, lengths, replicas):
    """(kind, whom, count, USD a month), by money. No requests of the simulation wait, so that no batch
    is too small; that no two of its jobs can share GPUs is checked here."""
    limit = limits()
    jobs = list(truth['facts']['computing'])
    assert not any(can_share(truth, limit, a, b) for a in jobs for b in jobs if a != b)
    rows = [*of_jobs(truth, limit, price),
            *of_services(truth, limit, price, full_rates, lengths, replicas)]
    return sorted(rows, key=lambda row: -row[3])
