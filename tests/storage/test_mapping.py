"""Loaded models are views of their files: little memory, no new kernels, and what happens to the files is no matter."""

import importlib
import pkgutil
import shutil
import tracemalloc

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import vbn
import vbn.kernels
from tests.storage.making import NAMES, RELATION, bits, fit, fresh, seal, tensor_file


def base_of(array):
    while isinstance(array, np.ndarray):
        array = array.base
    return array.obj if isinstance(array, memoryview) else array


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arrays_are_mapped_aligned_and_copied_on_write(tmp_path, dtype):
    folder = fit(dtype=dtype).save(tmp_path / "model")
    before = tensor_file(folder).read_bytes()
    again = vbn.load(folder)
    for array in again.trained_.posterior.arrays().values():
        assert array.flags.aligned
        assert array.flags.writeable
        assert array.size == 0 or type(base_of(array)).__name__ == "mmap"
    assert type(base_of(again.data_.counts.values)).__name__ == "mmap"
    again.trained_.posterior.u.mean[:] = 7.0
    assert tensor_file(folder).read_bytes() == before
    assert bits(vbn.load(folder)) == bits(fit(dtype=dtype))


def test_loading_reads_little_into_memory(tmp_path):
    names = [f"e{i}" for i in range(200)]
    pairs = vbn.Dataset.from_pairs(names, names[::-1])
    folder = vbn.VBN(dim=2000, epochs=1, verbose=False).fit(pairs).save(tmp_path / "model")
    assert tensor_file(folder).stat().st_size > 6e6
    vbn.load(folder)  # imports
    tracemalloc.start()
    vbn.load(folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5e6


def test_a_folder_that_is_replaced_or_removed_does_not_matter(tmp_path):
    again = vbn.load(fit(0).save(tmp_path / "model"))
    fit(1).save(tmp_path / "model")
    assert bits(again) == bits(fit(0))
    shutil.rmtree(tmp_path / "model")
    assert bits(again) == bits(fit(0))
    again.add("new", parents=["plain"], contexts={"plain": 2})
    assert bits(vbn.load(again.save(tmp_path / "model"))) == bits(again)


def test_a_model_can_be_saved_to_the_folder_that_it_was_loaded_from(tmp_path):
    folder = fit().save(tmp_path / "model")
    for _ in range(3):
        vbn.load(folder).save(folder)
    assert bits(vbn.load(folder)) == bits(fit())


def test_tensors_at_odd_places_are_copied(tmp_path):
    """Other tools may write tensors at places that are not multiples of their item size."""
    folder = fit().save(tmp_path / "model")
    blob = tensor_file(folder).read_bytes()
    size = int.from_bytes(blob[:8], "little")
    tensor_file(folder).write_bytes((size + 1).to_bytes(8, "little") + blob[8 : 8 + size] + b" " + blob[8 + size :])
    seal(folder)
    again = vbn.load(folder)
    assert bits(again) == bits(fit())
    assert all(array.flags.aligned for array in again.trained_.posterior.arrays().values())


def compiled():
    """Number of compiled variants of each kernel."""
    modules = [importlib.import_module(f"vbn.kernels.{m.name}") for m in pkgutil.iter_modules(vbn.kernels.__path__)]
    kernels = {f"{m.__name__}.{name}": k for m in modules for name, k in vars(m).items() if isinstance(k, Dispatcher)}
    return {name: len(kernel.signatures) for name, kernel in kernels.items()}


def use(model):
    """Every kernel that works on a posterior."""
    model.similar("plain")
    model.similar("plain", by="context")
    model.predict_proba([("plain", "ünï")])
    model.related(RELATION, "plain")
    model.relation_proba(RELATION, [("plain", "ünï")])
    model.recommend([NAMES[0], NAMES[1]], k=2)
    model.add("new", parents=["plain"], contexts={"plain": 2})
    more = vbn.Dataset.from_pairs(["plain", "newer"], ["newer", "plain"])
    model.partial_fit(more, validation=more)


def test_a_loaded_model_needs_no_kernels_of_its_own(tmp_path):
    model = fresh()
    folder = model.save(tmp_path / "model")
    use(model)
    before = compiled()
    assert sum(before.values()) > 10
    use(vbn.load(folder))
    assert compiled() == before
