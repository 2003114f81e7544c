// One service for all of these, in this order: the last test of the last one looks at all that was done before it.
import './engine.ts';
import './remote-media.ts';
import './cancel.ts';
import './erasure.ts';
import './life.ts';
