package txnlog_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// all reads everything: the transactions, the damage, and the end.
func all(r interface{ Next(*wire.Txn) error }) (zxids []int64, damage []*txnlog.TornError, err error) {
	var t wire.Txn
	for {
		err := r.Next(&t)
		if err == nil {
			zxids = append(zxids, t.Zxid)
			continue
		}
		var torn *txnlog.TornError
		switch {
		case errors.As(err, &torn) && torn.Until > 0:
			damage = append(damage, torn)
		case errors.As(err, &torn):
			return zxids, append(damage, torn), err
		default:
			return zxids, damage, err
		}
	}
}

// frames returns a log of n transactions of different sizes, and the offset of each.
func frames(rng *rand.Rand, n int) (b []byte, at []int) {
	b = []byte("ZKLG\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00")
	for i := range n {
		at = append(at, len(b))
		x := wire.Txn{Session: rng.Int64(), Cxid: int32(i), Zxid: int64(i + 1), TimeMS: int64(i), Op: wire.OpCreate,
			Path: fmt.Sprint("/n", i), Data: bytes.Repeat([]byte{byte(rng.IntN(3))}, rng.IntN(300))}
		if rng.IntN(3) == 0 {
			x = wire.Txn{Session: 1, Zxid: int64(i + 1), Op: wire.OpCloseSession}
		}
		b = txnlogtest.AppendRecord(b, x.Append(nil))
	}
	return b, append(at, len(b))
}

// hurt damages a log as disks and crashes do, and returns the damaged range.
func hurt(rng *rand.Rand, b []byte) (damaged []byte, from, to int) {
	from = rng.IntN(len(b))
	to = min(len(b), from+1+rng.IntN(700))
	damaged = bytes.Clone(b)
	switch rng.IntN(4) {
	case 0: // one bit
		to = from + 1
		damaged[from] ^= 1 << rng.IntN(8)
	case 1: // blocks that were never written
		clear(damaged[from:to])
	case 2: // foreign data
		for i := from; i < to; i++ {
			damaged[i] = byte(rng.Uint32())
		}
	case 3: // the end is lost
		return append(damaged[:from], make([]byte, rng.IntN(2)*1000)...), from, len(b)
	}
	return damaged, from, to
}

// TestResync damages logs at random. Every intact transaction is read, nothing else is, and the damage is reported.
func TestResync(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		whole, at := frames(rng, 2+rng.IntN(40))
		b, from, to := hurt(rng, whole)
		var want []int64
		for i := range len(at) - 1 {
			if at[i+1] <= from || at[i] >= to || at[i+1] <= len(b) && bytes.Equal(whole[at[i]:at[i+1]], b[at[i]:at[i+1]]) {
				want = append(want, int64(i+1))
			}
		}
		r, err := txnlog.NewReader(bytes.NewReader(b))
		if err != nil {
			r = txnlog.Salvage(bytes.NewReader(b))
		}
		zxids, damage, err := all(r)
		if !slices.Equal(zxids, want) {
			t.Errorf("seed %d, damaged from %d to %d of %d: it reads %d transactions, not %d", seed, from, to, len(b),
				len(zxids), len(want))
		}
		inside := len(want) > 0 && len(want) < len(at)-1 && want[len(want)-1] == int64(len(at)-1)
		if inside && (len(damage) == 0 || damage[0].Until == 0) {
			t.Errorf("seed %d: %d transactions are lost, and it says %v", seed, len(at)-1-len(want), damage)
		}
		if len(damage) == 0 && err != io.EOF {
			t.Errorf("seed %d: it ends with %v", seed, err)
		}
	}
}

// TestFrameInData damages a transaction whose data looks like a log. The transactions in that data must not be read.
func TestFrameInData(t *testing.T) {
	inner := wire.Txn{Session: 1, Cxid: 1, Zxid: 7, Op: wire.OpDelete, Path: "/never"}
	b := txnlogtest.Log(
		wire.Txn{Session: 1, Cxid: 1, Zxid: 1, Op: wire.OpCreate, Path: "/a"},
		wire.Txn{Session: 1, Cxid: 2, Zxid: 2, Op: wire.OpCreate, Path: "/b",
			Data: txnlogtest.AppendRecord(nil, inner.Append(nil))},
		wire.Txn{Session: 1, Cxid: 3, Zxid: 3, Op: wire.OpCreate, Path: "/c"})
	b[bytes.Index(b, []byte("/b"))]++
	r, err := txnlog.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if zxids, damage, err := all(r); fmt.Sprint(zxids) != "[1 3]" || len(damage) != 1 || err != io.EOF {
		t.Errorf("it reads %v, %v, %v", zxids, damage, err)
	}
}

// TestFile opens logs as crashes leave them: with a missing header, or gzipped in whole or in part.
func TestFile(t *testing.T) {
	whole := written(50)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(whole)
	_ = z.Close()
	size := (len(whole) - 16) / 50
	headless := bytes.Clone(whole)
	clear(headless[:16+size/2])
	for name, test := range map[string]struct {
		content []byte
		n       int
		want    string // how it ends, or the damage
	}{
		"log.1": {whole, 50, "EOF"}, "log.2": {nil, 0, "the file is empty"},
		"log.3":    {whole[:7], 0, "ends after 7 bytes, in its header"},
		"log.4":    {make([]byte, 1<<16), 0, "begins with zeros"},
		"log.5":    {headless, 49, "begins with zeros"},
		"log.6":    {[]byte("something else altogether"), 0, "doesn't begin with"},
		"log.7.gz": {zipped.Bytes(), 50, "EOF"},
		"log.8.gz": {zipped.Bytes()[:zipped.Len()-20], -1, "the rest can't be unpacked"},
		"log.9.gz": {nil, 0, "can't be unpacked"},
		"log.a.gz": {[]byte("not packed at all"), 0, "can't be unpacked"},
	} {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, test.content, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := txnlog.OpenFile(name, 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		zxids, damage, err := all(f)
		said := fmt.Sprint(damage, err)
		if test.n >= 0 && len(zxids) != test.n || !strings.Contains(said, test.want) {
			t.Errorf("%s: %d transactions, %s", filepath.Base(name), len(zxids), said)
		}
		_ = f.Close()
		if test.n < 50 {
			continue
		}
		if f, err = txnlog.OpenFile(name, int64(16+size*30)); err != nil {
			t.Fatal(err)
		}
		if zxids, _, err := all(f); len(zxids) != 20 || err != io.EOF {
			t.Errorf("%s: from the 31st on it has %d, %v", filepath.Base(name), len(zxids), err)
		}
		_ = f.Close()
	}
	if _, err := txnlog.OpenFile(filepath.Join(t.TempDir(), "log.1"), 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
