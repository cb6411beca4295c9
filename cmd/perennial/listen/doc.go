// Package listen owns the command that follows the events of an environment through the public API, and forwards
// them. It does not own the form of deliveries or their sending (webhooks).
package listen
