"""Learns the model of `src/content/model.bin` from pages with known content.

    cargo run --release -p onefold-page --example content_rows -- DATA/extract/scrapinghub/html rows/scrapinghub
    cargo run --release -p onefold-page --example content_rows -- DATA/extract/wcxb/html rows/wcxb
    python train.py rows DATA/extract check        # each quarter of the sites scored by a model of the other three
    python train.py rows DATA/extract halves       # learned on half of the sites, scored on both halves
    python train.py rows DATA/extract model.bin    # learned on all

Needs numpy, lightgbm 4 and rapidfuzz. Sites never stand on both sides of a check.
"""

import hashlib
import math
import re
import struct
import sys

import lightgbm
import numpy as np

import choice
import pages as sets
from labels import labels

PARAMETERS = dict(
    objective="binary", learning_rate=0.08, num_leaves=14, min_data_in_leaf=100, feature_fraction=0.15,
    bagging_fraction=0.6, bagging_freq=1, lambda_l2=15, max_bin=63, seed=1, deterministic=True,
    force_col_wise=True, num_threads=2, verbose=-1,
)
TREES = 200


def site(url):
    labels_of_host = [""] + re.sub(r"^\w+://", "", url).split("/")[0].lower().split(".")
    return ".".join(labels_of_host[-3:] if len(labels_of_host[-2]) <= 3 else labels_of_host[-2:])


def load(rows, data):
    pages = []
    for name in ("scrapinghub", "wcxb"):
        pages += sets.load(f"{rows}/{name}", f"{data}/{name}", name)
    for page in pages:
        found = labels(page) or [(0.0, 0)]
        page["label"] = np.array([share for share, _ in found]) >= 0.5
        page["words"] = np.array([words for _, words in found])
        page["part"] = int(hashlib.md5(site(page["url"]).encode()).hexdigest(), 16) % 4
    return pages


def weights(page):
    """A block weighs what its words weigh in the page's score."""
    content = page["words"][page["label"]].sum()
    return (page["words"] + 2) / (content + 0.15 * page["words"].sum() + 50)


def learn(pages):
    pages = [page for page in pages if len(page["rows"]) and page["truth"].strip()]
    rows = np.concatenate([page["rows"] for page in pages]).astype(np.float32)
    wanted = np.concatenate([page["label"] for page in pages]).astype(int)
    weight = np.concatenate([weights(page) for page in pages])
    return lightgbm.train(PARAMETERS, lightgbm.Dataset(rows, wanted, weight=weight / weight.mean()), TREES)


def texts(model, pages):
    def likelihood(page):
        return model.predict(page["rows"].astype(np.float32)) if len(page["rows"]) else np.zeros(0)

    return [choice.text(page, likelihood(page)) for page in pages]


def write(model, path):
    trees = model.dump_model()["tree_info"]
    out = [b"ofcm", struct.pack("<hhh", 1, model.num_feature(), len(trees))]
    for tree in trees:
        nodes, leaves = [], []

        def number(node):
            if "leaf_value" in node:
                leaves.append(max(-32768, min(32767, round(node["leaf_value"] * 2048))))
                return -len(leaves)
            at = len(nodes)
            nodes.append(None)
            threshold = max(-32768, min(32767, math.floor(node["threshold"])))
            nodes[at] = [node["split_feature"], threshold]
            nodes[at] += [number(node["left_child"]), number(node["right_child"])]
            return at

        number(tree["tree_structure"])
        out.append(struct.pack("<h", len(nodes)))
        out += [struct.pack("<hhhh", *node) for node in nodes]
        out.append(struct.pack(f"<{len(leaves)}h", *leaves))
    open(path, "wb").write(b"".join(out))


def main():
    rows, data, task = sys.argv[1:4]
    pages = load(rows, data)
    if task == "check":
        found = {}
        for part in range(4):
            model = learn([page for page in pages if page["part"] != part])
            held = [page for page in pages if page["part"] == part]
            found.update({(page["set"], page["name"]): text for page, text in zip(held, texts(model, held))})
        print(sets.summary(pages, [found[page["set"], page["name"]] for page in pages]))
    elif task == "halves":
        halves = [[page for page in pages if page["part"] % 2 == half] for half in (0, 1)]
        model = learn(halves[0])
        for name, half in zip(("learned", "unseen"), halves):
            print(name, len(half), sets.summary(half, texts(model, half)))
    else:
        model = learn(pages)
        write(model, task)
        print("learned", len(pages), sets.summary(pages, texts(model, pages)))


main()
