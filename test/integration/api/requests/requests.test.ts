// One world for all.
import './cancel.ts';
import './clocks.ts';
import './credits.ts';
import './idempotency.ts';
