/** The minimum cost of a read on this machine: restify, the same store calls, and their result as JSON. */
import restify from 'restify';
import { createLogger } from '../../platform/logging/logger.ts';
import { openReadStore } from '../../platform/read-store/mongodb-read-store.ts';
import { embeddedServerCheck } from '../../read-models/embedded/server.ts';
import { servingRenders } from '../../read-models/renders/model.ts';
import { storeReads } from '../store-reads.ts';

const { PORT, MONGODB_URL = '', MONGODB_DATABASE = 'rendering', PROJECT_ID = '' } = process.env;
const settings = { url: MONGODB_URL, database: MONGODB_DATABASE };
const store = await openReadStore({ settings, app_name: 'bare-reads', logger: createLogger('bare-reads', 'warn') });
const { renders } = await servingRenders(store.db)();
const reads = storeReads(renders, PROJECT_ID, await embeddedServerCheck(store.db)());

const server = restify.createServer();
server.use(restify.plugins.queryParser());
server.get('/', async (_req, res) => {
  res.send(200, {});
});
server.get('/v1/renders/:id', async (req, res) => {
  res.send(200, { data: await reads.byId(req.params.id) });
});
server.get('/v1/renders', async (req, res) => {
  const text = req.query.search;
  res.send(200, { data: await (text === undefined ? reads.firstPage() : reads.search(text)) });
});
server.listen(Number(PORT), '127.0.0.1');
