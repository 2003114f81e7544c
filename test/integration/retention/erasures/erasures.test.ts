// One stack for all suites, in this order: later ones leave projects in it.
import './held-deletions.ts';
import './lease.ts';
import './erasure.ts';
import './sealed.ts';
import './people.ts';
