"""Python peers on word 5-grams of lower-cased text: peers.py MODE IN.jsonl OUT

rensa       R-MinHash sketches made in batches, each looked up in an LSH index and then added: idA idB estimate
rensa-rho   the package's fastest path, which samples shingles and only flags documents that have a partner: id
datasketch  MinHash sketches with a fast hash function, looked up and added in the same way: idA idB estimate
read        the input only, to show what Python itself costs

Same parameters everywhere: 128 values, 16 bands of 8 rows, pairs at an estimate of 0.8 or more.
"""

import sys

import orjson

VALUES, BANDS, THRESHOLD = 128, 16, 0.8
BATCH = 1000


def documents(path, as_bytes=False):
    """Ids and lists of 5-grams; a text shorter than that is one gram."""
    join = (b" " if as_bytes else " ").join
    with open(path, "rb") as lines:
        for line in lines:
            record = orjson.loads(line)
            text = record["text"].lower()
            words = (text.encode() if as_bytes else text).split()
            if len(words) < 5:
                yield record["id"], [join(words)]
            else:
                grams = zip(words, words[1:], words[2:], words[3:], words[4:])
                yield record["id"], list(map(join, grams))


def batches(path):
    ids, grams = [], []
    for identifier, document in documents(path):
        ids.append(identifier)
        grams.append(document)
        if len(ids) == BATCH:
            yield ids, grams
            ids, grams = [], []
    if ids:
        yield ids, grams


def rensa_pairs(source, out):
    from rensa import RMinHash, RMinHashLSH

    index = RMinHashLSH(threshold=THRESHOLD, num_perm=VALUES, num_bands=BANDS)
    names, sketches = [], []
    for ids, grams in batches(source):
        made = RMinHash.from_token_sets(grams, num_perm=VALUES, seed=42)
        for identifier, sketch in zip(ids, made):
            for earlier in index.query(sketch):
                estimate = sketches[earlier].jaccard(sketch)
                if estimate >= THRESHOLD:
                    out.write(f"{names[earlier]}\t{identifier}\t{estimate:.4f}\n")
            index.insert(len(names), sketch)
            names.append(identifier)
            sketches.append(sketch)


def rensa_flags(source, out):
    from rensa import RMinHash, RMinHashLSH

    names = []

    def grams():
        for identifier, document in documents(source):
            names.append(identifier)
            yield document

    index = RMinHashLSH(threshold=THRESHOLD, num_perm=VALUES, num_bands=BANDS)
    matrix = RMinHash.digest_matrix_from_token_sets_rho(grams(), num_perm=VALUES, seed=42)
    flags = index.query_duplicate_flags_matrix_one_shot(matrix)
    for identifier, flag in zip(names, flags):
        if flag:
            out.write(f"{identifier}\n")


def datasketch_pairs(source, out):
    import xxhash
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=THRESHOLD, num_perm=VALUES, params=(BANDS, VALUES // BANDS))
    names, sketches = [], []

    def grams():
        for identifier, document in documents(source, as_bytes=True):
            names.append(identifier)
            yield document

    for sketch in MinHash.generator(grams(), num_perm=VALUES, hashfunc=xxhash.xxh32_intdigest):
        identifier = names[-1]
        for earlier in index.query(sketch):
            estimate = sketches[earlier].jaccard(sketch)
            if estimate >= THRESHOLD:
                out.write(f"{names[earlier]}\t{identifier}\t{estimate:.4f}\n")
        index.insert(len(sketches), sketch, check_duplication=False)
        sketches.append(sketch)


def read(source, out):
    for _ in documents(source):
        pass


MODES = {"rensa": rensa_pairs, "rensa-rho": rensa_flags, "datasketch": datasketch_pairs, "read": read}

if __name__ == "__main__":
    mode, source, target = sys.argv[1:]
    with open(target, "w", encoding="utf-8") as output:
        MODES[mode](source, output)
