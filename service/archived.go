package service

import "time"

// archived is when something was archived: now, or never.
func archived(yes bool, now time.Time) time.Time {
	if yes {
		return now
	}
	return time.Time{}
}
