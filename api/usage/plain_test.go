package usage

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

const plainRecord = `{"subscriptionId":"s","metricName":"m","quantity":1,"idempotencyKey":"k"}`

// plainExamples returns records at the edges of the plain form. true: it is plain.
func plainExamples() map[string]bool {
	more := func(field string) string { return strings.Replace(plainRecord, "}", ","+field+"}", 1) }
	quantity := func(value string) string { return strings.Replace(plainRecord, "1", value, 1) }
	key := func(value string) string { return strings.Replace(plainRecord, `"k"`, value, 1) }
	return map[string]bool{
		plainRecord: true,
		" {\t\"subscriptionId\" : \"sub 1\",\n\"metricName\":\"m\" ,\"quantity\":-0,\"idempotencyKey\":\"~\"}\r\n": true,
		quantity("-0.50"): true, quantity("01"): false, quantity("1."): false, quantity("1e3"): false, quantity("-"): false,
		quantity(`"1"`): false, quantity(strings.Repeat("1", 32)): true, quantity(strings.Repeat("1", 33)): false,
		key(`"é"`): false, key(`"\u0041"`): false, key(`""`): false, key("null"): false, key("\"\x7f\""): false,
		more(`"idempotencyKey":"k"`): false, more(`"unknown":1`): false, more(`"corrects":""`): true,
		more(`"timestamp":0`): false, more(`"timestamp":1`): true, more(`"timestamp":1.5`): false,
		more(`"timestamp":253402300799`): true, more(`"timestamp":253402300800`): false,
		more(`"properties":{"a":"b","c":-1.50,"d":true,"e":false}`): true, more(`"properties":{}`): true,
		more(`"properties":{"a":null}`): false, more(`"properties":{"a":{}}`): false, more(`"properties":[]`): false,
		more(`"properties":{"a":"1","a":"2"}`): false, more(`"properties":{"":"a"}`): false,
		plainRecord + "x": false, plainRecord[1:]: false, plainRecord[:len(plainRecord)-1]: false,
		`{"metricName":"m","quantity":1,"idempotencyKey":"k"}`:                       false,
		`{"subscriptionId":"s","metricName":"m","quantity":1,"idempotencyKey":"k",}`: false,
		`{}`: false, `[]`: false, `null`: false, ``: false,
	}
}

// generic returns the reader of records that are not plain.
func generic() *Handler {
	h := &Handler{shapes: httpkit.NewShapes()}
	httpkit.Prepare[UsageForm](h.shapes)
	return h
}

func TestReadPlain_RecognisesTheUsualForms(t *testing.T) {
	t.Parallel()
	for text, want := range plainExamples() {
		_, plain := readPlain(text)
		require.Equal(t, want, plain, text)
		requireSameForm(t, generic(), text)
	}
	long := func(n int) string { return strings.Repeat("k", n) }
	for name, most := range map[string]int{"subscriptionId": 64, "metricName": 100, "idempotencyKey": 255, "corrects": 255} {
		for n, want := range map[int]bool{most: true, most + 1: false} {
			fields := map[string]string{"subscriptionId": "s", "metricName": "m", "idempotencyKey": "k"}
			fields[name] = long(n)
			text := `{"quantity":1`
			for field, value := range fields {
				text += `,"` + field + `":"` + value + `"`
			}
			text += "}"
			_, plain := readPlain(text)
			require.Equal(t, want, plain, text)
			requireSameForm(t, generic(), text)
		}
	}
}

func TestReadPlainBatch_AsManyAsAllowed(t *testing.T) {
	t.Parallel()
	const record = plainRecord
	for body, want := range map[string]int{
		`{"records":[` + record + `]}`:                               1,
		` { "records" : [ ` + record + ` , ` + record + ` ] } `:      2,
		`{"records":[` + record + `,` + record + `,` + record + `]}`: -1,
		`{"records":[]}`: -1,
		`{"records":[` + record + `],"records":[]}`: -1,
		`{"records":[` + record + `],"more":1}`:     -1,
		`{"records":[` + record + `]}{}`:            -1,
		`{"records":[` + record + `,{}]}`:           -1,
		`{}`:                                        -1,
	} {
		forms, plain := readPlainBatch(body, 2)
		require.Equal(t, want >= 0, plain, body)
		if plain {
			require.Len(t, forms, want, body)
		}
	}
}

// FuzzReadPlain checks that every plain record is valid, and read as the same form.
func FuzzReadPlain(f *testing.F) {
	for text := range plainExamples() {
		f.Add(text)
	}
	h := generic()
	f.Fuzz(func(t *testing.T, text string) { requireSameForm(t, h, text) })
}

func requireSameForm(t *testing.T, h *Handler, text string) {
	t.Helper()
	form, plain := readPlain(text)
	if !plain {
		return
	}
	want, err := httpkit.ReadJSON[UsageForm](h.shapes, []byte(text), recordValues)
	require.NoError(t, err, text)
	require.Equal(t, want, form, text)
}
