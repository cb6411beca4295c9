// A webhook receiver: WEBHOOK_SECRET=whsec_… PORT=8080 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

// Secrets, separated by a space. During a rotation there may be two.
const secrets = (process.env.WEBHOOK_SECRET ?? '').split(' ').filter(Boolean);
if (secrets.length === 0) throw new Error('set WEBHOOK_SECRET');

createServer((request, response) => {
  // The signature is over the bytes as they arrived: collect them, and let no middleware parse them before.
  const chunks = [];
  let size = 0;
  request.on('data', (chunk) => {
    size += chunk.length;
    if (size > 1 << 20) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    if (request.method !== 'POST' || !genuine(request.headers, body, Date.now() / 1000)) {
      response.writeHead(401).end('not accepted');
      return;
    }
    store(request.headers['webhook-id'], body);
    response.writeHead(200).end(); // at once: the limit is 10 seconds, and only 200 counts
  });
}).listen(Number(process.env.PORT), '127.0.0.1');

function genuine(headers, body, now) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  if (!/^\d+$/.test(timestamp)) return false;
  const age = now - Number(timestamp);
  if (age > 300 || age < -60) return false; // more than 5 minutes old, or more than 1 minute ahead
  const sent = `${headers['x-service-signature']},${headers['x-service-signature-previous'] ?? ''}`.split(',');
  return secrets.some((secret) => {
    const want = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
    return sent.some((signature) => {
      const got = Buffer.from(signature.trim(), 'hex');
      return got.length === want.length && timingSafeEqual(got, want); // constant time
    });
  });
}

// The inbox. In production this is a table with a unique index on the event's id, so that an event that comes twice is
// stored once, and one that was stored is processed even if this program is restarted.
const seen = new Set();

function store(id, body) {
  if (seen.has(id)) return;
  seen.add(id);
  setImmediate(() => work(body));
}

function work(body) {
  const payload = JSON.parse(body.toString('utf8'));
  console.log('received', payload.event ?? payload.type); // shape A has `event`, shape B has `type`
}
