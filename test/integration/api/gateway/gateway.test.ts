import './access.ts';
import './routes.ts';
import './samples.ts';
