package past_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// BenchmarkRead reads a log in which locks are acquired and released. It reports transactions a second.
func BenchmarkRead(b *testing.B) {
	const n = 200_000
	all := make([]wire.Txn, 0, n)
	for i := range n / 2 {
		path := fmt.Sprintf("/locks/%d/lock-%010d", i%100, i)
		for _, x := range []wire.Txn{
			{Op: wire.OpCreate, Path: path, Data: []byte("10.1.2.3:4567"), ACL: zoo.OpenACL(), Ephemeral: true},
			{Op: wire.OpDelete, Path: path},
		} {
			x.Session, x.Cxid, x.Zxid, x.TimeMS = int64(i%500+1), int32(i), int64(len(all)+1), int64(len(all))
			all = append(all, x)
		}
	}
	file := filepath.Join(b.TempDir(), "log.1")
	if err := os.WriteFile(file, txnlogtest.Log(all...), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f, err := past.Find(file)
		if err != nil {
			b.Fatal(err)
		}
		read := 0
		err = f.Read(b.Context(), "/", func(x past.Trouble) { b.Error(x.Err) },
			func(*replay.State, *wire.Txn, []replay.Fact) error { read++; return nil })
		if err != nil || read != n {
			b.Fatal(err, read)
		}
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "txn/s")
}
