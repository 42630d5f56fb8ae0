"""Not waiting for a model hub that cannot be reached."""

import os
import sys


def go_offline_if_unreachable() -> bool:
    """Switch the hub libraries to their cache when the hub's name cannot be resolved; returns whether it was.

    Without this they ask five times, for about 23 seconds, before they say so. To be called before a hub id is
    loaded; behind a proxy nothing is changed.
    """
    import socket
    from urllib.parse import urlsplit
    from urllib.request import getproxies

    from huggingface_hub import constants

    host = urlsplit(constants.ENDPOINT).hostname
    if constants.HF_HUB_OFFLINE or getproxies() or host is None:
        return False
    try:
        socket.getaddrinfo(host, 443)
    except OSError:
        os.environ["HF_HUB_OFFLINE"] = "1"  # for child processes
        constants.HF_HUB_OFFLINE = True
        if "datasets" in sys.modules:
            sys.modules["datasets"].config.HF_HUB_OFFLINE = True
        return True
    return False
