// One stack for both.
import './batch.ts';
import './render.ts';
