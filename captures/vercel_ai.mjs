// What the Vercel AI SDK sends to the model.
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import { generateText } from 'ai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { experimental_createMCPClient as createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';

const [out, command, ...args] = process.argv.slice(2);
const bodies = [];
const reply = {
  id: 'c', object: 'chat.completion', created: 0, model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok' } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const model = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += chunk));
  request.on('end', () => {
    bodies.push(JSON.parse(text || '{}'));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(reply));
  });
});
await new Promise((ready) => model.listen(0, '127.0.0.1', ready));

const client = await createMCPClient({ transport: new StdioMCPTransport({ command, args }) });
const provider = createOpenAICompatible({
  name: 'loopback',
  baseURL: `http://127.0.0.1:${model.address().port}/v1`,
  apiKey: 'none',
});
await generateText({
  model: provider('m'), tools: await client.tools(), prompt: 'hi', maxRetries: 0,
});
await client.close();
model.close();
const body = bodies.find((one) => one.tools?.length);
if (!body) throw new Error('no request offered any tool');
writeFileSync(out, JSON.stringify(body, null, 2));
process.exit(0);
