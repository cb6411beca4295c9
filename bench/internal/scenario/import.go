package scenario

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"perennial/bench/internal/load"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/bench/stage"
)

// importRecords measures `perennial import` of customers and of subscriptions, with its start, and COPY of the same
// rows, in transactions of as many records.
func importRecords(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	n := Pick(o, 1000, 5000)
	session := strconv.FormatInt(time.Now().UnixNano(), 36)
	began := time.Now().UTC().Truncate(time.Second).Add(-12 * time.Hour)
	external := func(kind string, round, i int) string { return fmt.Sprintf("%s-%s-%d-%06d", kind, session, round, i) }
	for _, kind := range []struct {
		name, letter string
		line         func(round, i int) string
		tables       []copied
	}{
		{
			"customers", "c", func(round, i int) string {
				return fmt.Sprintf(`{"type":"customer","id":%q,"email":"bench@example.com","name":"Bench","paymentMethod":"card",`+
					`"paymentDetails":{"provider":"stripe","customerToken":"cus_1","paymentMethodToken":"pm_card_visa"}}`,
					external("c", round, i))
			}, []copied{{"customers", "id"}, {"imported_records", "object_id"}},
		},
		{
			"subscriptions", "s", func(round, i int) string {
				return fmt.Sprintf(`{"type":"subscription","id":%q,"customer":%q,"plan":%q,"status":"active",`+
					`"currentPeriodStart":%d,"currentPeriodEnd":%d}`, external("s", round, i), external("c", round, i),
					r.Stage.Daily.ID, began.Unix(), began.AddDate(0, 0, 1).Unix())
			}, []copied{{"subscriptions", "id"}, {"subscription_items", "subscription_id"}, {"imported_records", "object_id"}},
		},
	} {
		measured, err := compare(ctx, r, o, "import of "+kind.name, result.Goal{},
			func(ctx context.Context, round int) (load.Load, error) {
				var lines bytes.Buffer
				for i := range n {
					fmt.Fprintln(&lines, kind.line(round, i))
				}
				file := filepath.Join(r.Dir, kind.name+".jsonl")
				if err := os.WriteFile(file, lines.Bytes(), 0o600); err != nil {
					return load.Load{}, err
				}
				return timed(n, func() error { return importFile(ctx, r, file) })
			},
			func(ctx context.Context, round int) (load.Load, error) {
				batches, err := imported(ctx, r, kind.tables, fmt.Sprintf("%s-%s-%d-", kind.letter, session, round))
				if err != nil {
					return load.Load{}, err
				}
				return timed(n, func() error { return copyBatches(ctx, r, batches) })
			})
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, measured)
	}
	return out, leaveImported(ctx, r, session)
}

// timed measures n records at once: no client waits for a single one.
func timed(n int, do func() error) (load.Load, error) {
	began := time.Now()
	err := do()
	return load.Load{Count: n, Seconds: time.Since(began).Seconds()}, err
}

func importFile(ctx context.Context, r *rig.Rig, file string) error {
	cmd := exec.CommandContext(ctx, r.Binary, "import", "--tenant", "Bench", "--app", "Bench", "--mode", "test", file)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	for key, value := range r.Settings("", "") {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("import: %w\n%.2000s", err, said)
	}
	return nil
}

// leaveImported keeps the reconciler from starting imported subscriptions: later scenarios would be slower.
func leaveImported(ctx context.Context, r *rig.Rig, session string) error {
	rows, err := r.Ours.Pool.Query(ctx,
		"select object_id from imported_records where type = 'subscription' and external_id like $1", "s-"+session+"-%")
	if err != nil {
		return err
	}
	defer rows.Close()
	var subjects []stage.Subject
	for rows.Next() {
		var s stage.Subject
		if err := rows.Scan(&s.SubscriptionID); err != nil {
			return err
		}
		subjects = append(subjects, s)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return r.NoteStarted(ctx, subjects)
}
