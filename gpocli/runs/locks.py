"""The lock of a folder that one process writes to. It ends with the process, however that ends."""

from pathlib import Path


def lock(descriptor: int) -> bool:
    """Lock an open file for this process, without waiting; False when another process holds it."""
    from filelock import lock_descriptor  # here: with asyncio below it, it takes as long as a whole check

    try:
        return lock_descriptor(descriptor, blocking=False)
    except OSError:
        return True  # some network disks have no locks: the folder is taken to be free


def is_locked(path: Path) -> bool:
    """Whether a process holds a lock. It is only looked at, in a way that two who look do not see each other."""
    import fcntl  # here: filelock has no shared locks, and only runs that are looked at need one

    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # no lock, or a disk without locks
        return False
    return False
