// Package api serves the HTTP interface: it puts the columns together, one package a subject, whose resources answer
// under /api and /v1. A handler of a column decodes, checks the shape, calls a service and renders; reads go to the
// database. How operations are served (keys and scopes, idempotency, problems, the OpenAPI document) is in httpkit.
// Rules are in billing, use cases in service.
package api
