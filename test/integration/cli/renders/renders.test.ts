import './batch.ts';
import './log.ts';
import './render.ts';
import './quickstart.ts';
