"""Model folders: tensors in safetensors, a config.json that names them with checksums, and a model card."""

from vbn.storage.card import RECORDS
from vbn.storage.export import Densities, encoded_keys, write_densities
from vbn.storage.files import as_json, write_file
from vbn.storage.folder import CARD, CONFIG, State, check_folder, read_config, read_folder, read_state, write_folder
from vbn.storage.tensors import densities_in, densities_out

__all__ = [
    "CARD",
    "CONFIG",
    "RECORDS",
    "Densities",
    "State",
    "as_json",
    "check_folder",
    "densities_in",
    "densities_out",
    "encoded_keys",
    "read_config",
    "read_folder",
    "read_state",
    "write_densities",
    "write_file",
    "write_folder",
]
