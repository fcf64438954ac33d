"""MIMIC-III and plain tables of diagnoses, and the ICD-9-CM tree from the codes."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from reproduction import datasets
from reproduction.datasets.medical import icd9_level, icd9_parents

FILES = {
    "DIAGNOSES_ICD.csv": (
        '"ROW_ID","SUBJECT_ID","HADM_ID","SEQ_NUM","ICD9_CODE"\n'
        '1,9,200,1,"40301"\n2,9,200,2,"E8790"\n3,9,100,2,"25002"\n4,9,100,1,"V1046"\n5,10,300,,""\n6,10,300,1,"25002"\n'
        '7,9,200,3,"25002"\n'
    ),
    "ADMISSIONS.csv": (
        '"ROW_ID","SUBJECT_ID","HADM_ID","ADMITTIME","DISCHTIME"\n'
        "1,9,200,2149-11-09 13:06:00,\n2,9,100,2149-01-09 13:06:00,\n3,10,300,2103-06-28 11:36:00,\n"
    ),
    "D_ICD_DIAGNOSES.csv": (
        '"ROW_ID","ICD9_CODE","SHORT_TITLE","LONG_TITLE"\n1,"25002","DMII","Diabetes mellitus, type II, uncontrolled"\n'
    ),
}


def write(folder, changed=()):
    for name, text in (FILES | dict(changed)).items():
        with gzip.open(folder / f"{name}.gz", "wt") as file:
            file.write(text)
    return folder


def test_codes_come_by_admission_and_place(tmp_path):
    found = datasets.load("mimic", write(tmp_path))
    assert found.interactions.baskets() == {"9": ["V1046", "25002", "40301", "E8790", "25002"], "10": ["25002"]}
    assert found.interactions.distinct().baskets()["9"] == ["V1046", "25002", "40301", "E8790"]
    assert found.descriptions["25002"].startswith("Diabetes")


def test_the_tree_over_the_codes(tmp_path):
    found = datasets.load_medical(write(tmp_path))
    parents = {child: parent for child, parent, _ in found.taxonomy()}
    assert parents["25002"] == "250"
    assert parents["250"] == "B:249-259"
    assert parents["B:249-259"] == "C:240-279"
    assert (parents["V1046"], parents["V10"]) == ("V10", "B:V10-V19")
    assert (parents["E8790"], parents["E879"]) == ("E879", "B:E878-E879")
    chapters = {child: parent for child, parent, _ in found.taxonomy(["chapter"])}
    assert chapters["40301"] == "C:390-459"
    whole = {child: parent for child, parent, _ in found.taxonomy(("subcategory", "category"), items=["25002"])}
    assert whole == {"25002": "2500", "2500": "250"}
    with pytest.raises(vbn.ParameterError, match="levels="):
        found.taxonomy(["chapters"])
    with pytest.raises(vbn.ParameterError, match="levels="):
        found.taxonomy("chapter")


def test_the_demo_writes_columns_in_small_letters(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text.lower().replace("e8790", "E8790"))
    assert datasets.load_medical(tmp_path).interactions.baskets()["10"] == ["25002"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("ADMISSIONS.csv", "HADM_ID,ADMITTIME\n", r"line 2 of DIAGNOSES_ICD\.csv\.gz names the admission 200"),
        ("ADMISSIONS.csv", "HADM_ID\n", r"line 1 of ADMISSIONS\.csv\.gz has no column 'ADMITTIME'"),
        ("DIAGNOSES_ICD.csv", "SUBJECT_ID,HADM_ID,SEQ_NUM,ICD9_CODE\n9,100,x,4\n", "line 2 .* 'x' where SEQ_NUM"),
        ("DIAGNOSES_ICD.csv", "SUBJECT_ID,HADM_ID,SEQ_NUM,ICD9_CODE\n", "nothing is left to train on"),
    ],
)
def test_broken_files(tmp_path, name, text, message):
    with pytest.raises(vbn.DataError, match=message):
        datasets.load_medical(write(tmp_path, {name: text}))


def test_plain_tables(tmp_path):
    (tmp_path / "diagnoses.csv").write_text("patient,encounter,seq,icd9\np,10,1,008\np,9,2,2500\np,9,1,250\n")
    (tmp_path / "icd9_hierarchy.csv").write_text(
        "code,parent,description,level,billable\nROOT,,all,root,False\nC:1,ROOT,Endocrine,chapter,False\n"
        "B:1,C:1,Glands,block,False\n250,B:1,Diabetes,category,False\n2500,250,Without,subcategory,False\n"
    )
    found = datasets.load_medical(tmp_path)
    assert found.interactions.baskets() == {"p": ["250", "2500", "008"]}
    assert found.taxonomy() == [("250", "B:1", 1.0), ("B:1", "C:1", 1.0), ("2500", "250", 1.0)]
    tree = tmp_path / "icd9_hierarchy.csv"
    tree.write_text(tree.read_text() + "250,B:1,Again,category,False\n")
    with pytest.raises(vbn.DataError, match=r"line 7 of icd9_hierarchy\.csv lists 250 a second time"):
        datasets.load_medical(tmp_path)
    (tmp_path / "diagnoses.csv").write_text("patient,encounter,seq,icd9\np,10,1,\n")
    with pytest.raises(vbn.DataError, match=r"line 2 of diagnoses\.csv has no user or no item"):
        datasets.load_medical(tmp_path)


@given(st.from_regex(r"\A([0-9]{3}|V[0-9]{2}|E[0-9]{3})[0-9]{0,2}\Z"))
def test_every_path_ends_in_a_chapter_or_at_a_number_that_is_no_category(code):
    parents, node, path = icd9_parents([code]), code, []
    while node in parents:
        node = parents[node]
        path.append(icd9_level(node))
    order = ["subcategory", "category", "block", "chapter"]
    assert path == sorted(set(path), key=order.index)
    if code[0] not in "EV" and code[:3] != "000":
        assert path[-1] == "chapter"
        low, high = node[2:].split("-")
        assert low <= code[:3] <= high
