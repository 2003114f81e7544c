import type { WitnessClientDependencies } from './ask-witnesses.ts';

/** If a witness takes longer, the notary continues without its answer. */
const ANSWER_MS = 5_000;
const MAX_BYTES = 64 * 1024;

export const postToWitness =
  (stopping: AbortSignal): WitnessClientDependencies['post'] =>
  async (url, body) => {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)]);
    const answer = await fetch(url, { method: 'POST', body, signal, redirect: 'error' });
    const chunks: Uint8Array[] = [];
    let size_bytes = 0;
    for await (const chunk of answer.body ?? []) {
      size_bytes += chunk.length;
      if (size_bytes > MAX_BYTES) throw new Error(`its answer is longer than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    return { status: answer.status, body: Buffer.concat(chunks).toString('utf8') };
  };
