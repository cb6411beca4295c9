<?php
// A webhook receiver: WEBHOOK_SECRET=whsec_… INBOX=/var/lib/app/inbox php -S 127.0.0.1:8080 receiver.php
declare(strict_types=1);

// Secrets, separated by a space. During a rotation there may be two.
$secrets = preg_split('/ +/', (string) getenv('WEBHOOK_SECRET'), -1, PREG_SPLIT_NO_EMPTY);
if ($secrets === []) {
    throw new RuntimeException('set WEBHOOK_SECRET');
}

// The signature is over the bytes as they arrived: read them before anything parses them.
$body = (string) file_get_contents('php://input', false, null, 0, (1 << 20) + 1);
if ($_SERVER['REQUEST_METHOD'] !== 'POST' || strlen($body) > 1 << 20 || !genuine($body, $secrets, time())) {
    http_response_code(401);
    exit('not accepted');
}
store((string) ($_SERVER['HTTP_WEBHOOK_ID'] ?? ''), $body);
http_response_code(200); // at once: the limit is 10 seconds, and only 200 counts

function genuine(string $body, array $secrets, int $now): bool
{
    $timestamp = (string) ($_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '');
    if (!preg_match('/^\d{1,12}$/D', $timestamp)) {
        return false;
    }
    $age = $now - (int) $timestamp;
    if ($age > 300 || $age < -60) {
        return false; // more than 5 minutes old, or more than 1 minute ahead
    }
    $sent = explode(',', $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '');
    array_push($sent, ...explode(',', $_SERVER['HTTP_X_SERVICE_SIGNATURE_PREVIOUS'] ?? ''));
    foreach ($secrets as $secret) {
        $want = hash_hmac('sha256', $timestamp . '.' . $body, $secret);
        foreach ($sent as $signature) {
            if (hash_equals($want, trim($signature))) { // constant time
                return true;
            }
        }
    }
    return false;
}

// The inbox: one file an event, which is created once only. In production this is a table with a unique index on the
// event's id. A worker of its own takes the events out and processes them.
function store(string $id, string $body): void
{
    $file = @fopen(getenv('INBOX') . '/' . hash('sha256', $id) . '.json', 'x');
    if ($file === false) {
        return; // it came before
    }
    fwrite($file, $body);
    fclose($file);
    $payload = json_decode($body, true);
    error_log('received ' . ($payload['event'] ?? $payload['type'])); // shape A has `event`, shape B has `type`
}
