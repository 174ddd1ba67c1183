"""Pages, their truth, and the two scores.

`extract/scrapinghub`: multisets of 4-grams of words, mean precision and recall over pages, F1 of the means.
`extract/wcxb`: multisets of lower-cased words, mean F1 over pages.
"""

import gzip
import json
import re
from collections import Counter

import numpy as np

WORD = re.compile(r"\w+")


def load_rows(path):
    data = open(path, "rb").read()
    pages, at = [], 0
    while at < len(data):
        blocks, width = np.frombuffer(data, "<u4", 2, at)
        at += 8
        count = int(blocks) * int(width)
        pages.append(np.frombuffer(data, "<i2", count, at).reshape(int(blocks), int(width)))
        at += 2 * count
    return pages


def load(rows_prefix, truth_folder, name):
    """All pages of a set: dicts with rows, blocks, truth, url, kind."""
    truth = {}
    if name == "scrapinghub":
        for key, value in json.load(gzip.open(f"{truth_folder}/ground-truth.json.gz")).items():
            truth[f"{key}.html.gz"] = (value["articleBody"], value["url"], "article")
    else:
        for line in gzip.open(f"{truth_folder}/truth.jsonl.gz"):
            record = json.loads(line)
            truth[record["file"]] = (record["main_content"], record["url"], record["page_type"])
    pages = []
    for rows, page in zip(load_rows(f"{rows_prefix}.rows"), json.load(open(f"{rows_prefix}.json"))):
        text, url, kind = truth[page["name"]]
        pages.append(dict(set=name, rows=rows, blocks=page["blocks"], paths=page["paths"], truth=text, url=url, kind=kind, name=page["name"]))
    return pages


def grams(text, n=4):
    words = WORD.findall(text)
    return Counter(tuple(words[at : at + n]) for at in range(max(1, len(words) - n + 1)))


def article_score(truth, found):
    truth, found = grams(truth), grams(found)
    common = sum((truth & found).values())
    extra, missing = sum(found.values()) - common, sum(truth.values()) - common
    precision = 1.0 if extra == missing == 0 else common / (common + extra) if common + extra else 0.0
    recall = 1.0 if extra == missing == 0 else common / (common + missing) if common + missing else 0.0
    return precision, recall


def word_score(truth, found):
    truth, found = Counter(WORD.findall(truth.lower())), Counter(WORD.findall(found.lower()))
    common = sum((truth & found).values())
    if not truth and not found:
        return 1.0
    return 2 * common / (sum(truth.values()) + sum(found.values()))


def summary(pages, texts):
    """F1 on scrapinghub, F1 on wcxb, F1 on wcxb by kind."""
    pairs = [article_score(page["truth"], text) for page, text in zip(pages, texts) if page["set"] == "scrapinghub"]
    out = {}
    if pairs:
        precision, recall = np.mean(pairs, axis=0)
        out["scrapinghub"] = 2 * precision * recall / (precision + recall)
        out["P"], out["R"] = precision, recall
    by_kind = {}
    for page, text in zip(pages, texts):
        if page["set"] == "wcxb":
            by_kind.setdefault(page["kind"], []).append(word_score(page["truth"], text))
    if by_kind:
        out["wcxb"] = np.mean([score for scores in by_kind.values() for score in scores])
        out.update({kind: np.mean(scores) for kind, scores in sorted(by_kind.items())})
    return {key: round(float(value), 4) for key, value in out.items()}
