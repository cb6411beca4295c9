package serve

import "context"

// auditSealer seals entries of the audit log: tenancy.Service.
type auditSealer interface {
	SealWritten(ctx context.Context) (int, error)
	SealAudit(ctx context.Context) (int, error)
}

// sealAudit seals until ctx ends. Until then an entry is not in the chain.
func (s *Server) sealAudit(ctx context.Context, use auditSealer) {
	s.keepUp(ctx, use.SealWritten, use.SealAudit, "entries of the audit log could not be sealed; they are within a minute")
}
