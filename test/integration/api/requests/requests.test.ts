// One world for both.
import './credits.ts';
import './idempotency.ts';
