// Package api owns the HTTP interface: the resources under /api and /v1, one file per resource or endpoint. A handler
// decodes, checks the shape, calls a service and renders; reads go to the database. How operations are served (keys and
// scopes, idempotency, problems, the OpenAPI document) is httpkit's. It owns neither rules (billing) nor use cases
// (service).
package api
