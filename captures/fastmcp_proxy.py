"""A FastMCP server that stands before another one as a proxy, on standard streams."""

import sys

from fastmcp.server import create_proxy

configuration = {"mcpServers": {"behind": {"command": sys.argv[1], "args": sys.argv[2:]}}}
create_proxy(configuration, name="proxy").run(show_banner=False)
