import { execa } from 'execa';
import { Webhook } from 'standardwebhooks';
import type { Received } from '../../../stack/testing/https-receiver.ts';

export const opensslSignature = async ({ body }: Pick<Received, 'body'>, secret: string): Promise<string> => {
  const hmac = ['-mac', 'HMAC', '-macopt', `hexkey:${Buffer.from(secret, 'utf8').toString('hex')}`];
  const { stdout } = await execa('openssl', ['dgst', '-sha256', ...hmac, '-r'], { input: body });
  return `sha256=${stdout.split(' ', 1)[0]}`;
};

/** The library of Standard Webhooks also refuses an old timestamp. */
export const isStandard = ({ body, headers }: Pick<Received, 'body' | 'headers'>, secret: string): boolean => {
  const own = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  try {
    new Webhook(secret).verify(body, Object.fromEntries(own.map((name) => [name, String(headers[name])])));
    return true;
  } catch {
    return false;
  }
};
