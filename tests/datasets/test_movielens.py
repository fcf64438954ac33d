"""MovieLens in its official layouts, directors from tables and from IMDb, and the taxonomies over it."""

import gzip

import numpy as np
import pytest

import vbn
from vbn import datasets

RATINGS = "1::10::5::978300760\n1::20::4::978300000\n1::30::3::978300001\n2::10::4::978300002\n"
MOVIES = "10::Heat (1995)::Action|Crime\n20::Misérables, Les (1995)::Drama\n30::Casino (1995)::Crime|Drama\n"
CSV_RATINGS = (
    "userId,movieId,rating,timestamp\n1,10,5.0,978300760\n1,20,4.0,978300000\n1,30,3.5,978300001\n2,10,4.0,9\n"
)
CSV_MOVIES = (
    'movieId,title,genres\n10,Heat (1995),Action|Crime\n20,"Misérables, Les (1995)",Drama\n'
    "30,Casino (1995),(no genres listed)\n"
)


def write_dat(folder, encoding="latin-1"):
    (folder / "ratings.dat").write_text(RATINGS)
    (folder / "movies.dat").write_bytes(MOVIES.encode(encoding))
    return folder


def write_csv(folder):
    (folder / "ratings.csv").write_text(CSV_RATINGS)
    (folder / "movies.csv").write_text(CSV_MOVIES, encoding="utf-8")
    return folder


def write_imdb(folder):
    (folder / "links.csv").write_text("movieId,imdbId,tmdbId\n10,0113277,949\n20,0113828,\n30,,\n")
    with gzip.open(folder / "title.crew.tsv.gz", "wt") as file:
        file.write("tconst\tdirectors\twriters\ntt0113277\tnm0000520,nm7\tnm1\ntt0113828\t\\N\t\\N\ntt9\tnm9\t\\N\n")
    (folder / "name.basics.tsv").write_text(
        'nconst\tprimaryName\tbirthYear\nnm0000520\tMichael "Mike" Mann\t1943\nnm9\tNobody\t\\N\n'
    )


@pytest.mark.parametrize("time", ["9" * 30, "-" + "9" * 15, "9" * 5000])
def test_a_time_that_no_clock_shows_is_refused_with_its_line(tmp_path, time):
    folder = write_dat(tmp_path)
    (folder / "ratings.dat").write_text(RATINGS.replace("978300000", time))
    with pytest.raises(vbn.DataError, match=r"line 2 of ratings\.dat has '-?9+' where the time should be"):
        datasets.load("movielens", folder)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_dat_files(tmp_path, encoding):
    movies = datasets.load("movielens", write_dat(tmp_path, encoding))
    liked = movies.interactions
    assert (liked.users, liked.items, len(liked)) == (("1", "2"), ("10", "20"), 3)
    assert liked.baskets() == {"1": ["20", "10"], "2": ["10"]}
    assert liked.order.tolist() == [978300760, 978300000, 978300002]
    assert movies.movies["20"].title == "Misérables, Les (1995)"
    assert movies.movies["30"].genres == ("Crime", "Drama")


def test_csv_files_in_the_folder_of_the_archive(tmp_path):
    inside = tmp_path / "ml-latest-small"
    inside.mkdir()
    write_csv(inside)
    movies = datasets.load_movielens(tmp_path)
    assert movies.interactions.items == ("10", "20")
    assert movies.movies["20"].title == "Misérables, Les (1995)"
    assert movies.movies["30"].genres == ()
    assert len(datasets.load_movielens(tmp_path, liked_above=3).interactions) == 4


def test_several_releases_in_one_folder(tmp_path):
    for name in ("ml-1m", "ml-10M100K"):
        (tmp_path / name).mkdir()
        write_dat(tmp_path / name)
    with pytest.raises(vbn.DataError, match=r"several MovieLens data sets: .*ml-1m, .*ml-10M100K"):
        datasets.load_movielens(tmp_path)
    assert datasets.load_movielens(tmp_path / "ml-1m").movies


def test_a_threshold_is_a_number(tmp_path):
    for wrong in ("4", None, float("nan")):
        with pytest.raises(vbn.ParameterError, match="liked_above="):
            datasets.load_movielens(write_dat(tmp_path), liked_above=wrong)


def test_plain_files_know_some_times_only(tmp_path):
    (tmp_path / "ratings.csv").write_text("user,item,rating,timestamp\nu,10,5,7\nu,20,4,\n")
    (tmp_path / "items.csv").write_text(
        "item,title,year,genres,directors,director_source\n10,Heat,1995,Crime,Michael Mann,omdb\n20,Up,,,,\n"
    )
    movies = datasets.load_movielens(tmp_path)
    assert movies.interactions.order.tolist() == [7, -1]
    assert movies.movies == {"10": ("Heat (1995)", ("Crime",), ("Michael Mann",)), "20": ("Up", (), ())}


def test_directors_from_imdb(tmp_path):
    write_imdb(write_csv(tmp_path))
    movies = datasets.load_movielens(tmp_path).movies
    assert {item: movie.directors for item, movie in movies.items()} == {
        "10": ('Michael "Mike" Mann',),
        "20": (),
        "30": (),
    }
    (tmp_path / "name.basics.tsv").unlink()
    with pytest.raises(vbn.DataError, match=r"need name\.basics\.tsv"):
        datasets.load_movielens(tmp_path)


