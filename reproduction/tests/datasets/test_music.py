"""Music: Yahoo!'s files of the KDD Cup 2011 and plain playlists."""

import pytest

import vbn
from reproduction import datasets

FILES = {
    "trainIdx1.txt": (
        "0|4\n507696\t90\t5273\t15:50:00\n137915\t80\t5273\t15:50:01\n8\t100\t5272\t00:00:00\n99\t95\t5274\t01:00:00\n"
        "1|1\n137915\t81\t4\t00:00:09\n"
    ),
    "trackData1.txt": "507696|77|99|131552|34486\n137915|None|99\n8|78|None|34486\n",
    "albumData1.txt": "77|99|131552\n78|None\n",
    "artistData1.txt": "99\n100\n",
    "genreData1.txt": "131552\n34486\n",
}


def write(folder, changed=()):
    for name, text in (FILES | dict(changed)).items():
        (folder / name).write_text(text)
    return folder


def test_ratings_above_80_of_tracks(tmp_path):
    music = datasets.load("music", write(tmp_path))
    assert music.interactions.baskets() == {"0": ["8", "507696"], "1": ["137915"]}
    assert music.interactions.order.tolist() == [5273 * 86400 + 57000, 5272 * 86400, 4 * 86400 + 9]
    assert sorted(music.taxonomy()) == [
        ("137915", "artist:99", 1.0),
        ("507696", "album:77", 1.0),
        ("8", "album:78", 1.0),
        ("album:77", "artist:99", 1.0),
    ]


def test_artists_that_are_rated_are_the_nodes_of_the_taxonomy(tmp_path):
    music = datasets.load_music(write(tmp_path), items="all")
    assert "artist:99" in music.interactions.items
    data = vbn.Dataset.from_interactions(*music.interactions.columns()).with_taxonomy(music.taxonomy(genres=True))
    assert dict(data.taxonomy.parents("507696")) == pytest.approx(
        {"album:77": 0.5, "genre:131552": 0.25, "genre:34486": 0.25}
    )


def test_second_track_has_no_times(tmp_path):
    for name, text in FILES.items():
        kept = "0|2\n507696\t90\n8\t100\n" if name.startswith("train") else text
        (tmp_path / name.replace("1", "2")).write_text(kept)
    music = datasets.load_music(tmp_path)
    assert music.interactions.order.tolist() == [-1, -1]


def test_the_first_users_only(tmp_path):
    assert datasets.load_music(write(tmp_path), max_users=1).interactions.users == ("0",)
    with pytest.raises(vbn.ParameterError, match="max_users=0"):
        datasets.load_music(tmp_path, max_users=0)
    with pytest.raises(vbn.ParameterError, match="items='songs' must be one of"):
        datasets.load_music(tmp_path, items="songs")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("trainIdx1.txt", "0\n", r"line 1 of trainIdx1\.txt is '0' where a user"),
        ("trainIdx1.txt", "0|2\n8\t90\t1\t00:00:00\n", r"trainIdx1\.txt ends 1 ratings too early"),
        ("trainIdx1.txt", "0|1\n8 90\n", r"line 2 of trainIdx1\.txt has 1 fields"),
        ("trainIdx1.txt", "0|1\n8\tlots\n", r"line 2 of trainIdx1\.txt has 'lots' where the score"),
        ("trainIdx1.txt", "0|1\n5\t90\n", r"line 2 of trainIdx1\.txt rates the item '5'"),
        ("trainIdx1.txt", "0|1\n8\t90\t1\tnoon\n", r"line 2 of trainIdx1\.txt has 'noon' where a time of day"),
        ("trackData1.txt", "507696|77|99\n8\n", r"line 2 of trackData1\.txt is '8'"),
        ("albumData1.txt", "77|x\n", r"line 1 of albumData1\.txt is '77\|x'"),
        ("trainIdx1.txt", "0|1\n8\t10\n", r"no tracks in .* are rated above 80"),
    ],
)
def test_broken_files(tmp_path, name, text, message):
    with pytest.raises(vbn.DataError, match=message):
        datasets.load_music(write(tmp_path, {name: text}))


def test_playlists(tmp_path):
    (tmp_path / "interactions.csv").write_text("user,item,weight,order\n1,7,1,1\n1,8,1,0\n2,9,1,0\n")
    (tmp_path / "items.csv").write_text(
        "item,title,artist,album\n7,HUMBLE.,Kendrick Lamar,DAMN.\n8,DNA.,Kendrick Lamar,Damn.\n9,One,Drake,\n"
        "10,x,y,Damn.\n"
    )
    music = datasets.load_music(tmp_path)
    assert music.interactions.baskets() == {"1": ["8", "7"], "2": ["9"]}
    assert music.titles["7"] == "HUMBLE."
    album = "album:Kendrick Lamar: DAMN."
    assert music.taxonomy() == [
        ("7", album, 1.0),
        ("8", album, 1.0),
        ("9", "artist:Drake", 1.0),
        (album, "artist:Kendrick Lamar", 1.0),
    ]
    assert datasets.load_music(tmp_path, max_users=1).interactions.users == ("1",)
