// Uses a participant's tools with the official client of the Model Context Protocol.
// node mcp.mjs ADDRESS KEY PARTICIPANT NAMED: with NAMED "header", the header names the participant, else the key does.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [address, key, participant, named] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };
if (named === "header") {
  headers["X-Habitline-Participant"] = participant;
}
const client = new Client({ name: "habitline-tests", version: "1" });
const errors = [];
client.onerror = (error) => errors.push(String(error));
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));

const call = async (name, others) => {
  const result = await client.callTool({ name, arguments: { user_id: participant, ...others } });
  return { failed: result.isError === true, text: JSON.parse(result.content[0].text), structured: result.structuredContent };
};
const said = {
  server: client.getServerVersion(),
  capabilities: client.getServerCapabilities(),
  instructions: client.getInstructions(),
  tools: (await client.listTools()).tools,
  calls: [
    await call("add_task", { title: "Water the plants" }),
    await call("add_task", { title: "Buy milk" }),
    await call("complete_task", { task_id: 1 }),
    await call("update_task", { task_id: 2, title: "Buy oat milk" }),
    await call("list_tasks", { status: "all" }),
    await call("delete_task", { task_id: 1 }),
    await call("delete_task", { task_id: 1 }),
    await call("list_tasks", { status: null, user_id: "conv_another" }),
  ],
};
said.unknown = await client.callTool({ name: "scheduler", arguments: {} }).then(
  (result) => result.content[0].text,
  (error) => error.code,
);
await client.ping();
await client.close();
console.log(JSON.stringify({ ...said, errors }));
