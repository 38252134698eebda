"""Tiny Qwen3-ASR models that say one word, written to disk as the real ones are.

The decoder's layers add nothing, so the last token alone decides the next: the head of each token
is the embedding of the token before it in a chain. After "<asr_text>" comes the word, then the end.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

WORD = "yes"  # no letter twice: each must lead to the next
HIDDEN = 64
_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% for c in m.content %}"
    "{% if c.type == 'audio' %}<|audio_start|><|audio_pad|><|audio_end|>"
    "{% else %}{{ c.text }}{% endif %}{% endfor %}<|im_end|>\n{% endfor %}"
)


def byte_characters() -> list[str]:
    """The 256 tokens of a byte-level vocabulary without merges, in the order of the bytes."""
    printing = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in printing else chr(next(others)) for byte in range(0x100)]


def embeddings(rows: int) -> np.ndarray:
    return np.random.default_rng(5).choice([-1.0, 1.0], (rows, HIDDEN)).astype(np.float32)


def heads(embedded: np.ndarray, start: int, letters: list[int], end: int) -> np.ndarray:
    rows = np.zeros_like(embedded)
    chain = [start, *letters, end]
    for before, after in pairwise(chain):
        rows[after] = embedded[before]
    return rows


def write_for_transformers(folder: Path) -> None:
    import torch
    import transformers as library

    vocabulary = {character: place for place, character in enumerate(byte_characters())}
    tokenizer = library.Qwen2Tokenizer(
        vocab=vocabulary,
        merges=[],
        unk_token=None,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        extra_special_tokens={
            "audio_token": "<|audio_pad|>",
            "audio_bos_token": "<|audio_start|>",
            "audio_eos_token": "<|audio_end|>",
        },
    )
    tokenizer.add_tokens(
        [
            library.AddedToken("<|im_start|>", special=True),
            library.AddedToken("<asr_text>", special=False),
        ]
    )
    ids = tokenizer.convert_tokens_to_ids
    library.Qwen3ASRProcessor(
        library.Qwen3ASRFeatureExtractor(), tokenizer, chat_template=_TEMPLATE
    ).save_pretrained(folder)
    config = library.Qwen3ASRConfig(
        audio_config={
            "model_type": "qwen3_asr_encoder",
            "encoder_layers": 1,
            "encoder_attention_heads": 2,
            "encoder_ffn_dim": 16,
            "d_model": 16,
            "output_dim": HIDDEN,
            "downsample_hidden_size": 4,
        },
        text_config={
            "model_type": "qwen3",
            "vocab_size": len(tokenizer),
            "hidden_size": HIDDEN,
            "intermediate_size": 32,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "head_dim": 8,
            "max_position_embeddings": 2048,
            "tie_word_embeddings": False,
            "pad_token_id": ids("<|endoftext|>"),
            "eos_token_id": ids("<|im_end|>"),
            "bos_token_id": None,
        },
        audio_token_id=ids("<|audio_pad|>"),
        pad_token_id=ids("<|endoftext|>"),
        eos_token_id=[ids("<|endoftext|>"), ids("<|im_end|>")],
        tie_word_embeddings=False,
    )
    model = library.Qwen3ASRForConditionalGeneration(config)
    embedded = embeddings(len(tokenizer))
    chain = heads(embedded, ids("<asr_text>"), [ids(c) for c in WORD], ids("<|im_end|>"))
    with torch.no_grad():
        model.get_input_embeddings().weight.copy_(torch.from_numpy(embedded))
        model.get_output_embeddings().weight.copy_(torch.from_numpy(chain))
        for name, parameter in model.named_parameters():
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                parameter.zero_()
    model.save_pretrained(folder)


def write_for_mlx(folder: Path) -> None:
    import mlx.core as mx
    from mlx.utils import tree_flatten
    from mlx_qwen3_asr.config import Qwen3ASRConfig
    from mlx_qwen3_asr.convert import quantize_model
    from mlx_qwen3_asr.model import Qwen3ASRModel

    rows = 151_936  # the library knows the ids of its special tokens by heart
    letters = {character: place for place, character in enumerate(byte_characters())}
    special = {
        "<|endoftext|>": 151_643,
        "<|im_start|>": 151_644,
        "<|im_end|>": 151_645,
        "<|audio_start|>": 151_669,
        "<|audio_end|>": 151_670,
        "<|audio_pad|>": 151_676,
        "<asr_text>": 151_704,
    }
    config: dict[str, Any] = {
        "thinker_config": {
            "audio_config": {
                "encoder_layers": 1,
                "encoder_attention_heads": 2,
                "encoder_ffn_dim": 64,
                "d_model": 64,
                "output_dim": HIDDEN,
                "downsample_hidden_size": 64,
            },
            "text_config": {
                "vocab_size": rows,
                "hidden_size": HIDDEN,
                "intermediate_size": 64,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "num_key_value_heads": 1,
                "head_dim": 128,
                "tie_word_embeddings": False,
            },
        }
    }
    model = Qwen3ASRModel(Qwen3ASRConfig.from_dict(config))
    embedded = embeddings(rows)
    chain = heads(
        embedded, special["<asr_text>"], [letters[c] for c in WORD], special["<|im_end|>"]
    )
    model.model.embed_tokens.weight = mx.array(embedded)
    model.lm_head.weight = mx.array(chain)
    for layer in model.model.layers:
        layer.self_attn.o_proj.weight = mx.zeros_like(layer.self_attn.o_proj.weight)
        layer.mlp.down_proj.weight = mx.zeros_like(layer.mlp.down_proj.weight)
    quantize_model(model, bits=4, group_size=64, encoder_bits=8)
    mx.save_safetensors(str(folder / "model.safetensors"), dict(tree_flatten(model.parameters())))
    (folder / "quantization_config.json").write_text('{"bits": 4, "group_size": 64}')
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "vocab.json").write_text(json.dumps(letters))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    added = {
        str(place): {"content": token, "special": token != "<asr_text>"}
        for token, place in special.items()
    }
    (folder / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": added}))
