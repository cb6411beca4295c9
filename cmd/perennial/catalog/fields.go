package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	apicatalog "perennial/api/catalog"
	"perennial/billing/catalog"
	"perennial/billing/dunning"
	"perennial/billing/metadata"
	billing "perennial/billing/plan"
	servicecatalog "perennial/service/catalog"
)

// describeNew prints the fields of a new plan beyond its name and prices.
func describeNew(line func(string, ...any), c servicecatalog.Change) {
	p := c.To
	if p.TrialDays > 0 {
		line("trialDays: %d", p.TrialDays)
	}
	if !p.TrialEnd.Same(billing.TrialEndInvoice) {
		line("trialEndBehavior: %s", p.TrialEnd)
	}
	if p.Dunning != nil {
		line("dunning: %s", ownDunning(p.Dunning))
	}
	if p.ProrationMeasure != "" {
		line("prorationMeasure: %s", p.ProrationMeasure)
	}
	for _, key := range slices.Sorted(maps.Keys(p.Metadata)) {
		line("metadata.%s: %s", key, note(p.Metadata[key]))
	}
	if !p.Active {
		line("active: false, which takes no subscriptions")
	}
}

// describeField prints a field before and after, and from when on the new value holds for running subscriptions.
func describeField(line func(string, ...any), c servicecatalog.Change, field string) {
	was, to := *c.Was, c.To
	running := func(from string) string {
		if c.Running == 0 {
			return ""
		}
		return fmt.Sprintf("; takes effect %s %d running subscriptions", from, c.Running)
	}
	switch field {
	case "name":
		line("name: %q becomes %q%s", was.Name, to.Name, running("now for"))
	case "active":
		line("active: %t becomes %t, %s", was.Active, to.Active,
			map[bool]string{true: "published again", false: "archived: no new subscriptions"}[to.Active])
	case "trialDays":
		line("new version: trialDays %d becomes %d, for new subscriptions", was.TrialDays, to.TrialDays)
	case "trialEndBehavior":
		line("new version: trialEndBehavior %s becomes %s, for new subscriptions",
			cmp.Or(was.TrialEnd, billing.TrialEndInvoice), cmp.Or(to.TrialEnd, billing.TrialEndInvoice))
	case "productId":
		line("product: %s", map[bool]string{true: "none any more", false: "becomes the one that the file names"}[to.ProductID == ""])
	case "catalogKey":
		line("adopted under this key")
	case "dunning":
		line("dunning: %s becomes %s%s", ownDunning(was.Dunning), ownDunning(to.Dunning), running("now for"))
	case "prorationMeasure":
		line("prorationMeasure: %s becomes %s%s", cmp.Or(string(was.ProrationMeasure), environments),
			cmp.Or(string(to.ProrationMeasure), environments), running("with the next period of"))
	case "metadata":
		describeNotes(line, was.Metadata, to.Metadata)
	case "features":
		line("features: %s becomes %s%s", catalog.DescribeFeatures(was.Features), catalog.DescribeFeatures(to.Features),
			running("now for"))
	case "prices":
		line("new version: prices")
		describeLines(line, catalog.DescribeAll(was), catalog.DescribeAll(to))
	case "meteredPrices":
		line("new version: meteredPrices")
		describeLines(line, catalog.DescribeMetered(was), catalog.DescribeMetered(to))
	case "commitment":
		line("new version: commitment %s becomes %s", catalog.DescribeCommitment(was), catalog.DescribeCommitment(to))
	case "usageThresholds":
		line("new version: usageThresholds %s becomes %s", catalog.DescribeThresholds(was.Metered),
			catalog.DescribeThresholds(to.Metered))
	case "minimum":
		line("new version: minimum %s becomes %s", catalog.DescribeMinimum(was), catalog.DescribeMinimum(to))
	}
}

// describeLines prints the removed lines and the added ones.
func describeLines(line func(string, ...any), before, after []string) {
	for _, price := range less(before, after) {
		line("  - %s", price)
	}
	for _, price := range less(after, before) {
		line("  + %s", price)
	}
}

// environments stands for the environment's setting, which applies where a plan has none.
const environments = "the environment's"

func ownDunning(p *dunning.Policy) string {
	if p == nil {
		return environments
	}
	text, err := apicatalog.WriteDunning(*p)
	if err != nil {
		return err.Error()
	}
	return text
}

func describeNotes(line func(string, ...any), was, to metadata.Pairs) {
	all := maps.Clone(was)
	if all == nil {
		all = metadata.Pairs{}
	}
	maps.Copy(all, to)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		before, had := was[key]
		after, has := to[key]
		switch {
		case !had:
			line("metadata.%s: %s, new", key, note(after))
		case !has:
			line("metadata.%s: %s is removed", key, note(before))
		case !metadata.Pairs{key: before}.Same(metadata.Pairs{key: after}):
			line("metadata.%s: %s becomes %s", key, note(before), note(after))
		}
	}
}

// note is a note as JSON has it, so that a text is not taken for a number.
func note(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// less returns texts without those of take, each removed as often as take has it.
func less(texts, take []string) (left []string) {
	take = slices.Clone(take)
	for _, text := range texts {
		if i := slices.Index(take, text); i >= 0 {
			take = slices.Delete(take, i, i+1)
			continue
		}
		left = append(left, text)
	}
	return left
}
