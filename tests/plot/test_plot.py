"""Pictures: one call each, on given axes or new ones, whatever the names are. A missing glyph is an error here."""

import io
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import vbn
import vbn.plot

ODD = [
    "$x_1$ costs $5",
    "dog \N{DOG FACE}",
    "two\nlines\there",
    "n" * 200,
    "東京",
    "\\frac{1}{2}",
    "50 % of_it",
    "$",
    "ok",
]
ROOT = "all \N{DOG FACE} $of$ it"


@pytest.fixture(autouse=True)
def _no_figure_left():
    before = mpl.get_backend()
    yield
    assert mpl.get_backend() == before
    plt.close("all")


@pytest.fixture(scope="module")
def odd():
    rng = np.random.default_rng(0)
    pairs = [(ODD[i], ODD[j], int(c)) for i in range(len(ODD)) for j, c in enumerate(rng.poisson(3, len(ODD))) if c]
    parents = {name: ["part"] for name in ODD[:4]} | {name: [ROOT] for name in ODD[4:7]} | {"part": [ROOT]}
    parents |= {f"unseen {i}": ["part"] for i in range(70)}
    data = vbn.Dataset.from_pairs(pairs).with_taxonomy(parents)
    return vbn.VBN(dim=4, epochs=6, verbose=False).fit(data, validation=data)


@pytest.fixture(scope="module")
def shop():
    rng = np.random.default_rng(1)
    data = vbn.Dataset.from_interactions(
        [f"u{u}" for u in rng.integers(0, 30, 300)], [f"i{i}" for i in rng.integers(0, 12, 300)]
    )
    data = data.with_taxonomy({f"u{u}": ["member"] for u in range(9)}, side="row")
    return vbn.VBN(dim=3, epochs=4, verbose=False).fit(data)


def drawn(ax, kind="png"):
    """Draw for real; warnings are errors."""
    stream = io.BytesIO()
    ax.figure.savefig(stream, format=kind, dpi=40)
    assert len(stream.getvalue()) > 1000
    return ax


def texts(ax):
    return [text.get_text() for text in ax.texts]


PICTURES = {
    "bound": lambda model, ax=None: vbn.plot.bound(model, ax=ax),
    "uncertainty": lambda model, ax=None: vbn.plot.uncertainty(model, ax=ax),
    "reliability": lambda model, ax=None: vbn.plot.reliability(model, model.data_, ax=ax),
    "neighbourhood": lambda model, ax=None: vbn.plot.neighbourhood(model, ODD[0], k=8, ax=ax),
    "taxonomy": lambda model, ax=None: vbn.plot.taxonomy(model, ROOT, ax=ax),
}


@pytest.mark.parametrize("name", PICTURES)
def test_each_picture_is_one_call(odd, name):
    ax = drawn(PICTURES[name](odd), "svg")
    assert ax.get_title(loc="left")


@pytest.mark.parametrize("name", PICTURES)
def test_given_axes_are_drawn_on_and_no_figure_is_made(odd, name):
    figure = mpl.figure.Figure(layout="constrained")
    mpl.backends.backend_agg.FigureCanvasAgg(figure)
    axes = figure.subplots(1, 2)
    before = plt.get_fignums()
    assert PICTURES[name](odd, ax=axes[1]) is axes[1]
    drawn(axes[1])
    assert plt.get_fignums() == before
    assert not axes[0].has_data()


@pytest.mark.parametrize("name", PICTURES)
def test_what_is_not_axes_is_refused(odd, name):
    with pytest.raises(vbn.ParameterError, match="ax must be matplotlib axes, got str"):
        PICTURES[name](odd, ax="here")


def test_names_are_taken_literally(odd):
    ax = drawn(vbn.plot.taxonomy(odd, ROOT))
    assert {"$x_1$ costs $5", "two lines here", "dog \u25a1", "\u25a1\u25a1", "\\frac{1}{2}"} <= set(texts(ax))
    assert "n" * 25 + "…" in texts(ax)
    assert ax.get_title(loc="left") == "Below all \u25a1 $of$ it"
    assert "$x_1$ costs $5" in vbn.plot.neighbourhood(odd, ODD[0], k=2).get_title(loc="left")


@pytest.mark.parametrize("k", [1, 30])
def test_neighbourhoods_of_any_size(odd, k):
    ax = drawn(vbn.plot.neighbourhood(odd, "ok", k=k))
    assert len(ax.texts) == k + 2  # the entity, its neighbours, and what is to be seen


def test_many_neighbours_are_dots_of_which_the_nearest_have_names():
    names = [f"n{i}" for i in range(60)]
    pairs = [(a, b, 1 + (i * j) % 7) for i, a in enumerate(names) for j, b in enumerate(names) if i != j]
    model = vbn.VBN(dim=4, epochs=3, verbose=False).fit(vbn.Dataset.from_pairs(pairs))
    ax = drawn(vbn.plot.neighbourhood(model, "n0", k=50))
    nearest = [row.entity for row in model.similar("n0", k=50)]
    named = [text for text in texts(ax) if text in names]
    assert named == ["n0", *nearest[:39]]
    assert any("the 11 least similar are not named" in " ".join(text.split()) for text in texts(ax))
    assert max(len(dots.get_offsets()) for dots in ax.collections) == 50  # all but the one in the middle


