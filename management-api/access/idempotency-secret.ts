import { createHmac } from 'node:crypto';

/**
 * The secret from which ids are derived. It comes from the identity secret, which never changes, because an
 * Idempotency-Key must name the same render or upload permanently.
 */
export const idempotencySecret = (identity_secret: string, what: 'renders' | 'uploads'): string =>
  createHmac('sha256', identity_secret).update(`Idempotency-Key of ${what}`).digest('hex');
