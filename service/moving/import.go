package moving

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"perennial/billing/audit"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/moving"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/service/movefile"
	"perennial/service/usecase"
)

// ImportOptions are the options of an import.
type ImportOptions struct {
	DryRun   bool   // writes nothing; subscriptions have their next invoice
	Source   string // the system of the external ids; empty: the only one
	Announce bool   // sends customer.created and subscription.created
	Strict   bool   // the first refusal ends the import
	Batch    int    // records in a transaction; 0: 500
}

// ImportOutcome is the outcome of a record.
type ImportOutcome string

// The outcomes.
const (
	RecordImported ImportOutcome = "imported" // in a dry run: it would be imported
	RecordPresent  ImportOutcome = "present"  // imported before
	RecordRefused  ImportOutcome = "refused"
	RecordLeftOut  ImportOutcome = "left_out" // history, or ended
)

// ImportedLine is a record with its outcome.
type ImportedLine struct {
	movefile.Record
	Outcome ImportOutcome
	Fault   error     // of a refusal
	Next    *NextBill // of a subscription in a dry run; nil: no invoice follows
	// CustomerID and Currency are those of an imported or present balance, grant or subscription.
	CustomerID string
	Currency   money.Currency
}

// ErrImportStopped ends a strict import at the first refusal. Earlier records stay imported.
var ErrImportStopped = fault.New(fault.Invalid, "import_stopped",
	"The import stopped at the first refusal. Correct the record and run the import again: it goes on from there.")

const importBatch = 500

