package lint

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	parentheses = regexp.MustCompile(`\(([^()]+)\)`)
	aName       = regexp.MustCompile(`^[a-z][a-z0-9]*(/[a-z][a-z0-9]*)*$`)
)

// plainWords are words in parentheses that name no package.
var plainWords = map[string][]string{
	"money": {"once"}, // how often is rounded
}

// Package comments of billing name in parentheses the packages that own the rest. The compiler does not notice if such
// a name leads nowhere after a package is divided or renamed.
func TestPackageComments_OfBillingNamePackages(t *testing.T) {
	t.Parallel()
	for _, name := range packagesIn(t, "billing") {
		comment := packageComment(t, filepath.Join("..", "..", "billing", name))
		require.NotEmpty(t, comment, "billing/%s has no package comment", name)
		for _, word := range namesIn(comment) {
			if slices.Contains(plainWords[name], word) {
				continue
			}
			require.NotEqual(t, name, word, "the comment of billing/%s refers to itself", name)
			require.True(t, isPackage(word),
				"the comment of billing/%s refers to (%s), which is neither a package of billing nor a folder of the repository; "+
					"if it is no name, list it in plainWords", name, word)
		}
	}
}

func TestNamesIn_ParenthesesOfAComment(t *testing.T) {
	t.Parallel()
	for comment, want := range map[string][]string{
		"It does not own prices (plan).":                            {"plan"},
		"nor what follows (payment, charging), nor files (db/core)": {"payment", "charging", "db/core"},
		"nor the rest (recording, which decides as this one does).": {"recording"},
		"It says what is next (the same pairs are guarded).":        nil,
		"nor how it is paid (Breaker, ADR 58).":                     nil,
	} {
		require.Equal(t, want, namesIn(comment), comment)
	}
	require.False(t, isPackage("subscribers"))
	require.False(t, isPackage("internal/lint/doc.go"))
	require.True(t, isPackage("subscribing"))
	require.True(t, isPackage("service/gateway"))
}

// namesIn returns the names in the parentheses of a comment. A phrase of several words is none.
func namesIn(comment string) (names []string) {
	for _, in := range parentheses.FindAllStringSubmatch(strings.Join(strings.Fields(comment), " "), -1) {
		for _, word := range strings.Split(in[1], ", ") {
			if aName.MatchString(word) {
				names = append(names, word)
			}
		}
	}
	return names
}

func isPackage(name string) bool {
	for _, room := range []string{"billing", "."} {
		info, err := os.Stat(filepath.Join("..", "..", room, filepath.FromSlash(name)))
		if err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

// packageComment returns the text above the package clause, in whichever file of the folder that is.
func packageComment(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	var text strings.Builder
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.PackageClauseOnly)
		require.NoError(t, err)
		text.WriteString(file.Doc.Text())
	}
	return text.String()
}
