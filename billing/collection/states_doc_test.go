package collection_test

import (
	"fmt"
	"strings"
	"testing"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/internal/statedoc"
)

var headings = map[string]string{
	"usual":    "Usually",
	"past_due": "While the subscription is past due",
	"paused":   "While collection is paused",
	"canceled": "After the subscription was canceled",
	"void":     "After the invoice was made void",

	"several_methods": "While retries take turns among payment methods",
}

func TestStatesDocument(t *testing.T) {
	t.Parallel()
	kinds := statedoc.Consts(t, "Kind")
	var b strings.Builder
	for i, c := range circumstances {
		fmt.Fprintf(&b, "\n### %s\n\n", headings[c.name])
		var rows [][]string
		for _, s := range situations {
			row, differs := []string{strings.NewReplacer(":", ": ", "_", " ").Replace(s.name)}, i == 0
			for _, kind := range kinds {
				usual, here := cell(s, kind, circumstances[0]), cell(s, kind, c)
				differs = differs || usual != here
				row = append(row, here)
			}
			if differs {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			b.WriteString("As usual.\n")
			continue
		}
		if i > 0 {
			b.WriteString("As usual, but for these rows.\n\n")
		}
		b.WriteString(statedoc.Table(append([]string{""}, kinds...), rows))
	}
	b.WriteString("\n" + turns() + "\n" + diagram(kinds) + "\n")
	statedoc.Section(t, "collection", b.String())
}

func cell(s situation, kind string, c circumstance) string {
	next, effect, err := collection.Next(s.state, collection.Input{Kind: collection.Kind(kind), Now: now}, c.terms)
	var words []string
	if err != nil {
		return "refused: `" + fault.From(err).Code + "`"
	}
	if next.Phase != s.state.Phase || effect == collection.None && next != s.state { // a retry may move within its phase
		words = append(words, "**"+string(next.Phase)+"**")
	}
	if effect != collection.None {
		words = append(words, "*"+strings.ReplaceAll(string(effect), "_", " ")+"*")
	}
	if len(words) == 0 {
		return "–"
	}
	return strings.Join(words, ", ")
}

// diagram draws every arrow between different phases, whatever the circumstances.
func diagram(kinds []string) string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n    [*] --> waiting: issued\n")
	seen := map[string]bool{}
	for _, s := range situations {
		for _, c := range circumstances {
			for _, kind := range kinds {
				next, _, _ := collection.Next(s.state, collection.Input{Kind: collection.Kind(kind), Now: now}, c.terms)
				arrow := fmt.Sprintf("    %s --> %s: %s\n", s.state.Phase, next.Phase, kind)
				if next.Phase != s.state.Phase && !seen[arrow] {
					seen[arrow] = true
					b.WriteString(arrow)
				}
			}
		}
	}
	b.WriteString("    settled --> [*]\n```\n")
	return b.String()
}

// turns says which payment method each attempt uses where a policy has tryOtherMethods.
func turns() string {
	var rows [][]string
	for _, methods := range []int{1, 2, 3} {
		row := []string{fmt.Sprint(methods)}
		for automatic := range 4 {
			s := collection.State{Phase: collection.Charging, Trigger: collection.Automatic, Automatic: automatic + 1}
			row = append(row, fmt.Sprint(s.Turn(methods)+1))
		}
		manual := collection.State{Phase: collection.Charging, Trigger: collection.Manual, Automatic: 2}
		rows = append(rows, append(row, fmt.Sprint(manual.Turn(methods)+1)))
	}
	return "### Which payment method an attempt uses\n\nWith `tryOtherMethods`; without it, always the first.\n\n" +
		statedoc.Table([]string{"methods", "first attempt", "1st retry", "2nd retry", "3rd retry", "manual"}, rows)
}
