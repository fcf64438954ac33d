"""The five word-similarity sets, in the formats of their publishers."""

import pytest

import vbn
from reproduction import datasets

PUBLISHED = {
    "MEN/MEN_dataset_natural_form_full": "sun sunlight 50.000000\nautomobile car 50.000000\n",
    "rw/rw.txt": "squishing\tsquirt\t5.88\t10\t5\t4\t6\nundated\tundatable\t5.83\t7\t5\n",
    "SCWS/ratings.txt": "1\tBrazil\tn\tnut\tn\ta <b> Brazil </b> nut\tthe <b> nut </b>\t1.1\t0.0\t2.0\n",
    "SimLex-999/SimLex-999.txt": (
        "word1\tword2\tPOS\tSimLex999\tconc(w1)\tconc(w2)\tconcQ\tAssoc(USF)\tSimAssoc333\tSD(SimLex)\n"
        "old\tnew\tA\t1.58\t2.72\t2.81\t2\t7.25\t1\t0.41\n"
    ),
    "wordsim353/combined.tab": "Word 1\tWord 2\tHuman (mean)\nlove\tsex\t6.77\nArafat\tpeace\t6.73\n",
}


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_published_files(tmp_path):
    sets = datasets.load("similarity", write(tmp_path, PUBLISHED))
    assert list(sets) == ["men", "rw", "scws", "simlex999", "ws353"]
    assert sets["men"].left == ("sun", "automobile")
    assert sets["rw"].scores == (5.88, 5.83)
    assert (sets["scws"].left, sets["scws"].right, sets["scws"].scores) == (("Brazil",), ("nut",), (1.1,))
    assert sets["simlex999"].scores == (1.58,)
    assert (sets["ws353"].left, len(sets["ws353"])) == (("love", "Arafat"), 2)
    assert sets["ws353"].lowered().left == ("love", "arafat")


def test_wordsim_with_commas_and_plain_tables(tmp_path):
    files = {
        "combined.csv": "Word 1,Word 2,Human (mean)\nlove,sex,6.77\n",
        "similarity/men.tsv": "word1\tword2\tscore\nsun\tsunlight\t50\n",
    }
    sets = datasets.load_similarity(write(tmp_path, files))
    assert {name: found.scores for name, found in sets.items()} == {"men": (50.0,), "ws353": (6.77,)}


def test_chosen_sets_must_be_there(tmp_path):
    write(tmp_path, {"rw.txt": "a\tb\t1\n"})
    assert list(datasets.load_similarity(tmp_path, names="rw")) == ["rw"]
    with pytest.raises(vbn.DataError, match=r"no similarity set men .* MEN_dataset_natural_form_full"):
        datasets.load_similarity(tmp_path, names=("rw", "men"))
    with pytest.raises(vbn.ParameterError, match=r"'mem'; there are men, rw"):
        datasets.load_similarity(tmp_path, names=("mem",))


def test_nothing_there(tmp_path):
    with pytest.raises(vbn.DataError, match=r"looked for .*men\.tsv.*combined\.csv"):
        datasets.load_similarity(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\t1\na\tb\n", r"line 2 of rw\.txt has 2 fields"),
        ("a\tb\thigh\n", r"line 1 of rw\.txt has 'high' where the score"),
        ("a\t\t1\n", r"line 1 of rw\.txt has an empty word"),
        ("\n", "holds no pairs"),
    ],
)
def test_broken_lines(tmp_path, text, message):
    write(tmp_path, {"rw.txt": text})
    with pytest.raises(vbn.DataError, match=message):
        datasets.load_similarity(tmp_path)
