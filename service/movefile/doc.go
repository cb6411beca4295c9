// Package movefile owns the files of a move between billing systems: records as JSON Lines or CSV, read to the line,
// and an export as JSON Lines. It does not own what a record means (billing/moving) nor what becomes of it (service).
package movefile
