// All suites share one service and run in this order. The last test of life.ts checks the work of all suites before
// it. Suites after life.ts use their own accounts.
import './engine.ts';
import './remote-media.ts';
import './cancel.ts';
import './erasure.ts';
import './life.ts';
import './own-film.ts';
import './laptop.ts';
import './plan.ts';
import '../dashboard/secrets.ts';
import '../dashboard/dashboard.ts';
