package devstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// SaveData keeps a copy of the data under a name, as a snapshot of the disk would. The server must not run: after Kill
// the copy is what a power cut leaves, which the next start recovers.
func (p *Postgres) SaveData(ctx context.Context, name string) error {
	return p.copyData(ctx, p.path("data"), p.saved(name))
}

// RestoreData puts the copy of that name back; later writes are lost. The server must not run.
func (p *Postgres) RestoreData(ctx context.Context, name string) error {
	return p.copyData(ctx, p.saved(name), p.path("data"))
}

func (p *Postgres) saved(name string) string { return p.path("saved-" + filepath.Base(name)) }

// copyData runs cp, which keeps owners, modes and links; os.CopyFS keeps none of them.
func (p *Postgres) copyData(ctx context.Context, from, to string) error {
	if p.proc.Running() {
		return errors.New("the PostgreSQL server runs: stop or kill it before copying its data")
	}
	if _, err := os.Stat(from); err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "cp", "-a", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("copy %s to %s: %w\n%s", from, to, err, out)
	}
	return nil
}
