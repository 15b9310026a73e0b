// Package indextest indexes files of transactions for tests, such as those of one night.
package indextest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Begin returns the start of the night.
func Begin() time.Time { return time.Date(2026, 11, 25, 3, 0, 0, 0, time.UTC) }

// Read returns an index of the files in these folders.
func Read(tb testing.TB, folders ...string) *index.Index {
	tb.Helper()
	files, err := past.Find(folders...)
	if err != nil {
		tb.Fatal(err)
	}
	x, err := index.New(files)
	if err == nil {
		err = x.Read(tb.Context())
	}
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

// Night returns an index of a night in which, after some other transactions, the lock /app/lock changes hands each
// minute for an hour. A transaction comes every half minute.
func Night(tb testing.TB, before ...wire.Txn) *index.Index {
	tb.Helper()
	all := before
	for i := range 60 {
		name, session := fmt.Sprintf("/app/lock/n-%010d", i), int64(100+i)
		all = append(all,
			wire.Txn{Session: session, Cxid: 1, Op: wire.OpCreate, Path: name, ACL: zoo.OpenACL(), Ephemeral: true},
			wire.Txn{Session: session, Op: wire.OpCloseSession, Paths: []string{name}})
	}
	for i := range all {
		all[i].Zxid, all[i].TimeMS = int64(i+1), Begin().Add(time.Duration(i)*30*time.Second).UnixMilli()
	}
	name := filepath.Join(tb.TempDir(), "log.1")
	if err := os.WriteFile(name, txnlogtest.Log(all...), 0o600); err != nil {
		tb.Fatal(err)
	}
	return Read(tb, name)
}
