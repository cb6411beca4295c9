package period

import (
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the rules must not depend on what the machine has installed

	"perennial/billing/fault"
)

// locations are the zones read so far. The standard library reads and parses the file each time, which took a third of
// every decision about a subscription. Names that are no zone are not kept, so that callers cannot make it grow.
var locations sync.Map

// LoadLocation finds an IANA time zone by name; anything else is `time_zone_unknown`. "" and "Local" are refused, which
// the standard library understands as UTC and as the zone of the machine.
func LoadLocation(name string) (*time.Location, error) {
	if known, ok := locations.Load(name); ok {
		return known.(*time.Location), nil
	}
	if name != "" && name != "Local" && !foreign(name) {
		if loc, err := time.LoadLocation(name); err == nil {
			locations.Store(name, loc)
			return loc, nil
		}
	}
	return nil, fault.InvalidParam("timeZone", "time_zone_unknown",
		"%.40q is not an IANA time zone. Send a name such as Africa/Douala, or UTC.", name)
}

// foreign reports names of files in a Unix zone directory that are not zones. Those under right/ count leap seconds and
// would shift every boundary.
func foreign(name string) bool {
	switch name {
	case "Factory", "localtime", "posixrules":
		return true
	}
	return strings.HasPrefix(name, "right/") || strings.HasPrefix(name, "posix/")
}
