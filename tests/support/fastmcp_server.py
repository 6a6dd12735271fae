"""A server on FastMCP: schemas made from annotations, over standard streams or on loopback.

    python fastmcp_server.py [--port N] [--sse]

Without a port it speaks over standard streams, else over streamable HTTP at
http://127.0.0.1:N/mcp, or over the old HTTP+SSE at http://127.0.0.1:N/sse.
"""

import argparse
from typing import Annotated, Literal, Optional, Union

from fastmcp import FastMCP
from pydantic import BaseModel, Field

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int)
parser.add_argument("--sse", action="store_true")
arguments = parser.parse_args()


class Address(BaseModel):
    street: Annotated[str, Field(min_length=1, description="Street and number")]
    city: Optional[str] = None


class Parcel(BaseModel):
    sender: Address
    receiver: Address
    grams: Annotated[int, Field(ge=1, le=31_500)] = 1


class Receipt(BaseModel):
    id: int
    price: float


server = FastMCP("fastmcp-server", instructions="Quote first, then ship.", version="1.0.0")


@server.tool(annotations={"destructiveHint": True}, tags={"parcels"})
def ship(parcel: Parcel, service: Literal["slow", "fast"] = "slow") -> Receipt:
    """Ships a parcel."""
    return Receipt(id=1, price=1.0)


@server.tool
def quote(grams: Union[int, float], to: Optional[Address] = None) -> float:
    """Says what a parcel costs; ä€😀."""
    return 1.0


@server.prompt
def label(name: str) -> str:
    """Writes a label."""
    return name


@server.resource("parcel://tariff", mime_type="text/csv")
def tariff() -> str:
    """What parcels cost."""
    return ""


@server.resource("parcel://{id}")
def parcel(id: str) -> str:
    """One parcel."""
    return id


if arguments.port is None:
    server.run(show_banner=False)
else:
    transport = "sse" if arguments.sse else "http"
    server.run(transport=transport, host="127.0.0.1", port=arguments.port, show_banner=False)
