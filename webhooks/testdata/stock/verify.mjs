// Reads deliveries, one JSON object a line, verifies each with the library as npm has it, and prints what differs.
import { createInterface } from 'node:readline';
import { Webhook } from 'standardwebhooks';

let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { headers, body, secret, valid } = JSON.parse(line);
  let verified = true;
  try {
    new Webhook(secret).verify(Buffer.from(body, 'base64'), headers);
  } catch {
    verified = false;
  }
  count += 1;
  if (verified !== valid) console.log(`delivery ${count}: verified is ${verified}`);
}
console.log(`${count} checked`);
