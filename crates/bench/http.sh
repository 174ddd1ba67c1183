#!/usr/bin/env bash
# How many checks by ready fingerprint does `onefold serve` answer a second, beside redis-server's GET at the same
# concurrency, without pipelining, in the same run? Needs wrk and redis-server (Debian).
# Usage: http.sh FOLDER [DOCUMENTS] [SECONDS] [CONNECTIONS] [ROUNDS]
set -euo pipefail
folder=$1 documents=${2:-1000000} seconds=${3:-10} connections=${4:-50} rounds=${5:-3}
root=$(cd "$(dirname "$0")/../.." && pwd)
cargo build --release --quiet --manifest-path "$root/Cargo.toml" -p onefold-cli
onefold=${CARGO_TARGET_DIR:-$root/target}/release/onefold
mkdir -p "$folder"
server= redis=
finish() { for pid in $server $redis; do kill "$pid" 2>/dev/null || true; done; wait; }
trap finish EXIT

[ -d "$folder/index" ] && fresh= || fresh=1
[ "$fresh" ] && "$onefold" index create "$folder/index" --distance 3 --documents "$documents"
"$onefold" serve --index "$folder/index" --listen 127.0.0.1:0 2> "$folder/log" & server=$!
for _ in $(seq 100); do grep -q listening "$folder/log" && break; sleep 0.1; done
url=$(grep -o '"url":"[^"]*' "$folder/log" | cut -d'"' -f4)

# Made fingerprints, by a rule that the queries know too.
python3 - "$url" "$documents" "${fresh:-}" "$folder/bodies.lua" <<'P'
import http.client, random, sys, urllib.parse
url, documents, fresh, bodies = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
made = random.Random(1)
fingerprints = [made.getrandbits(64) for _ in range(documents)]
if fresh:
    connection = http.client.HTTPConnection(urllib.parse.urlparse(url).netloc)
    for start in range(0, documents, 10_000):
        lines = ''.join(f'{{"id":"{n}","fingerprint":"{bits:016x}"}}\n'
                        for n, bits in enumerate(fingerprints[start:start + 10_000], start))
        connection.request('POST', '/v1/documents:batch', lines)
        answers = connection.getresponse().read()
        assert answers.count(b'"verdict"') == lines.count('\n'), answers[:300]
# Half of the queries are within three bits of a document, half are of none.
asked = random.Random(2)
with open(bodies, 'w') as out:
    out.write('local bodies = {\n')
    for n in range(20_000):
        bits = asked.getrandbits(64)
        if n % 2:
            bits = asked.choice(fingerprints)
            for _ in range(asked.randrange(4)):
                bits ^= 1 << asked.randrange(64)
        out.write(f"'{{\"fingerprint\":\"{bits:016x}\"}}',\n")
    out.write('}\n')
    out.write('''wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local requests, at = {}, 0
function init() for n, body in ipairs(bodies) do requests[n] = wrk.format(nil, "/v1/check", nil, body) end end
function request() at = at % #requests + 1; return requests[at] end
function done(summary, latency)
  local failed = summary.errors
  print(string.format("RESULT %.0f %.3f %.3f %d", summary.requests / summary.duration * 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, failed.connect + failed.read + failed.write + failed.status + failed.timeout))
end
''')
P

redis-server --port 7399 --bind 127.0.0.1 --save '' --appendonly no --daemonize no > "$folder/redis.log" & redis=$!
sleep 1
bench() { redis-benchmark -p 7399 -c "$connections" -r "$documents" -d 40 --csv "$@"; }
bench -n "$documents" -P 50 -t set > /dev/null
printf 'round\tredis GET/s\tp50 ms\tp99 ms\tonefold check/s\tp50 ms\tp99 ms\tfailed\tratio\n'
for round in $(seq "$rounds"); do
  # As many requests as take about as long.
  rate=$(bench -n 100000 -t get | tail -1 | tr -d '"' | cut -d, -f2 | cut -d. -f1)
  theirs=$(bench -n $((rate * seconds)) -t get | tail -1 | tr -d '"')
  ours=$(wrk -t1 -c"$connections" -d"$seconds"s -s "$folder/bodies.lua" "$url" | grep '^RESULT')
  awk -v round="$round" -v theirs="$theirs" -v ours="$ours" 'BEGIN {
    split(theirs, r, ","); split(ours, o, " ")
    printf "%d\t%.0f\t%s\t%s\t%d\t%s\t%s\t%d\t%.2f\n", round, r[2], r[5], r[7], o[2], o[3], o[4], o[5], o[2] / r[2] }'
done
