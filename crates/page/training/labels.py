"""Which blocks of a page are in its truth: the share of each block's words that the longest common subsequence of
page and truth takes, or of its 4-grams that the truth has."""

from rapidfuzz.distance import Indel

from pages import WORD


def labels(page):
    truth = WORD.findall(page["truth"].lower())
    words, owner = [], []
    per_block = []
    for index, block in enumerate(page["blocks"]):
        block_words = WORD.findall(block.lower())
        per_block.append(block_words)
        words.extend(block_words)
        owner.extend([index] * len(block_words))
    matched = [0] * len(page["blocks"])
    for op in Indel.opcodes(words, truth):
        if op.tag == "equal":
            for at in range(op.src_start, op.src_end):
                matched[owner[at]] += 1
    grams = {tuple(truth[at : at + 4]) for at in range(len(truth) - 3)}
    out = []
    seen = set()
    for block_words, count in zip(per_block, matched):
        share = count / len(block_words) if block_words else 0.0
        # Of a line that stands on the page twice the truth has one: the subsequence decides which.
        twice = tuple(block_words) in seen
        seen.add(tuple(block_words))
        if len(block_words) >= 6 and not twice:
            found = sum(tuple(block_words[at : at + 4]) in grams for at in range(len(block_words) - 3))
            share = max(share if found else 0.0, found / (len(block_words) - 3))
        out.append((share, len(block_words)))
    return out
