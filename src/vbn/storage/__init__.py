"""Model folders: tensors in safetensors, a config.json that names them with checksums, and a model card."""

from vbn.storage._folder import read_folder, write_folder

__all__ = ["read_folder", "write_folder"]
