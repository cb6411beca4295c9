package sampler

import "time"

// Order is a request of a comparison to a side, which answers with one sample.
type Order struct {
	Do        string        `json:"do"` // get, create, subjects, command, prepare or wave
	Clients   int           `json:"clients"`
	Lasts     time.Duration `json:"lasts"` // get and create
	Count     int           `json:"count"` // of subscriptions for subjects and prepare
	Name      string        `json:"name"`  // of the command, or of the wave
	Due       time.Time     `json:"due"`   // of the wave
	Until     time.Time     `json:"until"` // the end of the wave's time
	Callbacks bool          `json:"callbacks"`
	Reads     bool          `json:"reads"` // during the wave
}

// Sample is one measurement. Processor times are those of servers and product until all effects of the requests are
// complete, workflows included, without the load generator.
type Sample struct {
	Rate      float64            `json:"rate,omitempty"`      // per second
	P50       float64            `json:"p50,omitempty"`       // milliseconds
	P99       float64            `json:"p99,omitempty"`       // of a wave: of the reads during it
	CPU       map[string]float64 `json:"cpu,omitempty"`       // milliseconds of one operation, by process
	Callbacks int                `json:"callbacks,omitempty"` // stored during a wave
	Notes     []string           `json:"notes,omitempty"`     // disturbances
	Failed    string             `json:"failed,omitempty"`
}

// Processor returns the sum of all processes.
func (s Sample) Processor() float64 {
	sum := 0.0
	for _, ms := range s.CPU {
		sum += ms
	}
	return sum
}
