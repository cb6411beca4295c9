// Package service owns the use cases outside workflows, for api, cmd and the dashboard: one package a subject, a
// column, which Service assembles. A use case is one transaction of a named actor, with the reads that precede it.
// Effects that follow the commit, such as the start of a workflow, are collected by the transaction
// (db.Tx.AfterCommit). It does not own the rules (billing), the requests and responses (api), nor what happens later
// (workflows).
package service
