// The calls of the README, and more, through a client whose types come from Habitline's own OpenAPI document. It is compiled
// before it runs, so it shows that the document describes what a client writes and reads. Prints what it saw, as JSON.

import createClient from "openapi-fetch";
import type { components, paths } from "./habitline.js";

declare const process: { readonly env: Record<string, string | undefined> };

type Participant = components["schemas"]["Participant"];

const address = { baseUrl: process.env["HABITLINE_URL"] ?? "" };
const api = createClient<paths>({
  ...address,
  headers: { Authorization: `Bearer ${process.env["HABITLINE_KEY"] ?? ""}` },
});
const stranger = createClient<paths>(address);

/** Returns the answer of a request that must succeed. */
function found<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data === undefined) {
    throw new Error(`${response.url} answered ${response.status}: ${JSON.stringify(error)}`);
  }
  return data;
}

async function enrol(phone_number: string): Promise<Participant> {
  const body = { phone_number, name: "Ada Example", timezone: "Europe/Berlin", channel: "simulator" } as const;
  return found(await api.POST("/conversation/participants", { body })).result;
}

async function history(id: string) {
  return found(await api.GET("/conversation/participants/{id}/history", { params: { path: { id } } })).result;
}

/** Waits until the conversation has this many messages; the test that runs the tour limits the time. */
async function messages(id: string, number: number) {
  for (;;) {
    const all = await history(id);
    if (all.length >= number) {
      return all;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function whole(id: string): Promise<string[]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const query = { full: "true", limit: 1, ...(cursor === undefined ? {} : { cursor }) } as const;
    const page = found(
      await api.GET("/conversation/participants/{id}/history", { params: { path: { id }, query } }),
    );
    pages.unshift(page.result.map((message) => message.content));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return pages.flat();
}

const health = found(await stranger.GET("/health"));
const refused = await stranger.GET("/stats");

const participant = await enrol("+491700000021");
const path = { id: participant.id };
const repeated = await api.POST("/conversation/participants", {
  body: { phone_number: "+491700000021" },
});
const wrong = await api.POST("/conversation/participants", {
  body: { phone_number: "12", timezone: "Nowhere" },
});

await messages(participant.id, 1);
found(
  await api.POST("/simulator/{id}/texts", {
    params: { path },
    body: { text: 'make it "personal" 👍' },
  }),
);
const said = await messages(participant.id, 3);

const state = found(await api.GET("/conversation/participants/{id}/state", { params: { path } }));
const schedules = found(await api.GET("/conversation/participants/{id}/schedules", { params: { path } }));
const turns = found(await api.GET("/conversation/participants/{id}/turns", { params: { path } }));
const deliveries = found(await api.GET("/conversation/participants/{id}/deliveries", { params: { path } }));
const before = found(await api.GET("/clock")).result;
const after = found(await api.POST("/clock", { body: { advance: "1h" } })).result;
const paused = found(
  await api.PUT("/conversation/participants/{id}", {
    params: { path },
    body: { status: "paused", reason: "on holiday" },
  }),
).result;
const listed = found(await api.GET("/conversation/participants", { params: { query: { status: "paused" } } }));
const missing = await api.GET("/conversation/participants/{id}", { params: { path: { id: "conv_0" } } });

// What the document does not describe must not compile. This never runs.
void async function mistakes() {
  // @ts-expect-error There is no such operation.
  await api.GET("/conversation/people");
  // @ts-expect-error The id is missing.
  await api.GET("/conversation/participants/{id}/history");
  // @ts-expect-error The phone number is missing.
  await api.POST("/conversation/participants", { body: { name: "Ada Example" } });
  // @ts-expect-error There is no such channel.
  await api.POST("/conversation/participants", { body: { phone_number: "+1", channel: "pigeon" } });
  // @ts-expect-error A participant has no such field.
  return participant.shoe_size;
};

console.log(
  JSON.stringify({
    health: health.status,
    refused: [refused.response.status, refused.error?.status],
    participant: [participant.name, participant.timezone, participant.status],
    repeated: [repeated.response.status, repeated.error?.message],
    wrong: [wrong.response.status, wrong.error?.message],
    roles: said.map((message) => message.role),
    text: said[1]?.content,
    whole: await whole(participant.id),
    state: Object.keys(state.result),
    schedules: schedules.result.schedules.length,
    turns: turns.result.map((turn) => turn.status),
    deliveries: deliveries.result.length,
    moved: Date.parse(after.now) - Date.parse(before.now),
    paused: paused.status,
    listed: listed.result.map((one) => one.id === participant.id),
    missing: [missing.response.status, missing.error?.message],
  }),
);
