"""What langchain-mcp-adapters and langchain-openai send to the model."""

import asyncio
import json
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI

from model import Model


async def main(command, out):
    connection = {"transport": "stdio", "command": command[0], "args": command[1:]}
    client = MultiServerMCPClient({"server": connection})
    tools = await client.get_tools()
    model = Model()
    chat = ChatOpenAI(model="m", base_url=model.url, api_key="none", max_retries=0)
    await chat.bind_tools(tools).ainvoke("hi")
    with open(out, "w") as file:
        json.dump(model.asked_with_tools(), file, indent=2)
    model.close()


asyncio.run(main(sys.argv[2:], sys.argv[1]))
