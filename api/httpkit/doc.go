// Package httpkit serves resources over HTTP: typed operations with their OpenAPI document, authentication
// and principals, strict JSON, idempotency, problems, lists, preferences, bounds, CORS and health. It knows no
// resource: api registers them, and no import leads back.
package httpkit
