package txnlog_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// written returns a log of n creates as a server writes it, but without the zeros at its end.
func written(n int) []byte {
	b := binary.BigEndian.AppendUint64([]byte("ZKLG\x00\x00\x00\x02"), 0)
	for i := range n {
		txn := wire.Txn{Session: 1, Cxid: int32(i), Zxid: int64(i + 1), Op: wire.OpCreate,
			Path: fmt.Sprintf("/locks/a/lock-%010d", i), Data: []byte("10.1.2.3"),
			ACL: zoo.OpenACL(), Ephemeral: true, Cversion: int32(i + 1)}
		b = txnlogtest.AppendRecord(b, append(txn.Append(nil), make([]byte, 12)...))
	}
	return b
}

// count reads a log to its end. It returns the number of transactions and the first damage, or else how it ends.
func count(b []byte) (n int, err error) {
	r, err := txnlog.NewReader(bytes.NewReader(b))
	if err != nil {
		return 0, err
	}
	zxids, torn, err := all(r)
	if len(torn) > 0 {
		err = torn[0]
	}
	return len(zxids), err
}

// TestTornTail cuts a log at every byte. Everything before the cut is read, and the error names the start of the rest.
func TestTornTail(t *testing.T) {
	whole := written(5)
	size := (len(whole) - 16) / 5
	for end := range len(whole) {
		n, err := count(whole[:end])
		var torn *txnlog.TornError
		switch {
		case end < 16:
			if !errors.Is(err, txnlog.ErrNotLog) {
				t.Errorf("%d bytes: %v", end, err)
			}
		case n != (end-16)/size:
			t.Errorf("%d bytes have %d transactions, not %d", end, n, (end-16)/size)
		case (end-16)%size == 0:
			if !errors.Is(err, io.EOF) {
				t.Errorf("%d bytes: %v", end, err)
			}
		case !errors.As(err, &torn) || torn.Offset != int64(16+n*size):
			t.Errorf("%d bytes: %v", end, err)
		}
	}
}

// TestEnds checks the ways in which a log can end.
func TestEnds(t *testing.T) {
	whole := written(3)
	size := (len(whole) - 16) / 3
	damaged := bytes.Clone(whole)
	damaged[16+size+20]++
	open := bytes.Clone(whole)
	open[len(open)-1] = 0
	huge := binary.BigEndian.AppendUint32(append(bytes.Clone(whole), make([]byte, 8)...), 1<<31-1)
	below := binary.BigEndian.AppendUint32(append(bytes.Clone(whole), make([]byte, 8)...), 1<<31)
	torn := func(at int, why string) string { return fmt.Sprintf("the log is torn at byte %d: %s", at, why) }
	ended := func(more ...byte) []byte { return append(bytes.Clone(whole), more...) }
	for name, test := range map[string]struct {
		log  []byte
		n    int
		want string
	}{
		"the zeros of a file that is longer than what is written": {ended(make([]byte, 1<<16)...), 3, "EOF"},
		"a few zeros":            {ended(0, 0, 0), 3, torn(len(whole), "the file ends in a transaction")},
		"nothing is written yet": {whole[:16], 0, "EOF"},
		"a byte is another": {damaged, 2, fmt.Sprintf("the log is damaged from byte %d to byte %d: the checksum of", 16+size,
			16+2*size)},
		"the end is another": {open, 2, torn(16+2*size, "a transaction has no end")},
		"two gigabytes":      {huge, 3, torn(len(whole), "a length of 2147483647 bytes")},
		"a length below 0":   {below, 3, torn(len(whole), "a length of -2147483648 bytes")},
		"what is no transaction": {txnlogtest.AppendRecord(ended(), []byte("nothing")), 3,
			torn(len(whole), "the transaction cannot be read")},
		"a checksum and no length": {ended(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0), 3,
			torn(len(whole), "a checksum, and no transaction")},
		"another version": {append([]byte("ZKLG\x00\x00\x00\x03"), whole[8:]...), 0, txnlog.ErrNotLog.Error()},
		"a picture":       {[]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), 0, txnlog.ErrNotLog.Error()},
	} {
		n, err := count(test.log)
		if n != test.n || err == nil || !bytes.HasPrefix([]byte(err.Error()), []byte(test.want)) {
			t.Errorf("%s: %d transactions, then %v; want %d, then %s", name, n, err, test.n, test.want)
		}
	}
}

// TestResume resumes at every transaction of a log.
func TestResume(t *testing.T) {
	b := written(20)
	r, err := txnlog.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var txn wire.Txn
	for n := int64(1); ; n++ {
		at := r.Offset()
		if err := r.Next(&txn); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		var again wire.Txn
		if err := txnlog.Resume(bytes.NewReader(b[at:]), at).Next(&again); err != nil || again.Zxid != n || txn.Zxid != n {
			t.Errorf("transaction %d: %+v, resumed %+v, %v", n, txn, again, err)
		}
	}
}

// FuzzLog reads arbitrary bytes. Reading must end, with no more transactions than the bytes can hold.
func FuzzLog(f *testing.F) {
	f.Add(written(3))
	f.Add(append(written(1), make([]byte, 40)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := count(b); err == nil || n > len(b)/14 {
			t.Fatalf("%d transactions, then %v", n, err)
		}
	})
}

// FuzzSnapshot does the same for snapshots.
func FuzzSnapshot(f *testing.F) {
	f.Add(append([]byte("ZKSN\x00\x00\x00\x02"), make([]byte, 40)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		nodes := 0
		_ = txnlog.ReadSnapshot(bytes.NewReader(b), txnlog.Tree{
			Session: func(int64, int32) error { return nil },
			Node:    func(*txnlog.Node) error { nodes++; return nil },
		})
		if nodes > len(b)/60 {
			t.Fatalf("%d bytes have %d znodes", len(b), nodes)
		}
	})
}

func BenchmarkNext(b *testing.B) {
	const n = 100_000
	log := written(n)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		if got, err := count(log); got != n || !errors.Is(err, io.EOF) {
			b.Fatal(got, err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "txns/s")
}
