"""Every option that an error or a warning recommends is one of the verb that was run, and helps."""

import re
import shlex

import pytest
import typer.main

import vbn
from vbn.cli.app import app

pytestmark = pytest.mark.filterwarnings("always")  # as in a shell, where they are told
TRAIN = ["train", "in.csv", "--kind", "interactions", "--dry-run"]
PAIRS = ["train", "in.csv", "--kind", "pairs", "--dry-run"]
TUNE = ["tune", "in.csv", "--kind", "interactions", "--out", "tuned"]
GOOD = "user,item\nu,a\nu,b\nv,a\n"
SAME = "left,right\na,b\nb,c\nc,a\n"


def case(verb, files, told, *, helps=()):
    return pytest.param(verb, files, told, helps, id=f"{verb[0]}: {told}")


CASES = [
    # the main input
    case(TRAIN, {"in.csv": "user,item,height\nu,a,2\nv,b,3\n"}, "has numbers in column 'height'", helps=[0, 1]),
    case(TRAIN, {"in.csv": "user,item,count\nu,a,two\nv,b,3\n"}, "'two' at line 2", helps=[0]),
    case(TRAIN, {"in.csv": "user,item,n,count\nu,a,1,2\n"}, "several columns that may be weights"),
    case(TRAIN, {"in.csv": "u,a,900000000\nv,b,900000001\n"}, "look like times", helps=[0, 1]),
    case(TRAIN, {"in.csv": "one,other\nu,a\nv,b\n"}, "does the first line", helps=["--header", "--no-header"]),
    case(TRAIN, {"in.csv": "user,item\nu,\nv,b\n"}, "empty name", helps=["--drop-missing"]),
    case([*TRAIN, "--min-weight", 3], {"in.csv": "user,item,a,b\nu,a,1,2\n"}, "which column of in.csv holds"),
    case(PAIRS, {"in.csv": "left,right,height\na,b,1\n"}, "has numbers in column 'height'", helps=[0, 1]),
    case(TUNE, {"in.csv": "user,item,height\nu,a,2\nv,b,3\n"}, "has numbers in column 'height'"),
    case(
        ["train", "in.csv", "--kind", "sequences", "--dry-run"],
        {"in.csv": "id,body\n1,a b\n2,b c\n"},
        "which column of in.csv holds the text",
    ),
    # a taxonomy
    *(
        case([*verb, "--taxonomy", "kinds.csv"], {"in.csv": text, "kinds.csv": kinds}, told, helps=helps)
        for verb, text in ((TRAIN, GOOD), (PAIRS, SAME))
        for kinds, told, helps in (
            ("item,sort\na,x\nb,y\n", "does the first line of kinds.csv", []),
            ("child,parent,weight\na,x,new\nb,y,old\n", "'new' at line 2", [0]),
            ("child,parent\n,x\nb,y\n", "empty name", ["--drop-missing"]),
        )
    ),
    case(
        [*TRAIN, "--taxonomy", "kinds.csv", "--refuse-cycles"],
        {"in.csv": GOOD, "kinds.csv": "child,parent\na,x\nx,a\n"},
        "cycle (each a child of the next): ",
        helps=["--drop-cycles"],
    ),
    case([*TRAIN, "--taxonomy", "kinds.dat"], {"in.csv": GOOD, "kinds.dat": "a:x\n"}, "cannot tell how to read"),
    # a relation
    *(
        case([*PAIRS, "--relation", "r=more.csv"], {"in.csv": SAME, "more.csv": more}, told, helps=helps)
        for more, told, helps in (
            ("left,right,weight\na,b,new\n", "'new' at line 2", [0]),
            ("left,right\na,\nb,c\n", "empty name", ["--drop-missing"]),
            ("left,right\na,zzz\nb,c\n", "unknown entity", ["--skip-unknown"]),
            ("one,other\na,b\n", "unknown entities", []),
        )
    ),
    case([*PAIRS, "--relation", "r=more.dat"], {"in.csv": SAME, "more.dat": "a:b\n"}, "cannot tell how to read"),
    # the other verbs
    case(["add", "m", "--from", "new.csv"], {"new.csv": "name,parent,weight\nx,a,new\n"}, "'new' at line 2", helps=[0]),
    case(["add", "m", "--from", "new.csv"], {"new.csv": "name,parent\nx,\n"}, "empty name"),
    case(["add", "m", "--from", "new.dat"], {"new.dat": "x;a\n"}, "cannot tell how to read"),
    case(["predict", "m", "in.csv"], {"in.csv": "x,y,z\na,b,c\n"}, "which columns of in.csv hold the pair"),
    case(["predict", "m", "in.csv"], {"in.csv": "left,right\na,zzz\n"}, "unknown entity", helps=[]),
    case(
        ["evaluate", "m", "--task", "similarity", "--data", "in.csv"],
        {"in.csv": "left,right,score\na,b,high\n"},
        "'high' at line 2",
    ),
    case(["evaluate", "m", "--task", "pairs", "--data", "in.dat"], {"in.dat": "a;b\n"}, "cannot tell how to read"),
]


