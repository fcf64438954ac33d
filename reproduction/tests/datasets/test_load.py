"""The uniform entry: names, layouts, options, and what it says where nothing fits."""

import pytest

import vbn
from reproduction import datasets


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("semcor", ["semcor_sentences.txt", "brown1/tagfiles", "semcor.zip"]),
        ("movielens", ["ratings.dat", "movies.csv", "items.csv"]),
        ("music", ["trainIdx1.txt", "trackData2.txt", "interactions.csv"]),
        ("medical", ["DIAGNOSES_ICD.csv", "ADMISSIONS.csv", "icd9_hierarchy.csv"]),
        ("mimic", ["DIAGNOSES_ICD.csv"]),
        ("similarity", ["rw.txt", "SimLex-999.txt"]),
        ("wordnet", ["data.noun", "wordnet.zip"]),
    ],
)
def test_an_empty_folder_names_the_files_looked_for(name, files, tmp_path):
    with pytest.raises(vbn.DataError) as caught:
        datasets.load(name, tmp_path)
    assert str(tmp_path) in str(caught.value)
    for file in files:
        assert file in str(caught.value)


@pytest.mark.parametrize("name", ["semcor", "wordnet", "similarity", "movielens", "music", "medical"])
def test_no_such_folder(name, tmp_path):
    with pytest.raises(vbn.DataError, match="nowhere"):
        datasets.load(name, tmp_path / "nowhere")
    with pytest.raises(vbn.ParameterError, match="folder=3"):
        datasets.load(name, 3)


def test_names_and_options(tmp_path):
    with pytest.raises(vbn.ParameterError, match="'movielns'; did you mean 'movielens'"):
        datasets.load("movielns", tmp_path)
    with pytest.raises(vbn.ParameterError, match="no data set is called None"):
        datasets.load(None, tmp_path)
    with pytest.raises(vbn.ParameterError, match="'semcor' has no option 'lowercase'; it has lower, split"):
        datasets.load("semcor", tmp_path, lowercase=True)
    with pytest.raises(vbn.ParameterError, match=r"'wordnet' has no option 'sense'; it has words, senses, nodes"):
        datasets.load("wordnet", tmp_path, sense="all")
