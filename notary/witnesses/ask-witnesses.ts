import { messageOf } from '../../platform/logging/message-of.ts';
import { addCheckpointBody } from '../../proofs/notes/add-checkpoint.ts';
import { type VerifierKey, verifierKeyText } from '../../proofs/notes/keys.ts';
import {
  cosignedAt,
  type NoteSignature,
  noteText,
  parseSignatures,
  type SignedNote,
} from '../../proofs/notes/signed-note.ts';

/** A witness (https://c2sp.org/tlog-witness) and its cosignature key. */
export type Witness = { readonly url: string; readonly key: VerifierKey };

export type CheckpointSubmission = {
  readonly note: SignedNote;
  readonly size: number;
  readonly prove: (old: number) => Promise<readonly Buffer[]>;
};

export type Cosignatures = {
  readonly signatures: readonly NoteSignature[];
  readonly seen: number;
};

/** Asks all witnesses. Never rejects. The result lacks witnesses that do not answer. */
export type RequestCosignatures = (submission: CheckpointSubmission) => Promise<Cosignatures>;

export type WitnessOutcome = 'cosigned' | 'refused' | 'away';

type Answer = { readonly status: number; readonly body: string };

export type WitnessClientDependencies = {
  readonly witnesses: readonly Witness[];
  readonly post: (url: string, body: string) => Promise<Answer>;
  readonly onOutcome: (witness: string, outcome: WitnessOutcome, reason: string | null) => void;
};

type Asked = {
  readonly outcome: WitnessOutcome;
  readonly reason: string | null;
  readonly signature: NoteSignature | null;
  /** Tree size that the witness has seen, if it exceeds the submitted size; else 0. */
  readonly ahead: number;
};

const refused = (reason: string): Asked => ({ outcome: 'refused', reason, signature: null, ahead: 0 });

const away = (error: unknown): Asked => ({ outcome: 'away', reason: messageOf(error), signature: null, ahead: 0 });

const CONFLICT = 409;
const OK = 200;

const sizeOf = (body: string): number | null => (/^(0|[1-9]\d{0,15})\n$/.test(body) ? Number(body) : null);

/**
 * Each request contains a proof from the tree size that the witness saw last. If that size is unknown here, the witness
 * reports it.
 */
export const openWitnessClient = ({ witnesses, post, onOutcome }: WitnessClientDependencies): RequestCosignatures => {
  /** The last size that each witness saw. It is only in memory, because witnesses report it again after a restart. */
  const seen = new Map<string, number>();

  const ask = async ({ url, key }: Witness, { note, size, prove }: CheckpointSubmission): Promise<Asked> => {
    const id = verifierKeyText(key);
    const submit = async (old: number): Promise<Answer> =>
      await post(`${url}/add-checkpoint`, addCheckpointBody(old, await prove(old), noteText(note)));
    const old = Math.min(seen.get(id) ?? 0, size);
    let answer = await submit(old);
    const reportedSize = answer.status === CONFLICT ? sizeOf(answer.body) : null;
    if (reportedSize !== null && reportedSize > size)
      return { ...refused(`it has seen ${reportedSize}`), ahead: reportedSize };
    if (reportedSize !== null && reportedSize !== old) answer = await submit(reportedSize);
    if (answer.status !== OK) return refused(`it answers ${answer.status}: ${answer.body.slice(0, 200)}`);
    const signatures = parseSignatures(answer.body) ?? [];
    const own = signatures.find((one) => cosignedAt({ ...note, signatures: [one] }, key) !== null);
    if (own === undefined) return refused('its answer has no signature of its key');
    seen.set(id, size);
    return { outcome: 'cosigned', reason: null, signature: own, ahead: 0 };
  };

  return async (submission) => {
    const answers = await Promise.all(
      witnesses.map(async (witness) => {
        const reply = await ask(witness, submission).catch(away);
        onOutcome(witness.key.name, reply.outcome, reply.reason);
        return reply;
      }),
    );
    return {
      signatures: answers.flatMap(({ signature }) => signature ?? []),
      seen: Math.max(0, ...answers.map(({ ahead }) => ahead)),
    };
  };
};
