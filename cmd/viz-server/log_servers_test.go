package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// servers returns the folders of three servers. The first one died as the leader, with two transactions that no other
// got. The second has a different transaction under one zxid.
func servers(t *testing.T) (folders []string) {
	t.Helper()
	begin := time.Date(2026, 11, 25, 3, 0, 0, 0, time.UTC)
	made := func(epoch int64, from, to int, odd int) (all []wire.Txn) {
		for i := from; i <= to; i++ {
			x := wire.Txn{Session: 7, Cxid: 1, Zxid: epoch<<32 + int64(i), Op: wire.OpSetData, Path: "/app",
				Data: []byte("x"), TimeMS: begin.Add(time.Duration(epoch)*time.Minute + time.Duration(i)*time.Second).UnixMilli()}
			if i == odd {
				x.Path = "/\x1b[31mother"
			}
			all = append(all, x)
		}
		return all
	}
	dir := t.TempDir()
	for _, s := range []struct {
		name string
		all  []wire.Txn
	}{
		{"s1", made(0, 1, 7, 0)},
		{"s2", append(made(0, 1, 5, 3), made(1, 1, 4, 0)...)},
		{"s3", append(made(0, 1, 5, 0), made(1, 1, 5, 0)...)},
	} {
		folder := filepath.Join(dir, s.name, "version-2")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "log.1"), txnlogtest.Log(s.all...), 0o600); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, folder)
	}
	return folders
}

// TestLogServers prints what each server has, and shows their differences prominently.
func TestLogServers(t *testing.T) {
	defer func(was *time.Location) { time.Local = was }(time.Local)
	time.Local = time.UTC
	folders := servers(t)
	code, out, errs := printed(t, append([]string{"log", "--servers"}, folders...)...)
	for _, want := range []string{
		" 2026-11-25T03:00:01.000Z  2026-11-25T03:00:07.000Z  0x7          0       5 transactions, 58s\n",
		"SERVERS DIFFER at 0x3:\n    s1 has: 0x7 set /app, 1 byte, ", "    s2 has: 0x7 set /\\u001b[31mother",
		"only s1 has 0x6 to 0x7, 2 transactions: s2, s3 continued without them; they were probably",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it doesn't print %q, but\n%s", want, out)
		}
	}
	if code != exitOK || errs != "" {
		t.Errorf("exit code %d, %s", code, errs)
	}
	code, out, _ = printed(t, append([]string{"log", "--servers", "--json"}, folders...)...)
	if code != exitOK || !strings.Contains(out, `"kind":"alone","last":{"time":"2026-11-25T03:00:07.000Z","zxid":"0x7"}`) {
		t.Errorf("exit code %d, as JSON it prints\n%s", code, out)
	}
	code, out, errs = printed(t, append([]string{"log"}, folders...)...)
	if code != exitOK || strings.Count(out, "\n") != 12 || !strings.Contains(errs, "SERVERS DIFFER at 0x3: s2 has") {
		t.Errorf("exit code %d, together they have\n%s%s", code, out, errs)
	}
}

// TestLogServersClock reports where time goes back, since the periods and the lags depend on it.
func TestLogServersClock(t *testing.T) {
	defer func(was *time.Location) { time.Local = was }(time.Local)
	time.Local = time.UTC
	all := numbered(1, wire.Txn{Op: wire.OpCreate, Path: "/lock"}, stand(7, "lock-0000000000"),
		step(7, "lock-0000000000"))
	all[2].TimeMS = all[1].TimeMS - 9000
	dir := crashed(t, map[string][]byte{"log.1": txnlogtest.Log(all...)})
	const said = "the time goes back from 2026-11-25T03:00:02.000Z to 2026-11-25T02:59:53.000Z at the transaction 0x3"
	prints(t, 0, []string{dir, "--servers"}, said)
	prints(t, 0, []string{dir, "--servers", "--json"}, `{"at":{"time":"2026-11-25T02:59:53.000Z","zxid":"0x3"},`+
		`"before":"2026-11-25T03:00:02.000Z","kind":"clock","why":"`+said)
}
