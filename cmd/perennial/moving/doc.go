// Package moving owns the commands that import and export, and their output. It does not own the files
// (service/movefile) or the use cases (service/moving).
package moving
