import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { freePort } from '../stack/process/ports.ts';
import { pollUntil } from '../stack/testing/until.ts';

export const withBareServer = async <A>(
  program: string,
  env: Readonly<Record<string, string>>,
  work: (url: string) => Promise<A>,
): Promise<A> => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const main = fileURLToPath(new URL(program, import.meta.url));
  const server = execa(process.execPath, [main], { env: { ...env, PORT: String(port) }, reject: false });
  try {
    await pollUntil(`${program} answers`, () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    );
    return await work(url);
  } finally {
    server.kill();
    await server;
  }
};
