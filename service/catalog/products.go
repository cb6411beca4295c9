package catalog

import (
	"context"
	"maps"

	"perennial/billing/audit"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/billing/text"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// CreateProduct stores p with a new id and date. Faults: those of plan.Product.Validate, of text and of metadata.
func (s *Service) CreateProduct(
	ctx context.Context, by usecase.Caller, p plan.Product, also usecase.Also[plan.Product],
) (plan.Product, error) {
	now := s.Now()
	p.ID, p.Active, p.CreatedAt = id.New(id.Product, now), true, now
	if err := checkProduct(p); err != nil {
		return p, err
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (plan.Product, error) {
		if err := tx.Catalog.InsertProduct(ctx, by.EnvironmentID, p); err != nil {
			return p, err
		}
		return p, tx.Emit(ctx, by.EnvironmentID, event.New(event.ProductCreated{ID: p.ID}, now))
	})
}

func checkProduct(p plan.Product) error {
	return fault.Joined(p.Validate(), text.Check("name", p.Name),
		text.Check("description", p.Description), p.Metadata.Check())
}

// ProductUpdate changes the fields that are not nil.
type ProductUpdate struct {
	Active      *bool
	Name        *string
	Description *string
	TaxCategory *tax.Category   // empty: none
	Metadata    *metadata.Pairs // replaces all
}

// apply changes p and names the fields that changed.
func (u ProductUpdate) apply(p *plan.Product) (changed []string) {
	if u.Active != nil && *u.Active != p.Active {
		p.Active, changed = *u.Active, append(changed, "active")
	}
	if u.Name != nil && *u.Name != p.Name {
		p.Name, changed = *u.Name, append(changed, "name")
	}
	if u.Description != nil && *u.Description != p.Description {
		p.Description, changed = *u.Description, append(changed, "description")
	}
	if u.TaxCategory != nil && *u.TaxCategory != p.TaxCategory {
		p.TaxCategory, changed = *u.TaxCategory, append(changed, "taxCategory")
	}
	if u.Metadata != nil && !maps.Equal(*u.Metadata, p.Metadata) {
		p.Metadata, changed = *u.Metadata, append(changed, "metadata")
	}
	return changed
}

// UpdateProduct changes a product, and announces the changes, if any. Its plans stay as they are, except for the tax
// category: what is billed from then on has the new one, also of subscriptions that exist. Lines that were billed, or
// wait for an invoice, keep theirs. Faults: product_not_found, those of CreateProduct.
func (s *Service) UpdateProduct(
	ctx context.Context, by usecase.Caller, productID string, u ProductUpdate, also usecase.Also[plan.Product],
) (plan.Product, error) {
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (plan.Product, error) {
		p, err := tx.Catalog.LockProduct(ctx, by.EnvironmentID, productID)
		if err != nil {
			return p, err
		}
		was := p
		changed := u.apply(&p)
		tx.AuditChanges(audit.Changes("product", changed, was, p)...)
		if len(changed) == 0 {
			return p, nil
		}
		if err := checkProduct(p); err != nil {
			return p, err
		}
		if err := tx.Catalog.SaveProduct(ctx, by.EnvironmentID, p); err != nil {
			return p, err
		}
		return p, tx.Emit(ctx, by.EnvironmentID, event.New(event.ProductUpdated{ID: p.ID, Changed: changed}, s.Now()))
	})
}
