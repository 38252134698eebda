"""A tiny Kokoro with random weights, as both packages load it. Needs the package ``kokoro``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from audio.tts.phonemes import vocabulary

CONFIG: dict[str, Any] = {
    "n_token": 178,
    "hidden_dim": 512,  # the decoder has this size built in, and the style's
    "style_dim": 128,
    "n_layer": 3,  # kokoro-mlx has this built in
    "n_mels": 80,
    "max_dur": 4,  # about two frames a token, so that speech is short
    "dropout": 0.0,
    "dim_in": 8,
    "text_encoder_kernel_size": 3,
    "multispeaker": True,
    "istftnet": {
        "upsample_kernel_sizes": [20, 12],
        "upsample_rates": [10, 6],
        "gen_istft_hop_size": 5,
        "gen_istft_n_fft": 20,
        "resblock_dilation_sizes": [[1, 3, 5]],
        "resblock_kernel_sizes": [3],
        "upsample_initial_channel": 512,  # built into the decoder too
    },
    "plbert": {
        "hidden_size": 16,
        "num_attention_heads": 2,
        "intermediate_size": 16,
        "max_position_embeddings": 512,
        "num_hidden_layers": 1,
        "dropout": 0.0,
    },
}


def write(folder: Path) -> None:
    """Write config.json, kokoro-v1_0.pth and kokoro-v1_0.safetensors, in half precision."""
    import torch
    from kokoro import KModel
    from safetensors.torch import save_file

    torch.manual_seed(3)
    config = {**CONFIG, "vocab": vocabulary()}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    weights = folder / "kokoro-v1_0.pth"
    torch.save({}, weights)  # nothing to load: the network keeps its random start
    network = KModel(repo_id="hexgrad/Kokoro-82M", config=config, model=str(weights))
    state = {name: part.half().state_dict() for name, part in network.named_children()}
    torch.save(state, weights)
    flat = {f"{n}.{key}": value for n, part in state.items() for key, value in part.items()}
    save_file({k: v.contiguous() for k, v in flat.items()}, folder / "kokoro-v1_0.safetensors")
