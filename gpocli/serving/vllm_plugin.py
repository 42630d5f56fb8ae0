"""What gpo gives to vLLM: an entry point of `vllm.general_plugins`, called in every process of a server."""

BACKEND = "gpo"
"""The name of gpo's weight transfer in `vllm serve --weight-transfer-config '{"backend": "gpo"}'`."""
STAMP = "gpocli.serving.stamp.Stamp"
"""What `vllm serve --middleware` is given."""


def register() -> None:
    """Offer gpo's weight transfer. Runs before a model is loaded, perhaps more than once in a process."""
    from vllm.distributed.weight_transfer import WeightTransferEngineFactory
    from vllm.platforms import current_platform

    if current_platform.is_cpu():
        import vllm._custom_ops

        # oneDNN layers of 32-bit floats pack their weights: new ones would be taken with 200, and not be used.
        vllm._custom_ops._supports_onednn = False
    if BACKEND not in WeightTransferEngineFactory._registry:
        WeightTransferEngineFactory.register_engine(BACKEND, "gpocli.serving.folder_engine", "FolderEngine")
