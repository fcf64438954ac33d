"""Readers: files, tables and lists in, columns of codes and numbers out."""
