package past_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
)

// TestReadsWhileWritten reads a log while a server writes it. The reader may see zeros in place of a transaction,
// and later ones behind it. It must skip none.
func TestReadsWhileWritten(t *testing.T) {
	const n = 20_000
	all := made(1, n)
	name := filepath.Join(t.TempDir(), "log.1")
	whole := txnlogtest.Log(all...)
	if err := os.WriteFile(name, append(whole[:400:400], make([]byte, len(whole)-400)...), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := past.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error)
	go func() {
		const step = 97
		for at := 400; at < len(whole) && err == nil; at += step {
			_, err = f.WriteAt(whole[at:min(at+step, len(whole))], int64(at))
		}
		written <- errors.Join(err, f.Close())
	}()
	m := past.NewMerge(files.Servers(), nil, func(trouble past.Trouble) {
		var torn *txnlog.TornError
		if errors.As(trouble.Err, &torn) && torn.Until > 0 {
			t.Errorf("while it is written: %v", trouble.Err)
		}
	})
	defer m.Close()
	last, done := int64(0), false
	for {
		step, err := m.Next(t.Context())
		switch {
		case err == io.EOF && done:
			if last != n {
				t.Errorf("it has read up to %d of %d", last, n)
			}
			return
		case err == io.EOF:
			select {
			case err := <-written:
				if done = true; err != nil {
					t.Fatal(err)
				}
			default:
			}
			if err := m.Resume(files.Servers()[0]); err != nil {
				t.Fatal(err)
			}
		case err != nil:
			t.Fatal(err)
		case step.Txn.Zxid != last+1:
			t.Fatalf("after %d comes %d", last, step.Txn.Zxid)
		default:
			last++
		}
	}
}
