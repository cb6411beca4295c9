package subscribing

import (
	"fmt"
	"strings"
	"testing"

	"perennial/billing/fault"
	"perennial/billing/internal/statedoc"
	"perennial/billing/subscription"
)

func TestStatesDocument(t *testing.T) {
	t.Parallel()
	statuses, inputs := statedoc.ConstsIn(t, "../subscription", "Status"), statedoc.Consts(t, "input")
	var rows [][]string
	for _, in := range inputs {
		row := []string{"`" + in + "`"}
		for _, status := range statuses {
			row = append(row, cell(subscription.Status(status), input(in)))
		}
		rows = append(rows, row)
	}
	statedoc.Section(t, "subscription", "\n"+statedoc.Table(append([]string{""}, statuses...), rows)+"\n"+diagram(statuses,
		inputs)+"\n")
}

func cell(status subscription.Status, in input) string {
	to, legal := transitions[status][in]
	if !legal {
		return "refused: `" + fault.From(permit(status, in)).Code + "`"
	}
	names := make([]string, len(to))
	for i, s := range to {
		names[i] = "**" + string(s) + "**"
	}
	return strings.Join(names, " or ")
}

// diagram returns the arrows between different statuses; the table has inputs that keep the status.
func diagram(statuses, inputs []string) string {
	var b strings.Builder
	b.WriteString(
		"```mermaid\nstateDiagram-v2\n    [*] --> trialing: created with a trial\n    [*] --> active: created without one\n" +
			"    [*] --> incomplete: created with paymentBehavior pending\n")
	for _, from := range statuses {
		for _, in := range inputs {
			for _, to := range transitions[subscription.Status(from)][input(in)] {
				if string(to) != from {
					fmt.Fprintf(&b, "    %s --> %s: %s\n", from, to, in)
				}
			}
		}
	}
	b.WriteString("    canceled --> [*]\n```\n")
	return b.String()
}
