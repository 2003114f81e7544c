/** The minimum cost of a POST on this machine: restify, a parsed JSON body, a short response. */
import restify from 'restify';

const server = restify.createServer();
server.use(restify.plugins.bodyParser({ mapParams: false }));
server.post('/', async (req, res) => {
  res.send(201, { id: req.body.name });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
