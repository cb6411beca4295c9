// Package movefile owns the files of a move between billing systems: records as JSON Lines or CSV, read to the line,
// and an export as JSON Lines. It does not own the meaning of a record (billing/moving) nor its import (service).
package movefile
