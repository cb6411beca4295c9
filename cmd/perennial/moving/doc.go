// Package moving owns the commands that import and export, and what they show. It does not own the files
// (service/movefile) or the use cases (service/moving).
package moving
