"""What the official Python SDK's client keeps of a tool list: `model_dump` of what it parsed."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(command, out):
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with stdio_client(server) as (reader, writer):
        async with ClientSession(reader, writer) as session:
            await session.initialize()
            listed = await session.list_tools()
    dumped = listed.model_dump(mode="json", by_alias=True, exclude_none=True)
    with open(out, "w") as file:
        json.dump(dumped, file, indent=2)


asyncio.run(main(sys.argv[2:], sys.argv[1]))
