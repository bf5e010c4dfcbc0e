"""Files that are broken, each in another way."""

import gzip
import io
import json
import random
import zipfile

from systems import block


def events(dice, n=40):
    names = [f"op_{dice.randrange(10**9)}" for _ in range(n)]
    rows = [{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": i * 10, "dur": 5} for i, name in enumerate(names)]
    return json.dumps({"traceEvents": rows}).encode()


def cut_json(dice):
    text = events(dice)
    return "cut.json", text[: len(text) - 20 - dice.randrange(200)]


def flipped_gzip(dice):
    data = bytearray(gzip.compress(events(dice), mtime=0))
    data[len(data) // 2] ^= 0x55
    return "flipped.json.gz", bytes(data)


def cut_gzip(dice):
    data = gzip.compress(events(dice), mtime=0)
    return "cut.json.gz", data[: len(data) * 2 // 3]


def blank(dice):
    return "blank.json", b" " * (1 + dice.randrange(4000))


def wrong_magic(dice):
    return "visualize_data.bin", dice.randbytes(500)


def cut_block(dice):
    data = block(5, json.dumps({"name": f"op_{dice.randrange(10**9)}", "advice": ["x" * 300]}))
    return "visualize_data.bin", data[: len(data) - 100]


def cut_zip(dice):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("trace.json", events(dice))
    return "cut.zip", out.getvalue()[:300]


def words(dice):
    return "words.json", ("not a trace " * (5 + dice.randrange(50))).encode()


def noise(dice):
    return "noise.pftrace", dice.randbytes(800)


def nested(dice):
    return "nested.json", b'{"traceEvents": [' + b"[" * (1000 + dice.randrange(1000))


KINDS = [
    cut_json, flipped_gzip, cut_gzip, blank, wrong_magic,
    cut_block, cut_zip, words, noise, nested,
]


def write(folder, n, dice: random.Random):
    """Writes n of them, each in a folder of its own; the first is empty."""
    paths = []
    for i in range(n):
        name, data = KINDS[i % len(KINDS)](dice) if i else ("empty.json", b"")
        path = folder / f"{i:03}" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        paths.append(path)
    return paths
