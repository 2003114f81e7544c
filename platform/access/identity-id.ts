import { createHmac } from 'node:crypto';

/**
 * What stands in the log for somebody of a provider: HMAC-SHA256 in lowercase hex. Nobody finds out by it who that is
 * without the secret. The issuer is a URL, so it holds no line feed.
 */
export const identityId = (secret: string, issuer: string, subject: string): string =>
  createHmac('sha256', secret).update(`${issuer}\n${subject}`, 'utf8').digest('hex');
