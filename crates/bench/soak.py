#!/usr/bin/env python3
"""Does a server under load stay as it is? Clients add, check, look up, remove and send batches for a time; then every
answer must have been one of those expected, the server's counters must be those of the clients, its memory steady and its
index whole.

    soak.py ONEFOLD FOLDER [SECONDS] [CLIENTS]        an hour and four clients, if nothing is said
"""

import collections
import http.client
import json
import multiprocessing
import os
import random
import subprocess
import sys
import time

WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ["n", "ra", "st", "lo", "ming"]]


def page(number):
    """A text of about 3 kB. One in four is a near copy of the one before it."""
    base = number - 1 if number % 4 == 3 else number
    made = random.Random(base)
    words = made.choices(WORDS, k=550)
    if base != number:
        words[random.Random(number).randrange(550)] = f"changed{number}"
    return " ".join(words)


def client(which, address, until, results):
    counts, wrong = collections.Counter(), []
    chance = random.Random(which)
    connection = http.client.HTTPConnection(address, timeout=60)
    own = 0

    def ask(method, path, body=None, kind="application/json"):
        connection.request(method, path, body, {"Content-Type": kind})
        reply = connection.getresponse()
        return reply.status, reply.read()

    def expect(found, *expected):
        if found not in expected and len(wrong) < 20:
            wrong.append(f"{found}, expected {expected}")

    while time.time() < until:
        choice, number = chance.random(), which * 100_000_000 + own
        if choice < 0.35 or own < 10:
            status, body = ask("POST", "/v1/documents", json.dumps({"id": f"d{number}", "text": page(number)}))
            expect(status, 200)
            verdict = json.loads(body)["verdict"]
            # Its base may have been removed.
            expect(verdict, *(["near", "new"] if number % 4 == 3 else ["new"]))
            counts["documents"] += 1
            counts[verdict] += 1
            own += 1
        elif choice < 0.75:
            number = which * 100_000_000 + chance.randrange(own)
            status, body = ask("POST", "/v1/check", json.dumps({"text": page(number)}))
            expect(status, 200)
            counts["check"] += 1
        elif choice < 0.9:
            number = which * 100_000_000 + chance.randrange(own)
            expect(ask("GET", f"/v1/documents/d{number}")[0], 200, 404)
            counts["document"] += 1
        elif choice < 0.98:
            number = which * 100_000_000 + chance.randrange(own)
            status, body = ask("DELETE", f"/v1/documents/d{number}")
            expect(status, 200, 404)
            counts["document"] += 1
            counts["removed"] += json.loads(body).get("removed", 0)
        else:
            lines = [json.dumps({"id": f"d{which * 100_000_000 + own + n}",
                                 "text": page(which * 100_000_000 + own + n)}) for n in range(50)]
            status, body = ask("POST", "/v1/documents:batch", "\n".join(lines), "application/x-ndjson")
            expect(status, 200)
            answers = [json.loads(line) for line in body.splitlines()]
            expect(len(answers), 50)
            counts["batch"] += 1
            for answer in answers:
                counts[answer.get("verdict", "failed")] += 1
            own += 50
    results.put((counts, wrong))


def metrics(address):
    connection = http.client.HTTPConnection(address, timeout=60)
    connection.request("GET", "/metrics")
    values = {}
    for line in connection.getresponse().read().decode().splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            values[name] = float(value)
    return values


def main():
    onefold, folder = sys.argv[1:3]
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 3600
    clients = int(sys.argv[4]) if len(sys.argv) > 4 else 4
    os.makedirs(folder, exist_ok=True)
    index, log = os.path.join(folder, "index"), os.path.join(folder, "log")
    subprocess.run([onefold, "index", "create", index, "--head", "20000"], check=True)
    with open(log, "wb") as out:
        server = subprocess.Popen([onefold, "serve", "--index", index, "--listen", "127.0.0.1:0"], stderr=out)
    address = None
    for _ in range(100):
        with open(log) as lines:
            first = lines.readline()
        if first.endswith("\n"):
            address = json.loads(first)["address"]
            break
        time.sleep(0.1)
    until, results = time.time() + seconds, multiprocessing.Queue()
    tasks = [multiprocessing.Process(target=client, args=(n, address, until, results)) for n in range(clients)]
    for task in tasks:
        task.start()
    print("seconds\tdocuments\tmemory MiB\tkeys MiB\tstore MiB")
    samples, started = [], time.time()
    while time.time() < until:
        time.sleep(min(max(seconds / 20, 1), max(until - time.time(), 0.1)))
        now = metrics(address)
        samples.append((now["process_resident_memory_bytes"], now["onefold_index_memory_bytes"]))
        row = ["process_resident_memory_bytes", "onefold_index_memory_bytes", "onefold_index_store_bytes"]
        print(int(time.time() - started), int(now["onefold_index_documents"]),
              *(round(now[name] / 2**20, 1) for name in row), sep="\t", flush=True)
    counts, wrong = collections.Counter(), []
    for _ in tasks:
        found, problems = results.get()
        counts.update(found)
        wrong += problems
    for task in tasks:
        task.join()
    end = metrics(address)
    for name, route in [("documents", "/v1/documents"), ("check", "/v1/check"), ("batch", "/v1/documents:batch"),
                        ("document", "/v1/documents/{id}")]:
        told = sum(value for key, value in end.items()
                   if key.startswith(f'onefold_http_requests_total{{route="{route}"'))
        if told != counts[name]:
            wrong.append(f"{route}: the server counted {told}, the clients {counts[name]}")
    for verdict in ["new", "exact", "near"]:
        told = end[f'onefold_verdicts_total{{verdict="{verdict}"}}']
        if told != counts[verdict]:
            wrong.append(f"{verdict}: the server counted {told}, the clients {counts[verdict]}")
    there = counts["new"] + counts["near"] + counts["exact"] - counts["removed"]
    if end["onefold_index_documents"] != there:
        wrong.append(f"documents: {end['onefold_index_documents']} stored, expected {there}")
    server.terminate()
    if server.wait(60) != 0:
        wrong.append("the server did not end in order")
    failed = sum(1 for line in open(log) if '"level":"error"' in line)
    if failed:
        wrong.append(f"{failed} errors in the log")
    verified = subprocess.run([onefold, "index", "verify", index], capture_output=True, text=True)
    if verified.returncode != 0:
        wrong.append(verified.stdout)
    print(dict(counts), f"requests a second: {sum(counts[n] for n in ['documents', 'check', 'batch', 'document']) / seconds:.0f}")
    print(verified.stdout.strip())
    for each in wrong[:20]:
        print("WRONG:", each)
    sys.exit(bool(wrong))


main()
