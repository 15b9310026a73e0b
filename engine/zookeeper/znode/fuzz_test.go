package znode_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"runtime"
	"testing"

	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// FuzzLoad checks that Load never panics, uses only a small multiple of the input's memory, and accepts only valid
// trees. It fixes the checksum first, since nothing would pass otherwise.
func FuzzLoad(f *testing.F) {
	for seed := range uint64(20) {
		c, tree := newChaos(seed), znode.New()
		for range 40 {
			tree.Apply(c.txn(), nil)
		}
		f.Add(tree.AppendTo(nil))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 4 {
			src = binary.BigEndian.AppendUint32(src[:len(src)-4:len(src)-4], crc32.ChecksumIEEE(src[:len(src)-4]))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tree, err := znode.Load(src)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<16+400*uint64(len(src)) {
			t.Fatalf("%d bytes made it take %d", len(src), took)
		}
		if err != nil {
			return
		}
		compareFigures(t, tree)
		load(t, tree.AppendTo(nil))
		tree.Apply(newChaos(1).txn(), nil)
	})
}

// TestNonsense flips one bit of a snapshot and fixes the checksum. Load must refuse it or return a valid tree.
func TestNonsense(t *testing.T) {
	c, tree := newChaos(8), znode.New()
	for range 60 {
		tree.Apply(c.txn(), nil)
	}
	good, refused := tree.AppendTo(nil), 0
	for i := range (len(good) - 4) * 8 {
		bad := bytes.Clone(good[:len(good)-4])
		bad[i/8] ^= 1 << (i % 8)
		other, err := znode.Load(binary.BigEndian.AppendUint32(bad, crc32.ChecksumIEEE(bad)))
		if err != nil {
			refused++
			continue
		}
		compareFigures(t, other)
		load(t, other.AppendTo(nil))
	}
	for i := range len(good) - 4 {
		bad := good[:i:i]
		if _, err := znode.Load(binary.BigEndian.AppendUint32(bad, crc32.ChecksumIEEE(bad))); err == nil {
			t.Fatalf("the first %d bytes are taken for a tree", i)
		}
	}
	if refused < len(good) {
		t.Fatalf("only %d of %d flipped bits were refused", refused, 8*len(good))
	}
}

// TestDamage checks that Load refuses a snapshot that is truncated or damaged anywhere.
func TestDamage(t *testing.T) {
	c, tree := newChaos(3), znode.New()
	for range 40 {
		tree.Apply(c.txn(), nil)
	}
	good := tree.AppendTo(nil)
	for i := range good {
		if _, err := znode.Load(good[:i]); err == nil {
			t.Fatalf("%d of %d bytes are taken", i, len(good))
		}
		bad := append([]byte{}, good...)
		bad[i] ^= 1 << (i % 8)
		if _, err := znode.Load(bad); err == nil {
			t.Fatalf("byte %d is damaged and taken", i)
		}
	}
	if _, err := znode.Load(append(good, 0)); err == nil {
		t.Fatal("a byte too many is taken")
	}
}
