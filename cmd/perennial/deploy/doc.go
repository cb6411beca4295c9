// Package deploy owns the steps of a deployment: migrate, make a build current, ask whether a process is ready. It
// does not own the migrations (db) or builds (worker).
package deploy
