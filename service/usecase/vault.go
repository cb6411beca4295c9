package usecase

import "perennial/billing/fault"

// ErrKEKMissing refuses what seals secrets in a process that has no key for it.
var ErrKEKMissing = fault.New(fault.Internal, "kek_missing", "This process has no key to encrypt secrets with.")
