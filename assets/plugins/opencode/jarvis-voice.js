// Jarvis for OpenCode: every tool call asks the gate of a running Jarvis before it runs.
// 'jarvis attach opencode' copies this file and gate.mjs, and fills in the settings below.

import { ask, tell } from "./jarvis-voice-gate.mjs";

const SETTINGS = {};

export const JarvisVoice = async ({ directory } = {}) => ({
  "tool.execute.before": async (input, output) => {
    const sent = payload("tool.execute.before", input, output?.args, directory);
    const answer = await ask("opencode", sent, SETTINGS);
    if (answer?.decision === "deny") throw new Error(answer.reason);
  },
  "tool.execute.after": async (input, output) => {
    const sent = payload("tool.execute.after", input, input?.args, directory);
    tell("opencode", { ...sent, output: output?.output }, SETTINGS);
  },
});

function payload(hook, input, args, directory) {
  const { tool, sessionID, callID } = input;
  return { runtime: "opencode", hook, tool, sessionID, callID, args, directory };
}
