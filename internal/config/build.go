package config

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"sync"
)

// BuiltFrom names this build so that two different sources never share a name: the commit where the work tree was
// clean, else a hash of the program itself. Images are built without .git, which would make every layer depend on every
// commit; builds are reproducible (-trimpath), so that the same source gives the same hash on another machine.
var BuiltFrom = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return buildName(info, programHash)
})

// nameLength is enough of a hash to tell the builds of one installation apart, and short enough to be read out.
const nameLength = 12

func buildName(info *debug.BuildInfo, program func() (string, error)) string {
	settings := map[string]string{}
	if info != nil {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	revision := settings["vcs.revision"]
	revision = revision[:min(nameLength, len(revision))]
	if revision != "" && settings["vcs.modified"] != "true" {
		return revision
	}
	hash, err := program()
	switch {
	case err != nil && revision == "":
		return "unknown"
	case err != nil:
		return revision + "-modified"
	case revision == "":
		return hash
	default:
		return revision + "-" + hash
	}
}

// programHash reads the whole file once: some 50 ms at the start of a process.
func programHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // only read
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil))[:nameLength], nil
}