def options_of(verb):
    command = typer.main.get_command(app).commands[verb]
    return {option for param in command.params for option in (*param.opts, *param.secondary_opts)}


def recommended(said):
    """The options in a message, each with the columns that follow it."""
    found = re.findall(r"--[a-z][a-z-]*(?: '[^']*,[^']*'| [^\s;]*,[^\s;]+)?", said)
    return [shlex.split(option) for option in found]


@pytest.mark.parametrize(("verb", "files", "told", "helps"), CASES)
def test_what_is_recommended_exists_and_helps(verb, files, told, helps, tmp_path, called):
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    if "m" in verb:
        data = vbn.Dataset.from_pairs(["a", "b", "c"], ["b", "c", "a"])
        vbn.VBN(dim=2, epochs=1, verbose=False).fit(data).save(tmp_path / "m")
    result = called(*verb, cwd=tmp_path)
    assert result.returncode == 1, result.stderr
    assert told in result.stderr
    ways = recommended(result.stderr)
    assert {way[0] for way in ways} <= options_of(verb[0]), result.stderr
    for way in helps:
        taken = ways[way] if isinstance(way, int) else [way]
        assert taken in ways, result.stderr
        again = called(*verb, *taken, cwd=tmp_path)
        assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("title", ["rating", "Ratings", "STARS", "score", "review score", "Bewertung"])
def test_ratings_are_no_weights_unless_that_is_said(title, tmp_path, called):
    (tmp_path / "in.csv").write_text(f"user,item,{title}\nu,a,5\nu,b,1\nv,a,4\n")
    plain = called(*TRAIN, cwd=tmp_path)
    assert plain.returncode == 0, plain.stderr
    assert "holds ratings" in plain.stderr
    assert "total count 3," in plain.stdout
    ways = recommended(plain.stderr)
    assert [way[0] for way in ways] == ["--min-weight", "--columns"]
    assert "total count 10," in called(*TRAIN, *ways[1], cwd=tmp_path).stdout
    kept = called(*TRAIN, "--min-weight", 3.5, cwd=tmp_path)
    assert "total count 2," in kept.stdout
    assert f"of at least 3.5 from '{title}'" in kept.stdout
    assert kept.stderr == ""
    assert "total count 9," in called(*TRAIN, "--min-weight", 3.5, "--weighted", cwd=tmp_path).stdout
    pairs = called(*PAIRS, "--separate", cwd=tmp_path)
    assert "--min-weight" not in pairs.stderr
    assert "total count 3," in pairs.stdout


def test_ratings_by_another_name_are_asked_about(tmp_path, called):
    (tmp_path / "in.csv").write_text("Kunde;Artikel;Urteil\nu;a;5\nu;b;1\nv;a;4\n")
    said = called(*TRAIN, cwd=tmp_path).stderr
    assert "are they weights?" in said
    assert said.endswith("if they are ratings, --min-weight 3.5 keeps the high ones\n")
    assert "total count 2," in called(*TRAIN, "--min-weight", 3.5, cwd=tmp_path).stdout
    with pytest.raises(vbn.DataError, match=r"if they are ratings, min_weight=3\.5 keeps"):
        vbn.Dataset.from_interactions(tmp_path / "in.csv")


def test_numbers_beside_pairs_to_calibrate_on_are_asked_about(tmp_path, called):
    (tmp_path / "in.csv").write_text("Kunde,Artikel,Kauf,Rest\na,b,1,x\nb,c,0,x\n")
    data = vbn.Dataset.from_pairs(["a", "b", "c"], ["b", "c", "a"])
    vbn.VBN(dim=2, epochs=1, verbose=False).fit(data).save(tmp_path / "m")
    said = called("calibrate", "m", "in.csv", cwd=tmp_path).stderr
    assert "are they labels? Pass --columns Kunde,Artikel,Kauf to use them" in said
    assert "--min-weight" not in said
