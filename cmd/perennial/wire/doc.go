// Package wire owns what commands open by their settings: the database, with or without dispatching after commits,
// Temporal, and accounts at payment providers. It does not own the settings (internal/config).
package wire