def test_names_of_neighbours_do_not_lie_on_each_other():
    rng = np.random.default_rng(4)
    names = [f"neighbour {i}" for i in range(16)]
    pairs = [(a, b, int(rng.integers(1, 20))) for a in names for b in names if a != b]
    model = vbn.VBN(dim=8, epochs=20, verbose=False).fit(vbn.Dataset.from_pairs(pairs))
    ax = vbn.plot.neighbourhood(model, names[0], k=15)
    ax.figure.canvas.draw()
    boxes = [t.get_window_extent() for t in ax.texts if t.get_text().startswith("neighbour")]
    assert len(boxes) == 16
    crossing = sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert crossing <= 2


def test_a_model_of_one_dimension_has_a_neighbourhood(odd):
    model = vbn.VBN(dim=1, epochs=3, verbose=False).fit(odd.data_)
    drawn(vbn.plot.neighbourhood(model, "ok", k=3))


def test_rows_and_columns(shop):
    drawn(vbn.plot.neighbourhood(shop, "u1", k=4, side="row"))
    drawn(vbn.plot.neighbourhood(shop, "i1", k=4))
    drawn(vbn.plot.uncertainty(shop, side="row"))
    assert "u1" in texts(drawn(vbn.plot.taxonomy(shop, "member", side="row")))
    with pytest.raises(vbn.DataError, match="no taxonomy of the columns"):
        vbn.plot.taxonomy(shop, "i1")


def test_bound_shows_validation_too(odd):
    ax = vbn.plot.bound(odd)
    line = ax.lines[0].get_ydata()
    np.testing.assert_array_equal(line, odd.lower_bounds_)
    (other,) = [a for a in ax.figure.axes if a is not ax]
    np.testing.assert_array_equal(other.lines[0].get_ydata(), odd.validation_)


def test_uncertainty_falls_with_data_in_the_picture(odd):
    ax = vbn.plot.uncertainty(odd)
    medians = ax.lines[0].get_ydata()
    assert medians[0] == max(medians)  # never seen
    assert "never" in [label.get_text() for label in ax.get_xticklabels()]


def test_reliabilities_can_be_compared(odd):
    first = odd.reliability(odd.data_)
    ax = first.plot()
    assert vbn.plot.reliability(first, label="again", ax=ax) is ax
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(labels) == 2
    assert labels[1].startswith("again: ECE")
    colours = {tuple(np.atleast_1d(c.lines[0].get_color())) for c in ax.containers}
    assert len(colours) == 2


def test_wide_trees_say_what_they_leave_out(odd):
    short = drawn(vbn.plot.taxonomy(odd, "part"))
    assert len(short.texts) == 1 + 12 + 1  # root, eleven children and a line for the others, what is to be seen
    assert "63 more" in texts(short)
    long = drawn(vbn.plot.taxonomy(odd, "part", limit=100))
    assert len(long.texts) == 1 + 74 + 1
    assert long.figure.get_figheight() > 15
    heights = [text.xy[1] for text in long.texts[1:75]]
    assert len(set(heights)) == 74  # a line for each


def test_a_data_set_has_a_tree_without_uncertainty(odd):
    ax = drawn(vbn.plot.taxonomy(odd.data_, ROOT, depth=1))
    assert "part" in texts(ax)
    assert len(ax.figure.axes) == 1  # no colour bar


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: vbn.plot.taxonomy(m, "ok"), vbn.DataError, "'ok' has no children"),
        (lambda m: vbn.plot.taxonomy(m, "okk"), vbn.UnknownEntityError, "'okk'"),
        (lambda m: vbn.plot.taxonomy(m, ROOT, depth=0), vbn.ParameterError, "depth=0"),
        (lambda m: vbn.plot.taxonomy(m, ROOT, limit=1.5), vbn.ParameterError, "limit=1.5"),
        (lambda m: vbn.plot.taxonomy(m, ROOT, side="left"), vbn.ParameterError, "side='left'"),
        (lambda m: vbn.plot.neighbourhood(m, "ok", k=0), vbn.ParameterError, "k=0"),
        (lambda m: vbn.plot.neighbourhood(m, "nope"), vbn.UnknownEntityError, "'nope'"),
        (lambda m: vbn.plot.reliability(m), vbn.ParameterError, "needs held-out pairs"),
        (lambda m: vbn.plot.reliability(m.reliability(m.data_), m.data_), vbn.ParameterError, "judged already"),
    ],
)
def test_bad_questions(odd, call, error, message):
    with pytest.raises(error, match=message):
        call(odd)
    assert not plt.get_fignums()  # nothing half drawn is left open


def test_what_is_no_model():
    for picture in (vbn.plot.uncertainty, vbn.plot.bound, vbn.plot.reliability):
        with pytest.raises((vbn.ParameterError, vbn.NotFittedError)):
            picture(3)
    with pytest.raises(vbn.NotFittedError):
        vbn.plot.uncertainty(vbn.VBN())
    with pytest.raises(vbn.NotFittedError):
        vbn.plot.bound(vbn.VBN())


def test_without_matplotlib_it_says_what_to_install(odd, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    with pytest.raises(vbn.MissingExtraError, match=r"pip install 'vbn\[plot\]'"):
        vbn.plot.bound(odd)


def test_importing_the_pictures_does_not_import_matplotlib():
    code = "import sys, vbn; vbn.plot.bound; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
