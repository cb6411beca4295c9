package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/document"
	"perennial/billing/erasure"
	"perennial/db"
	"perennial/internal/id"
)

// look saves a template.
func (b *bundle) look(t testing.TB, env string, of document.Template) document.Template {
	t.Helper()
	of.ID = id.New(id.InvoiceTemplate, wall)
	require.NoError(t, b.store.InTx(t.Context(), db.BySystem("test"), wall, func(tx *db.Tx) (err error) {
		_, err = tx.Tenancy.LockSettings(t.Context(), env)
		require.NoError(t, err)
		of.Version, err = tx.Templates.Insert(t.Context(), env, of)
		return err
	}))
	return of
}

func (b *bundle) publish(t testing.TB, env, id string) {
	t.Helper()
	require.NoError(t, b.store.InTx(t.Context(), db.BySystem("test"), wall, func(tx *db.Tx) error {
		return tx.Templates.Publish(t.Context(), env, id)
	}))
}

// drawn publishes a template and draws a document by it.
func (b *bundle) drawn(t testing.TB, env, customerID, documentID string) (templateID string) {
	t.Helper()
	by := b.look(t, env, document.Template{Accent: "#0a5c8e"})
	b.publish(t, env, by.ID)
	place := document.Place{EnvironmentID: env, CustomerID: customerID, DocumentID: documentID}
	kept, err := b.drawings().KeepDrawing(t.Context(), place, by.ID, document.Page,
		document.Drawing{Template: by, Digest: []byte("1"), Content: []byte("page")})
	require.NoError(t, err)
	require.True(t, kept)
	return by.ID
}

func (b *bundle) drawings() db.Drawings {
	return db.NewDrawings(b.store, func() time.Time { return wall })
}

// A document keeps the template by which it was drawn first, whatever is published since, and its drawing in each form.
func TestDrawings_KeepTheirTemplate(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), t.Context()
	place := document.Place{EnvironmentID: b.env, CustomerID: b.customer.ID, DocumentID: "in_1"}
	keep := func(by document.Template, was string, form document.Form, content string) bool {
		kept, err := b.drawings().KeepDrawing(ctx, place, was, form,
			document.Drawing{Template: by, Digest: []byte("of " + content), Content: []byte(content)})
		require.NoError(t, err)
		return kept
	}
	read := func(of document.Place, form document.Form) document.Drawing {
		d, err := b.drawings().Drawing(ctx, of, form)
		require.NoError(t, err)
		return d
	}
	require.Equal(t, document.Drawing{}, read(place, document.Page), "no template is published")

	logo := document.Logo{Type: "image/png", Content: []byte{1, 2}}
	first := b.look(t, b.env, document.Template{
		Source: "{{ title }}", Accent: "#0a5c8e", Logo: logo, Texts: document.Texts{"de": {"footer": "Fuß"}},
	})
	require.Equal(t, 1, first.Version)
	b.publish(t, b.env, first.ID)
	require.Equal(t, document.Drawing{Template: first}, read(place, document.Page), "the published one, with nothing drawn")
	require.True(t, keep(first, first.ID, document.Page, "page"))

	second := b.look(t, b.env, document.Template{})
	require.Equal(t, 2, second.Version)
	b.publish(t, b.env, second.ID)
	require.Equal(t, first, read(place, document.Page).Template, "it was drawn by the first")
	require.False(t, keep(second, second.ID, document.Page, "by another"), "it keeps the first")
	require.True(t, keep(first, first.ID, document.Paper, "paper"))
	require.Equal(t, "page", string(read(place, document.Page).Content))
	require.Equal(t, "paper", string(read(place, document.Paper).Content))
	require.True(t, keep(first, first.ID, document.Page, "page, paid"))
	require.Equal(t, "of page, paid", string(read(place, document.Page).Digest))
	require.Equal(t, "paper", string(read(place, document.Paper).Content), "the other form stays")

	require.True(t, keep(document.Template{}, first.ID, document.Page, "by the built-in one"), "the first failed")
	require.Empty(t, read(place, document.Page).Template.ID)
	require.Nil(t, read(place, document.Paper).Content, "it was by the first")
	other := document.Place{EnvironmentID: b.env, CustomerID: b.customer.ID, DocumentID: "in_2"}
	require.Equal(t, second.ID, read(other, document.Page).Template.ID)
}

// Nothing that was drawn of a customer is left when the customer is erased, and nothing is kept afterwards.
func TestDrawings_Erased(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t), t.Context()
	by := b.drawn(t, b.env, b.customer.ID, "in_1")
	place := document.Place{EnvironmentID: b.env, CustomerID: b.customer.ID, DocumentID: "in_1"}
	require.NoError(t, b.store.InTx(ctx, db.BySystem("test"), wall, func(tx *db.Tx) error {
		_, err := tx.Customers.EraseInvoices(ctx, b.env, erasure.Erasure{CustomerID: b.customer.ID}, 10)
		return err
	}))
	left, err := b.drawings().Drawing(ctx, place, document.Page)
	require.NoError(t, err)
	require.Nil(t, left.Content)
	require.Equal(t, by, left.Template.ID, "it would be drawn by the same template")

	require.NoError(t, b.store.InTx(ctx, db.BySystem("test"), wall, func(tx *db.Tx) error {
		return tx.Customers.Erase(ctx, b.env, b.customer.ID)
	}))
	kept, err := b.drawings().KeepDrawing(ctx, place, by, document.Page,
		document.Drawing{Template: left.Template, Digest: []byte("1"), Content: []byte("page")})
	require.NoError(t, err)
	require.True(t, kept, "there is nothing to do again")
	left, err = b.drawings().Drawing(ctx, place, document.Page)
	require.NoError(t, err)
	require.Nil(t, left.Content)
}

// A template that documents keep is not deleted.
func TestTemplates_Delete(t *testing.T) {
	t.Parallel()
	b := setup(t)
	used, unused := b.drawn(t, b.env, b.customer.ID, "in_1"), b.look(t, b.env, document.Template{}).ID
	published := b.look(t, b.env, document.Template{}).ID
	b.publish(t, b.env, published)
	for templateID, want := range map[string]bool{used: false, unused: true, published: false} {
		require.NoError(t, b.store.InTx(t.Context(), db.BySystem("test"), wall, func(tx *db.Tx) error {
			deleted, err := tx.Templates.Delete(context.WithoutCancel(t.Context()), b.env, templateID)
			require.Equal(t, want, deleted)
			return err
		}))
	}
}
