"""Pages of one content in two frames, from the scrapinghub articles: `frames.py DATA/extract/scrapinghub OUT`.

Each article is put into the page of the next site: the paragraphs that hold that page's own article give way to it, the rest
of the page, its frame, stays as it was fetched. Writes OUT/own and OUT/moved with a page each, and OUT/truth.tsv with the
pairs of one content. Pages of one frame, own and moved, are the pairs to be told apart.
"""

import gzip
import html
import json
import pathlib
import re
import sys

PARAGRAPH = re.compile(r"<p\b[^>]*>.*?</p\s*>", re.S | re.I)
TAG = re.compile(r"<[^>]*>")
LEAST_SHARE = 0.6


def words(text):
    return re.findall(r"\w+", text.lower())


def moved(page, own, other):
    """The page with the article `other` in place of its own, or None where that is not found in its paragraphs."""
    known = set(zip(*[words(own)[start:] for start in range(4)]))
    places, covered = [], set()
    for match in PARAGRAPH.finditer(page):
        found = words(html.unescape(TAG.sub(" ", match.group())))
        runs = set(zip(*[found[start:] for start in range(4)])) or {tuple(found)}
        if found and len(runs & known) >= 0.8 * len(runs):
            places.append(match.span())
            covered |= runs & known
    if not places or len(covered) < LEAST_SHARE * len(known):
        return None
    paragraphs = "".join(f"<p>{html.escape(part)}</p>\n" for part in other.split("\n") if part.strip())
    pieces, at = [], 0
    for number, (start, end) in enumerate(places):
        pieces += [page[at:start], paragraphs if number == 0 else ""]
        at = end
    return "".join(pieces + [page[at:]])


def main(data, out):
    data, out = pathlib.Path(data), pathlib.Path(out)
    truth = json.loads(gzip.open(data / "ground-truth.json.gz").read())
    ids = sorted(truth)
    read = lambda name: gzip.open(data / "html" / f"{name}.html.gz").read().decode("utf-8", "replace")
    for folder in ("own", "moved"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    pairs = []
    for index, name in enumerate(ids):
        frame = ids[(index + 1) % len(ids)]
        page = moved(read(frame), truth[frame]["articleBody"], truth[name]["articleBody"])
        (out / "own" / f"{name}.html").write_text(read(name))
        if page is not None:
            (out / "moved" / f"{name}.html").write_text(page)
            pairs.append(f"{out.name}/own/{name}.html#0\t{out.name}/moved/{name}.html#0\n")
    (out.parent / f"{out.name}.tsv").write_text("id_a\tid_b\n" + "".join(pairs))
    print(len(pairs), "pairs of", len(ids), "articles")


main(*sys.argv[1:])
