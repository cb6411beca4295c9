package mailing_test

import (
	"testing"

	"perennial/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }
