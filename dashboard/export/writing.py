"""Writing files so that nobody finds half of one."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

Stage = Callable[[Mapping[Path, str | bytes], Path | None], None]


def write_together(texts: Mapping[Path, str | bytes], folder: Path | None = None) -> None:
    """Write files so that all of them are there, each of them whole, or all are as they were."""
    with written_together() as stage:
        stage(texts, folder)


@contextmanager
def written_together() -> Iterator[Stage]:
    """Give what takes files, by their places, that are all there in the end, or all as they were.

    One that is replaced keeps its permissions. A device or pipe is written to, and a link
    followed: neither may be replaced. The folder that files come with is made if it is not there.
    """
    with ExitStack() as temporary:
        staged: list[tuple[Path, Path]] = []

        def stage(texts: Mapping[Path, str | bytes], folder: Path | None) -> None:
            if folder is not None and not folder.exists():
                temporary.callback(_remove_if_empty, folder.resolve())
                folder.resolve().mkdir(parents=True)
            new = []
            for path, text in texts.items():
                # a name that is no Unicode, such as of another encoding, is written escaped
                content = (
                    text if isinstance(text, bytes) else text.encode(errors="backslashreplace")
                )
                if path.exists() and not path.is_file():
                    path.write_bytes(content)
                else:
                    new.append((_staged(path.resolve(), content, temporary), path.resolve()))
            staged.extend(new)

        yield stage
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
    staged = _beside(path, temporary)
    staged.touch(0o600, exist_ok=False)
    staged.write_bytes(content)
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
    copy = _beside(path, temporary)
    shutil.copy2(path, copy)
    return copy


def _beside(path: Path, temporary: ExitStack) -> Path:
    """Return a place for a file that does not stay, whenever the work is interrupted."""
    place = path.with_name(f".evencover-{secrets.token_hex(8)}")
    temporary.callback(place.unlink, missing_ok=True)
    return place
