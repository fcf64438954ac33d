"""The uniform entry: names, layouts, options, and what it says where nothing fits."""

import pytest

import vbn


@pytest.mark.parametrize(
    ("name", "files"),
    [("movielens", ["ratings.dat", "movies.csv", "items.csv"]), ("wordnet", ["data.noun", "wordnet.zip"])],
)
def test_an_empty_folder_names_the_files_looked_for(name, files, tmp_path):
    with pytest.raises(vbn.DataError) as caught:
        vbn.datasets.load(name, tmp_path)
    assert str(tmp_path) in str(caught.value)
    for file in files:
        assert file in str(caught.value)


def test_names_and_options(tmp_path):
    with pytest.raises(vbn.ParameterError, match="'movielns'; did you mean 'movielens'"):
        vbn.datasets.load("movielns", tmp_path)
    with pytest.raises(vbn.ParameterError, match="no data set is called None"):
        vbn.datasets.load(None, tmp_path)
    with pytest.raises(vbn.ParameterError, match=r"'wordnet' has no option 'sense'; it has words, senses, nodes"):
        vbn.datasets.load("wordnet", tmp_path, sense="all")


@pytest.mark.parametrize("name", ["semcor", "similarity", "music", "medical", "mimic"])
def test_a_data_set_that_moved_says_where_it_went(name, tmp_path):
    with pytest.raises(vbn.ParameterError, match=r"reproduction\.datasets\.load"):
        vbn.datasets.load(name, tmp_path)
