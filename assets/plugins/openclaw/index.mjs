// Jarvis for OpenClaw: every tool call asks the gate of a running Jarvis before it runs.
// 'jarvis attach openclaw' copies this folder and writes its settings; see openclaw.plugin.json.

import { ask, tell } from "./gate.mjs";

// What of the context is sent: the rest is not ours to know, or no data.
const CONTEXT = ["agentId", "sessionKey", "sessionId", "runId", "toolCallId", "workspaceDir"];

function payload(hook, event, ctx) {
  const known = CONTEXT.filter((key) => typeof ctx?.[key] === "string");
  const context = Object.fromEntries(known.map((key) => [key, ctx[key]]));
  return { runtime: "openclaw", t: Date.now(), hook, event, ctx: context };
}

export default {
  id: "jarvis-voice",
  name: "Jarvis Voice",
  description: "Lets Jarvis bring the user in before a tool call runs.",
  register(api) {
    const settings = api.pluginConfig ?? {};
    api.on(
      "before_tool_call",
      async (event, ctx) => {
        try {
          const sent = payload("before_tool_call", event, ctx);
          const answer = await ask("openclaw", sent, settings, ctx?.abortSignal);
          return answer?.block === true ? answer : undefined;
        } catch (error) {
          return { block: true, blockReason: error.message };
        }
      },
      { priority: 1000, timeoutMs: 600000 },
    );
    api.on("after_tool_call", (event, ctx) => {
      tell("openclaw", payload("after_tool_call", event, ctx), settings);
    });
    api.on("session_end", (event, ctx) => {
      tell("openclaw", payload("session_end", { reason: event?.reason }, ctx), settings);
    });
  },
};
