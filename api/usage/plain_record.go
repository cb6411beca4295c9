package usage

import (
	"strconv"
	"strings"

	"perennial/billing/usage"
)

// The bounds of a plain record. Those of its fields are those of UsageForm's schema.
const (
	maxPlainName = 100 // of a field or a property
	maxPlainText = 255 // of a property
	latestTime   = 253402300799
)

// The fields of a record, as bits of the set of those that were read.
const (
	hasSubscription = 1 << iota
	hasMetric
	hasQuantity
	hasTimestamp
	hasKey
	hasProperties
	hasCorrects

	requiredFields = hasSubscription | hasMetric | hasQuantity | hasKey
)

// readPlain reads one record, without further text.
func readPlain(text string) (form UsageForm, ok bool) {
	p := plainReader{text: text}
	form, ok = p.record()
	return form, ok && p.ended()
}

// readPlainBatch reads the body of a batch with a maximum of records.
func readPlainBatch(body string, most int) (forms []UsageForm, ok bool) {
	p := plainReader{text: body}
	forms = make([]UsageForm, 0, min(most, strings.Count(body, "{")))
	lists := 0
	ok = p.object(func(name string) bool {
		lists++
		return lists == 1 && name == "records" && p.list(func() bool {
			form, ok := p.record()
			forms = append(forms, form)
			return ok && len(forms) <= most
		})
	})
	return forms, ok && lists == 1 && p.ended()
}

// record reads the next record.
func (p *plainReader) record() (form UsageForm, ok bool) {
	read := 0
	ok = p.object(func(name string) bool {
		var field int
		var ok bool
		switch name {
		case "subscriptionId":
			field = hasSubscription
			form.SubscriptionID, ok = p.word(1, 64)
		case "metricName":
			field = hasMetric
			form.MetricName, ok = p.word(1, 100)
		case "quantity":
			field = hasQuantity
			var number string
			number, ok = p.number()
			form.Quantity = Number(number)
		case "timestamp":
			field = hasTimestamp
			form.Timestamp, ok = p.time()
		case "idempotencyKey":
			field = hasKey
			form.IdempotencyKey, ok = p.word(1, 255)
		case "properties":
			field = hasProperties
			form.Properties, ok = p.properties()
		case "corrects":
			field = hasCorrects
			form.Corrects, ok = p.word(0, 255)
		}
		ok = ok && read&field == 0
		read |= field
		return ok
	})
	return form, ok && read&requiredFields == requiredFields
}

// time reads Unix seconds.
func (p *plainReader) time() (int64, bool) {
	number, ok := p.number()
	if !ok {
		return 0, false
	}
	seconds, err := strconv.ParseInt(number, 10, 64)
	return seconds, err == nil && seconds >= 1 && seconds <= latestTime
}

// properties reads an object of scalars. Null, which removes a property, is not plain.
func (p *plainReader) properties() (UsageProperties, bool) {
	properties := UsageProperties{}
	ok := p.object(func(name string) bool {
		value, ok := p.scalar()
		if _, repeated := properties[name]; repeated || len(properties) == usage.MaxProperties {
			return false
		}
		properties[name] = value
		return ok
	})
	return properties, ok
}

// scalar reads a string, or the text of a number or a boolean.
func (p *plainReader) scalar() (string, bool) {
	p.space()
	switch {
	case p.at == len(p.text):
		return "", false
	case p.text[p.at] == '"':
		return p.word(0, maxPlainText)
	case p.skip("true"):
		return "true", true
	case p.skip("false"):
		return "false", true
	default:
		return p.number()
	}
}
