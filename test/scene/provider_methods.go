package scene

import (
	"context"
	"slices"

	"perennial/providers"
)

// methods are the payment methods that the provider was asked to remove.
type methods struct {
	keeps   bool
	during  func()
	removed []string
}

// KeepMethods makes the provider fail to remove payment methods, or succeed again.
func (p *Provider) KeepMethods(keeps bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.methods.keeps = keeps
}

// DuringRemovals makes something happen while the provider is asked to remove a payment method.
func (p *Provider) DuringRemovals(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.methods.during = do
}

// RemoveMethod implements providers.MethodRemover.
func (p *Provider) RemoveMethod(_ context.Context, m providers.Method) providers.Removal {
	p.mu.Lock()
	during := p.methods.during
	p.mu.Unlock()
	if during != nil {
		during()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.methods.keeps {
		return providers.Removal{Reason: "The provider is away."}
	}
	p.methods.removed = append(p.methods.removed, m.PaymentMethodToken)
	return providers.Removal{Removed: true}
}

// RemovedMethods lists the tokens of the payment methods that were removed, in order, each as often as it was.
func (p *Provider) RemovedMethods() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.methods.removed)
}
