// Package api owns the HTTP interface: routes under /api and /v1, keys and scopes, idempotency, problem answers, and
// the OpenAPI document with its readable page. It does not own rules (billing) nor what happens after an answer
// (workflows): a creation is one transaction here and a best-effort start, a command is one Update to the subscription's
// workflow, a read never leaves PostgreSQL.
package api
