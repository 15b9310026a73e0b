package txnlog_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golang/snappy"

	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/txnlog"
)

// streamed compresses b as snappy-java's SnappyOutputStream does, in blocks of that many bytes.
func streamed(b []byte, block int) []byte {
	out := []byte("\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01")
	for len(b) > 0 {
		n := min(block, len(b))
		out = framed(out, snappy.Encode(nil, b[:n]))
		b = b[n:]
	}
	return out
}

func framed(out, block []byte) []byte {
	return append(binary.BigEndian.AppendUint32(out, uint32(len(block))), block...)
}

// read reads a snapshot file with that name and content, and returns the paths of its znodes.
func read(t *testing.T, name string, content []byte) (paths string, err error) {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	err = txnlog.ReadSnapshotFile(name, txnlog.Tree{
		Session: func(int64, int32) error { return nil },
		Node:    func(n *txnlog.Node) error { paths += n.Path + " "; return nil },
	})
	return paths, err
}

// TestCompressed reads a snapshot in each possible compression.
func TestCompressed(t *testing.T) {
	plain := txnlogtest.Latest().Snapshot(txnlogtest.Tree{Nodes: []txnlog.Node{{Path: "/"}, {Path: "/a"},
		{Path: "/a/long", Data: []byte(strings.Repeat("datum ", 2000))}}}, 0)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(plain); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"snapshot.1": plain, "snapshot.1.gz": zipped.Bytes(), "snapshot.1.snappy": streamed(plain, 32<<10),
		"snapshot.2.snappy": streamed(plain, 7),
	} {
		if got, err := read(t, name, content); got != "/ /a /a/long " || err != nil {
			t.Errorf("%s has %q, %v", name, got, err)
		}
	}
}

// TestBadSnappy refuses invalid streams, with no more memory than a block takes.
func TestBadSnappy(t *testing.T) {
	plain := txnlogtest.Latest().Snapshot(txnlogtest.Tree{Nodes: []txnlog.Node{{Path: "/"}}}, 0)
	head, good := streamed(nil, 1), streamed(plain, 100)
	huge := binary.AppendUvarint(nil, 1<<31) // its claimed length
	for want, content := range map[string][]byte{
		"not a stream of snappy-java":                                         plain,
		"version 2 of snappy-java's format is unknown; the latest known is 1": append(head[:15:15], 2),
		"unexpected EOF":              good[:len(good)-3],
		"not a snapshot of ZooKeeper": head,
		"decompress a Snappy block: a length of 1048577 bytes":          append(head[:16:16], 0, 0x10, 0, 1),
		"decompress a Snappy block: a length of 2147483648 bytes":       framed(head[:16:16], huge),
		"decompress a Snappy block: snappy: corrupt input":              framed(head[:16:16], []byte("\x05nonsense")),
		"decompress a Snappy block: snappy: corrupt input (its length)": framed(head[:16:16], nil),
	} {
		want, _, _ = strings.Cut(want, " (")
		if _, err := read(t, "snapshot.1.snappy", content); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
