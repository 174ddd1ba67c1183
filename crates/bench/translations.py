#!/usr/bin/env python3
"""What does a byte of real text in other scripts cost, against one of English? Makes a corpus of each language from the
message catalogues (.mo) of programs, as Debian's packages hold them, runs `onefold dedup` on them in turns and prints a
Markdown table of the least CPU seconds. Documents are sentences drawn at random from a language's catalogues, one document in
five an edited copy. Usage: translations.py ONEFOLD FOLDER CATALOGUES…, each of the latter a folder searched for
LANGUAGE/LC_MESSAGES/*.mo; the packages in BENCHMARKS.md have enough of each language."""
import glob, json, os, random, resource, shutil, struct, subprocess, sys

LANGUAGES = ['en', 'fr', 'vi', 'el', 'ru', 'ar', 'hi', 'ko', 'ja', 'zh_CN', 'th']
BYTES, ROUNDS = 80_000_000, 3
LENGTHS = [600, 1500, 3000, 4000, 9000]


def messages(path):
    """Originals and translations of a catalogue, in the format gettext's manual describes."""
    with open(path, 'rb') as file:
        data = file.read()
    order = '<' if data[:4] == b'\xde\x12\x04\x95' else '>'
    count, originals, translations = struct.unpack(order + 'III', data[8:20])
    for i in range(count):
        pair = []
        for table in originals, translations:
            length, start = struct.unpack_from(order + 'II', data, table + 8 * i)
            # A context stands before \4, plural forms behind a NUL.
            pair.append(data[start:start + length].split(b'\0')[0].split(b'\4')[-1])
        # Short messages are labels and not text.
        if len(pair[0]) > 25:
            try:
                yield pair[0].decode(), pair[1].decode()
            except UnicodeDecodeError:
                pass


def sentences(folders):
    pools = {language: set() for language in LANGUAGES}
    for language in LANGUAGES[1:]:
        for folder in folders:
            for path in glob.glob(f'{glob.escape(folder)}/**/{language}/LC_MESSAGES/*.mo', recursive=True):
                for original, translation in messages(path):
                    pools['en'].add(original)
                    pools[language].add(translation)
    return {language: sorted(pool) for language, pool in pools.items()}


def write_corpus(path, pool):
    rng, texts, size = random.Random(5), [], 0
    with open(path, 'wb') as out:
        while size < BYTES:
            if texts and rng.random() < 0.2:
                text = rng.choice(texts)[:]
                for _ in range(rng.randrange(4)):
                    text[rng.randrange(len(text))] = rng.choice(pool)
            else:
                text, length, wanted = [], 0, rng.choice(LENGTHS)
                while length < wanted:
                    text.append(rng.choice(pool))
                    length += len(text[-1].encode())
            if len(texts) < 3000:
                texts.append(text)
            size += out.write((json.dumps({'text': '\n'.join(text)}, ensure_ascii=False) + '\n').encode())


def cpu(binary, corpus, output):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(output, ignore_errors=True)
    subprocess.run([binary, 'dedup', corpus, '--output', output, '--quiet'], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    binary, folder, catalogues = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    pools = sentences(catalogues)
    for language, pool in pools.items():
        if len(pool) < 1000:
            sys.exit(f'error: {len(pool)} sentences of {language} in the catalogues, expected 1,000 and more')
        write_corpus(f'{folder}/{language}.jsonl', pool)
    least = dict.fromkeys(LANGUAGES, float('inf'))
    for _ in range(ROUNDS):
        for language in LANGUAGES:
            least[language] = min(least[language], cpu(binary, f'{folder}/{language}.jsonl', folder + '/out'))
    print('| language | sentences | CPU s | cost a byte |\n|---|---:|---:|---:|')
    for language in LANGUAGES:
        print(f'| {language} | {len(pools[language]):,} | {least[language]:.2f} | {least[language] / least["en"]:.2f} |')


main()