// Import imports the records of files in any order, by their types in the order of moving.Imported. It passes every
// line to told after its batch is committed, in the order of the files within a batch. Repeating an interrupted import
// continues it: existing objects do not change. Imported subscriptions have no workflow until the reconciler starts it,
// at its pace. Faults: import_file_unreadable, import_source_invalid, import_stopped, database_unavailable.
func (s *Service) Import(
	ctx context.Context, by usecase.Caller, files []movefile.File, o ImportOptions, told func(ImportedLine),
) error {
	im, err := s.newImport(ctx, by, o, told)
	if err != nil {
		return err
	}
	type contents struct {
		file int
		of   moving.Type
	}
	seen := map[contents]bool{} // in the first pass
	for pass, of := range moving.Imported() {
		im.of = of
		for i, f := range files {
			if pass > 0 && !seen[contents{i, of}] && of != moving.CustomerType {
				continue
			}
			wants := func(t moving.Type) bool {
				seen[contents{i, t}] = true
				return t == of || of == moving.CustomerType && !t.Imports() // and what cannot be read
			}
			if err := f.Each(wants, func(r movefile.Record) error { return im.add(ctx, r) }); err != nil {
				return err
			}
		}
		if err := im.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// importing is the state of an import.
type importing struct {
	*Service
	ImportOptions
	by    usecase.Caller
	told  func(ImportedLine)
	env   *importEnvironment
	dry   *dryRun
	of    moving.Type // of the pass
	batch []movefile.Record
	// refused has the external ids of customers whose records were refused.
	refused map[string]bool
	locked  subscription.Settings // of the environment, in the transaction of the batch
	now     time.Time             // of the batch
}

func (s *Service) newImport(
	ctx context.Context, by usecase.Caller, o ImportOptions, told func(ImportedLine),
) (*importing, error) {
	if o.Batch <= 0 {
		o.Batch = importBatch
	}
	if err := moving.CheckSource(o.Source); err != nil {
		return nil, err
	}
	env, err := s.importEnvironment(ctx, by.EnvironmentID, o.Source)
	return &importing{
		Service: s, ImportOptions: o, by: by, told: told, env: env, dry: newDryRun(), refused: map[string]bool{},
	}, err
}

func (im *importing) add(ctx context.Context, r movefile.Record) error {
	if im.batch = append(im.batch, r); len(im.batch) < im.Batch {
		return nil
	}
	return im.flush(ctx)
}

// flush decides about the records of the batch and writes the new ones, in one transaction.
func (im *importing) flush(ctx context.Context) error {
	batch := im.batch
	im.batch, im.now = im.batch[:0], im.Service.Now()
	if len(batch) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var lines []ImportedLine
	var err error
	if im.DryRun {
		lines, err = im.look(ctx, batch)
	} else {
		err = im.Store.InTx(ctx, im.by.Actor, im.now, func(tx *db.Tx) error {
			tx.Audit(im.by.EnvironmentID)
			lines, err = im.write(ctx, tx, batch)
			return err
		})
	}
	if err != nil {
		return err
	}
	for _, line := range lines {
		im.told(line)
	}
	if im.Strict && lines[len(lines)-1].Outcome == RecordRefused {
		return ErrImportStopped
	}
	return nil
}

// write imports a batch. Imports of one environment lock its settings, so that a record is written once.
func (im *importing) write(ctx context.Context, tx *db.Tx, batch []movefile.Record) ([]ImportedLine, error) {
	if err := tx.Moving.PlanAnew(ctx); err != nil {
		return nil, err
	}
	var err error
	if im.locked, err = tx.Tenancy.LockSettings(ctx, im.by.EnvironmentID); err != nil {
		return nil, err
	}
	im.env.settings = im.locked // they may have changed since the import began
	known, err := im.known(ctx, tx.Reader, tx.Customers.LockByID, batch)
	if err != nil {
		return nil, err
	}
	var arrived []arrival
	lines, err := im.decide(batch, known, func(a arrival) (*NextBill, error) {
		arrived = append(arrived, a)
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	tx.AuditChanges(audit.Change{Field: "importedRecords", After: json.RawMessage(strconv.Itoa(len(arrived)))})
	return lines, im.insert(ctx, tx, arrived)
}

// look decides about a batch in a dry run.
func (im *importing) look(ctx context.Context, batch []movefile.Record) ([]ImportedLine, error) {
	known, err := im.known(ctx, im.Store.Reader, im.Store.Customers.ListByID, batch)
	if err != nil {
		return nil, err
	}
	if err := im.dry.readBalances(ctx, im.Store.Reader, im.by.EnvironmentID, known); err != nil {
		return nil, err
	}
	return im.decide(batch, known, func(a arrival) (*NextBill, error) { return im.dry.arrive(im.env, a, im.now) })
}

// decide judges the records in order, and passes new ones to arrive.
func (im *importing) decide(
	batch []movefile.Record, known *known, arrive func(arrival) (*NextBill, error),
) ([]ImportedLine, error) {
	lines := make([]ImportedLine, 0, len(batch))
	for _, r := range batch {
		line := ImportedLine{Record: r}
		a, outcome, err := im.judge(r, known)
		if err == nil && outcome == RecordImported {
			line.Next, err = arrive(a)
		}
		switch line.Outcome = outcome; {
		case err != nil && !fault.From(err).Refusal():
			return nil, fault.From(err).Because(fmt.Errorf("%s:%d: %w", r.File, r.Line, err))
		case err != nil:
			line.Outcome, line.Fault = RecordRefused, err
			if r.Type == moving.CustomerType {
				im.refused[r.ID] = true
			}
		case outcome == RecordImported:
			known.add(a)
			im.env.arrive(a)
		}
		if line.Outcome == RecordImported || line.Outcome == RecordPresent {
			line.CustomerID, line.Currency = im.about(r, known)
		}
		lines = append(lines, line)
		if im.Strict && line.Outcome == RecordRefused {
			break
		}
	}
	return lines, nil
}

// about returns the customer and the currency of a balance, grant or subscription, as far as the record has them.
func (im *importing) about(r movefile.Record, known *known) (string, money.Currency) {
	customerID := known.customers[reference(r)].ID
	switch {
	case r.Balance != nil:
		return customerID, r.Balance.Currency
	case r.CreditGrant != nil:
		return customerID, r.CreditGrant.Currency
	case r.Subscription != nil:
		if r.Subscription.Currency != "" {
			return customerID, r.Subscription.Currency
		}
		p, err := im.env.plan("plan", r.Subscription.Plan, r.Subscription.PlanVersion)
		if err != nil { // the source system may have lost the plan of a present one
			return customerID, ""
		}
		return customerID, p.Currency
	}
	return customerID, ""
}
