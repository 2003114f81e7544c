import './cancel.ts';
import './clocks.ts';
import './credits.ts';
import './idempotency.ts';
