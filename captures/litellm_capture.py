"""What LiteLLM sends to the model: its MCP client's conversion of a tool list, then a completion."""

import asyncio
import json
import sys

import litellm
from litellm.experimental_mcp_client import load_mcp_tools
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from model import Model


async def main(command, out):
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with stdio_client(server) as (reader, writer):
        async with ClientSession(reader, writer) as session:
            await session.initialize()
            tools = await load_mcp_tools(session=session, format="openai")
    model = Model()
    await litellm.acompletion(
        model="openai/m",
        api_base=model.url,
        api_key="none",
        messages=[{"role": "user", "content": "hi"}],
        tools=tools,
        num_retries=0,
    )
    with open(out, "w") as file:
        json.dump(model.asked_with_tools(), file, indent=2)
    model.close()


asyncio.run(main(sys.argv[2:], sys.argv[1]))