def test_directors_from_a_table(tmp_path):
    table = tmp_path / "who.csv"
    table.write_text('item,director\n10,"Mann, Michael"\n10,"Mann, Michael"\n30,A\n30,B\n99,C\n')
    movies = datasets.load_movielens(write_dat(tmp_path), directors=table).movies
    assert (movies["10"].directors, movies["30"].directors) == (("Mann, Michael",), ("A", "B"))
    assert "99" not in movies
    table.rename(tmp_path / "directors.csv")
    assert datasets.load_movielens(tmp_path).movies == movies
    with pytest.raises(vbn.DataError, match="no such file"):
        datasets.load_movielens(tmp_path, directors=table)


@pytest.fixture
def directed(tmp_path):
    (tmp_path / "directors.csv").write_text("item,director\n10,Mann\n30,Mann\n30,Scorsese\n")
    return datasets.load_movielens(write_dat(tmp_path), liked_above=2)


def test_half_directors_half_genres(directed):
    edges = directed.taxonomy()
    parents = {(child, parent): weight for child, parent, weight in edges}
    assert parents["30", "director:Mann"] == parents["30", "genre:Drama"] == 0.5
    assert parents["10", "director:Mann"] == 1.0
    assert parents["director:Mann", "genre:Crime"] == 2.0
    taxonomy = vbn.Dataset.from_interactions(*directed.interactions.columns()).with_taxonomy(edges).taxonomy
    assert dict(taxonomy.parents("10"))["director:Mann"] == pytest.approx(0.5)
    assert taxonomy.depth == 2


def test_other_shapes(directed):
    assert ("30", "genre:Drama", 0.5) not in directed.taxonomy("directors")
    assert ("20", "genre:Drama", 1.0) in directed.taxonomy("directors")
    assert not [edge for edge in directed.taxonomy("genres") if "director" in edge[0] + edge[1]]
    tree = directed.taxonomy("tree")
    assert sorted(tree) == [
        ("10", "director:Mann", 1.0),
        ("20", "genre:Drama", 1.0),
        ("30", "director:Mann", 1.0),
        ("director:Mann", "genre:Crime", 1.0),
    ]
    assert directed.taxonomy("tree", items=["20"]) == [("20", "genre:Drama", 1.0)]
    with pytest.raises(vbn.ParameterError, match="kind='bush' must be one of 'mixed'"):
        directed.taxonomy("bush")
    with pytest.raises(vbn.DataError, match="'77' is rated but not listed"):
        directed.taxonomy(items=["77"])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("ratings.dat", "1::10::5::9\n1::10::5\n", r"line 2 of ratings\.dat has 3 fields"),
        ("ratings.dat", "1::10::five::9\n", r"line 1 of ratings\.dat has 'five' where the rating"),
        ("ratings.dat", "1::10::5::noon\n", r"line 1 of ratings\.dat has 'noon' where the time"),
        ("ratings.dat", "1::10::nan::9\n", r"line 1 of ratings\.dat has 'nan' where the rating"),
        ("ratings.dat", "1::::5::9\n", r"line 1 of ratings\.dat has no user or no item: '1', ''"),
        ("ratings.dat", "1::10::1::9\n", r"no rating .* is above 3\.5"),
        ("movies.dat", "10::Heat\n", r"line 1 of movies\.dat has 2 fields"),
    ],
)
def test_broken_dat_files(tmp_path, name, text, message):
    (write_dat(tmp_path) / name).write_text(text)
    with pytest.raises(vbn.DataError, match=message):
        datasets.load_movielens(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("userId,movieId,rating\n1,10,5\n", r"line 1 of ratings\.csv has no column 'timestamp'"),
        ("userId,movieId,rating,timestamp\n1,10,5,9\n1,10,5\n", r"line 3 of ratings\.csv has 3 fields where .* 4"),
        ('userId,movieId,rating,timestamp\n1,10,5,9\n1,"10"x,5,9\n', r"line 3 of ratings\.csv is no proper row"),
        ("", r"line 1 of ratings\.csv has no column 'userId', only nothing"),
    ],
)
def test_broken_csv_files(tmp_path, text, message):
    (write_csv(tmp_path) / "ratings.csv").write_text(text)
    with pytest.raises(vbn.DataError, match=message):
        datasets.load_movielens(tmp_path)


def test_a_gzip_file_that_is_cut_off(tmp_path):
    write_csv(tmp_path)
    (tmp_path / "ratings.csv").unlink()
    (tmp_path / "ratings.csv.gz").write_bytes(gzip.compress(CSV_RATINGS.encode())[:-12])
    with pytest.raises(vbn.DataError, match=r"ratings\.csv\.gz is not a whole gzip file"):
        datasets.load_movielens(tmp_path)


def test_smaller_samples():
    rows = [(str(user), str(item), 1.0, item) for user in range(20) for item in range(20 - user)]
    every = datasets.Interactions.collect(rows)
    assert every.items == tuple(str(item) for item in range(20))
    popular = every.most_popular(3)
    assert popular.items == ("0", "1", "2")
    assert set(popular.users) == {str(user) for user in range(20)}
    some = every.sample_users(5, seed=1)
    assert len(some.users) == 5
    assert np.array_equal(some.user, every.sample_users(5, seed=1).user)
    assert some.users != every.sample_users(5, seed=2).users
    baskets = every.baskets()
    assert all(baskets[user] == items for user, items in some.baskets().items())
    with pytest.raises(vbn.ParameterError, match="n_items=0"):
        every.most_popular(0)
