// Package dev owns the command that starts everything on one machine and plays the story of one subscription. It does
// not own the servers (internal/devstack) or the story (internal/story).
package dev
