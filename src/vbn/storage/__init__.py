"""Model folders: tensors in safetensors, a config.json that names them with checksums, and a model card."""

from vbn.storage.answers import check_answers_path, write_answers
from vbn.storage.export import Densities, encoded_keys, write_densities, write_export
from vbn.storage.files import as_json, folder_path, write_file
from vbn.storage.folder import CARD, CONFIG, State, check_folder, read_config, read_folder, read_state, write_folder
from vbn.storage.journal import JOURNAL, Contents, Position, has_grown, read_journal, writing
from vbn.storage.records import CHECKPOINT, LAYOUT, RECORDS, Forgotten, remove_checkpoint, without_rows_of
from vbn.storage.serving import write_serving
from vbn.storage.tensors import densities_in, densities_out

__all__ = [
    "CARD",
    "CHECKPOINT",
    "CONFIG",
    "JOURNAL",
    "LAYOUT",
    "RECORDS",
    "Contents",
    "Densities",
    "Forgotten",
    "Position",
    "State",
    "as_json",
    "check_answers_path",
    "check_folder",
    "densities_in",
    "densities_out",
    "encoded_keys",
    "folder_path",
    "has_grown",
    "read_config",
    "read_folder",
    "read_journal",
    "read_state",
    "remove_checkpoint",
    "without_rows_of",
    "write_answers",
    "write_densities",
    "write_export",
    "write_file",
    "write_folder",
    "write_serving",
    "writing",
]
