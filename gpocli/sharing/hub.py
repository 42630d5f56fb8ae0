"""Sending an exported folder to a model hub. Free of torch."""

from pathlib import Path

from gpocli.errors import EnvironmentFault, SpecError, first_line


def require_hub(repo: str) -> None:
    """See before any work that a folder could be sent: a sound name, a hub that may be asked, a login.

    Raises `SpecError` for the name, `EnvironmentFault` for the rest.
    """
    from huggingface_hub import constants, get_token
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(repo)
    except HFValidationError as error:
        raise SpecError(f"'{repo}' cannot be a hub id ({first_line(error)}); write --to hub:you/name") from error
    if constants.HF_HUB_OFFLINE:
        raise EnvironmentFault("HF_HUB_OFFLINE is set, so nothing can be sent; unset it, or export into a folder")
    if not get_token():
        raise EnvironmentFault("no login for the hub; run hf auth login, or set HF_TOKEN")


def push(folder: Path, repo: str, *, private: bool, message: str) -> str:
    """Send all files of `folder` as one commit to `repo`, which is made where it is not there; returns its address.

    `private` is of a repository that is made. Raises `EnvironmentFault`.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    api = HfApi()
    try:
        made = api.create_repo(repo, private=private, exist_ok=True)
        api.upload_folder(repo_id=made.repo_id, folder_path=folder, commit_message=message)
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise EnvironmentFault(
            f"cannot send to '{repo}' ({first_line(error)}); check the name, the login and the connection"
        ) from error
    return str(made)
