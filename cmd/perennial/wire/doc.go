// Package wire owns what commands open with their settings: the database, with or without what follows a commit,
// Temporal, and accounts at payment providers. It does not own the settings (internal/config).
package wire
