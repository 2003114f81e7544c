import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { isLeft } from 'fp-ts/lib/Either.js';
import { verifyConsistency } from '../../proofs/merkle/proofs.ts';
import { parseCheckpoint } from '../../proofs/notes/checkpoint.ts';
import { signerKey, type VerifierKey, verifierKeyText } from '../../proofs/notes/keys.ts';
import { cosignature, isNoteSigned, noteText, parseNote } from '../../proofs/notes/signed-note.ts';

export type Witnessed = { readonly size: number; readonly root: Buffer };

/**
 * A witness of one log (https://c2sp.org/tlog-witness): it cosigns a head that extends the last one that it has seen.
 */
export const startWitness = async () => {
  const key = signerKey('cosignature', 'witness.test', generateKeyPairSync('ed25519').privateKey);
  let log_key: VerifierKey | null = null;
  let seen: Witnessed = { size: 0, root: Buffer.alloc(0) };
  const statuses: number[] = [];

  const answer = (body: string): { readonly status: number; readonly text: string } => {
    const at = body.indexOf('\n\n');
    const [first = '', ...hashes] = body.slice(0, at).split('\n');
    const note = parseNote(body.slice(at + 2));
    if (isLeft(note) || !first.startsWith('old ')) return { status: 400, text: 'malformed' };
    const checkpoint = parseCheckpoint(note.right.text);
    if (isLeft(checkpoint)) return { status: 400, text: 'malformed' };
    if (log_key === null || log_key.name !== checkpoint.right.origin) return { status: 404, text: 'unknown log' };
    if (!isNoteSigned(note.right, log_key)) return { status: 403, text: 'not signed' };
    const { size, root } = checkpoint.right;
    const old = Number(first.slice(4));
    if (old > size) return { status: 400, text: 'shrinks' };
    if (old !== seen.size) return { status: 409, text: `${seen.size}\n` };
    if (size === seen.size && !root.equals(seen.root)) return { status: 409, text: `${seen.size}\n` };
    const proof = hashes.map((hash) => Buffer.from(hash, 'base64'));
    if (!verifyConsistency({ old: seen, size, root, proof })) return { status: 422, text: 'not consistent' };
    seen = { size, root };
    const signature = cosignature(key, note.right.text, Math.floor(Date.now() / 1_000));
    const whole = noteText({ text: note.right.text, signatures: [signature] });
    return { status: 200, text: whole.slice(note.right.text.length + 1) };
  };

  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { status, text } = request.url === '/add-checkpoint' ? answer(body) : { status: 404, text: 'not found' };
    statuses.push(status);
    response.writeHead(status).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    key,
    /** In the format of NOTARY_WITNESSES. */
    setting: `${verifierKeyText(key)} http://127.0.0.1:${port}`,
    know: (own: VerifierKey) => {
      log_key = own;
    },
    seen: () => seen,
    statuses,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
