// One world for all of these.
import './access.ts';
import './keys.ts';
