package audit_test

import (
	"encoding/json"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/audit"
)

func entries(n int) []audit.Entry {
	made := make([]audit.Entry, n)
	for i := range made {
		salt, address := []byte{byte(i)}, netip.MustParseAddr("192.0.2.7")
		made[i] = audit.Entry{
			ID: "aud_" + string(rune('a'+i)), EnvironmentID: "env_1", Position: int64(10 * (i + 1)),
			CreatedAt: time.Unix(1763640000, 1000).UTC(), ActorKind: "key", ActorID: "key_1", ActorScopes: []string{"*"},
			Operation: "updatePlan", ObjectType: "plan", ObjectID: "plan_1", RequestID: "req_1", Status: 200,
			Changes: []byte(`[{"field":"active"}]`), Address: address, AddressSalt: salt,
			AddressDigest: audit.DigestOfAddress(salt, address),
		}
	}
	return made
}

func sealed(of []audit.Entry) (seals []audit.Seal) {
	var last audit.Seal
	for _, e := range of {
		last = last.Next(e)
		seals = append(seals, last)
	}
	return seals
}

// verify walks a chain as the command does: seal by seal, each with the entry that it names.
func verify(seals []audit.Seal, rows []audit.Entry) error {
	var last audit.Seal
	for _, s := range seals {
		var found *audit.Entry
		for _, e := range rows {
			if e.ID == s.EntryID {
				found = &e
			}
		}
		var err error
		if last, err = last.Follow(s, found); err != nil {
			return err
		}
	}
	return nil
}

func TestChain_NamesFirstBreak(t *testing.T) {
	change := func(with func(e *audit.Entry)) func([]audit.Seal, []audit.Entry) ([]audit.Seal, []audit.Entry) {
		return func(s []audit.Seal, e []audit.Entry) ([]audit.Seal, []audit.Entry) { with(&e[2]); return s, e }
	}
	for name, c := range map[string]struct {
		do     func([]audit.Seal, []audit.Entry) ([]audit.Seal, []audit.Entry)
		reason string // empty: the chain holds
		number int64
	}{
		"untouched":       {change(func(*audit.Entry) {}), "", 0},
		"address erased":  {change(func(e *audit.Entry) { e.Address, e.AddressSalt = netip.Addr{}, nil }), "", 0},
		"address changed": {change(func(e *audit.Entry) { e.Address = netip.MustParseAddr("192.0.2.8") }), "address", 3},
		"address hidden":  {change(func(e *audit.Entry) { e.Address = netip.Addr{} }), "address", 3},
		"digest forged": {
			change(func(e *audit.Entry) {
				e.AddressDigest, e.Address, e.AddressSalt = nil, netip.Addr{},
					nil
			}), "was changed", 3,
		},
		"actor changed":   {change(func(e *audit.Entry) { e.ActorID = "key_2" }), "was changed", 3},
		"scopes changed":  {change(func(e *audit.Entry) { e.ActorScopes = nil }), "was changed", 3},
		"operation":       {change(func(e *audit.Entry) { e.Operation = "getPlan" }), "was changed", 3},
		"text moved over": {change(func(e *audit.Entry) { e.ObjectType, e.ObjectID = "planp", "lan_1" }), "was changed", 3},
		"object changed":  {change(func(e *audit.Entry) { e.ObjectID = "plan_2" }), "was changed", 3},
		"request changed": {change(func(e *audit.Entry) { e.RequestID = "" }), "was changed", 3},
		"status changed":  {change(func(e *audit.Entry) { e.Status = 201 }), "was changed", 3},
		"time changed": {
			change(func(e *audit.Entry) { e.CreatedAt = e.CreatedAt.Add(time.Microsecond) }), "was changed", 3,
		},
		"fields changed":   {change(func(e *audit.Entry) { e.Changes = []byte(`[]`) }), "was changed", 3},
		"of another":       {change(func(e *audit.Entry) { e.EnvironmentID = "env_2" }), "was changed", 3},
		"position changed": {change(func(e *audit.Entry) { e.Position++ }), "moved", 3},
		"entry missing": {func(s []audit.Seal, e []audit.Entry) ([]audit.Seal, []audit.Entry) {
			return s, append(e[:2:2], e[3:]...)
		}, "entry is missing", 3},
		"seal missing": {func(s []audit.Seal, e []audit.Entry) ([]audit.Seal, []audit.Entry) {
			return append(s[:2:2], s[3:]...), e
		}, "seal 3 is missing", 4},
		"seal and entry missing, numbers closed up": {func(s []audit.Seal, e []audit.Entry) ([]audit.Seal, []audit.Entry) {
			s = append(s[:2:2], s[3:]...)
			s[2].Number, s[3].Number = 3, 4
			return s, append(e[:2:2], e[3:]...)
		}, "was changed", 3},
		"two reordered": {func(s []audit.Seal, e []audit.Entry) ([]audit.Seal, []audit.Entry) {
			s[1].EntryID, s[2].EntryID = s[2].EntryID, s[1].EntryID
			return s, e
		}, "moved", 2},
	} {
		rows := entries(5)
		seals, rows := c.do(sealed(rows), rows)
		err := verify(seals, rows)
		if c.reason == "" {
			require.NoError(t, err, name)
			continue
		}
		var broken *audit.Break
		require.ErrorAs(t, err, &broken, name)
		require.Contains(t, broken.Error(), c.reason, name)
		require.Equal(t, c.number, broken.Number, name)
	}
}

func TestChanges_ShowListedValuesOnly(t *testing.T) {
	type customer struct {
		Email, TaxExempt string
		PlanID           string
		Revision         int
		PaidAt           time.Time
	}
	before, after := customer{Email: "ada@example.com", Revision: 1},
		customer{Email: "eve@example.com", TaxExempt: "exempt",
			Revision: 2, PaidAt: time.Unix(5, 0)}
	names := audit.Differing(before, after)
	require.Equal(t, []string{"email", "taxExempt", "paidAt"}, names)
	require.Equal(t, []audit.Change{
		{Field: "email"}, {Field: "taxExempt", After: json.RawMessage(`"exempt"`)}, {Field: "paidAt"},
	}, audit.Changes("customer", names, before, after))
	require.Equal(t, []audit.Change{{Field: "paidAt", After: json.RawMessage(`5`)}},
		audit.Changes("invoice", []string{"paidAt"}, before, after))
}

func TestGiven_NamesAllAndShowsListedScalars(t *testing.T) {
	body := `{"quantity":3,"planId":{"a":"secret"},"metadata":{"a":"b"},"couponCode":"X","status":null}`
	require.Equal(t, []audit.Change{
		{Field: "couponCode"}, {Field: "metadata"}, {Field: "planId"}, {Field: "quantity", After: json.RawMessage(`3`)},
		{Field: "status"},
	}, audit.Given("subscription", []byte(body)))
	require.Empty(t, audit.Given("subscription", []byte(`[1]`)))
	require.Empty(t, audit.Given("subscription", nil))
}
