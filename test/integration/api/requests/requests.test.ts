// One world for all.
import './cancel.ts';
import './credits.ts';
import './idempotency.ts';
