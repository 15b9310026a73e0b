// Package need decides what a test does without the system that it needs. It is only for tests: engine/testing/zktest,
// redistest, etcdtest and sqltest call it.
package need

import (
	"os"
	"testing"
)

// Installed skips the test if err says that a system is missing. It fails the test if CI is set, where nothing may be
// missing.
func Installed(tb testing.TB, err error) {
	tb.Helper()
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		tb.Fatal(err)
	default:
		tb.Skip(err)
	}
}

// Own is Installed for a test that starts a server of its own, like "a database". With -short it skips every such test,
// but no benchmark: the servers for all tests of a run are enough then.
func Own(tb testing.TB, server string, err error) {
	tb.Helper()
	Installed(tb, err)
	if _, test := tb.(*testing.T); test && testing.Short() {
		tb.Skipf("with -short no test starts %s of its own", server)
	}
}
