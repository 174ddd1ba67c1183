"""The choice of blocks as `src/content/choice.rs` makes it, for scores during training."""

import numpy as np


def choose(likelihood, words):
    if not len(likelihood):
        return np.zeros(0, bool)
    order = np.argsort(-likelihood, kind="stable")
    taken = np.cumsum(words[order])
    right = np.cumsum(likelihood[order] * words[order])
    best = float(np.max(2 * right / (taken + right[-1] + 20)))
    return likelihood >= max(0.3, best / 2 + 0.3 * max(0.0, best - 0.6))


def pool(likelihood, words, paths):
    log_odds = np.clip(np.log(likelihood / (1 - likelihood)), -9.2, 9.2)
    weight = np.floor(np.sqrt(words + 1))
    _, group = np.unique(paths, return_inverse=True)
    mean = np.bincount(group, weight * log_odds) / np.bincount(group, weight)
    return 1 / (1 + np.exp(-(0.6 * log_odds + 0.4 * mean[group])))


def text(page, likelihood):
    if len(likelihood):
        likelihood = pool(likelihood, page["words"], page["paths"])
    keep = choose(likelihood, page["words"].astype(float))
    seen, lines = set(), []
    for block, words, kept in zip(page["blocks"], page["words"], keep):
        if kept and not (words >= 10 and block in seen):
            lines.append(block)
            seen.add(block)
    return "\n".join(lines)
