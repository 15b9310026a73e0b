package conform

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// dice draws the values of requests that need to know nothing about the script.
type dice struct{ rng *rand.Rand }

func (r *dice) data() []byte {
	switch r.rng.IntN(10) {
	case 0:
		return nil
	case 1:
		return []byte{}
	case 2:
		most := 2000
		if r.one(10) {
			most = 200_000
		}
		return bytes.Repeat([]byte("z"), r.rng.IntN(most))
	}
	return []byte(pick(r, "x", "y", "hello", "\x00\xff", "2147483648"))
}

// secret returns credentials for the scheme digest, which accepts any.
func (r *dice) secret() string {
	if r.one(3) {
		return pick(r, "ünï:ß", "日本:本", "\U0001f600:\U0001f601", "a\U0010ffff", "\xff:x", "u\xc3:p", "\xed\xa0\x80:p",
			"\xed\xa0\xbd\xed\xb8\x80:p",
			"\xf4\x90\x80\x80:p", "\xc0\x80:p", "u\x00:p", "u\n:p", "u\u2028v:p", "\ufffd:p", strings.Repeat("l", 300)+":p")
	}
	return pick(r, "u1:p1", "u1:p1", "u2:p2", "u1:wrong", "nocolon", "", ":", "a:b:c")
}

// acl returns an ACL, most often one that is open to all.
func (r *dice) acl() []zoo.ACL {
	if !r.one(5) {
		return zoo.OpenACL()
	}
	n := pick(r, 0, 1, 1, 1, 2, 2, 3)
	var all []zoo.ACL
	for range n {
		all = append(all, r.entry())
	}
	if n > 0 && r.one(4) {
		all = append(all, all[0])
	}
	return all
}

func (r *dice) entry() zoo.ACL {
	a := zoo.ACL{Perms: pick[int32](r, 31, 31, 31, 1, 2, 4, 8, 16, 3, 17, 30, 0), Scheme: "world", ID: "anyone"}
	switch r.rng.IntN(8) {
	case 0, 1:
		a.Scheme, a.ID = "digest", digestID(pick(r, "u1:p1", "u2:p2", "u1:p1", "u2:p2", "ünï:ß", "\U0001f600:\U0001f601"))
	case 2:
		a.Scheme, a.ID = "auth", pick(r, "", "", "u1", "anything")
	case 3:
		a.Scheme, a.ID = "ip", pick(r, "127.0.0.1", "127.0.0.0/8", "10.0.0.1", "0.0.0.0/0", "127.0.0.1/32")
		if r.one(3) {
			a.ID = r.oddNet()
		}
	case 4:
		if r.one(3) {
			a = r.oddEntry()
		}
	}
	return a
}

// oddNet returns something like an address, with or without bits, or an unusual form of one.
func (r *dice) oddNet() string {
	return pick(r, "127.0.0.1/", "127.0.0.1/x", "127.0.0.1/8/9", "127.0.0.1/+8", "127.0.0.1/-0", "127.0.0.1/08",
		"127.0.0.1/ 8",
		"127.0.0.1/2147483648", "127.0.0.1/٨", "١٢٧.0.0.1", "１２７.0.0.1/８", "\U0001d7cf27.0.0.1", "+127.0.0.1", "-0.0.0.0",
		"-1.0.0.0",
		"127.0.0.01", "0000127.0.0.1", "0x7f.0.0.1", "1e2.0.0.1", "127.0.0.1.", ".127.0.0.1", "127..0.1", "127.1",
		"127.0.0.1.5",
		" 127.0.0.1", "127.0.0.1 ", "127.0.0.1\x00", "/8", "/", "256.0.0.1", "4294967423.0.0.1", "0:0:0:0:0:0:0:1")
}

func (r *dice) oddEntry() zoo.ACL {
	a := pick(r,
		zoo.ACL{Perms: 31, Scheme: "world", ID: "everyone"},
		zoo.ACL{Perms: 31, Scheme: "world"},
		zoo.ACL{Perms: 31, Scheme: "nope", ID: "x"},
		zoo.ACL{Perms: 31, ID: "anyone"},
		zoo.ACL{Perms: 31, Scheme: "digest", ID: "u1"},
		zoo.ACL{Perms: 31, Scheme: "digest", ID: "u1:"},
		zoo.ACL{Perms: 31, Scheme: "digest", ID: ":x"},
		zoo.ACL{Perms: 31, Scheme: "digest", ID: "a:b:c"},
		zoo.ACL{Perms: 31, Scheme: "digest"},
		zoo.ACL{Perms: 31, Scheme: "ip", ID: "localhost"},
		zoo.ACL{Perms: 31, Scheme: "ip", ID: "127.0.0.1/33"},
		zoo.ACL{Perms: 31, Scheme: "ip", ID: "127.0.0.1/-1"},
		zoo.ACL{Perms: 31, Scheme: "ip", ID: "127.0.0"},
		zoo.ACL{Perms: 31, Scheme: "ip", ID: "127.0.0.256"},
		zoo.ACL{Perms: 31, Scheme: "ip", ID: "::1"},
		zoo.ACL{Perms: 31, Scheme: "ip"},
		zoo.ACL{Perms: 31, Scheme: "super", ID: "x"},
		zoo.ACL{Perms: 31, Scheme: "sasl", ID: "x"},
		zoo.ACL{Perms: 31, Scheme: "x509", ID: "CN=x"},
	)
	if r.one(4) {
		a.Perms = pick[int32](r, 32, 255, -1, 1<<30)
	}
	return a
}

// one returns true once in n times.
func (r *dice) one(n int) bool { return r.rng.IntN(n) == 0 }

// timeout returns one that is too long to expire.
func (r *dice) timeout() int32 {
	return pick[int32](r, DefaultTimeout, DefaultTimeout, 3_599_999, 3_600_000, 3_600_001, 0x7fffffff)
}

func (r *dice) garbage(most int) []byte {
	b := make([]byte, r.rng.IntN(most+1))
	for i := range b {
		b[i] = byte(r.rng.Uint32())
	}
	return b
}

func (r *dice) damage(body []byte) []byte {
	if len(body) == 0 {
		return r.garbage(8)
	}
	at := r.rng.IntN(len(body))
	switch r.rng.IntN(5) {
	case 0, 1:
		return body[:at]
	case 2:
		return append(body, r.garbage(6)...)
	case 3:
		body[at] ^= 1 << r.rng.IntN(8)
	case 4:
		if len(body) >= 4 {
			at = min(at&^3, len(body)-4)
			n := pick[int32](r, -1, -1, -1, -2, 0, 1, 0x7fffffff, 1<<20, -0x80000000)
			binary.BigEndian.PutUint32(body[at:], uint32(n))
		}
	}
	return body
}

func pick[T any](r *dice, all ...T) T { return all[r.rng.IntN(len(all))] }

// digestID returns the ID of the digest scheme for "user:password".
func digestID(secret string) string {
	sum := sha1.Sum([]byte(secret))
	user, _, _ := strings.Cut(secret, ":")
	return user + ":" + base64.StdEncoding.EncodeToString(sum[:])
}
