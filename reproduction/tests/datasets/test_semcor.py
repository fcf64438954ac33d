"""SemCor in its three layouts, on files of a few lines written as the releases write them."""

import gzip
import zipfile

import pytest

import vbn
from reproduction import datasets

SGML = """<contextfile concordance=brown>
<context filename=br-a01 paras=yes>
<p pnum=1>
<s snum=1>
<wf cmd=ignore pos=DT>The</wf>
<wf cmd=done rdf=group pos=NNP lemma=group wnsn=1 lexsn=1:03:00:: pn=group>Fulton_County_Grand_Jury</wf>
<wf cmd=done pos=VB lemma=say wnsn=1 lexsn=2:32:00::>said</wf>
<punc>``</punc>
<wf cmd=done pos=NN lemma=year wnsn=2;1 lexsn=1:28:02::;1:28:01::>Years</wf>
<wf cmd=ignore pos=TO>_to</wf>
<punc>.</punc>
</s>
</p>
</context>
</contextfile>
"""
XML = """<?xml version="1.0"?>
<contextfile concordance="brown"><context filename="br-a01" paras="yes"><p pnum="1"><s snum="1">
<wf cmd="ignore" pos="DT">The</wf>
<wf cmd="done" pn="group" pos="NNP" lemma="group" rdf="group" wnsn="1" lexsn="1:03:00::">Fulton_County_Grand_Jury</wf>
<wf cmd="done" pos="VB" lemma="say" wnsn="1" lexsn="2:32:00::">said</wf>
<punc>``</punc>
<wf cmd="done" pos="NN" lemma="year" wnsn="2;1" lexsn="1:28:02::;1:28:01::">Years</wf>
<wf cmd="ignore" pos="TO">_to</wf>
<punc>.</punc></s></p></context></contextfile>
"""
SECOND = "<s snum=2><wf cmd=ignore>Second</wf></s>"


def tag_file(folder, text, name="br-a01", part="brown1"):
    path = folder / part / "tagfiles" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(params=["sgml", "xml", "zip", "lines"])
def folder(request, tmp_path):
    if request.param == "sgml":
        tag_file(tmp_path, SECOND, part="brownv")
        tag_file(tmp_path, SGML)
    elif request.param == "xml":
        tag_file(tmp_path / "corpora" / "semcor", SECOND, "br-a01.xml", part="brown2")
        tag_file(tmp_path / "corpora" / "semcor", XML, "br-a01.xml")
    elif request.param == "zip":
        with zipfile.ZipFile(tmp_path / "semcor.zip", "w") as archive:
            archive.writestr("semcor/README", "Copyright")
            archive.writestr("semcor/brownv/tagfiles/br-a01.xml", SECOND)
            archive.writestr("semcor/brown1/tagfiles/br-a01.xml", XML)
    else:
        lines = {
            "sentences": "The Fulton_County_Grand_Jury said `` Years _to .\nSecond\n",
            "lemmas": "The Fulton_County_Grand_Jury say `` year _to .\nSecond\n",
            "senses": "- group%1:03:00:: say%2:32:00:: - year%1:28:02::;year%1:28:01:: - -\n-\n",
        }
        for name, text in lines.items():
            with gzip.open(tmp_path / f"semcor_{name}.txt.gz", "wt") as file:
                file.write(text)
    return tmp_path


def test_expressions_are_split_and_case_is_kept(folder):
    corpus = datasets.load_semcor(folder)
    first = ["The", "Fulton", "County", "Grand", "Jury", "said", "``", "Years", "_", "to", "."]
    assert corpus.sentences == [first, ["Second"]]
    assert vbn.Dataset.from_sequences(corpus.sentences).entities


def test_words_as_they_stand(folder):
    corpus = datasets.load_semcor(folder, split=False)
    assert corpus.sentences[0] == ["The", "Fulton_County_Grand_Jury", "said", "``", "Years", "_to", "."]
    assert corpus.lemmas[0] == ["The", "Fulton_County_Grand_Jury", "say", "``", "year", "_to", "."]
    year = "year%1:28:02::;year%1:28:01::"
    assert corpus.senses[0] == [None, "group%1:03:00::", "say%2:32:00::", None, year, None, None]


def test_lower_case(folder):
    corpus = datasets.load("semcor", folder, lower=True)
    assert corpus.sentences[0][:3] == ["the", "fulton", "county"]
    assert corpus.lemmas[0][1] == "fulton"
    for forms, lemmas, senses in zip(corpus.sentences, corpus.lemmas, corpus.senses, strict=True):
        assert len(forms) == len(lemmas) == len(senses)


def test_xml_escapes_are_undone_and_sgml_is_left_as_it_is(tmp_path):
    tag_file(tmp_path, "<s snum=1><wf cmd=ignore>AT&amp;T</wf></s>", "br-a01.xml")
    tag_file(tmp_path, "<s snum=1><wf cmd=ignore>AT&T</wf></s>", "br-a02")
    assert datasets.load_semcor(tmp_path).sentences == [["AT&T"], ["AT&T"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<s snum=1>\n<wf>a</wf>\n<s snum=2>\n", "line 3 of br-a01 begins a second"),
        ("<p>\n</s>\n", "line 2 of br-a01 ends a sentence that never began"),
        ("<p>\n<wf>a</wf>", "line 2 of br-a01 has a <wf> outside"),
        ("<s snum=1>\n<wf>a\n<punc>.</punc></s>", "line 3 of br-a01 follows a <wf> without its end"),
        ("<s snum=1>\n<wf>a</wf>", "br-a01 ends within a sentence"),
        ("<contextfile>\n", "hold no sentences"),
    ],
)
def test_broken_tag_files(tmp_path, text, message):
    tag_file(tmp_path, text)
    with pytest.raises(vbn.DataError, match=message):
        datasets.load_semcor(tmp_path)


def test_lines_that_do_not_match(tmp_path):
    for name, text in (("sentences", "a b\nc d\n"), ("lemmas", "a b\nc d\n"), ("senses", "- -\n-\n")):
        (tmp_path / f"semcor_{name}.txt").write_text(text)
    with pytest.raises(vbn.DataError, match=r"line 2 of semcor_senses\.txt has 1 words where .* has 2"):
        datasets.load_semcor(tmp_path)
    (tmp_path / "semcor_lemmas.txt").write_text("a b\n")
    with pytest.raises(vbn.DataError, match=r"semcor_lemmas\.txt has 1 sentences where .* has 2"):
        datasets.load_semcor(tmp_path)


def test_files_that_are_no_archives_or_no_text(tmp_path):
    (tmp_path / "semcor.zip").write_bytes(b"PK no")
    with pytest.raises(vbn.DataError, match="not a whole zip file"):
        datasets.load_semcor(tmp_path)
    with zipfile.ZipFile(tmp_path / "semcor.zip", "w") as archive:
        archive.writestr("semcor/README", "Copyright")
    with pytest.raises(vbn.DataError, match="holds no tag files"):
        datasets.load_semcor(tmp_path)
    path = tag_file(tmp_path, "")
    path.write_bytes(b"<s>\xff</s>")
    with pytest.raises(vbn.DataError, match="br-a01 is not UTF-8"):
        datasets.load_semcor(tmp_path)
