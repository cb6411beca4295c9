// Package api owns the HTTP interface: the resources under /api and /v1, one file a resource or endpoint. How they are
// served (keys and scopes, idempotency, problems, the OpenAPI document) is httpkit's. It does not own rules (billing) nor
// what happens after an answer (workflows): a creation is one transaction here and a best-effort start, a command is one Update to the subscription's
// workflow, a read never leaves PostgreSQL.
package api
