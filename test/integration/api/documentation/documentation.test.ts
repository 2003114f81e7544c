import './routes.ts';
import './samples.ts';
import './generated-clients.ts';
