"""How the model clients' failures read as ours. The remedies are for a person at a terminal."""

from __future__ import annotations

from jarvis_voice.errors import BrainError, ModelMalformed, ModelUnreachable, SettingsError

CONNECT_TIMEOUT_S = 3.0
"""A server that does not even accept a connection in this time will not answer in time either."""


def missing_client(package: str, *, key: bool = False) -> SettingsError:
    """The client package, or the key, is not there."""
    if key:
        return SettingsError(
            f"No key for {package} is set.",
            f"Set {package.upper()}_API_KEY, or name another variable in brain.api_key_env.",
        )
    return SettingsError(
        f"The package {package} is not installed.", "Install it: pip install 'jarvis-voice[chat]'."
    )


def unreachable(name: str, where: str) -> ModelUnreachable:
    """No connection, or one that broke off."""
    return ModelUnreachable(
        f"The language model {name} at {where} cannot be reached.",
        "Check that its server runs and that brain.base_url is right.",
    )


def refused(name: str, status: int, message: str) -> BrainError:
    """An HTTP status that is no success, or an error event in a stream that began well."""
    if status < 400:
        return ModelUnreachable(
            f"The language model {name} broke off: {message[:160]}", "Try again in a moment."
        )
    remedies = {
        400: "Check brain.model and that the server speaks this protocol.",
        401: "Check the key in the variable that brain.api_key_env names.",
        403: "Check that the key may use this model.",
        404: "Check brain.model and brain.base_url.",
        429: "Wait a moment, or use another key or model.",
    }
    remedy = remedies.get(status, "Try again, or look at the server's log.")
    return ModelUnreachable(
        f"The language model {name} refused ({status}): {message[:160]}", remedy
    )


def unreadable(name: str, error: Exception) -> ModelMalformed:
    """An answer that is not of the protocol."""
    return ModelMalformed(
        f"The language model {name} sent something unreadable ({type(error).__name__}).",
        "Check that brain.base_url is a server of this protocol.",
    )


def no_words(name: str) -> ModelMalformed:
    """An answer with no text in it."""
    return ModelMalformed(
        f"The language model {name} answered without a word.",
        "Try another model, or set brain.kind to narrator.",
    )
