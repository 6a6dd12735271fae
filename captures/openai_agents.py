"""What the OpenAI Agents SDK sends to the model; `--strict` converts schemas to strict mode."""

import asyncio
import json
import sys

from agents import Agent, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
from openai import AsyncOpenAI

from model import Model


async def main(command, out, strict):
    set_tracing_disabled(True)
    model = Model()
    params = {"command": command[0], "args": command[1:]}
    async with MCPServerStdio(name="server", params=params, client_session_timeout_seconds=60) as server:
        agent = Agent(
            name="a",
            instructions="Say ok.",
            mcp_servers=[server],
            mcp_config={"convert_schemas_to_strict": strict},
            model=OpenAIChatCompletionsModel(
                model="m", openai_client=AsyncOpenAI(base_url=model.url, api_key="none", max_retries=0)
            ),
        )
        await Runner.run(agent, "hi")
    with open(out, "w") as file:
        json.dump(model.asked_with_tools(), file, indent=2)
    model.close()


arguments = sys.argv[1:]
strict = "--strict" in arguments[:1]
if strict:
    arguments = arguments[1:]
asyncio.run(main(arguments[1:], arguments[0], strict))
