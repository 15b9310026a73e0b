package index_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
)

// million returns a log of a million transactions without a snapshot, and their number. In short mode there are fewer.
func million(b *testing.B) (f past.Files, n int) {
	n = 1_000_000
	if testing.Short() {
		n /= 100
	}
	file := filepath.Join(b.TempDir(), "log.1")
	if err := os.WriteFile(file, txnlogtest.Log(turns(n, 500)...), 0o600); err != nil {
		b.Fatal(err)
	}
	f, err := past.Find(file)
	if err != nil {
		b.Fatal(err)
	}
	return f, n
}

// BenchmarkRead indexes a million transactions. It reports transactions a second.
func BenchmarkRead(b *testing.B) {
	f, n := million(b)
	for b.Loop() {
		x, err := index.New(f)
		if err == nil {
			err = x.Read(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds(), "txn/s")
}

// BenchmarkOpen opens moments all over a million transactions: ten minutes at the lock.
func BenchmarkOpen(b *testing.B) {
	f, _ := million(b)
	x, err := index.New(f)
	if err == nil {
		err = x.Read(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	const n, minutes = 37, 600_000
	from, until := x.Span()
	i := int64(0)
	for b.Loop() {
		at := from + (until-from-minutes)*(i%n)/n
		var log event.Log
		if err := x.Window(b.Context(), "/app/lock", at, at+minutes, &log); err != nil {
			b.Fatal(err)
		}
		i += 11
	}
}
