#!/usr/bin/env python3
"""Validates the witnesses of `score_pairs --witnesses FILE` once more, by another validator.

Each line holds a pair of schemas, their dialect, and a value that the old schema should accept and
the new one refuse. Says how many do; ends with 1 where fewer than 99 in 100 do, or there is none.
Nothing is fetched: a reference that leads outside is an error of that line. Patterns are searched
as ECMA-262 has them only as far as Python's own are the same, so a few lines may not agree.
"""

import importlib.metadata
import json
import sys

import jsonschema
import referencing.exceptions

VALIDATORS = {
    "draft4": jsonschema.Draft4Validator,
    "draft6": jsonschema.Draft6Validator,
    "draft7": jsonschema.Draft7Validator,
    "2019-09": jsonschema.Draft201909Validator,
    "2020-12": jsonschema.Draft202012Validator,
}


def accepts(schema, value, draft):
    validator = VALIDATORS[draft]
    if isinstance(schema, dict) and "$schema" in schema:
        validator = jsonschema.validators.validator_for(schema, default=validator)
    return validator(schema).is_valid(value)


def main():
    agreed, others = 0, []
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in lines:
            pair = json.loads(line)
            old, new, value = pair["old"], pair["new"], pair["witness"]
            try:
                right = accepts(old, value, pair["draft"]) and not accepts(new, value, pair["draft_new"])
            except (referencing.exceptions.Unresolvable, ValueError, RecursionError) as error:
                right = False
                pair["id"] = f"{pair['id']}: {type(error).__name__}"
            if right:
                agreed += 1
            else:
                others.append(pair["id"])
    total = agreed + len(others)
    print(f"{agreed} of {total} witnesses hold with Python's jsonschema {importlib.metadata.version('jsonschema')}")
    for name in others:
        print(f"  not: {name}")
    sys.exit(0 if total and agreed >= 0.99 * total else 1)


main()
