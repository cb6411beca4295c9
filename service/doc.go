// Package service owns the use cases outside workflows, one file an aggregate: what api, cmd and the dashboard have
// done. A use case is one transaction of a named actor, with what it must read before. What follows its commit, such as
// the start of a workflow, it leaves to the transaction (db.Tx.AfterCommit). It does not own the rules (billing), nor
// how a request looks or is answered (api), nor what happens later (workflows).
package service
