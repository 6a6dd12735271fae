"""Plays the server's part of a recorded exchange and checks the client's part.

    replay.py TRANSCRIPT

Each line of TRANSCRIPT is {"dir": "client->server" or "server->client", "msg": MESSAGE}. Of a client's
message its id, method, cursor, result and error code are compared. Afterwards `ping` is answered
until the input ends. A difference is told on standard error and ends the server with code 9.
"""
import json
import sys


def essence(message):
    return {
        "id": message.get("id"),
        "method": message.get("method"),
        "cursor": message.get("params", {}).get("cursor"),
        "result": message.get("result"),
        "code": message.get("error", {}).get("code"),
    }


def say(message):
    print(json.dumps(message), flush=True)


with open(sys.argv[1], encoding="utf-8") as transcript:
    steps = [json.loads(line) for line in transcript if line.strip()]
for step in steps:
    if step["dir"] == "server->client":
        say(step["msg"])
        continue
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    wanted, got = essence(step["msg"]), essence(json.loads(line))
    if wanted != got:
        sys.stderr.write(f"expected {wanted}, got {got}\n")
        sys.exit(9)
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "ping":
        say({"jsonrpc": "2.0", "id": message["id"], "result": {}})
