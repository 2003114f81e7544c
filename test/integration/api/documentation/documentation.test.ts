import './routes.ts';
import './samples.ts';
