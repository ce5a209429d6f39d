"""Writing files so that nobody finds half of one."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO


def write_together(texts: Mapping[Path, str | bytes], folder: Path | None = None) -> None:
    """Write files so that all of them are there, each of them whole, or all are as they were.

    One that is replaced keeps its permissions. A device or pipe is written to, and a link
    followed: neither may be replaced. Their ``folder`` is made if it is not there.
    """
    with ExitStack() as temporary:
        staged = []
        if folder is not None and not folder.exists():
            folder.resolve().mkdir(parents=True)
            temporary.callback(_remove_if_empty, folder.resolve())
        for path, text in texts.items():
            # a name that is no Unicode, such as a file's of another encoding, is written escaped
            content = text if isinstance(text, bytes) else text.encode(errors="backslashreplace")
            if path.exists() and not path.is_file():
                path.write_bytes(content)
            else:
                staged.append((_staged(path.resolve(), content, temporary), path.resolve()))
        kept = [(_kept(path, temporary), path) for _, path in staged]
        try:
            for new, path in staged:
                new.replace(path)
        except BaseException:
            for old, path in kept:
                path.unlink(missing_ok=True) if old is None else old.replace(path)
            raise


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Give a file to write, which is at its place once all is written; see above."""
    with ExitStack() as temporary:
        is_file = path.is_file() or not path.exists()
        staged = _staged(path.resolve(), b"", temporary) if is_file else path
        with staged.open("wb") as file:
            yield file
        if is_file:
            staged.replace(path.resolve())


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _staged(path: Path, content: bytes, temporary: ExitStack) -> Path:
    """Return a file beside the one to write, with its content and permissions."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".evencover-")
    staged = Path(name)
    temporary.callback(staged.unlink, missing_ok=True)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    if path.exists():
        shutil.copymode(path, staged)
    else:
        mask = os.umask(0)
        os.umask(mask)
        staged.chmod(0o666 & ~mask)
    return staged


def _kept(path: Path, temporary: ExitStack) -> Path | None:
    """Return a copy of a file that is to be replaced; None if there is none."""
    if not path.exists():
        return None
    copy = path.with_name(f".evencover-{secrets.token_hex(8)}")
    temporary.callback(copy.unlink, missing_ok=True)
    shutil.copy2(path, copy)
    return copy
