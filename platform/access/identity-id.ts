import { createHmac } from 'node:crypto';

/**
 * HMAC-SHA256 in lowercase hex. Without the secret, the id does not reveal the person. The issuer is a URL without a
 * line feed, so the separator is unambiguous.
 */
export const identityId = (secret: string, issuer: string, subject: string): string =>
  createHmac('sha256', secret).update(`${issuer}\n${subject}`, 'utf8').digest('hex');
