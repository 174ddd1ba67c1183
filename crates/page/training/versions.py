"""Pages of two versions of a documentation site: `versions.py OLD NEW OUT`.

Copies the HTML pages that both folders have under one path and that differ, to OUT/old and OUT/new, and writes OUT.tsv with the
pairs of one path.
"""

import pathlib
import shutil
import sys


def pages(folder):
    return {path.relative_to(folder): path for path in folder.rglob("*.html") if path.is_file() and not path.is_symlink()}


def main(old, new, out):
    old, new, out = pages(pathlib.Path(old)), pages(pathlib.Path(new)), pathlib.Path(out)
    pairs = []
    for name in sorted(old.keys() & new.keys()):
        if old[name].read_bytes() == new[name].read_bytes():
            continue
        for version, source in (("old", old[name]), ("new", new[name])):
            place = out / version / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, place)
        pairs.append(f"{out.name}/old/{name}#0\t{out.name}/new/{name}#0\n")
    out.with_name(f"{out.name}.tsv").write_text("id_a\tid_b\n" + "".join(pairs))
    print(len(pairs), "pairs")


main(*sys.argv[1:])
