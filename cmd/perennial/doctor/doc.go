// Package doctor owns the command that checks everything that Perennial needs, and says how to fix it. It does not
// own from when on waiting is a fault (backlog).
package doctor
