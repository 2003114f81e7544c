// All suites share one service and run in this order: the last test of life.ts checks all earlier work. The tests after
// it have their own accounts.
import './engine.ts';
import './remote-media.ts';
import './cancel.ts';
import './erasure.ts';
import './life.ts';
import './plan.ts';
import '../dashboard/secrets.ts';
import '../dashboard/dashboard.ts';
