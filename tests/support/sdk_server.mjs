// A server on the TypeScript SDK, second major version, for the tests: nested schemas, definitions,
// prompts, resources, pages.
//
//     node sdk_server.mjs FOLDER [--eras both|modern|legacy] [--port N]
//
// FOLDER is where the SDK is installed. Without a port it speaks over standard streams, else over
// streamable HTTP at http://127.0.0.1:N/mcp; with port 0 it prints the one that it was given.

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { eras: { type: 'string', default: 'both' }, port: { type: 'string' } },
});
const require = createRequire(resolve(positionals[0], 'package.json'));
const sdk = require('@modelcontextprotocol/server');
const { serveStdio, StdioServerTransport } = require('@modelcontextprotocol/server/stdio');
const { toNodeHandler } = require('@modelcontextprotocol/node');
const z = require('zod');

const Address = z.object({
  street: z.string().min(1).describe('Street and number'),
  city: z.string(),
  country: z.enum(['DE', 'FR', 'JP']).default('DE'),
});
// A name makes it a definition that both places refer to.
const Party = z
  .object({ name: z.string(), address: Address, notes: z.array(z.string()).max(5).optional() })
  .meta({ id: 'Party', description: 'Who sends or receives' });

/** One that registers its items through the SDK, schemas made from types. */
function registered() {
  const server = new sdk.McpServer(
    { name: 'sdk-server', version: '1.0.0' },
    { instructions: 'Quote first, then ship.' },
  );
  const text = (words) => ({ content: [{ type: 'text', text: words }] });
  const ship = server.registerTool(
    'ship',
    {
      title: 'Ship',
      description: 'Ships a parcel.',
      inputSchema: z.object({
        from: Party,
        to: Party,
        grams: z.int().min(1).max(31_500),
        service: z.union([z.literal('slow'), z.literal('fast'), z.object({ before: z.iso.date() })]),
        insured: z.number().multipleOf(0.01).nullable().default(null),
      }),
      outputSchema: z.object({ id: z.string(), price: z.number() }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
      _meta: { 'com.example/tier': 2 },
    },
    () => text('shipped'),
  );
  // Of 2025-11-25; the SDK leaves it out where the revision has it no more.
  ship.execution = { taskSupport: 'forbidden' };
  server.registerTool(
    'quote',
    {
      description: 'Says what a parcel costs; \u00e4\u20ac\ud83d\ude00.',
      inputSchema: z.strictObject({ grams: z.int().positive(), to: Party }),
      annotations: { readOnlyHint: true },
    },
    () => text('1.00'),
  );
  server.registerTool('ping', { description: 'Answers.' }, () => text('pong'));
  server.registerPrompt(
    'label',
    {
      title: 'Label',
      description: 'Writes a label.',
      argsSchema: z.object({ name: z.string().describe('On the label'), bold: z.string().optional() }),
    },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: name } }] }),
  );
  server.registerResource(
    'tariff',
    'parcel://tariff',
    { title: 'Tariff', description: 'What parcels cost.', mimeType: 'text/csv' },
    (uri) => ({ contents: [{ uri: uri.href, text: '' }] }),
  );
  server.registerResource(
    'parcel',
    new sdk.ResourceTemplate('parcel://{id}', { list: undefined }),
    { description: 'One parcel.', mimeType: 'application/json' },
    (uri) => ({ contents: [{ uri: uri.href, text: '{}' }] }),
  );
  return server;
}

/** The same with its tools one a page. The SDK has no pages of its own: its list is cut here. */
function paged() {
  const server = registered();
  const whole = server.server._requestHandlers.get('tools/list');
  server.server.setRequestHandler('tools/list', async (request, context) => {
    const { tools } = await whole(request, context);
    const at = Number(request.params?.cursor ?? 0);
    const page = { tools: tools.slice(at, at + 1) };
    return at + 1 < tools.length ? { ...page, nextCursor: String(at + 1) } : page;
  });
  return server;
}

const modernOnly = values.eras === 'modern';
if (values.port !== undefined) {
  const handler = sdk.createMcpHandler(paged, { legacy: modernOnly ? 'reject' : 'stateless' });
  const serve = toNodeHandler(handler);
  const server = createServer((request, response) => {
    if (new URL(request.url, 'http://localhost').pathname !== '/mcp') {
      response.writeHead(404).end();
      return;
    }
    serve(request, response);
  });
  server.listen(Number(values.port), '127.0.0.1', () => console.log(server.address().port));
} else if (values.eras === 'legacy') {
  await paged().connect(new StdioServerTransport());
} else {
  serveStdio(paged, { legacy: modernOnly ? 'reject' : 'serve' });
}
