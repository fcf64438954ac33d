"""Write the inputs that fuzzing starts from: small files as the readers want them.

    python -m tests.soak.make_seeds

What `python -m tests.soak.fuzz` finds on top, inputs that reach further lines, lies beside them under hashes as names.
"""

from __future__ import annotations

import gzip

from tests.datasets import test_medical, test_movielens, test_music, test_semcor, test_similarity_sets, test_wordnet
from tests.soak.readers import SEEDS, _model, packed
from tests.storage.making import tensor_file

PAIRS = 'left,right,count\na,b,1\nb,c,2.5\n"with, comma",ü,1e3\n'


def seeds() -> dict[str, dict[str, bytes]]:
    """By reader and name."""
    model = _model()
    dat = {"ratings.dat": test_movielens.RATINGS, "movies.dat": test_movielens.MOVIES}
    table = {"ratings.csv": test_movielens.CSV_RATINGS, "movies.csv": test_movielens.CSV_MOVIES}
    imdb = {
        "links.csv": "movieId,imdbId,tmdbId\n10,0113277,949\n20,0113828,\n",
        "title.crew.tsv": "tconst\tdirectors\twriters\ntt0113277\tnm0000520,nm7\tnm1\ntt0113828\t\\N\t\\N\n",
        "name.basics.tsv": "nconst\tprimaryName\tbirthYear\nnm0000520\tMichael Mann\t1943\n",
    }
    return {
        "pairs": {"plain": PAIRS.encode(), "quoted": b'left,right\n"x\ny","z"""\n'},
        "pairs-gz": {"plain": gzip.compress(PAIRS.encode(), mtime=0)},
        "interactions": {"plain": b"user\titem\trating\nu1\ti1\t5\nu1\ti2\t3.5\nu2\ti1\t1\n"},
        "baskets": {"plain": b"bread butter jam\nbread milk\n\nmilk\n"},
        "sequences": {"plain": "to be or not to be\nthat is\r\nthe question\u2028ü\n".encode()},
        "taxonomy": {"plain": b"child,parent\na,b\nb,c\na,d\n", "weighted": b"child,parent,weight\na,b,2\na,c,1\n"},
        "relation": {"plain": b"left,right\na,b\nc,d\n"},
        "names": {"plain": "a\nwith space\nü\n".encode()},
        "settings": {
            "plain": b'input = "shop.csv"\nkind = "baskets"\ndim = 20\nepochs = 5\n[relation]\nopposite = "o.csv"\n'
        },
        "model-config": {"plain": (model / "config.json").read_bytes()},
        "model-tensors": {"plain": tensor_file(model).read_bytes()},
        "movielens": {"dat": packed(dat), "csv": packed(table), "imdb": packed(table | imdb)},
        "music": {"first": packed(test_music.FILES)},
        "medical": {"first": packed(test_medical.FILES)},
        "semcor": {
            "sgml": packed({"brown1/tagfiles/br-a01": test_semcor.SGML}),
            "xml": packed({"brown1/tagfiles/br-a01.xml": test_semcor.XML}),
        },
        "similarity": {"published": packed(test_similarity_sets.PUBLISHED)},
        "wordnet": {"plain": packed(test_wordnet.FILES)},
    }


def main() -> None:
    for reader, inputs in seeds().items():
        (SEEDS / reader).mkdir(parents=True, exist_ok=True)
        for name, content in inputs.items():
            (SEEDS / reader / name).write_bytes(content)


if __name__ == "__main__":
    main()
