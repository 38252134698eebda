"""The scripted model, asked by the vendors' own clients."""

from __future__ import annotations

import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI

from bench.model_scripts import Call, turn
from bench.model_server import ModelServer

pytestmark = pytest.mark.real_time

SCRIPT = (
    turn("I look first.", Call("call_1", "look", {"at": "notes"}), Call("call_2", "look", {})),
    turn("All is well."),
)


async def test_the_anthropic_client_reads_words_and_calls_in_order_and_is_remembered():
    tool = {"name": "look", "input_schema": {"type": "object"}}
    async with (
        ModelServer(SCRIPT) as server,
        AsyncAnthropic(base_url=server.url, api_key="none", max_retries=0) as client,
    ):
        said = [{"role": "user", "content": "Look."}]
        asked = {"model": "m", "max_tokens": 50, "tools": [tool]}
        async with client.messages.stream(**asked, messages=said) as stream:
            first = await stream.get_final_message()
        assert [block.type for block in first.content] == ["text", "tool_use", "tool_use"]
        assert first.content[1].input == {"at": "notes"}
        assert first.stop_reason == "tool_use"
        result = {"type": "tool_result", "tool_use_id": "call_1", "content": "it is empty"}
        said += [
            {"role": "assistant", "content": [b.to_dict() for b in first.content]},
            {"role": "user", "content": [result]},
        ]
        second = await client.messages.create(**asked, messages=said)
        assert second.content[0].text == "All is well."
        asked_again = await server.request(1)
        assert asked_again.result_of("call_1") == "it is empty"
        assert asked_again.result_of("call_2") is None
        assert asked_again.texts("user")[0] == "Look."


async def test_the_openai_client_reads_words_and_calls_in_order_and_is_remembered():
    tool = {"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": False}
    async with (
        ModelServer(SCRIPT) as server,
        AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client,
    ):
        said = [{"role": "user", "content": "Look."}]
        async with client.responses.stream(model="m", input=said, tools=[tool]) as stream:
            first = await stream.get_final_response()
        assert [item.type for item in first.output] == ["message", "function_call", "function_call"]
        assert first.output_text == "I look first."
        assert first.output[1].arguments == '{"at": "notes"}'
        result = {"type": "function_call_output", "call_id": "call_2", "output": "it is empty"}
        async with client.responses.stream(
            model="m", input=[*said, result], tools=[tool]
        ) as stream:
            assert (await stream.get_final_response()).output_text == "All is well."
        asked_again = await server.request(1)
        assert asked_again.result_of("call_2") == "it is empty"
        assert asked_again.mentions("it is empty")


async def test_side_requests_take_no_turn_of_the_script():
    async with (
        ModelServer(SCRIPT) as server,
        AsyncAnthropic(base_url=server.url, api_key="none", max_retries=0) as client,
    ):
        side = await client.messages.create(
            model="m", max_tokens=5, messages=[{"role": "user", "content": "A title, please."}]
        )
        assert side.content[0].text == "ok"
        assert server.requests == []
        assert server.others == ["messages without tools"]
