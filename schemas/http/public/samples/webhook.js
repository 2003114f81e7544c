import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET } = process.env;

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const expected = Buffer.from(`sha256=${createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')}`);
  const given = Buffer.from(request.headers['x-webhook-signature'] ?? '');
  const isGenuine = given.length === expected.length && timingSafeEqual(given, expected);
  // Answer at once, and work later: a delivery without an answer in 15 seconds is sent again
  response.writeHead(isGenuine ? 204 : 401).end();
  if (!isGenuine) return;
  const { event, data } = JSON.parse(body);
  console.log(event, data.id, data.status, data.output?.master ?? data.failure?.message ?? '');
}).listen(Number(process.env.PORT ?? 8000));
