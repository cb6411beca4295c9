package subscription

import (
	"fmt"
	"strings"
	"testing"

	"perennial/billing/fault"
	"perennial/billing/internal/statedoc"
)

func TestStatesDocument(t *testing.T) {
	t.Parallel()
	statuses, triggers := statedoc.Consts(t, "Status"), statedoc.Consts(t, "Trigger")
	var rows [][]string
	for _, trigger := range triggers {
		row := []string{"`" + trigger + "`"}
		for _, status := range statuses {
			row = append(row, cell(Status(status), Trigger(trigger)))
		}
		rows = append(rows, row)
	}
	statedoc.Section(t, "subscription", "\n"+statedoc.Table(append([]string{""}, statuses...), rows)+"\n"+diagram(statuses, triggers)+"\n")
}

func cell(status Status, trigger Trigger) string {
	to, legal := transitions[status][trigger]
	if !legal {
		return "refused: `" + fault.From(permit(status, trigger)).Code + "`"
	}
	names := make([]string, len(to))
	for i, s := range to {
		names[i] = "**" + string(s) + "**"
	}
	return strings.Join(names, " or ")
}

// diagram draws the arrows between different statuses; what stays is in the table.
func diagram(statuses, triggers []string) string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n    [*] --> trialing: created with a trial\n    [*] --> active: created without one\n")
	for _, from := range statuses {
		for _, trigger := range triggers {
			for _, to := range transitions[Status(from)][Trigger(trigger)] {
				if string(to) != from {
					fmt.Fprintf(&b, "    %s --> %s: %s\n", from, to, trigger)
				}
			}
		}
	}
	b.WriteString("    canceled --> [*]\n```\n")
	return b.String()
}
