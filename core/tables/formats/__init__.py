"""The file formats a table may come in, one file each; :mod:`..reading` chooses."""
