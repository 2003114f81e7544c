import { join } from 'node:path';
import { Writable } from 'node:stream';
import { runRenderctl } from '../../cli/run.ts';

export const RENDERCTL = join(import.meta.dirname, '..', '..', 'renderctl');

export type Call = { readonly exit_code: number; readonly stdout: string; readonly stderr: string };

const collector = (on_text: (text: string) => void) => {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk.toString('utf8'));
      on_text(chunk.toString('utf8'));
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
};

const NEVER = new AbortController().signal;

/** On a busy machine, nothing was written. Renderctl advises to try again. */
const isTooBusy = ({ exit_code, stderr }: Call): boolean =>
  exit_code !== 0 && /Kafka (did not accept the record in time|does not answer(?! at ))/.test(stderr);

const TRIES = 6;

/** Finds no stack and no log-in. */
const ALONE = { RENDERCTL_STACK_FILE: '/nonexistent/stack.json', RENDERCTL_CONFIG_DIR: '/nonexistent' };
/** The projectors of a busy machine may need longer than the default wait. */
const BUSY_WAIT_S = '120';

const callOnce = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  stop: AbortSignal,
  on_text: (text: string) => void,
  answer: string | null,
): Promise<Call> => {
  const stdout = collector(on_text);
  const stderr = collector(on_text);
  const exit_code = await runRenderctl(args, {
    env: { ...ALONE, RENDERCTL_WAIT_S: BUSY_WAIT_S, ...env },
    stdout: stdout.stream,
    stderr: stderr.stream,
    stop,
    ask: async (question) => {
      stderr.stream.write(question);
      return answer;
    },
    askSecret: async (question) => {
      stderr.stream.write(question);
      return answer ?? '';
    },
    hasPipedText: async () => false,
  });
  return { exit_code, stdout: stdout.text(), stderr: stderr.text() };
};

/**
 * Calls renderctl in this process with the addresses of a stack in the environment. It finds no other stack
 * and no log-in.
 *
 * @param on_text receives the text that it writes to either output
 * @param answer is typed at a question; null means no terminal
 */
export const caller =
  (
    env: Readonly<Record<string, string>>,
    stop: AbortSignal = NEVER,
    on_text: (text: string) => void = () => undefined,
    answer: string | null = null,
  ) =>
  async (...args: readonly string[]): Promise<Call> => {
    const call = () => callOnce(args, env, stop, on_text, answer);
    let done = await call();
    for (let tries = 1; tries < TRIES && isTooBusy(done); tries += 1) done = await call();
    return done;
  };
