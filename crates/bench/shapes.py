#!/usr/bin/env python3
"""What do inputs of awkward shape take under a budget? Makes each, runs onefold on it and prints a Markdown table of peak
memory and CPU seconds, or of the refusal. Usage: shapes.py ONEFOLD FOLDER [NAME…]; the rows of Parquet need pyarrow."""
import json, os, random, shutil, subprocess, sys, tempfile

binary, wanted = sys.argv[1], sys.argv[3:]
folder = tempfile.mkdtemp(prefix='shapes-', dir=sys.argv[2])
words = [f'w{i}' for i in range(5000)]


def lines(documents):
    def write(path, rng):
        with open(path + '.jsonl', 'w') as out:
            for i, text in enumerate(documents(rng)):
                out.write(json.dumps({'id': i, 'text': text}) + '\n')
        return path + '.jsonl'
    return write


def near_copies(count, length, changes):
    def texts(rng):
        base = rng.choices(words, k=length)
        for _ in range(count):
            text = base[:]
            for _ in range(rng.randint(0, changes)):
                text[rng.randrange(length)] = rng.choice(words)
            yield ' '.join(text)
    return lines(texts)


def bad_lines(path, _):
    with open(path + '.jsonl', 'w') as out:
        out.writelines('{"id":%d,"text":"a\n' % i for i in range(600_000))
    return path + '.jsonl'


def chain(rng):
    # Each text shares six words in seven with the one before it, and so all are one component of candidates.
    text = rng.choices(words, k=70)
    for _ in range(64_000):
        at = rng.randrange(60)
        text[at:at + 10] = rng.choices(words, k=10)
        yield ' '.join(text)


def letters(rng):
    # As many shingles as a text of its size can have.
    text = rng.choices('abcdefghijklmnopqrstuvwxyz', k=5_000_000)
    for _ in range(3):
        for _ in range(12_500):
            text[rng.randrange(len(text))] = 'q'
        yield ' '.join(text)


def many_files(path, rng):
    for i in range(20_000):
        if i % 1000 == 0:
            os.makedirs(f'{path}/{i // 1000:02}')
        with open(f'{path}/{i // 1000:02}/{i}.txt', 'w') as out:
            out.write(' '.join(rng.choices(words, k=100)))
    return path


def parquet(rows, columns, text_words):
    def write(path, rng):
        import pyarrow, pyarrow.parquet
        text = pyarrow.array(' '.join(rng.choices(words, k=text_words)) for _ in range(rows))
        table = {'id': pyarrow.array(range(rows)), 'text': text}
        table |= {f'c{i}': pyarrow.array([i] * rows) for i in range(columns)}
        pyarrow.parquet.write_table(pyarrow.table(table), path + '.parquet', row_group_size=rows)
        return path + '.parquet'
    return write


NEAR = near_copies(30_000, 1000, 10)
SHORT = lines(lambda _: ('the same few words each time',) * 300_000)
SHAPES = [
    ('near', '30,000 near copies of 1,000 words', NEAR, '--method simhash --max-removed 1', '200MiB'),
    ('near', '', NEAR, '--method combined --max-removed 1', '200MiB'),
    ('near', '', NEAR, '--cluster components --max-removed 1', '200MiB'),
    ('hundred', '100,000 near copies of 200 words', near_copies(100_000, 200, 2), '--max-removed 1', '200MiB'),
    ('hundred', '', None, '--cluster components --max-removed 1', '200MiB'),
    ('chain', '64,000 documents, each like the one before', lines(chain), '--threshold 0.5 --max-removed 1', '64MiB'),
    ('bad', '600,000 bad lines', bad_lines, '', '60MiB'),
    ('large', '6 documents of 26 MB', lines(lambda rng: (' '.join(rng.choices(words, k=4_700_000)) for _ in range(6))), '', '60MiB'),
    ('large', '', None, '', '640MiB'),
    ('letters', '3 near copies of 10 MB of words of one letter', lines(letters), '--method minhash --threads 4', '406MiB'),
    ('letters', '', None, '--shingle char:5 --threads 4', '749MiB'),
    ('letters', '', None, '--method join --threads 4', '921MiB'),
    ('letters', '', None, '--containment 0.9 --threads 4', '921MiB'),
    ('letters', '', None, '--shingle char:5 --containment 0.9 --threads 4', '1779MiB'),
    ('copies', '300,000 copies of one short text', SHORT, '--method exact --max-removed 1', '72MiB'),
    ('copies', '', None, '--max-removed 1', '72MiB'),
    ('words', '300,000 documents of one word', lines(lambda rng: (f'word{i}' for i in range(300_000))), '', '72MiB'),
    ('files', '20,000 files of 100 words', many_files, '', '64MiB'),
    ('group', 'Parquet, 310 MB of text in one row group', parquet(60_000, 0, 1000), '', '110MiB'),
    ('wide', 'Parquet, 2,000 rows of 4,000 columns', parquet(2000, 4000, 100), '', '92MiB'),
]


def run(path, flags, memory):
    shutil.rmtree(folder + '/out', ignore_errors=True)
    # Not asked of the kernel from here: what a child was before it became the program counts, too.
    time = ['/usr/bin/time', '--quiet', '-f', '%M %U %S', '-o', folder + '/time']
    command = [binary, 'dedup', path, '--output', folder + '/out', '--quiet', '--memory', memory, *flags.split()]
    child = subprocess.run(time + command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if child.returncode:
        return ' '.join(child.stderr.replace(folder + '/', '').split()), ''
    with open(folder + '/time') as told:
        peak, user, system = map(float, told.read().split())
    return f'{peak / 1024:.0f}', f'{user + system:.1f}'


print('| input | flags | budget | peak MiB | CPU s |\n|---|---|---:|---:|---:|')
made = {}
for name, what, make, flags, memory in SHAPES:
    if wanted and name not in wanted:
        continue
    if name not in made:
        try:
            made[name] = make(f'{folder}/{name}', random.Random(1))
        except ImportError as missing:
            print(f'{name}: {missing}', file=sys.stderr)
            continue
    peak, seconds = run(made[name], flags, memory)
    print(f"| {what or 'the same'} | {f'`{flags}`' if flags else ''} | {memory} | {peak} | {seconds} |", flush=True)
shutil.rmtree(folder)
